import PippinPage

/// What an earlier run of `pippin validate --format json` has found, of one page or of many. A run is compared with it as with a
/// baseline, by the fingerprints that stand in the file: what it has is known, and what is new fails.
public struct EarlierResult: Sendable {
    /// A file that cannot be read.
    public struct Fault: Error, Equatable {
        /// The fault, and what to do, without a full stop.
        public let problem: String
    }

    private var findings = FindingBaseline()
    /// Every page that was judged, by its name in the file.
    private(set) var pages: Set<String> = []
    /// The only page of a file without names.
    private var only: String?

    /// Reads a file.
    public init(bytes: [UInt8]) throws(Fault) {
        let lines = bytes.split(separator: 0x0A)
        // A report of many pages has each on a line, so that no more than one is in memory.
        guard let first = lines.first, first.starts(with: Self.beginning), lines.count > 1 else {
            let value = try Self.value(bytes[...])
            if let pages = value["pages"]?.array {
                for page in pages { try add(page) }
            } else {
                only = try add(value)
            }
            return
        }
        for line in lines.dropFirst() where line.first == 0x7B {
            try add(Self.value(line.last == 0x2C ? line.dropLast() : line))
        }
    }

    private static let beginning = Array("{\"schemaVersion\":\(ReportCard.schemaVersion),\"pages\":[".utf8)

    private static func value(_ bytes: ArraySlice<UInt8>) throws(Fault) -> JSONValue {
        var parser = JSONParser(limits: .ownText)
        do {
            return try parser.parse(bytes)
        } catch {
            throw Fault(problem: "not valid JSON: \(error.message); name a file that --format json has written")
        }
    }

    /// Takes a page, unless it could not be fetched.
    ///
    /// - Returns: its name.
    @discardableResult private mutating func add(_ card: JSONValue) throws(Fault) -> String? {
        guard let name = card["input"]?.string ?? card["url"]?.string, card["findings"] != nil || card["trouble"] != nil
        else { throw Fault(problem: "is no report of pippin validate --format json") }
        guard card["trouble"] == nil else { return nil }
        pages.insert(name)
        for finding in card["findings"]?.array ?? [] {
            guard let outcome = finding["outcome"]?.string, ["error", "warning"].contains(outcome) else { continue }
            guard let check = finding["check"]?.string, let fingerprint = finding["fingerprint"]?.string else {
                throw Fault(problem: "has findings without fingerprints; write it again with this version")
            }
            let message = finding["message"]?.string ?? ""
            findings.add(
                page: name, FindingBaseline.Key(check: check, fingerprint: fingerprint),
                FindingBaseline.Entry(count: 1, message: message))
            let unlisted = [finding["unlisted"]?["error"], finding["unlisted"]?["warning"]]
                .reduce(0) { $0 + min(max($1?.integer ?? 0, 0), 1_000_000) }
            if unlisted > 0 {
                findings.add(
                    page: name, FindingBaseline.Key(check: check, fingerprint: "unlisted"),
                    FindingBaseline.Entry(count: unlisted, message: "Findings that the card counts but does not list."))
            }
        }
        return name
    }

    /// The number of errors and warnings that a page had.
    func count(ofPage page: String) -> Int { findings.count(ofPage: page) }

    /// The card with what is known marked, and with what is gone.
    ///
    /// - Parameter name: the page as the operator knows it.
    func compared(_ card: ReportCard, named name: String) -> ReportCard {
        let earlier = only ?? (pages.contains(name) ? name : pages.contains(card.url.href) ? card.url.href : nil)
        var (result, left) = findings.compared(card, page: earlier ?? "")
        if earlier == nil { left = [] }
        result.treatment.comparison = ReportCard.Comparison(
            page: earlier,
            gone: left.map {
                ReportCard.Comparison.Gone(check: $0.key.check, message: $0.entry.message, count: $0.entry.count)
            })
        return result
    }
}
