import Foundation
import PippinPage
import PippinServe
import Testing

@testable import pippin

/// Every check of the report card, on a page of the demo site that fails it and on one that passes, each fetched and judged
/// as `pippin validate` does.
@Suite struct CheckPagesTests {
    private struct Page: Sendable {
        let check: Check
        let kind: CheckPages.Kind
        let address: String
    }

    /// Checks whose evidence `pippin validate` does not gather yet.
    private static let awaited: Set<String> = ["L11", "L12", "L13", "L14", "L15", "L20", "L22", "L24", "L25", "S04"]

    @Test func `each check fails on its failing page and passes on its passing page`() async throws {
        let scratch = try ScratchFolder()
        let folder = scratch.url
        let site = try DemoSite(folder: Repository.root.appending(path: "Examples/demo-site"))
        let certificates = try await Self.onThreadOfItsOwn {
            try DemoCertificates(hosts: site.hostNames.map(DemoSite.localName), folder: folder)
        }
        let server = DemoServer(site: site, certificates: certificates, ports: DemoPorts(secure: 0, plain: 0))
        try await server.withServer { ports in
            let flags = ["--allow-private-networks", "--ca-file", certificates.authority.path]
            let index = site.reply(host: DemoSite.localName(of: DemoSite.checksHost), path: "/", ports: ports)
            let pages = Self.pages(of: String(decoding: index.body, as: UTF8.self), ports: ports)
            // As many at a time as keep two cores busy; each has a fetcher of its own.
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (number, page) in pages.enumerated() {
                    if number >= 4 { try await group.next() }
                    group.addTask { try await Self.judge(page, flags: flags) }
                }
                try await group.waitForAll()
            }
        }
    }

    private static func pages(of index: String, ports: DemoPorts) -> [Page] {
        var pages: [Page] = []
        for check in Check.all where CheckPages.withoutPages[check.id] == nil {
            for kind in CheckPages.Kind.allCases {
                guard let address = CheckPages.address(of: check.id, kind, in: index, ports: ports) else {
                    Issue.record("No page of the demo site \(kind.rawValue) \(check.id), \(check.title).")
                    continue
                }
                if CheckPages.ofTheWholeSite.contains(check.id) || awaited.contains(check.id) { continue }
                pages.append(Page(check: check, kind: kind, address: address))
            }
        }
        return pages
    }

    private static func judge(_ page: Page, flags: [String]) async throws {
        let command = try ValidateCommand.parse([page.address] + flags)
        var objection = CheckPages.objection(to: try await command.reportCard(), of: page.check, page.kind)
        // A machine that stalls makes every server slow: T08 may be asked again, and passes where the page is not to blame.
        for _ in 0..<5 where objection != nil && page.check.id == "T08" {
            objection = CheckPages.objection(to: try await command.reportCard(), of: page.check, page.kind)
        }
        if let objection { Issue.record("\(page.check.id) \(page.kind.rawValue), \(page.address): \(objection)") }
    }

    /// Runs what waits for a process where it keeps none of the server's threads from serving.
    private static func onThreadOfItsOwn<Answer: Sendable>(
        _ work: @escaping @Sendable () throws -> Answer
    ) async throws -> Answer {
        try await withCheckedThrowingContinuation { continuation in
            Thread { continuation.resume(with: Result { try work() }) }.start()
        }
    }
}
