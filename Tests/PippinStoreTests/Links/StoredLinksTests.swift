import Foundation
import GRDB
import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage
@testable import PippinStore

/// The link graph that visits leave in a storage.
@Suite struct StoredLinksTests {
    private let job = JobUnderTest()

    /// `from > to`, without the host `a.test`; `~` for a link that passes no rank.
    private func links() throws -> Set<String> {
        var found: Set<String> = []
        try StoredLinks(folder: job.folder.url).read { link in
            found.insert(
                (link.from + (link.isNofollow ? " ~ " : " > ") + link.to).replacing("https://a.test", with: ""))
            #expect(link.isNofollow == (link.weight == 0))
        }
        return found
    }

    @Test func `a page's links are those of its last reading`() async throws {
        job.page("https://a.test/", says: "home", links: ["/1", "/2", "/1#part", "/"])
        job.page("https://a.test/1", says: "one", links: ["/2", "https://elsewhere.test/"])
        job.page("https://a.test/2", says: "two", links: ["/"])
        _ = try await job.run()
        #expect(try links() == ["/ > /1", "/ > /2", "/1 > /2", "/2 > /"])
        job.page("https://a.test/", says: "home", links: ["/2", "/3"])
        job.page("https://a.test/3", says: "three", links: ["/1"])
        job.web["https://a.test/1"] = [.status(410)]
        _ = try await job.run(after: .seconds(90 * 86_400))
        // A page that is gone has no links, though others may still link to it.
        #expect(try links() == ["/ > /2", "/ > /3", "/2 > /", "/3 > /1"])
    }

    @Test func `a page that has not changed, or cannot be reached, keeps its links`() async throws {
        job.page("https://a.test/", says: "home", links: ["/1"], tag: "\"1\"")
        job.page("https://a.test/1", says: "one", links: ["/"])
        _ = try await job.run()
        let before = try links()
        #expect(before == ["/ > /1", "/1 > /"])
        job.web["https://a.test/1"] = [.status(503)]
        _ = try await job.run(after: .seconds(90 * 86_400))
        #expect(try links() == before)
    }

    @Test func `redirects and canonical links are resolved, and a link to oneself is none`() async throws {
        job.page("https://a.test/", links: ["/old", "/twin", "/1", "/nowhere"])
        job.web["https://a.test/old"] = [.redirect(to: "/older")]
        job.web["https://a.test/older"] = [.redirect(to: "/1")]
        job.web.page("https://a.test/twin", canonical: "/1")
        job.page("https://a.test/1", says: "one", links: ["/old", "/twin", "/2"])
        job.page("https://a.test/2", says: "two", links: ["/older"])
        job.web["https://a.test/nowhere"] = [.redirect(to: "/nowhere2")]
        job.web["https://a.test/nowhere2"] = [.redirect(to: "/nowhere")]
        _ = try await job.run()
        let found = try links()
        #expect(found.subtracting(found.filter { $0.contains("nowhere") }) == ["/ > /1", "/1 > /2", "/2 > /1"])
        // Of a circle of redirects one URL stands for both.
        #expect(found.count { $0.contains("nowhere") } == 1)
    }

    @Test func `links that nobody vouches for are known and weigh nothing`() async throws {
        job.web["https://a.test/"] = [
            .html(
                "<a href=/1>1</a><a href=/2 rel=nofollow>2</a><a href=/1 rel=ugc>1</a><a href=/3>3</a>"
                    + "<a href=/never rel=sponsored>never</a>")
        ]
        job.web["https://a.test/1"] = [.html("<a href=/2 rel=ugc>2</a>")]
        job.web["https://a.test/3"] = [
            .html("<meta name=robots content=nofollow><a href=/>home</a><a href=/4>4</a>")
        ]
        _ = try await job.run()
        // /2 and /4 are in nobody's queue: no link that is followed leads there.
        #expect(try links() == ["/ > /1", "/ > /3", "/3 ~ /"])
    }

    @Test func `links of the template count as one link of the host`() async throws {
        let menu = ["/menu", "/imprint"]
        job.page("https://a.test/", links: (0..<20).map { "/\($0)" } + menu)
        for number in 0..<20 {
            job.page("https://a.test/\(number)", says: "\(number)", links: menu + ["/\(number / 2)"])
        }
        for path in menu { job.page("https://a.test" + path, says: path, links: menu) }
        _ = try await job.run()
        var weights: [String: [Double]] = [:]
        try StoredLinks(folder: job.folder.url).read { link in
            let kind = menu.contains(link.to.replacing("https://a.test", with: "")) ? "menu" : "other"
            weights[kind, default: []].append(link.weight)
        }
        // 23 pages, of which 22 link to each of the two.
        #expect(weights["menu"]?.count == 44)
        #expect(abs((weights["menu"] ?? []).reduce(0, +) - 2) < 1e-6)
        #expect(weights["other"]?.allSatisfy { $0 == 1 } == true)
    }

    @Test func `a small site has no template`() async throws {
        job.page("https://a.test/", links: (1...6).map { "/\($0)" })
        for number in 1...6 { job.page("https://a.test/\(number)", says: "\(number)", links: ["/"]) }
        _ = try await job.run()
        try StoredLinks(folder: job.folder.url).read { #expect($0.weight == 1) }
    }
}
