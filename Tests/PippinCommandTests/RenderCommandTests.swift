import Foundation
import PippinCrawl
import PippinRender
import PippinTestSupport
import Synchronization
import Testing

@testable import PippinPage

private let isWithoutBrowser = Chromium.problem(RenderSettings()) != nil

/// `--render` of `extract` and `validate`, against a server on this machine.
@Suite(.rendersAlone, .disabled(if: isWithoutBrowser, "There is no browser: run Scripts/setup.sh test."))
struct RenderCommandTests {
    private static let files: [String: (type: String, body: String)] = [
        "/robots.txt": ("text/plain", "User-agent: *\nDisallow: /private/\n"),
        "/": (
            "text/html",
            "<!doctype html><html lang=en><title>App</title><div id=root></div>"
                + "<script src=/private/secret.js></script><script src=/app.js></script>"
        ),
        "/app.js": (
            "text/javascript",
            """
            fetch("/data.json").then(a => a.json()).then(d => setTimeout(() => {
              document.title = d.title; root.innerHTML = "<h1>" + d.title + "</h1>"; location = "clownapp://acts/42"
            }, 800))
            """
        ),
        "/data.json": ("application/json", #"{"title":"Clowns"}"#),
        "/hidden": (
            "text/html",
            "<!doctype html><meta name=robots content=noindex><div id=root></div><script src=/app.js></script>"
        ),
    ]

    private func serve<Answer>(_ body: (LoopbackServer, () -> [String]) async throws -> Answer) async throws -> Answer {
        let asked = AskedTargets()
        let server = try LoopbackServer { request, connection in
            asked.add(request.target)
            guard let file = Self.files[request.target] else {
                connection.respond("404 Not Found")
                return .keepOpen
            }
            connection.respond("200 OK", ["Content-Type: \(file.type)"], body: Array(file.body.utf8))
            return .keepOpen
        }
        defer { server.stop() }
        return try await body(server, { asked.all })
    }

    private final class AskedTargets: Sendable {
        private let targets = Mutex<[String]>([])
        func add(_ target: String) { targets.withLock { $0.append(target) } }
        var all: [String] { targets.withLock { $0 } }
    }

    private func json(_ text: String) throws -> JSONValue {
        var parser = JSONParser()
        return try parser.parse(text)
    }

    @Test func `extract reads the page as its scripts make it`() async throws {
        let scratch = try ScratchFolder()
        let folder = scratch.url
        try await serve { server, asked in
            let run = try await PippinProcess.run(
                "pippin extract \(server.url("/")) --allow-private-networks --render", in: folder)
            #expect(run.status == 0, "\(run.errors)")
            let page = try json(run.output)
            #expect(page["metadata"]?["title"]?.string == "Clowns")
            #expect(page["rendering"]?["ending"]?.string == "settled")
            #expect(page["rendering"]?["navigations"]?.array == ["clownapp://acts/42"])
            #expect(page["record"]?["deepLinks"]?.array?.first?["sources"]?.array == ["script"])
            #expect(!asked().contains("/private/secret.js"))
            #expect(asked().filter { $0 == "/robots.txt" }.count == 1)
        }
    }

    @Test func `extract renders a file, too, and fetches what its scripts ask for`() async throws {
        let scratch = try ScratchFolder()
        let folder = scratch.url
        try scratch.write(Self.files["/"]?.body ?? "", to: "page.html")
        try await serve { server, _ in
            let run = try await PippinProcess.run(
                "pippin extract page.html --url \(server.url("/")) --allow-private-networks --render", in: folder)
            #expect(try json(run.output)["metadata"]?["title"]?.string == "Clowns", "\(run.errors)")
        }
    }

    @Test func `validate compares the page with its rendering, and names the forbidden script`() async throws {
        let scratch = try ScratchFolder()
        let folder = scratch.url
        try await serve { server, asked in
            let run = try await PippinProcess.run(
                "pippin validate \(server.url("/")) --allow-private-networks --render --format json", in: folder)
            let card = try json(run.output)
            let facts = card["rendering"]?["facts"]?.array ?? []
            #expect(facts.first == ["name": "Title", "raw": "App", "rendered": "Clowns"], "\(run.errors)")
            let findings = card["findings"]?.array ?? []
            let forbidden = findings.first { $0["check"]?.string == "T16" }
            #expect(forbidden?["outcome"]?.string == "warning")
            #expect(forbidden?["message"]?.string?.contains("/private/secret.js may not be fetched") == true)
            #expect(findings.first { $0["check"]?.string == "T15" }?["outcome"]?.string == "warning")
            #expect(!asked().contains("/private/secret.js"))
        }
    }

    @Test func `a page that asks not to be indexed is not rendered`() async throws {
        let scratch = try ScratchFolder()
        let folder = scratch.url
        try await serve { server, asked in
            let run = try await PippinProcess.run(
                "pippin validate \(server.url("/hidden")) --allow-private-networks --render --format json",
                in: folder)
            #expect(try json(run.output)["rendering"] == nil, "\(run.errors)")
            #expect(!asked().contains("/app.js"))
        }
    }

    @Test func `a crawl of the demo's single-page app records what its scripts make, and says why`() async throws {
        let scratch = try ScratchFolder()
        let folder = scratch.url
        try await DemoProcess.serving(
            site: Repository.root.appending(path: "Examples/demo-site"), folder: folder
        ) { demo in
            let origin = try demo.origin(of: "stage.example")
            let crawl =
                "pippin crawl --config crawl-config.yaml --seeds seeds-rendered.txt --records all --out records.ndjson --log log.jsonl"
            let run = try await PippinProcess.run(crawl, in: folder)
            #expect(run.status == 0, "\(run.errors)")
            let lines = try String(contentsOf: folder.appending(path: "records.ndjson"), encoding: .utf8)
                .split(separator: "\n").map { try json(String($0)) }
            let record = lines.compactMap { $0["record"] ?? $0 }.first { $0["url"]?.string == origin + "/" }
            #expect(record?["title"]?.string == "Three clowns and a ladder", "\(lines)")
            #expect(record?["provenance"]?["page"]?.string == "scripts")
            let sources = record?["deepLinks"]?.array?.first?["sources"]?.array ?? []
            #expect(sources == ["smart-app-banner", "script"])
            let log = try String(contentsOf: folder.appending(path: "log.jsonl"), encoding: .utf8)
            #expect(log.contains("\(origin)/app.js"))
            // The crawl found its link, too.
            #expect(log.contains("\(origin)/tickets.html"))
            #expect(
                log.split(separator: "\n").contains { $0.contains("/private/tracker.js") && $0.contains("disallowed") })
            let why = try await PippinProcess.run("pippin why --config crawl-config.yaml \(origin)/", in: folder)
            #expect(
                why.output.contains("rendering: Rendered, because #root is empty in its HTML."), "\(why.output)")
        }
    }

    @Test func `nothing is left of the browser when pippin is killed`() async throws {
        let scratch = try ScratchFolder()
        let folder = scratch.url
        let isAsked = Atomic(false)
        let server = try LoopbackServer { request, connection in
            if request.target == "/robots.txt" {
                connection.respond("404 Not Found")
            } else if request.target == "/" {
                connection.respond(body: Array("<!doctype html><script src=/slow.js></script>".utf8))
            } else {
                isAsked.store(true, ordering: .relaxed)
                sleep(10)
            }
            return .keepOpen
        }
        defer { server.stop() }
        let process = Process()
        process.executableURL = PippinProcess.binary
        process.arguments = ["extract", server.url("/"), "--allow-private-networks", "--render"]
        process.currentDirectoryURL = folder
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        try await waitUntil("the browser runs") { isAsked.load(ordering: .relaxed) }
        let browsers = Self.descendants(of: process.processIdentifier)
        #expect(browsers.count > 3)
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        try await waitUntil("nothing of the browser is left") { browsers.allSatisfy { kill($0, 0) != 0 } }
    }

    /// The processes that a process has started, and those that these have.
    private static func descendants(of process: Int32) -> [Int32] {
        var children: [Int32: [Int32]] = [:]
        for name in (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? [] {
            guard let number = Int32(name),
                let stat = try? String(contentsOfFile: "/proc/\(name)/stat", encoding: .utf8),
                let end = stat.lastIndex(of: ")"),
                let parent = stat[end...].split(separator: " ").dropFirst(2).first.flatMap({ Int32($0) })
            else { continue }
            children[parent, default: []].append(number)
        }
        var found: [Int32] = []
        var upcoming = [process]
        while let next = upcoming.popLast() {
            let own = children[next] ?? []
            found += own
            upcoming += own
        }
        return found
    }
}

/// `--render` where there is no browser.
@Suite struct RenderRefusalTests {
    @Test func `rendering without a browser is refused with the package to install`() async throws {
        let folder = try ScratchFolder()
        try folder.write("<title>x</title>", to: "page.html")
        let run = try await PippinProcess.run(
            "pippin extract page.html --url https://a.example/ --render --browser /nowhere", in: folder.url)
        #expect(run.status == 2)
        #expect(run.errors.contains("install Debian's package chromium-headless-shell"))
    }

    @Test func `validate takes no files to render`() async throws {
        let folder = try ScratchFolder()
        try folder.write("<title>x</title>", to: "page.html")
        let run = try await PippinProcess.run("pippin validate page.html --render", in: folder.url)
        #expect(run.status == 2)
        #expect(run.errors.contains("--render"))
    }
}
