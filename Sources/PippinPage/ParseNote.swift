/// Something a parser met that the author of the file would want to know: a leniency it used, a limit that bit.
///
/// A note is an observation while reading; the report card turns notes into findings.
public struct ParseNote: Sendable, Hashable {
    public let code: Code
    /// One sentence with the value that was seen.
    public let message: String
    /// 1-based position in the decoded text, where it is known.
    public let line: Int?
    public let column: Int?

    public init(_ code: Code, _ message: String, line: Int? = nil, column: Int? = nil) {
        self.code = code
        self.message = message
        self.line = line
        self.column = column
    }
}

/// Notes of one reading, up to a limit, so that a file of a million mistakes costs no more than one of two hundred.
struct BoundedNotes {
    private(set) var notes: [ParseNote] = []
    private var dropped = 0
    private let maximum: Int
    /// Says that there were more.
    private let leftOut: ParseNote.Code

    init(maximum: Int, leftOut: ParseNote.Code) {
        self.maximum = maximum
        self.leftOut = leftOut
    }

    /// The message is built only while there is room for it.
    ///
    /// - Parameter endsReading: there is room for a note that says why the rest was not read.
    mutating func add(
        _ code: ParseNote.Code, _ message: @autoclosure () -> String, line: Int? = nil, endsReading: Bool = false
    ) {
        guard notes.count < maximum || endsReading else {
            dropped &+= 1
            return
        }
        notes.append(ParseNote(code, message(), line: line))
    }

    /// The notes, ending with how many were left out, if any were.
    func finished() -> [ParseNote] {
        dropped == 0 ? notes : notes + [ParseNote(leftOut, "\(dropped) further notes were left out.")]
    }
}
