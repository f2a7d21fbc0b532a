import PippinPage

/// Findings that the operator has accepted for now: known ones do not fail a run, new ones do.
///
/// A finding is recognized by its page, its check, and a fingerprint of what was seen, without places in the text, counts,
/// measures and dates: it survives moved lines and a title that got two characters longer. Another status or app ID makes
/// another finding. Equal findings are counted; the one too many is new. Findings that a card does not list are known by their
/// number.
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

        init(check: String, fingerprint: String) {
            self.check = check
            self.fingerprint = fingerprint
        }

        init(_ finding: Finding) {
            self.init(check: finding.check.id, fingerprint: finding.fingerprint)
        }

        /// The key of a finding in files that were written before fingerprints kept identifiers.
        static func earlier(_ finding: Finding) -> Key {
            Key(check: finding.check.id, fingerprint: finding.fingerprintWithoutDigits)
        }

        /// The key of findings that a card counts without listing them.
        static func unlisted(_ finding: Finding) -> Key { Key(check: finding.check.id, fingerprint: "unlisted") }
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
            var parser = JSONParser(limits: .ownText)
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

    /// Takes a finding that another file has, with its number.
    mutating func add(page: String, _ key: Key, _ entry: Entry) {
        let known = pages[page]?[key]?.count ?? 0
        pages[page, default: [:]][key] = Entry(count: known + entry.count, message: entry.message)
    }

    // MARK: Comparing

    /// The card with known findings marked, and the number of the page's entries that no finding matches any more.
    func marked(_ card: ReportCard, page: String) -> (card: ReportCard, stale: Int) {
        let (card, left) = compared(card, page: page)
        return (card, left.reduce(0) { $0 + $1.entry.count })
    }

    /// The card with known findings marked, and the page's entries that no finding matches any more, in the order of checks.
    func compared(_ card: ReportCard, page: String) -> (card: ReportCard, left: [(key: Key, entry: Entry)]) {
        var left = (pages[page] ?? [:]).mapValues(\.count)
        var card = card
        card.treatment.hasBaseline = true
        var findings = card.findings
        func know(_ index: Int, by keys: [Key]) {
            guard findings[index].outcome >= .info, let key = keys.first(where: { left[$0, default: 0] > 0 }) else {
                return
            }
            left[key, default: 0] -= 1
            findings[index].isKnown = true
        }
        for index in findings.indices {
            know(index, by: [Key(findings[index]), .earlier(findings[index])])
        }
        // What is not listed is known by its number: of those that were not listed, then of those that were and are not now.
        var hasMore: Set<Int> = []
        for (index, finding) in findings.enumerated() where finding.unlisted.failures > 0 {
            var number = finding.unlisted.failures
            for key in [.unlisted(finding)] + left.keys.filter({ $0.check == finding.check.id }) {
                let known = min(number, left[key, default: 0])
                left[key, default: 0] -= known
                number -= known
            }
            if number > 0 { hasMore.insert(index) }
        }
        for index in findings.indices where !findings[index].isKnown {
            know(index, by: [.unlisted(findings[index])])
        }
        // The finding that counts them stands for those that are new.
        for index in hasMore { findings[index].isKnown = false }
        card.replaceFindings(with: findings, notApplicable: card.notApplicable)
        // A check that the operator leaves out in this run has not gone.
        let gone = left.filter { key, count in
            count > 0 && Check.withID(key.check).map { card.treatment.leftOut.contains($0.code) } != true
        }
        let listed = gone.map { key, count in
            (key: key, entry: Entry(count: count, message: pages[page]?[key]?.message ?? ""))
        }
        return (card, listed.sorted { ($0.key.check, $0.key.fingerprint) < ($1.key.check, $1.key.fingerprint) })
    }

    /// Replaces what is known of a page by the warnings and errors of its card. Entries that still hold stay as they are.
    public mutating func accept(_ card: ReportCard, page: String) {
        let before = pages[page] ?? [:]
        var entries = before.filter { entry in
            Check.withID(entry.key.check).map { card.treatment.leftOut.contains($0.code) } == true
        }
        for finding in card.findings where finding.outcome >= .warning {
            let key = Key(finding)
            let message =
                before[key]?.message ?? before[.earlier(finding)]?.message ?? card.shown(finding.sentence)
            entries[key] = Entry(count: (entries[key]?.count ?? 0) + 1, message: message)
            if finding.unlisted.failures > 0 {
                entries[.unlisted(finding)] = Entry(
                    count: finding.unlisted.failures, message: "Findings that the card counts but does not list.")
            }
        }
        pages[page] = entries.isEmpty ? nil : entries
    }

    /// Forgets a page.
    mutating func remove(page: String) { pages[page] = nil }
}

extension ReportCard.Counts {
    /// The number of warnings and errors.
    fileprivate var failures: Int { error + warning }
}

