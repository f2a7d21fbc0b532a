import Foundation
import PippinTestSupport
import Synchronization

/// A site on loopback whose pages a test changes between the runs of a job, and the job's folder.
final class ChangingSite: Sendable {
    private let pages = Mutex<[String: String]>([:])
    /// Answers other than a page, by path.
    private let others = Mutex<[String: (status: String, fields: [String])]>([:])
    private let serverBox = Mutex<LoopbackServer?>(nil)

    init() throws {
        let server = try LoopbackServer { [weak self] request, connection in
            let page = self?.pages.withLock { $0[request.target] }
            if let other = self?.others.withLock({ $0[request.target] }) {
                connection.respond(other.status, other.fields)
            } else if let page {
                connection.respond(body: Array(page.utf8))
            } else {
                connection.respond("404 Not Found")
            }
            return .keepOpen
        }
        serverBox.withLock { $0 = server }
    }

    func url(_ path: String) -> String { serverBox.withLock { $0?.url(path) ?? "" } }

    /// Gives the site these pages, by number, and one at `/` that links to them and to all that ever were.
    func show(_ titles: [Int: String], linking numbers: some Sequence<Int>, words: Int = 5) {
        var pages = ["/": "<title>Home</title>" + numbers.map { "<a href=/\($0)>\($0)</a>" }.joined()]
        for (number, title) in titles {
            let text = (0..<words).map { "word\(number)x\($0)" }.joined(separator: " ")
            pages["/\(number)"] = "<title>\(title)</title><meta name=description content='\(text)'><p>\(title)"
        }
        let settled = pages
        self.pages.withLock { $0 = settled }
    }

    /// Gives the site one more page, or another one in its place.
    func add(_ path: String, _ html: String) { pages.withLock { $0[path] = html } }

    /// Answers with a status in place of a page.
    func answer(_ path: String, _ status: String, _ fields: [String] = []) {
        others.withLock { $0[path] = (status, fields) }
    }

    /// A job that keeps all pages' records, and asks without a pause.
    func writeJob(in folder: borrowing ScratchFolder, output: String = "") throws {
        try folder.write(url("/") + "\n", to: "seeds.txt")
        try folder.write(
            """
            agent: { contact: "https://example.org/bot" }
            politeness: { delay: 0s, adaptive: false }
            fetch: { allow_private_networks: true, retries: 0 }
            scope: { sitemaps: false }
            records: all
            storage: storage
            output:
              ndjson: records.ndjson
              \(output)

            """, to: "crawl-config.yaml")
    }

    /// Makes all the job's URLs due, as if it had rested for long.
    static func letTimePass(in folder: URL) throws {
        let verdict = try PythonJudge().run(
            """
            import sqlite3, sys
            database = sqlite3.connect(sys.argv[1])
            database.execute("UPDATE url SET rank = 1 WHERE rank < 1 << 40")
            database.execute("UPDATE host SET nextDue = 1")
            database.commit()
            """, [folder.appending(path: "storage/pippin.sqlite").path])
        if verdict.status != 0 { throw TestTool.Failure(description: verdict.output) }
    }
}
