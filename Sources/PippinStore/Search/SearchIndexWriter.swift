import GRDB
import PippinPage

/// Writes documents into the index, within one transaction.
struct SearchIndexWriter {
    private let database: Database
    private let weights: SearchWeights
    private let byKey: StoreStatement
    private let insertion: StoreStatement
    private let removal: StoreStatement
    private let signalsOf: StoreStatement
    private let popularityUpdate: StoreStatement
    private let wordsInsertion: StoreStatement
    private let wordsRemoval: StoreStatement
    private let contentsOf: StoreStatement
    private let contentsInsertion: StoreStatement
    private let contentsRemoval: StoreStatement

    private var serial: Int64
    private var documents: Int64
    private var removed: Int64 = 0
    /// Changes of counts, written at the end of the transaction.
    private var terms: [String: Int64] = [:]
    private var languages: [String: Int64] = [:]
    private var lengths = [Int64](repeating: 0, count: SearchField.allCases.count)

    init(_ database: Database, weights: SearchWeights) throws {
        self.database = database
        self.weights = weights
        byKey = try StoreStatement(
            database, "SELECT id, identifier, contents, lengths, language, shard FROM document WHERE key = ?")
        insertion = try StoreStatement(
            database,
            """
            INSERT OR REPLACE INTO document(
                id, key, identifier, contents, host, lengths, language, popularity, rating, stars, interactions, structuredData,
                flags, stuffing, signs, day, over, shard, types, site, price, currency, apps)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """)
        removal = try StoreStatement(database, "DELETE FROM document WHERE id = ?")
        signalsOf = try StoreStatement(
            database, "SELECT \(SearchSignals.columns), id FROM document WHERE key = ?")
        popularityUpdate = try StoreStatement(
            database, "UPDATE document SET popularity = ? WHERE id = ?")
        let columns = SearchSchema.columns
        let names = columns.joined(separator: ", ")
        let values = String(repeating: ", ?", count: columns.count)
        wordsInsertion = try StoreStatement(database, "INSERT INTO words(rowid, \(names)) VALUES (?\(values))")
        wordsRemoval = try StoreStatement(
            database, "INSERT INTO words(words, rowid, \(names)) VALUES ('delete', ?\(values))")
        contentsOf = try StoreStatement(database, "SELECT terms FROM contents WHERE id = ?")
        contentsInsertion = try StoreStatement(database, "INSERT INTO contents VALUES (?, ?)")
        contentsRemoval = try StoreStatement(database, "DELETE FROM contents WHERE id = ?")
        (serial, documents) =
            try StoreStatement(database, "SELECT serial, documents FROM state")
            .first { ($0.integer(0), $0.integer(1)) } ?? (0, 0)
    }

    private struct Known {
        let id: Int64
        let contents: Int64
        let lengths: [UInt8]
        let language: String?
        let shard: Int?

        /// - Parameter row: id, identifier, contents, lengths, language, shard.
        init(_ row: StoreStatement) {
            (id, contents, lengths) = (row.integer(0), row.integer(2), row.blob(3))
            (language, shard) = (row.optionalText(4), row.optionalInteger(5).map(Int.init))
        }
    }

    private func known(_ identifier: String) throws -> Known? {
        try byKey.firstMatch(.integer(SearchDocument.key(of: identifier))) { row in
            row.text(1) == identifier ? Known(row) : nil
        }
    }

    /// - Parameter shard: that told the deletion. If another one has the record by now, it stays.
    mutating func delete(_ identifier: String, of shard: Int?) throws {
        guard let known = try known(identifier), known.shard == shard else { return }
        try remove(known)
    }

    /// Removes some documents of a shard, or of a job that is not in shards.
    ///
    /// - Returns: how many.
    mutating func remove(_ limit: Int, of shard: Int?) throws -> Int {
        var found: [Known] = []
        let condition = shard.map { "WHERE shard = \($0)" } ?? ""
        try StoreStatement(
            database, "SELECT id, identifier, contents, lengths, language, shard FROM document \(condition) LIMIT ?"
        ).rows(.integer(Int64(limit))) { found.append(Known($0)) }
        for known in found { try remove(known) }
        return found.count
    }

    private mutating func remove(_ known: Known) throws {
        let language = known.language
        let terms = try takeOut(known.id).ofFields
        let endings = SearchText.with { SearchDocument.endings(of: terms, language: language, $0) }
        for term in terms.union(endings) { self.terms[term, default: 0] -= 1 }
        try removal.run(.integer(known.id))
        documents -= 1
        removed += 1
        if let language = known.language { languages[language, default: 0] -= 1 }
        for (index, length) in SearchSignals.lengths(known.lengths).enumerated() { lengths[index] -= Int64(length) }
    }

    // MARK: Words

    private static func values(_ columns: [String], titleTerms: String) -> [StoreValue] {
        columns.dropLast().map { .text($0) } + [.text((columns.last ?? "") + " " + titleTerms)]
    }

    private func putWords(of document: SearchDocument, as number: Int64) throws {
        guard let packed = document.packedTerms else {
            throw StorageError.damaged(reason: "the words of a document cannot be packed")
        }
        try wordsInsertion.run(
            [.integer(number)] + Self.values(document.columns, titleTerms: document.titleTerms))
        try contentsInsertion.run(.integer(number), .blob(packed))
    }

