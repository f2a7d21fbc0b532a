import PippinPage

/// Finds words of the index that a word may be meant to be.
///
/// The words of the index lie in order, so they are a tree of letters, and nothing else is stored for it. Where few words begin as the word
/// does, each of them is compared: that finds what a slip behind its first letters makes, and two slips in a long word. For the letters
/// before, the word is looked up without each of them, with neighbors swapped, and with each letter that the index has there in its place
/// and before it.
enum SpellingHelp {
    /// Words with other numbers of letters are not corrected to. Of a word that somebody typed, one may be missing.
    private static let letters = 4...40
    private static let lettersTyped = 3...41
    /// From here on, two slips are forgiven.
    private static let long = 7

    /// In a large index, words that few documents have are often misspelled themselves.
    static func leastDocuments(of documents: Int64) -> Int64 { documents < 20_000 ? 1 : 3 }

    /// A word of the index that is near to a misspelled one.
    struct Candidate: Sendable {
        /// One word, or two if a space was missing.
        let terms: [String]
        let documents: Int64
        /// How far it is away: 1 for a slip, less for a frequent kind of slip, more if the first letter is another one.
        let cost: Double
    }

    // MARK: Candidates

    /// So many words that begin alike are compared.
    private static let maximumCompared = 400
    /// The most words that are looked up: scripts with thousands of letters cost no more than this.
    private static let maximumLookUps = 3_000

    /// The words of the index that a word may be meant to be, nearest first; the more frequent one first of those that are as near.
    ///
    /// - Parameter documents: of the index.
    static func candidates(
        for word: String, limit: Int, of documents: Int64, _ table: WordTable
    ) throws -> [Candidate] {
        let scalars = Array(word.unicodeScalars)
        guard lettersTyped.contains(scalars.count), scalars.allSatisfy(\.properties.isAlphabetic) else { return [] }
        let least = leastDocuments(of: documents)
        let maximum = scalars.count >= long ? 2 : 1
        var found: [Candidate] = []
        var seen: Set<String> = [word]
        func add(_ entry: WordTable.Entry) {
            guard entry.documents >= least, seen.insert(entry.term).inserted else { return }
            let letters = Array(entry.term.unicodeScalars)
            guard Self.letters.contains(letters.count), letters.allSatisfy(\.properties.isAlphabetic),
                let distance = distance(scalars, letters, atMost: maximum)
            else { return }
            var cost = Double(distance)
            if letters.first != scalars.first { cost += 0.3 }
            if isFrequentSlip(from: letters, to: scalars) { cost -= 0.2 }
            found.append(Candidate(terms: [entry.term], documents: entry.documents, cost: cost))
        }
        // How many letters of the beginning fewer words share than are compared.
        var shared = 1
        while true {
            let entries = try table.terms(beginningWith: text(scalars.prefix(shared)), limit: maximumCompared + 1)
            if entries.count <= maximumCompared || shared == scalars.count {
                entries.forEach(add)
                break
            }
            shared += 1
        }
        for other in try others(than: scalars, before: min(shared + 1, scalars.count), table) { add(other) }
        found.sort { ($0.cost, $1.documents, $0.terms[0]) < ($1.cost, $0.documents, $1.terms[0]) }
        return Array(found.prefix(limit))
    }

    /// The words of the index at a distance of one, whose slip is before a place.
    private static func others(
        than scalars: [Unicode.Scalar], before end: Int, _ table: WordTable
    ) throws -> [WordTable.Entry] {
        let alphabet = alphabet(of: scalars)
        var found: [WordTable.Entry] = []
        var lookUps = 0
        func lookUp(_ word: some Sequence<Unicode.Scalar>) throws {
            lookUps += 1
            let term = text(word)
            if case let documents = try table.documents(of: term), documents > 0 { found.append((term, documents)) }
        }
        for place in 0..<end {
            let start = scalars[..<place]
            let rest = scalars[(place + 1)...]
            try lookUp(start + rest)
            if let next = rest.first { try lookUp(start + [next, scalars[place]] + rest.dropFirst()) }
            var letter: Unicode.Scalar? = alphabet.lowerBound
            while lookUps < maximumLookUps, let from = letter {
                lookUps += 1
                guard let entry = try table.first(from: text(start + [from])),
                    case let reached = entry.term.unicodeScalars, reached.starts(with: start),
                    let other = reached.dropFirst(place).first, alphabet.contains(other)
                else { break }
                letter = Unicode.Scalar(other.value + 1)
                guard other.properties.isAlphabetic else { continue }
                if other != scalars[place] { try lookUp(start + [other] + rest) }
                try lookUp(start + [other] + scalars[place...])
            }
        }
        return found
    }

