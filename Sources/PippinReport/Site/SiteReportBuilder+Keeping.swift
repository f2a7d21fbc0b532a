import Foundation
import PippinPage

// What the builder keeps of many: a bounded number of each.

/// A few findings of one check: the gravest, and of them those whose addresses come first.
struct BoundedExamples: Sendable {
    static let limit = 10
    private(set) var list: [SiteReport.Example] = []

    mutating func add(_ finding: Finding, url: String, judgedAt: Date) {
        let place = list.firstIndex { Self.precedes(finding.outcome, url, $0) } ?? list.endIndex
        // One finding a page: the gravest says enough.
        guard place < Self.limit, !list.contains(where: { $0.url == url && $0.outcome >= finding.outcome }) else {
            return
        }
        list.insert(
            SiteReport.Example(
                url: url, outcome: finding.outcome, sentence: finding.sentence, place: finding.place,
                remedy: finding.remedy, judgedAt: judgedAt), at: place)
        if let other = list.indices.last(where: { $0 != place && list[$0].url == url }) { list.remove(at: other) }
        if list.count > Self.limit { list.removeLast() }
    }

    private static func precedes(_ outcome: Finding.Outcome, _ url: String, _ other: SiteReport.Example) -> Bool {
        outcome != other.outcome ? outcome > other.outcome : url < other.url
    }
}

/// The cards of the worst pages so far.
struct WorstCards: Sendable {
    struct Entry: Sendable {
        let grade: SiteReport.Grades
        let url: String
        let card: ReportCard
    }

    var limit = 0
    private var entries: [Entry] = []

    mutating func add(_ card: ReportCard, grade: SiteReport.Grades) {
        guard card.isPageRead, grade.all > 0 else { return }
        entries.append(Entry(grade: grade, url: card.url.href, card: card))
        // Sorted once for every `limit` pages.
        if entries.count >= 2 * max(1, limit) { cut() }
    }

    private mutating func cut() {
        entries.sort { $0.grade == $1.grade ? $0.url < $1.url : SiteReport.Grades.isGraver($0.grade, $1.grade) }
        entries.removeLast(max(0, entries.count - limit))
    }

    /// By the page's address.
    var byURL: [String: ReportCard] {
        var copy = self
        copy.cut()
        return Dictionary(copy.entries.map { ($0.url, $0.card) }, uniquingKeysWith: { first, _ in first })
    }
}

/// Texts that several pages may share, each kept once; a page keeps its number.
struct SharedTexts: Sendable {
    /// A longer description is cut anyway.
    static let maximumBytes = 400
    private var numbers: [String: Int] = [:]

    /// Moves what is only compared out of the page.
    mutating func take(_ page: inout SiteReportBuilder.Page) {
        let host = page.host
        let stands = page.crawled.standsForItself
        if stands {
            page.title = number(of: page.crawled.title, "t", host)
            page.description = number(of: page.crawled.description, "d", host)
            page.content = number(of: page.crawled.contentHash, "c", "")
            page.image = number(of: page.crawled.image, "i", host)
            page.argument = number(of: page.crawled.appArgument, "a", host)
        }
        page.crawled.title = page.crawled.title.map { Self.cut($0, to: 160) }
        page.crawled.description = nil
        page.crawled.contentHash = nil
        page.crawled.image = nil
        page.crawled.appArgument = nil
    }

    private mutating func number(of text: String?, _ kind: String, _ host: String) -> Int {
        guard let text, !text.isEmpty else { return -1 }
        let key = "\(kind) \(host) \(Self.cut(text, to: Self.maximumBytes))"
        if let number = numbers[key] { return number }
        let number = numbers.count
        numbers[key] = number
        return number
    }

    private static func cut(_ text: String, to bytes: Int) -> String {
        guard text.utf8.count > bytes else { return text }
        return String(decoding: text.utf8.prefix(bytes), as: UTF8.self)
    }

    var count: Int { numbers.count }

    /// The texts by number, without kind and host.
    var texts: [Int: String] {
        var texts: [Int: String] = [:]
        texts.reserveCapacity(numbers.count)
        for (key, number) in numbers {
            texts[number] = key.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false).last.map(
                String.init)
        }
        return texts
    }
}

extension SiteReport.Grades {
    init(_ outcomes: [Finding.Outcome]) {
        for outcome in outcomes { count(outcome) }
    }

    mutating func add(_ other: SiteReport.Grades) {
        error += other.error
        warning += other.warning
        info += other.info
    }
}

extension SiteReport.Backing {
    static let maximumExamples = 10

    mutating func add(_ example: SiteReport.LinkExample) {
        count += 1
        let place =
            examples.firstIndex { (example.page, example.link) <= ($0.page, $0.link) } ?? examples.endIndex
        guard place < Self.maximumExamples, !examples.contains(example) else { return }
        examples.insert(example, at: place)
        if examples.count > Self.maximumExamples { examples.removeLast() }
    }
}

extension Check {
    /// Where a check stands in `all`.
    static let index: [String: Int] = Dictionary(
        uniqueKeysWithValues: all.enumerated().map { ($0.element.id, $0.offset) })
}
