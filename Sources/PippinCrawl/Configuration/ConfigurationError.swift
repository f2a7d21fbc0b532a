/// A fault in `crawl-config.yaml`, `seeds.txt` or a flag: its place, and what to do about it.
public struct ConfigurationError: ReportedError, Sendable, Equatable {
    /// The file, or the flag.
    public let file: String
    /// The line, 1-based; nil if the error concerns the file as a whole.
    public let line: Int?
    /// The column, 1-based; nil if unknown.
    public let column: Int?
    /// The path of the key, `politeness.delay`; nil if the error concerns no key.
    public let key: String?
    /// One sentence without its full stop: the fault, and what to do about it.
    public let problem: String

    /// Creates an error.
    public init(file: String, line: Int? = nil, column: Int? = nil, key: String? = nil, problem: String) {
        self.file = file
        self.line = line
        self.column = column
        self.key = key
        self.problem = problem
    }

    public var exitStatus: ExitStatus { .usage }

    /// The error with its place: `crawl-config.yaml:7:10: politeness.delay: 1 has no unit; write 1s, 500ms, 5m, 24h or 30d`
    public var description: String {
        var text = file
        if let line { text += ":\(line)" }
        if let column { text += ":\(column)" }
        text += ": "
        if let key { text += "\(key): " }
        return text + problem
    }
}
