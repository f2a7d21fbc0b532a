import Foundation
import PippinReport
import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage
@testable import pippin

/// Every check of the report card, on a page of the demo site that fails it and on one that passes, each fetched and judged
/// as `pippin validate` does.
@Suite struct CheckPagesTests {
    private struct Page: Sendable {
        let check: Check
        let kind: CheckPages.Kind
        let address: String
    }

    /// Validations at a time: each has a fetcher of its own.
    private static let concurrency = 4

    @Test func `each check fails on its failing page and passes on its passing page`() async throws {
        let scratch = try ScratchFolder()
        let folder = scratch.url
        let site = Repository.root.appending(path: "Examples/demo-site")
        try await DemoProcess.serving(site: site, folder: folder) { demo in
            let origin = try demo.origin(of: "checks.example")
            let flags = ["--allow-private-networks", "--ca-file", folder.appending(path: "ca.pem").path]
            let pages = Self.pages(of: try await Self.index(at: origin, flags: flags), at: origin)
            // Which app the banner's number is.
            let lookup = ["--app-lookup", site.appending(path: "app-lookup.json").path]
            let cards = try await withThrowingTaskGroup(of: [UInt8].self) { group in
                var cards: [UInt8] = []
                for (number, page) in pages.enumerated() {
                    if number >= Self.concurrency, let card = try await group.next() { cards += card }
                    group.addTask { try await Self.judge(page, flags: flags + lookup) }
                }
                for try await card in group { cards += card }
                return cards
            }
            let verdict = try ReportSchema.card.verdict(of: cards)
            #expect(verdict.output == "\(pages.count)\n", "\(verdict.output.prefix(4_000))")
        }
    }

    private static func index(at origin: String, flags: [String]) async throws -> String {
        let url = try #require(WebURL(origin + "/"))
        let response = try await FetchOptions.parse(flags).fetching(signingFor: NamedSites()) { single in
            try await single.fetch(url, purpose: .page).get()
        }
        return String(decoding: response.body, as: UTF8.self)
    }

    private static func pages(of index: String, at origin: String) -> [Page] {
        var pages: [Page] = []
        for check in Check.all where CheckPages.withoutPages[check.id] == nil {
            for kind in CheckPages.Kind.allCases {
                guard let address = CheckPages.address(of: check.id, kind, in: index, at: origin) else {
                    Issue.record("No page of the demo site \(kind.rawValue) \(check.id), \(check.title).")
                    continue
                }
                if CheckPages.ofTheWholeSite.contains(check.id) { continue }
                pages.append(Page(check: check, kind: kind, address: address))
            }
        }
        return pages
    }

    /// - Returns: the card as a line of JSON.
    private static func judge(_ page: Page, flags: [String]) async throws -> [UInt8] {
        let command = try ValidateCommand.parse([page.address] + flags)
        let card = try await command.reportCard()
        var objection = CheckPages.objection(to: card, of: page.check, page.kind)
        // A machine that stalls makes every server slow: T08 may be asked again, and passes where the page is not to blame.
        for _ in 0..<5 where objection != nil && page.check.id == "T08" {
            objection = CheckPages.objection(to: try await command.reportCard(), of: page.check, page.kind)
        }
        if let objection { Issue.record("\(page.check.id) \(page.kind.rawValue), \(page.address): \(objection)") }
        return card.json.bytes() + [0x0A]
    }
}
