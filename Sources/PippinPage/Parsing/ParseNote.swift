/// An observation for the author of a file: a leniency that a parser used, or a limit that it reached.
///
/// Notes are made while reading; the report card turns them into findings.
public struct ParseNote: Sendable, Hashable {
    /// The kind of observation.
    public let code: Code
    /// One sentence that quotes the value.
    public let message: String
    /// The line in the decoded text, 1-based; nil if unknown.
    public let line: Int?
    /// The column in the decoded text, 1-based; nil if unknown.
    public let column: Int?
    /// The number of further notes with this code that were made and are not in the list. It is stated by the last note of its code.
    public fileprivate(set) var further = 0

    /// Creates a note.
    public init(_ code: Code, _ message: String, line: Int? = nil, column: Int? = nil) {
        self.code = code
        self.message = message
        self.line = line
        self.column = column
    }

    /// The same note with another message.
    public func saying(_ message: String) -> ParseNote { copy(code, message, line, column) }

    /// The same note with another code.
    func filed(under code: Code) -> ParseNote { copy(code, message, line, column) }

    /// The same note at another place.
    func placed(line: Int?, column: Int?) -> ParseNote { copy(code, message, line, column) }

    private func copy(_ code: Code, _ message: String, _ line: Int?, _ column: Int?) -> ParseNote {
        var note = ParseNote(code, message, line: line, column: column)
        note.further = further
        return note
    }
}

/// Collects notes up to a limit, so that a file with a million mistakes costs little more than one with two hundred.
///
/// How grave a note is depends on its code. So every code keeps a note, whatever the limit leaves out, and a list that was cut is as
/// grave as the whole; the rest of the room is for the gravest.
struct BoundedNotes {
    private struct Kept {
        var note: ParseNote
        /// Where the note was made, if its line is looked up at the end; otherwise 0.
        let offset: Int
        /// How many notes with its code came before it.
        let ordinal: Int
        let gravity: Int
    }

    private var kept: [Kept] = []
    private var counts: [ParseNote.Code: Int] = [:]
    /// Notes that are kept beyond the limit.
    private var surplus: [ParseNote] = []
    private let maximum: Int
    /// The code of the final note that counts the dropped ones; without it there is no such note.
    private let leftOut: ParseNote.Code?
    /// How grave a code is; the lowest number is the gravest.
    private let gravity: @Sendable (ParseNote.Code) -> Int

    init(
        maximum: Int, leftOut: ParseNote.Code? = nil, gravity: @escaping @Sendable (ParseNote.Code) -> Int = { _ in 0 }
    ) {
        self.maximum = maximum
        self.leftOut = leftOut
        self.gravity = gravity
    }

    /// Adds a note. The message is built only if there is room for the note.
    ///
    /// - Parameter endsReading: true for the note that explains why the rest was not read. It is added even beyond the limit.
    mutating func add(
        _ code: ParseNote.Code, _ message: @autoclosure () -> String, line: Int? = nil, column: Int? = nil,
        endsReading: Bool = false
    ) {
        if endsReading {
            surplus.append(ParseNote(code, message(), line: line, column: column))
            return
        }
        keep(code) { ParseNote(code, message(), line: line, column: column) }
    }

    /// Adds a note. The message is built and the place looked up only if there is room for the note.
    mutating func add(
        _ code: ParseNote.Code, _ message: @autoclosure () -> String, at place: @autoclosure () -> SourcePlace?
    ) {
        keep(code) {
            let place = place()?.lineAndColumn
            return ParseNote(code, message(), line: place?.line, column: place?.column)
        }
    }

    /// Adds a note on a text whose lines are counted at the end (`finished(placing:)`).
    mutating func add(_ code: ParseNote.Code, _ message: @autoclosure () -> String, offset: Int) {
        keep(code, offset: offset) { ParseNote(code, message()) }
    }

    private mutating func keep(_ code: ParseNote.Code, offset: Int = 0, _ note: () -> ParseNote) {
        let count = counts[code, default: 0]
        counts[code] = count + 1
        // Each code has all the room. Which notes stay is decided when all are known.
        guard count < maximum else { return }
        kept.append(Kept(note: note(), offset: offset, ordinal: count, gravity: gravity(code)))
    }

    /// Adds notes that were collected before.
    mutating func add(_ notes: some Sequence<ParseNote>) {
        for note in notes {
            add(note.code, note.message, line: note.line, column: note.column)
            counts[note.code, default: 0] += note.further
        }
    }

    /// The notes on one text, all added with offsets, in the order of the text.
    ///
    /// - Parameter place: line and column of an offset. Offsets come in ascending order, so that lines are counted only once.
    func finished(placing place: (Int) -> (line: Int, column: Int)) -> [ParseNote] {
        guard !kept.isEmpty else { return [] }
        var ordered = self
        ordered.kept.sort { $0.offset < $1.offset }
        for index in ordered.kept.indices {
            let (line, column) = place(ordered.kept[index].offset)
            ordered.kept[index].note = ordered.kept[index].note.placed(line: line, column: column)
        }
        return ordered.finished()
    }

    /// The notes in the order in which they came. If some were dropped, the last note has their number.
    func finished() -> [ParseNote] {
        let total = counts.values.reduce(0, +)
        // More were counted than kept if a reader before had dropped some.
        guard total > min(maximum, kept.count) else { return kept.map(\.note) + surplus }
        let chosen = kept.indices.sorted { a, b in
            rank(kept[a], a) < rank(kept[b], b)
        }.prefix(maximum).sorted()
        var shown: [ParseNote.Code: Int] = [:]
        for index in chosen { shown[kept[index].note.code, default: 0] += 1 }
        var notes: [ParseNote] = []
        for index in chosen.reversed() {
            var note = kept[index].note
            if let count = shown.removeValue(forKey: note.code) { note.further = counts[note.code, default: 0] - count }
            notes.append(note)
        }
        notes.reverse()
        notes += surplus
        guard let leftOut else { return notes }
        return notes + [ParseNote(leftOut, "\(total - chosen.count) further notes were left out.")]
    }

    private func rank(_ note: Kept, _ index: Int) -> (Int, Int, Int, Int) {
        (note.ordinal == 0 ? 0 : 1, note.gravity, note.ordinal, index)
    }
}
