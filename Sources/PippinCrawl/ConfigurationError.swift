/// What is wrong with `crawl-config.yaml` or `seeds.txt`, where, and what to do about it.
public struct ConfigurationError: Error, Sendable, Equatable, CustomStringConvertible {
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

    /// `crawl-config.yaml:7:10: politeness.delay: 1 has no unit; write 1s, 500ms, 5m, 24h or 30d`
    public var description: String {
        var text = file
        if let line { text += ":\(line)" }
        if let column { text += ":\(column)" }
        text += ": "
        if let key { text += "\(key): " }
        return text + problem
    }

    /// The known name that is nearest to what was written, if one is near enough to be meant.
    static func nearest(to written: String, in known: some Sequence<String>) -> String? {
        let limit = max(1, min(3, written.utf8.count / 2))
        return known.map { (name: $0, distance: editDistance(written.lowercased(), $0)) }
            .filter { $0.distance <= limit }
            .min { ($0.distance, $0.name) < ($1.distance, $1.name) }?.name
    }

    /// Insertions, deletions, replacements and swaps of neighbors between two short names (optimal string alignment).
    private static func editDistance(_ first: String, _ second: String) -> Int {
        let a = Array(first.utf8.prefix(64))
        let b = Array(second.utf8.prefix(64))
        var beforeLast = [Int](repeating: 0, count: b.count + 1)
        var last = Array(0...b.count)
        for i in 0..<a.count {
            var row = [i + 1]
            for j in 0..<b.count {
                var best = min(last[j] + (a[i] == b[j] ? 0 : 1), last[j + 1] + 1, row[j] + 1)
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { best = min(best, beforeLast[j - 1] + 1) }
                row.append(best)
            }
            (beforeLast, last) = (last, row)
        }
        return last[b.count]
    }
}
