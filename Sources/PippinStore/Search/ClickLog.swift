import Foundation
import PippinCrawl
import PippinPage

/// What people chose among results, and what they were shown: a file of NDJSON.
///
///     {"query":"apple pie","identifier":"https://kitchen.example/pie","at":"2026-11-23T10:00:00Z"}
///     {"query":"apple pie","shown":["https://kitchen.example/pie","https://shop.example/pie"],"at":"…"}
///
/// The first line is a click, the second a list that was shown. Other members are ignored, and so are other lines, which are
/// counted.
public struct ClickLog: Sendable {
    private struct Counts {
        var clicks = 0.0
        var shown = 0.0
    }

    private struct Key: Hashable {
        let query: String
        let identifier: String
    }

    private var byQuery: [Key: Counts] = [:]
    private var overall: [String: Counts] = [:]
    /// Lines that are neither a click nor a list.
    public private(set) var unreadLines = 0

    /// The last bytes of a longer file are read: a few hundred thousand clicks.
    private static let maximumBytes: UInt64 = 64 << 20
    private static let maximumShown = 100

    /// - Throws: `OutputError`-like sentences of `InputFile` if the file cannot be read.
    public init(contentsOf path: String) throws {
        let handle: FileHandle
        do {
            handle = try FileHandle(forReadingFrom: URL(filePath: path))
        } catch {
            throw ConfigurationError(file: path, problem: "cannot be read; --clicks names a file of clicks")
        }
        defer { try? handle.close() }
        let size = try handle.seekToEnd()
        try handle.seek(toOffset: size > Self.maximumBytes ? size - Self.maximumBytes : 0)
        let data = try handle.read(upToCount: Int(Self.maximumBytes)) ?? Data()
        self.init(lines: [UInt8](data), isCut: size > Self.maximumBytes)
    }

    init(lines: [UInt8], isCut: Bool = false) {
        let lines = lines.split(separator: 0x0A)
        for line in isCut ? lines.dropFirst() : lines[...] { add(line) }
    }

    private mutating func add(_ line: ArraySlice<UInt8>) {
        var parser = JSONParser()
        guard let entry = try? parser.parse(line), let query = entry["query"]?.string else {
            unreadLines += 1
            return
        }
        let name = Self.name(of: SearchQuery(query))
        if let identifier = entry["identifier"]?.string {
            byQuery[Key(query: name, identifier: identifier), default: Counts()].clicks += 1
            overall[identifier, default: Counts()].clicks += 1
        } else if let shown = entry["shown"]?.array {
            for identifier in shown.prefix(Self.maximumShown).compactMap(\.string) {
                byQuery[Key(query: name, identifier: identifier), default: Counts()].shown += 1
                overall[identifier, default: Counts()].shown += 1
            }
        } else {
            unreadLines += 1
        }
    }

    /// Queries with the same words in any order are one.
    private static func name(of query: SearchQuery) -> String { query.words.sorted().joined(separator: " ") }

    /// How much more often it was chosen than the mean, -1…1; nil if the log does not know it. What was chosen for the same
    /// words counts most, what was chosen at all a little.
    func engagement(of identifier: String, for query: SearchQuery, weights: SearchWeights) -> Double? {
        func ratio(_ counts: Counts?) -> Double? {
            guard let counts else { return nil }
            // A log without lists has clicks only: each was shown at least then.
            let shown = max(counts.shown, counts.clicks)
            let mean = weights.meanEngagement
            let value = (counts.clicks + mean * weights.showingsOfPrior) / (shown + weights.showingsOfPrior)
            return value >= mean ? (value - mean) / (1 - mean) : (value - mean) / mean
        }
        let own = ratio(byQuery[Key(query: Self.name(of: query), identifier: identifier)])
        let all = ratio(overall[identifier])
        guard own != nil || all != nil else { return nil }
        return 0.8 * (own ?? 0) + 0.2 * (all ?? 0)
    }
}
