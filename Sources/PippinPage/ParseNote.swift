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

    /// Creates a note.
    public init(_ code: Code, _ message: String, line: Int? = nil, column: Int? = nil) {
        self.code = code
        self.message = message
        self.line = line
        self.column = column
    }
}

/// Collects notes up to a limit, so that a file with a million mistakes costs no more than one with two hundred.
struct BoundedNotes {
    private(set) var notes: [ParseNote] = []
    private var dropped = 0
    private let maximum: Int
    /// The code of the final note that counts the dropped ones.
    private let leftOut: ParseNote.Code

    init(maximum: Int, leftOut: ParseNote.Code) {
        self.maximum = maximum
        self.leftOut = leftOut
    }

    /// Adds a note. The message is built only if there is room for the note.
    ///
    /// - Parameter endsReading: true for the note that explains why the rest was not read. It is added even beyond the limit.
    mutating func add(
        _ code: ParseNote.Code, _ message: @autoclosure () -> String, line: Int? = nil, endsReading: Bool = false
    ) {
        guard notes.count < maximum || endsReading else {
            dropped &+= 1
            return
        }
        notes.append(ParseNote(code, message(), line: line))
    }

    /// The notes. If some were dropped, the last note has their number.
    func finished() -> [ParseNote] {
        dropped == 0 ? notes : notes + [ParseNote(leftOut, "\(dropped) further notes were left out.")]
    }
}