    /// Takes the words of a document out of the index.
    ///
    /// - Returns: its terms.
    private func takeOut(_ number: Int64) throws -> DocumentTerms {
        let packed = try contentsOf.first(.integer(number)) { $0.blob(0) }
        guard let terms = packed.flatMap(DocumentTerms.init(packed:)) else {
            throw StorageError.damaged(reason: "a document of the search index has no words")
        }
        try wordsRemoval.run([.integer(number)] + Self.values(terms.columns, titleTerms: terms.ofTitle))
        try contentsRemoval.run(.integer(number))
        return terms
    }

    private mutating func newNumber(quality: Int64) throws -> Int64 {
        guard serial + 1 < SearchSchema.serials else {
            throw StorageError.damaged(reason: "the search index has no more numbers for documents")
        }
        serial += 1
        return SearchSchema.number(quality: quality, serial: serial)
    }

    // MARK: Documents

    /// Gives a document another popularity, without reading its record.
    ///
    /// - Returns: false if its record must be read: it moves to another step of quality, or what the index has leaves open to which. Nothing is
    ///   changed then.
    func setPopularity(_ popularity: Double, of identifier: String, of shard: Int?) throws -> Bool {
        let known = try signalsOf.firstMatch(.integer(SearchDocument.key(of: identifier))) {
            row -> (id: Int64, signals: SearchSignals)? in
            row.text(0) == identifier ? (row.integer(SearchSignals.columnCount), SearchSignals(row)) : nil
        }
        // What is not in the index is not searched. If another shard has the record by now, this is not of it.
        guard let known, known.signals.shard == shard else { return true }
        let step = SearchDocument.qualityStep(of: known.signals, popularity: popularity, weights)
        guard step == SearchSchema.step(ofNumber: known.id) else { return false }
        try popularityUpdate.run(.integer(Int64((popularity * 1000).rounded())), .integer(known.id))
        return true
    }

    mutating func put(_ document: SearchDocument, of shard: Int?) throws {
        let step = document.qualityStep(weights)
        var number: Int64?
        if let known = try known(document.identifier) {
            // Where only a signal changed, the words stay.
            if known.contents == document.contents, SearchSchema.step(ofNumber: known.id) == step,
                known.language == document.language
            {
                number = known.id
            } else {
                try remove(known)
            }
        }
        if number == nil {
            let new = try newNumber(quality: step)
            number = new
            try putWords(of: document, as: new)
            documents += 1
            for term in document.terms { terms[term, default: 0] += 1 }
            if let language = document.language { languages[language, default: 0] += 1 }
            for (index, length) in document.lengths.enumerated() { lengths[index] += Int64(length) }
        }
        guard let number else { return }
        func thousandths(_ value: Double?) -> StoreValue {
            .optional(value.map { Int64(($0 * 1000).rounded()) })
        }
        try insertion.run(
            [
                .integer(number), .integer(document.key), .text(document.identifier), .integer(document.contents),
                .integer(document.host), .blob(SearchSignals.packed(document.lengths)), .optional(document.language),
                thousandths(document.popularity), thousandths(document.rating),
                .optional(document.stars.map { Int64(($0 * 100).rounded()) }), thousandths(document.interactions),
                thousandths(document.structuredData), .integer(document.flags.rawValue),
                thousandths(document.signs.weight), .integer(document.signs.rawValue),
                .optional(document.day.map(Int64.init)), .optional(document.over.map(Int64.init)),
                .optional(shard.map(Int64.init)), .text(document.types.joined(separator: " ")), .text(document.site),
                thousandths(document.price), .optional(document.currency),
                .optional(document.apps.isEmpty ? nil : document.apps.joined(separator: "\n")),
            ])
    }

    func finish() throws {
        try StoreStatement(database, "UPDATE state SET serial = ?, documents = ?, removed = removed + ?")
            .run(.integer(serial), .integer(documents), .integer(removed))
        let language = try StoreStatement(
            database,
            "INSERT INTO language VALUES (?1, ?2) ON CONFLICT(tag) DO UPDATE SET documents = documents + ?2")
        for (tag, change) in languages where change != 0 { try language.run(.text(tag), .integer(change)) }
        let length = try StoreStatement(
            database, "INSERT INTO length VALUES (?1, ?2) ON CONFLICT(field) DO UPDATE SET words = words + ?2")
        for (field, change) in lengths.enumerated() where change != 0 {
            try length.run(.integer(Int64(field)), .integer(change))
        }
        try countTerms()
    }

    private func countTerms() throws {
        let count = try StoreStatement(database, "SELECT documents, magnitude FROM word WHERE term = ?")
        let insertion = try StoreStatement(database, "INSERT INTO word VALUES (?, ?, ?)")
        let update = try StoreStatement(database, "UPDATE word SET documents = ? WHERE term = ?")
        let growth = try StoreStatement(database, "UPDATE word SET documents = ?, magnitude = ? WHERE term = ?")
        let removal = try StoreStatement(database, "DELETE FROM word WHERE term = ?")
        // In order, so that neighbors in the tree are written together.
        for (term, change) in terms.sorted(by: { $0.key < $1.key }) where change != 0 {
            let known = try count.first(.text(term)) { ($0.integer(0), $0.integer(1)) }
            let documents = max(0, (known?.0 ?? 0) + change)
            let magnitude = Int64(Int64.bitWidth - documents.leadingZeroBitCount)
            if documents == 0 {
                if known != nil { try removal.run(.text(term)) }
            } else if let known {
                if known.1 == magnitude {
                    try update.run(.integer(documents), .text(term))
                } else {
                    try growth.run(.integer(documents), .integer(magnitude), .text(term))
                }
            } else {
                try insertion.run(.text(term), .integer(documents), .integer(magnitude))
            }
        }
    }
}