extension Finding {
    /// What was seen, as 16 hexadecimal digits: equal for findings that differ only in their lines, columns, counts, measures
    /// and dates.
    var fingerprint: String {
        var hash = FingerprintHash()
        hash.add(place?.source.rawValue ?? "")
        hash.add(place?.name ?? "")
        hash.add(SentenceNumbers.blurred(sentence))
        return hash.text
    }

    /// As `fingerprint`, but equal also for findings that differ only in digits. Files of earlier versions have it.
    var fingerprintWithoutDigits: String {
        var hash = FingerprintHash()
        for text in [place?.source.rawValue ?? "", place?.name ?? "", sentence] {
            hash.add(SentenceNumbers.withoutDigits(text))
        }
        return hash.text
    }
}

/// FNV-1a with 64 bits: short, and without meaning for security.
private struct FingerprintHash {
    private var hash: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func add(_ text: String) {
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        hash = (hash ^ 0xFF) &* 0x100_0000_01B3
    }

    var text: String {
        let text = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - text.count) + text
    }
}

/// The numbers in the sentence of a finding: those that change from day to day, and those that identify something.
enum SentenceNumbers {
    /// Words before a number that identifies something.
    private static let namers: Set<String> = ["status", "http", "id", "port", "code", "error"]
    /// Units that may follow a number without a space.
    private static let units: Set<String> = [
        "ms", "s", "m", "h", "d", "px", "b", "kb", "mb", "gb", "kib", "mib", "k", "st", "nd", "rd", "th", "am", "pm",
    ]
    /// A number with this many digits and nothing between them is an identifier. App Store IDs have nine or ten.
    private static let identifierDigits = 8

    /// Replaces each count, measure and date by `0`. Statuses, identifiers, and words of letters and digits stay.
    static func blurred(_ sentence: String) -> String {
        var previous = ""
        return sentence.split(separator: " ", omittingEmptySubsequences: false).map { word in
            defer { previous = core(of: word).lowercased() }
            let core = core(of: word)
            guard core.contains(where: \.isPlainDigit), isCountOrDate(core), !namers.contains(previous) else {
                return String(word)
            }
            return word.prefix(upTo: core.startIndex) + "0" + word.suffix(from: core.endIndex)
        }.joined(separator: " ")
    }

    /// Replaces each run of digits, with dots and commas in it or after it, by `0`.
    static func withoutDigits(_ text: String) -> String {
        var bytes: [UInt8] = []
        var wasNumber = false
        for byte in text.utf8 {
            let isDigit = byte &- 0x30 < 10
            // `1,200` and `900`, `0.3` and `12` are one number each.
            let continues = wasNumber && (byte == 0x2C || byte == 0x2E)
            if !continues, !(isDigit && wasNumber) { bytes.append(isDigit ? 0x30 : byte) }
            wasNumber = isDigit || continues
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A word without punctuation at its ends.
    private static func core(of word: Substring) -> Substring {
        func isMargin(_ character: Character) -> Bool {
            !(character.isLetter || character.isNumber) && !"+%/$€£".contains(character)
        }
        let start = word.drop(while: isMargin)
        guard let last = start.lastIndex(where: { !isMargin($0) }) else { return word[word.endIndex...] }
        return start[...last]
    }

    private static func isCountOrDate(_ core: Substring) -> Bool {
        if isDate(core) { return true }
        let number = core.prefix { !$0.isLetter }
        let unit = core[number.endIndex...].lowercased()
        // `1200x630`
        if unit.hasPrefix("x"), unit.dropFirst().allSatisfy(\.isPlainDigit) { return true }
        guard unit.isEmpty || units.contains(unit) else { return false }
        guard !number.contains("/") || number.allSatisfy({ $0.isPlainDigit || $0 == "/" }) else { return false }
        let longest = number.split { !$0.isPlainDigit }.map(\.count).max() ?? 0
        // A telephone number is an identifier too.
        return longest < identifierDigits && !number.hasPrefix("+")
    }

    /// `2026-01-31`, with a time or without, `2026-01`, `20260131`, `20260131190000`.
    private static func isDate(_ core: Substring) -> Bool {
        let parts = core.split(separator: "-", maxSplits: 2, omittingEmptySubsequences: false)
        if parts.count >= 2, isYear(parts[0]), isMonth(parts[1].prefix(2)) {
            return parts.count == 2 ? parts[1].count == 2 : parts[2].first?.isPlainDigit == true
        }
        guard [8, 12, 14].contains(core.count), core.allSatisfy(\.isPlainDigit) else { return false }
        let day = Int(core.dropFirst(6).prefix(2)) ?? 0
        return isYear(core.prefix(4)) && isMonth(core.dropFirst(4).prefix(2)) && (1...31).contains(day)
    }

    private static func isYear(_ text: Substring) -> Bool {
        text.count == 4 && text.allSatisfy(\.isPlainDigit) && (text.hasPrefix("19") || text.hasPrefix("20"))
    }

    private static func isMonth(_ text: Substring) -> Bool {
        text.count == 2 && Int(text).map((1...12).contains) == true
    }
}

extension Character {
    fileprivate var isPlainDigit: Bool { isASCII && isNumber }
}
