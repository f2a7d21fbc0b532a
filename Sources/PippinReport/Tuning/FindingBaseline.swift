import PippinPage

/// Findings that the operator has accepted for now: known ones do not fail a run, new ones do.
///
/// A finding is recognized by its page, its check, and a fingerprint of what was seen, without places in the text and without
/// numbers: it survives moved lines and a title that got two characters longer. Equal findings are counted; the one too many
/// is new.
///
/// The file has one JSON object per line, sorted, so that version control shows each change as one line:
///
///     {"pippinBaseline":1}
///     {"page":"shop/mug.html","check":"S14","fingerprint":"86dd…","count":1,"message":"og:image is missing."}
public struct FindingBaseline: Sendable, Equatable {
    /// A line that cannot be read.
    public struct Fault: Error, Equatable {
        /// From 1.
        public let line: Int
        /// From 1; nil if the line as a whole is wrong.
        public let column: Int?
        /// The fault, and what to do, without a full stop.
        public let problem: String
    }

    struct Key: Hashable, Sendable {
        let check: String
        let fingerprint: String
    }

    struct Entry: Hashable, Sendable {
        var count: Int
        /// What was seen when the entry was made, for readers.
        let message: String
    }

    /// The version of the file.
    static let version = 1

    private var pages: [String: [Key: Entry]] = [:]

    /// Knows nothing.
    public init() {}

    /// The pages with entries, in no order.
    public var pageNames: some Collection<String> { pages.keys }

    /// The number of findings it knows.
    public var count: Int { pages.values.reduce(0) { $0 + $1.values.reduce(0) { $0 + $1.count } } }

    /// The number of findings it knows of a page.
    public func count(ofPage page: String) -> Int { (pages[page] ?? [:]).values.reduce(0) { $0 + $1.count } }

    // MARK: The file

    /// Reads a file.
    public init(bytes: [UInt8]) throws(Fault) {
        var number = 0
        var hasHead = false
        for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: false) {
            number += 1
            if line.allSatisfy({ $0 == 0x20 || $0 == 0x0D || $0 == 0x09 }) { continue }
            var parser = JSONParser()
            let value: JSONValue
            do {
                value = try parser.parse(line)
            } catch {
                throw Fault(line: number, column: error.column, problem: "not valid JSON: \(error.message)")
            }
            if !hasHead {
                guard value["pippinBaseline"]?.integer == Self.version else {
                    throw Fault(
                        line: number, column: nil,
                        problem:
                            "expected {\"pippinBaseline\":\(Self.version)}; write the file again with --update-baseline"
                    )
                }
                hasHead = true
                continue
            }
            guard let page = value["page"]?.string, let check = value["check"]?.string,
                let fingerprint = value["fingerprint"]?.string, let count = value["count"]?.integer,
                // A card has far fewer findings, and sums of counts must not overflow.
                (1...1_000_000).contains(count)
            else {
                throw Fault(
                    line: number, column: nil,
                    problem: "expected page, check, fingerprint and count; write the file again with --update-baseline")
            }
            let key = Key(check: check, fingerprint: fingerprint)
            // A merge in version control can leave a line twice.
            let known = pages[page]?[key]?.count ?? 0
            pages[page, default: [:]][key] = Entry(
                count: max(count, known), message: value["message"]?.string ?? "")
        }
    }

    /// The file's content.
    public var bytes: [UInt8] {
        var bytes = Array("{\"pippinBaseline\":\(Self.version)}\n".utf8)
        for page in pages.keys.sorted() {
            let entries = (pages[page] ?? [:]).sorted {
                ($0.key.check, $0.key.fingerprint) < ($1.key.check, $1.key.fingerprint)
            }
            for (key, entry) in entries {
                let line: JSONValue = [
                    "page": .string(page), "check": .string(key.check), "fingerprint": .string(key.fingerprint),
                    "count": .integer(entry.count), "message": .string(entry.message),
                ]
                bytes += line.bytes() + [0x0A]
            }
        }
        return bytes
    }

    // MARK: Comparing

    /// The card with known findings marked, and the number of the page's entries that no finding matches any more.
    public func marked(_ card: ReportCard, page: String) -> (card: ReportCard, stale: Int) {
        var left = (pages[page] ?? [:]).mapValues(\.count)
        var card = card
        card.treatment.hasBaseline = true
        card.replaceFindings(
            with: card.findings.map { finding in
                let key = Key(check: finding.check.id, fingerprint: finding.fingerprint)
                guard finding.outcome >= .info, let count = left[key], count > 0 else { return finding }
                left[key] = count - 1
                var finding = finding
                finding.isKnown = true
                return finding
            }, notApplicable: card.notApplicable)
        // A check that the operator leaves out in this run has not gone.
        let stale = left.reduce(0) { sum, entry in
            let code = Check.withID(entry.key.check)?.code
            return code.map(card.treatment.leftOut.contains) == true ? sum : sum + entry.value
        }
        return (card, stale)
    }

    /// Replaces what is known of a page by the warnings and errors of its card. Entries that still hold stay as they are.
    public mutating func accept(_ card: ReportCard, page: String) {
        let before = pages[page] ?? [:]
        var entries = before.filter { entry in
            Check.withID(entry.key.check).map { card.treatment.leftOut.contains($0.code) } == true
        }
        for finding in card.findings where finding.outcome >= .warning {
            let key = Key(check: finding.check.id, fingerprint: finding.fingerprint)
            let message = before[key]?.message ?? card.shown(finding.sentence)
            entries[key] = Entry(count: (entries[key]?.count ?? 0) + 1, message: message)
        }
        pages[page] = entries.isEmpty ? nil : entries
    }

    /// Forgets a page.
    public mutating func remove(page: String) { pages[page] = nil }
}

extension Finding {
    /// What was seen, as 16 hexadecimal digits: equal for findings that differ only in their lines, columns and numbers.
    public var fingerprint: String {
        // FNV-1a with 64 bits: short, and without meaning for security.
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        func add(_ text: String) {
            var wasNumber = false
            for byte in text.utf8 {
                let isDigit = byte &- 0x30 < 10
                // `1,200` and `900`, `0.3` and `12` are one number each.
                let continues = wasNumber && (byte == 0x2C || byte == 0x2E)
                if !continues, !(isDigit && wasNumber) {
                    hash = (hash ^ UInt64(isDigit ? 0x30 : byte)) &* 0x100_0000_01B3
                }
                wasNumber = isDigit || continues
            }
            hash = (hash ^ 0xFF) &* 0x100_0000_01B3
        }
        add(place?.source.rawValue ?? "")
        add(place?.name ?? "")
        add(sentence)
        let text = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - text.count) + text
    }
}
