import GRDB

/// Reads the documents that match, in the order of their numbers, which is that of their quality.
///
/// Its statements are prepared once for a query. It may only be used inside the access to the database that it was made in.
final class MatchReader {
    private let database: Database
    private let words: StoreStatement
    private let signals: StoreStatement

    init(_ database: Database) throws {
        self.database = database
        words = try StoreStatement(
            database,
            "SELECT rowid, places(words) FROM words WHERE words MATCH ? AND rowid >= ? AND rowid < ? ORDER BY rowid LIMIT ?"
        )
        signals = try StoreStatement(database, "SELECT \(SearchSignals.columns) FROM document WHERE id = ?")
    }

    /// Reads what matches, with the places of the words.
    func rows(
        of pass: SearchPlan.Pass, in numbers: Range<Int64>, limit: Int,
        _ body: (_ number: Int64, _ places: [MatchPlaces.Place]) throws -> Void
    ) throws {
        try words.rows(
            .text(pass.expression), .integer(numbers.lowerBound), .integer(numbers.upperBound), .integer(Int64(limit))
        ) { row in
            var places: [MatchPlaces.Place] = []
            row.withBlob(1) { places = MatchPlaces.read($0) }
            try body(row.integer(0), places)
        }
    }

    func signals(of number: Int64) throws -> SearchSignals? {
        try signals.first(.integer(number)) { SearchSignals($0) }
    }

    // MARK: Pieces

    /// The numbers in which a pass is read: all at once, or pieces of about `documentsOfPiece` if its words are frequent.
    func pieces(of pass: SearchPlan.Pass) throws -> [Range<Int64>] {
        guard pass.bound > SearchIndex.Limits.documentsOfPiece else { return [0..<Int64.max] }
        let pieces = try known ?? self.pieces()
        known = pieces
        let most = pass.readsBeginnings ? Self.maximumOfBeginnings : Self.maximumPieces
        guard pieces.count > most else { return pieces }
        let length = (pieces.count + most - 1) / most
        return stride(from: 0, to: pieces.count, by: length).map { start in
            pieces[start].lowerBound..<pieces[min(start + length, pieces.count) - 1].upperBound
        }
    }

    /// FTS5 looks for each word anew in each piece, in every part of its lists: of a large index, more pieces take longer than what they
    /// are read for.
    private static let maximumPieces = 16
    /// Where it has much to do before the first row of a piece, there are no more pieces.
    private static let maximumOfBeginnings = 4

    private var known: [Range<Int64>]?

    private func pieces() throws -> [Range<Int64>] {
        let serial = try Int64.fetchOne(database, sql: "SELECT serial FROM state") ?? 0
        var pieces: [Range<Int64>] = []
        var start: Int64 = 0
        var count: Int64 = 0
        try StoreStatement(database, "SELECT step, documents FROM quality WHERE documents > 0 ORDER BY step DESC").rows
        { row in
            let (step, documents) = (row.integer(0), row.integer(1))
            let first = SearchSchema.number(quality: step, serial: 0)
            if documents > SearchIndex.Limits.documentsOfPiece {
                let parts = documents / SearchIndex.Limits.documentsOfPiece + 1
                for part in 0..<parts {
                    let end = first + serial / parts * (part + 1)
                    pieces.append(start..<end)
                    start = end
                }
                count = 0
            } else {
                count += documents
                if count > SearchIndex.Limits.documentsOfPiece {
                    pieces.append(start..<first)
                    start = first
                    count = documents
                }
            }
        }
        return pieces + [start..<Int64.max]
    }
}
