import Foundation
import Testing

@testable import PippinPage
@testable import PippinReport

/// What CI shows of a run: annotations of GitHub Actions, and a summary in Markdown.
@Suite struct AnnotationTests {
    /// A page that tries to be a command, a table's end, a link, a picture, HTML, a mention and a reference.
    private static let hostile = ReportPage(
        """
        <title>Mug</title>
        <meta name="apple-itunes-app" content="app-id=123456789, app-argument=::error::x%0A
        ::stop-commands::y | [a](https://evil.example) ![b](http://evil.example/p.png) <img src=x> @team #1 `c` \\| **d** www.evil.example a@b.example">
        """)

    private static func pages(_ count: Int, named name: String = "dist/mug.html", card: ReportCard = hostile.card)
        -> [NamedCard]
    { (0..<count).map { NamedCard(name: count == 1 ? name : "\($0)/\(name)", isFile: true, card: card) } }

    private static func index(_ pages: [NamedCard]) -> CardIndex {
        var index = CardIndex(failingFrom: .error)
        for (position, page) in pages.enumerated().reversed() { index.add(page, at: position) }
        return index
    }

    private static let gone = NamedCard(
        name: "https://gone.example/", isFile: false, card: nil, trouble: "nothing listens there")

    // MARK: GitHub

    @Test func `each error and warning is one command, with its place in the file and nothing of the page beside`()
        throws
    {
        let text = try #require(Self.pages(1, named: "dist/a,b:50%.html").first).workflowCommands
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        let failing = Self.hostile.card.findings.filter { $0.outcome >= .warning }
        #expect(lines.count == failing.count && lines.count >= 2)
        for line in lines { #expect(line.hasPrefix("::error ") || line.hasPrefix("::warning "), "\(line)") }
        let banner = try #require(lines.first { $0.contains("title=L07 ") })
        #expect(banner.hasPrefix("::error file=dist/a%2Cb%3A50%25.html,line=3,endLine=4,title=L07 "), "\(banner)")
        #expect(banner.contains("%250A") && !banner.contains("\r"), "\(banner)")
        // What has no line in the page says which page it is.
        let unplaced = lines.filter { !$0.contains("file=") }
        #expect(unplaced.allSatisfy { $0.contains("::dist/a,b:50%25.html") }, "\(unplaced)")
        #expect(
            Self.gone.workflowCommands
                == "::error title=The page could not be fetched::https://gone.example/: nothing listens there\n")
    }

    @Test func `of a page that was fetched no command names a file, and what a baseline knows is none`() {
        let url = NamedCard(name: "https://shop.example/mug", isFile: false, card: Self.hostile.card)
        #expect(!url.workflowCommands.contains("file=") && url.workflowCommands.contains("::https://shop.example/mug"))
        var baseline = FindingBaseline()
        baseline.accept(Self.hostile.card, page: "a")
        let known = baseline.marked(Self.hostile.card, page: "a").card
        #expect(NamedCard(name: "a", isFile: true, card: known).workflowCommands.isEmpty)
    }

    // MARK: Markdown

    /// The rows of the table, in cells.
    private static func rows(_ markdown: String) -> [[String]] {
        markdown.split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst(2).map { line in
            line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }

    @Test func `the summary has the gravest first, and nothing of a page is markup in it`() throws {
        let markdown = Self.index(Self.pages(1) + [Self.gone]).markdown
        let rows = Self.rows(markdown)
        #expect(rows.allSatisfy { $0.count == 4 }, "\(markdown)")
        let grades = rows.map { $0[0] }
        #expect(grades.first == "error" && grades.last == "not fetched")
        #expect(
            grades
                == grades.sorted { a, b in
                    let order = ["error", "warning", "not fetched"]
                    return order.firstIndex(of: a) ?? 9 < order.firstIndex(of: b) ?? 9
                })
        #expect(
            rows.contains {
                $0[1] == "<code>dist&#47;mug&#46;html&#58;3</code>" && $0[2].hasPrefix("[L07](<https://")
            })
        for row in rows {
            for cell in [row[1], row[3]] {
                #expect(cell.hasPrefix("<code>") && cell.hasSuffix("</code>"), "\(cell)")
                let inside = cell.dropFirst(6).dropLast(7).replacing("&#64;<wbr>", with: "@")
                    .replacing(/&#[0-9]+;/, with: "")
                #expect(!inside.contains(where: { "<>[]!`*_|\\#:/.&~$-+{}%".contains($0) }), "\(inside)")
            }
        }
        #expect(markdown.contains("&#64;<wbr>team") && !markdown.contains("@team"))
        #expect(markdown.hasPrefix("### Pippin: 2 pages"))
        #expect(markdown.contains("1 page could not be fetched"))
    }

    @Test func `the summary is bounded, does not depend on the order of pages, and says how much more there is`() {
        let pages = Self.pages(200)
        let markdown = Self.index(pages).markdown
        #expect(Self.rows(markdown).count == NewFindings.maximumRows)
        #expect(markdown.utf8.count < 200_000)
        let new = Self.hostile.card.counts()
        let errors = new.error * 200
        #expect(markdown.contains("**\(errors) errors, \(new.warning * 200) warnings**"), "\(markdown.prefix(300))")
        #expect(markdown.contains("And more: \(errors - NewFindings.maximumRows) errors, "), "\(markdown.suffix(300))")
        var other = CardIndex(failingFrom: .error)
        for (position, page) in pages.enumerated() { other.add(page, at: position) }
        #expect(other.markdown == markdown)
    }

    @Test func `with a baseline the summary is about what is new`() {
        var baseline = FindingBaseline()
        baseline.accept(Self.hostile.card, page: "a")
        let known = Self.index(Self.pages(1, card: baseline.marked(Self.hostile.card, page: "a").card)).markdown
        #expect(known.contains("Nothing new.") && Self.rows(known).isEmpty, "\(known)")
        let new = Self.index(Self.pages(1, card: baseline.marked(Self.hostile.card, page: "b").card)).markdown
        #expect(new.contains("**new: ") && !Self.rows(new).isEmpty, "\(new)")
        #expect(Self.index([]).markdown.contains("Nothing to fix."))
    }
}
