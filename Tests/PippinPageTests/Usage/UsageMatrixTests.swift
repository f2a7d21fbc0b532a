import Foundation
import PippinTestSupport
import Testing

@testable import PippinPage

/// The matrix of words about use, of where they are written, and of who reads them: `Fixtures/usage/matrix.tsv`, each row with its source.
@Suite struct UsageMatrixTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let line: Int
        let reader: String
        let carrier: String
        let page: String
        let text: String
        let expected: String
        let source: String

        var testDescription: String { "line \(line): \(carrier) \(text.prefix(60)) for \(reader)" }
    }

    private static let rows: [Row] = {
        let file = Fixtures.folder("usage").appending(path: "matrix.tsv")
        let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").enumerated().dropFirst().map { number, line in
            let cells = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            return Row(
                line: number + 1, reader: cells[0], carrier: cells[1], page: cells[2],
                text: cells[3].replacing("\\n", with: "\n"), expected: cells[4], source: cells[5])
        }
    }()

    @Test func `the matrix is large, and each row has its source`() {
        #expect(Self.rows.count >= 200)
        #expect(Self.rows.allSatisfy { $0.source.count > 5 })
        #expect(Set(Self.rows.map(\.carrier)).count >= 15)
    }

    @Test(arguments: rows) func `what is written means what its source says`(row: Row) throws {
        let page = try #require(WebURL("https://h.example" + row.page))
        #expect(try said(row, page) == row.expected, "\(row.source)")
    }

    private func said(_ row: Row, _ page: WebURL) throws -> String {
        let site = try #require(WebURL("/robots.txt", base: page))
        switch row.carrier {
        case _ where row.carrier.hasPrefix("token "):
            let use = try #require(ContentUse(rawValue: String(row.carrier.dropFirst(6))))
            let robots = RobotsFile(bytes: Array(row.text.utf8), url: site)
            return UsagePreferences([robots.preference(use, of: page, token: row.reader)].compactMap(\.self)).words
        case "robots":
            let robots = RobotsFile(bytes: Array(row.text.utf8), url: site)
            return try usage(page, row, site: SiteUsage(robots, agents: ["Pippin"], page: page)).words
        case "tdmrep.json":
            var usage = PageUsage()
            usage.take(TDMReservationFile(bytes: Array(row.text.utf8), url: site), page: page)
            return usage.words
        case "license":
            var usage = PageUsage()
            usage.take(RSLDocument(bytes: Array(row.text.utf8), url: site), page: page)
            return usage.words
        case "json-ld":
            return try usage(page, row, html: "<script type='application/ld+json'>\(row.text)</script>").words
        case _ where row.carrier.hasPrefix("meta "):
            let name = row.carrier.dropFirst(5)
            return try usage(page, row, html: "<meta name='\(name)' content='\(row.text)'>").words
        default:
            return try usage(page, row, headers: HTTPHeaders([(row.carrier, row.text)])).words
        }
    }

    private func usage(
        _ page: WebURL, _ row: Row, html: String = "<p>x", headers: HTTPHeaders = HTTPHeaders(),
        site: SiteUsage = SiteUsage()
    ) throws -> PageUsage {
        var notes: [ParseNote] = []
        let now = Date(timeIntervalSince1970: 1_795_000_000)
        let source = PageSource(url: page, headers: headers, bytes: Array(html.utf8), fetchedAt: now)
        let reader = try #require(UsageReader.all.first { $0.name == row.reader })
        return PageUsage(PageFacts(source), site: site, reader: reader, now: now, notes: &notes)
    }
}

extension UsagePreferences {
    fileprivate var words: String {
        let said = statements.map { "\($0.use.rawValue)=\($0.isAllowed ? "y" : "n")" }.joined(separator: " ")
        return said.isEmpty ? "-" : said
    }
}

extension PageUsage {
    fileprivate var words: String {
        var words = preferences.isEmpty ? [] : [preferences.words]
        if let snippet { words.append("snippet=\(snippet.maximumCharacters)") }
        if let reservation { words.append("reserved=\(reservation.isReserved ? 1 : 0)") }
        words += paidParts.map { "paid=\($0)" }
        return words.isEmpty ? "-" : words.joined(separator: " ")
    }
}
