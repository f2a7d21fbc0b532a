import Foundation
import PippinTestSupport
import Testing

/// What the README shows is run, against the demo site.
@Suite struct ReadMeTests {
    /// The lines of the README's "Using it" that start with `pippin`, without their comments.
    private static let lines: [String] = {
        let text = (try? String(contentsOf: Repository.root.appending(path: "README.md"), encoding: .utf8)) ?? ""
        guard let start = text.range(of: "## Using it"), let end = text.range(of: "## What comes out") else {
            return []
        }
        return text[start.upperBound..<end.lowerBound].split(separator: "\n")
            .filter { $0.hasPrefix("pippin ") }
            .map { line in line.firstRange(of: " #").map { line[..<$0.lowerBound] } ?? line }
            .map { $0.trimmingCharacters(in: .whitespaces) }
    }()

    private func withDemo<Answer>(_ body: (URL, String) async throws -> Answer) async throws -> Answer {
        let scratch = try ScratchFolder()
        let folder = scratch.url
        return try await DemoProcess.serving(
            site: Repository.root.appending(path: "Examples/demo-site"), folder: folder
        ) { demo in try await body(folder, demo.origin(of: "shop.example")) }
    }

    @Test func `every command of the README works as shown`() async throws {
        #expect(Self.lines.count >= 7)
        try await withDemo { folder, origin in
            for name in ["robots.txt", "index.html"] {
                let source = Repository.root.appending(path: "Examples/demo-site/shop.example/\(name)")
                let target = name == "index.html" ? "page.html" : name
                try FileManager.default.copyItem(at: source, to: folder.appending(path: target))
            }
            for name in ["sitemap.xml", ".well-known/apple-app-site-association"] {
                let source = Repository.root.appending(path: "Examples/demo-site/clownfair.example/\(name)")
                try FileManager.default.copyItem(at: source, to: folder.appending(path: source.lastPathComponent))
            }
            try Data("\(origin)/ kind=support\n".utf8).write(to: folder.appending(path: "seeds.txt"))
            try Data(
                """
                agent: { contact: "https://example.org/bot" }
                scope: { max_pages: 3 }
                politeness: { delay: 0s }
                fetch: { allow_private_networks: true, ca_file: ca.pem }
                output: { warc: archive }

                """.utf8
            ).write(to: folder.appending(path: "crawl-config.yaml"))

            // These serve until Ctrl-C; `BrowserTests` and others run them.
            for line in Self.lines where !line.hasPrefix("pippin demo") && !line.hasPrefix("pippin serve") {
                // What asks a server asks the demo's: the machine of a test reaches no other, and has no contact to give.
                var command = line
                for verb in ["pippin crawl ", "pippin extract "] where line.hasPrefix(verb + "https://") {
                    command = line.replacing("https://example.org/app/", with: origin + "/")
                        .replacing("https://example.org/page", with: origin + "/products/mug.html")
                        .replacing(verb, with: verb + "--allow-private-networks --ca-file ca.pem ")
                    if verb == "pippin crawl " { command += " --delay 0s" }
                }
                let run = try await PippinProcess.run(command, in: folder)
                // 4: the crawls are ended by their page limit. 1: the report card has findings, the URL is not known, nothing is found or forgotten.
                let mayFind = ["validate", "why", "search", "forget"].contains { line.hasPrefix("pippin \($0)") }
                let expected: [Int32] = mayFind ? [0, 1] : [0, 4]
                #expect(expected.contains(run.status), "\(command): \(run.status) \(run.errors)")
            }
            let records = try String(contentsOf: folder.appending(path: "records.ndjson"), encoding: .utf8)
            #expect(records.contains("\"storeIdentifier\":\"1450000003\""))
        }
    }

    @Test func `pages and files are looked at by URL too, under the rules of their host`() async throws {
        try await withDemo { folder, origin in
            let flags = "--allow-private-networks --ca-file ca.pem"
            let page = try await PippinProcess.run("pippin extract \(origin)/products/mug.html \(flags)", in: folder)
            #expect(page.status == 0, "\(page.errors)")
            #expect(page.output.contains("1450000003"))
            // /cart.html is closed to Googlebot, whose rules bind us where nobody names Pippin or Applebot.
            let cart = try await PippinProcess.run("pippin extract \(origin)/cart.html \(flags)", in: folder)
            #expect(cart.status == 1)
            #expect(cart.errors.contains("/cart.html"), "\(cart.errors)")
            let robots = try await PippinProcess.run(
                "pippin robots --agent Applebot --agent Googlebot --url \(origin)/cart.html \(origin)/robots.txt \(flags)",
                in: folder)
            #expect(robots.status == 1)
            #expect(robots.output.hasPrefix("disallowed"))
        }
    }
}