    /// The letters that somebody who wrote a word may have meant: those of its script, roughly.
    private static func alphabet(of scalars: [Unicode.Scalar]) -> ClosedRange<Unicode.Scalar> {
        let values = scalars.map(\.value)
        guard let least = values.min(), let most = values.max(), most > 0x24F,
            let lower = Unicode.Scalar(max(0x61, least & ~0xFF)), let upper = Unicode.Scalar(most | 0xFF)
        else { return "a"..."\u{24F}" }
        return lower...upper
    }

    private static func text(_ scalars: some Sequence<Unicode.Scalar>) -> String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars)
        return String(text)
    }

    /// Whether a word differs only by a doubled letter, or by two that changed places: fingers do that more often than others.
    private static func isFrequentSlip(from meant: [Unicode.Scalar], to typed: [Unicode.Scalar]) -> Bool {
        func single(_ scalars: [Unicode.Scalar]) -> [Unicode.Scalar] {
            scalars.indices.filter { $0 == 0 || scalars[$0] != scalars[$0 - 1] }.map { scalars[$0] }
        }
        if meant.count != typed.count { return single(meant) == single(typed) }
        let places = meant.indices.filter { meant[$0] != typed[$0] }
        return places.count == 2 && places[1] == places[0] + 1 && meant[places[0]] == typed[places[1]]
            && meant[places[1]] == typed[places[0]]
    }

    /// The two words that a word without a space may be meant to be: the best ones, by the rarer of both.
    static func splits(
        of word: String, limit: Int, _ documents: (String) throws -> Int64
    ) rethrows -> [Candidate] {
        let scalars = Array(word.unicodeScalars)
        let least = 3
        guard (2 * least...lettersTyped.upperBound).contains(scalars.count) else { return [] }
        var found: [Candidate] = []
        for place in least...scalars.count - least {
            let parts = [scalars[..<place], scalars[place...]].map(text)
            guard case let first = try documents(parts[0]), first > 0, case let last = try documents(parts[1]), last > 0
            else { continue }
            found.append(Candidate(terms: parts, documents: min(first, last), cost: 1))
        }
        found.sort { ($1.documents, $0.terms[0]) < ($0.documents, $1.terms[0]) }
        return Array(found.prefix(limit))
    }

    /// Insertions, deletions, replacements and swaps of neighbors; nil if there are more than `limit`.
    static func distance(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar], atMost limit: Int) -> Int? {
        guard abs(a.count - b.count) <= limit else { return nil }
        // Candidates have the same letters at one end.
        let start = zip(a, b).prefix { $0 == $1 }.count
        let end = zip(a[start...].reversed(), b[start...].reversed()).prefix { $0 == $1 }.count
        if start + end > 0 {
            return distance(Array(a[start..<a.count - end]), Array(b[start..<b.count - end]), atMost: limit)
        }
        if a.isEmpty || b.isEmpty { return a.count + b.count }
        var beforeLast = [Int](repeating: 0, count: b.count + 1)
        var last = Array(0...b.count)
        for i in a.indices {
            var row = [i + 1]
            for j in b.indices {
                var best = min(last[j] + (a[i] == b[j] ? 0 : 1), last[j + 1] + 1, row[j] + 1)
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { best = min(best, beforeLast[j - 1] + 1) }
                row.append(best)
            }
            (beforeLast, last) = (last, row)
        }
        return last[b.count] <= limit ? last[b.count] : nil
    }
}
