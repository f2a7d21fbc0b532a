/// What is wrong with `crawl-config.yaml` or `seeds.txt`, where, and what to do about it.
public struct ConfigurationError: ReportedError, Sendable, Equatable {
    public let file: String
    /// 1-based; nil where the file as a whole is meant.
    public let line: Int?
    public let column: Int?
    /// The key as a path, `politeness.delay`; nil where none is concerned.
    public let key: String?
    /// One sentence without its full stop: what is wrong, and what to do.
    public let problem: String

    public init(file: String, line: Int? = nil, column: Int? = nil, key: String? = nil, problem: String) {
        self.file = file
        self.line = line
        self.column = column
        self.key = key
        self.problem = problem
    }

    public var exitStatus: ExitStatus { .usage }

    /// `crawl-config.yaml:7:10: politeness.delay: 1 has no unit; write 1s, 500ms, 5m, 24h or 30d`
    public var description: String {
        var text = file
        if let line { text += ":\(line)" }
        if let column { text += ":\(column)" }
        text += ": "
        if let key { text += "\(key): " }
        return text + problem
    }
}
