import Foundation
import PippinCrawl
import PippinPage
import PippinStore

/// Known URLs that a run visits although they are not due.
struct VisitsAgain: Sendable {
    /// As they were typed; nil for all.
    var patterns: [(name: String?, pattern: AddressPattern)]
    /// Only those that the configuration refused when they were visited last.
    var isOfSettings: Bool

    /// - Throws: `ConfigurationError` for a text that names no URLs.
    init(_ texts: [String], isOfSettings: Bool) throws {
        patterns = try texts.map { ($0, try AddressPattern($0)) }
        if patterns.isEmpty { patterns = [(nil, .all)] }
        self.isOfSettings = isOfSettings
    }

    private var codes: Set<String>? { isOfSettings ? VisitOutcome.codesOfSettings : nil }

    /// Whether a URL is meant, by the code of its last outcome.
    @Sendable func isMeant(_ code: String?) -> Bool {
        codes.map { codes in code.map(codes.contains) == true } ?? true
    }

    /// How many URLs each pattern means, in words.
    ///
    /// - Throws: `ReportedFailure` if one means none, or if there is no storage.
    func counts(in storageFolder: String) throws -> [String] {
        let reader = try StorageReader(folder: URL(filePath: storageFolder))
        return try patterns.map { name, pattern in
            let count = try reader.visitedAgain(by: pattern, codes: codes)
            guard count > 0 else {
                let kind = isOfSettings ? "that the configuration refused" : "that could be visited again"
                throw ReportedFailure("\(name ?? storageFolder): no URL is known \(kind)", .usage)
            }
            return words(count, of: name)
        }
    }

    func words(_ count: Int, of name: String?) -> String {
        Wording.count(count, "URL") + (name.map { " of \($0)" } ?? "")
            + (isOfSettings ? ", which the configuration refused" : "")
    }
}
