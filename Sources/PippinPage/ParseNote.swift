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
