import Foundation
import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinReport

/// Every block of commands, of output and of configuration in the documents is run or read, or the tables below say why not.
@Suite(.slow) struct DocumentedExamplesTests {
    /// All pages with blocks that readers try.
    private static let pages: [String] = {
        let docs = Repository.files(in: "Docs/").filter { $0.hasSuffix(".md") }.map { "Docs/\($0)" }
        let examples = Repository.files(in: "Examples/").map { "Examples/\($0)/README.md" }
        return ["README.md", "CONTRIBUTING.md", "Spark/README.md", "Simulation/README.md"] + (docs + examples).sorted()
    }()

    /// Blocks that other tests run or hold against the program.
    private static let runElsewhere = [
        "Docs/Record.md: price (number): 12.5": "ExplainFieldsTests",
        "Docs/Access.md: pippin crawl --config pippin-demo/crawl-config.yaml --seeds pippin-demo/seeds-signed.txt":
            "AgentCommandTests",
        "Docs/Notify.md: pippin notify --name ping.example.org --proxy 127.0.0.1 --config crawl-config.yaml":
            "NotifyCommandTests",
        "Docs/Agents.md: {\"mcpServers\": {\"pippin\": {": "MCPCommandTests",
        "Docs/Agents.md: {\"servers\": {\"pippin\": {": "MCPCommandTests",
        "Docs/Agents.md: > {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"example\",\"version\":\"1\"}}}":
            "MCPCommandTests",
        "README.md: export PIPPIN_CONTACT=https://you.example/bot": "ReadMeTests",
        "Docs/Architecture.md: CLibXML2 CICU CZlib CPSL": "TargetOrderTests",
        "Docs/Record.md: {\"uniqueIdentifier\":\"https://example.org/a\",\"link\":0,\"at\":\"2026-11-23T08:00:00Z\",\"change\":\"changed\",\"platform\":\"ios\",":
            "DeepLinkHistoryCommandTests",
        "Docs/Archive.md: pippin extract --cdxj --ranges --only-pages -c crawl-config.yaml cdx-00000.gz > pages.ndjson":
            "ExtractArchiveTests",
        "Docs/Rendering.md: pippin extract https://example.org/app --contact you@example.org --render":
            "RenderCommandTests",
        "Examples/duckdb/README.md: pippin export > records.ndjson": "DuckDBTests",
        "Examples/duckdb/README.md: pippin export --cursor-file index.cursor > changes.ndjson": "DuckDBTests",
        "Examples/opensearch/README.md: ./pippin_index.py template --url http://127.0.0.1:9200 --languages en,de,fr":
            "OpenSearchExampleTests",
        "Examples/opensearch/README.md: ./pippin_index.py search --url http://127.0.0.1:9200 'mug has:deeplink -sold'":
            "OpenSearchExampleTests",
        "Examples/duckdb/README.md: duckdb records.duckdb -c \"SELECT title, url FROM pages WHERE len(deepLinks) > 0 ORDER BY popularity DESC LIMIT 10\"":
            "DuckDBTests",
    ]

    /// Blocks that no test can run, and why.
    private static let notRun = [
        "Docs/Access.md: location = /.well-known/http-message-signatures-directory {":
            "a part of nginx's configuration",
        "Docs/Access.md: Signature-Agent: sig1=\"https://bot.example.org/.well-known/http-message-signatures-directory\"":
            "a request; SignatureVectorTests and SignedRequestJudgeTests hold such ones against others",
        "Docs/Serve.md: # the search field of the shop": "a file with secrets; SearchKeysTests reads such ones",
        "README.md: make demo": "builds the program and runs all tests",
        "README.md: make install PREFIX=/usr/local": "installs for all users; InstallationTests installs to a folder",
        "Docs/Cluster.md: JOB/config.yaml seeds.txt     the job as on one machine": "a drawing of folders",
        "Docs/Cluster.md: pippin reshard --storage NEW --shard K --shards M OLD…":
            "the form of a command; ShardedJobCommandTests runs it",
        "Examples/deploy/README.md: install -m 755 .build/release/pippin /usr/local/bin/pippin": "systemd",
        "Examples/deploy/README.md: umask 077 && openssl rand -hex 32 > /etc/pippin/token": "systemd and nginx",
        "Examples/spark/README.md: make build && Examples/spark/run": "Spark",
        "Examples/spark/README.md: turn 1, all 4 shards: 0 pages in 16.0 s, 0.0 a second, 2 % of the time crawling; 0 requests, 0 records, 0 deletions; so far 0 pages; 4 of 4 URLs queued, 0 on their way to other shards":
            "Spark",
        "Examples/spark/README.md: export PATH=/opt/spark/bin:$PATH PYSPARK_PYTHON=/opt/spark/bin/python3":
            "Spark, Kubernetes",
        "Examples/spark/README.md: python3 -m venv env && env/bin/pip install ./Spark venv-pack && env/bin/venv-pack -o env.tar.gz":
            "Spark",
        "Spark/README.md: pip install ./Spark": "Spark",
        "Spark/README.md: JOB/config.yaml seeds.txt           as on one machine, with cluster: { shards: 16, turn: 10m, links: true }":
            "a drawing of folders",
        "Spark/README.md: python -m pippin_spark changes JOB --cursor-file news.cursor > changes.ndjson": "Spark",
        "Spark/README.md: from pippin_spark.records import changes, opened, records, typed": "Spark",
        "Spark/README.md: pip install './Spark[delta]'": "Spark",
        "Spark/README.md: from pippin_spark.records import changes, opened, typed_changes": "Spark",
        "Simulation/README.md: make simulate SEEDS=1-1000": "takes hours; tests of the storage run small plans",
    ]

    /// Samples in JSON, with the command whose output has them. Each document of the sample must be in a document of the output.
    private static let printed = [
        "README.md: {\"schemaVersion\":2, \"uniqueIdentifier\":\"https://shop.localhost:8443/products/mug.html\",":
            "pippin export",
        "Docs/Search.md: {\"query\":\"mug\", \"count\":3, \"isCountExact\":true, \"isIndexComplete\":true, \"offset\":0, \"notes\":[],":
            "pippin search mug --json --explain | jq -c .",
    ]

    /// Lines that records and their changes consist of: `Docs/record.schema.json` says how they look.
    private static let changes = [
        "Docs/Record.md: {\"uniqueIdentifier\":\"https://example.org/a\",\"popularity\":0.42}",
        "Docs/Record.md: {\"schemaVersion\":2,\"uniqueIdentifier\":\"https://example.org/a\",\"deleted\":true,\"reason\":\"noindex\",\"at\":\"2026-11-20T20:00:00Z\"}",
    ]

    /// Lines that the program reads.
    private static let clicks =
        "Docs/Search.md: {\"query\":\"apple pie\",\"identifier\":\"https://kitchen.example/pie\",\"at\":\"2026-11-23T10:00:00Z\"}"
    private static let workerLines = "Docs/Cluster.md: {\"v\":3,\"type\":\"begin\","

    private static let frontierLine = "Docs/Operations.md: {\"depth\":1,"

    private static func blocks() -> [DocumentedBlock] { pages.flatMap(DocumentedBlock.all(of:)) }

    /// Whether GettingStartedTests runs the block, or the tables name it.
    private static func isElsewhere(_ block: DocumentedBlock) -> Bool {
        block.page == "Docs/GettingStarted.md" || runElsewhere[block.name] != nil || notRun[block.name] != nil
    }

    @Test func `the tables name blocks that are there, and tests that are there`() {
        let names = Set(Self.blocks().map(\.name))
        let named = [Self.runElsewhere, Self.notRun, Self.printed].flatMap(\.keys) + Self.changes + [Self.clicks]
        for name in named where !names.contains(name) {
            Issue.record("no document has the block “\(name)”")
        }
        for suite in Set(Self.runElsewhere.values) {
            #expect(!Repository.text("Tests/PippinCommandTests/\(suite).swift").isEmpty, "there is no \(suite)")
        }
        #expect(names.count > 50)
    }

    @Test func `every sample of a configuration can be read`() throws {
        let scratch = try ScratchFolder()
        let samples = Self.blocks().filter { $0.language == "yaml" }
        #expect(samples.count >= 6)
        for block in samples {
            let file = scratch.url.appending(path: "sample.yaml").path
            let text = block.lines.joined(separator: "\n") + "\n"
            #expect(throws: Never.self, "\(block.page), line \(block.line)") {
                if text.hasPrefix("validate:") {
                    _ = try ValidateConfiguration(yaml: text, file: file)
                } else if text.contains("password:") {
                    try Data(text.utf8).write(to: URL(filePath: file))
                    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
                    _ = try SiteCredentials(
                        contentsOf: file,
                        environment: ["PREVIEW_KEY": "k", "PROXY_PASSWORD": "p", "STAGING_PASSWORD": "s"])
                } else {
                    _ = try CrawlConfiguration(yaml: text, file: file)
                }
            }
        }
    }

    @Test func `lines of changes keep to their schema`() throws {
        for block in Self.blocks() where Self.changes.contains(block.name) {
            let verdict = try RecordSchema.verdict(of: Array((block.lines.joined() + "\n").utf8))
            #expect(verdict.status == 0, "\(block.page), line \(block.line): \(verdict.output)")
        }
    }

    @Test func `a worker understands the lines that its page shows`() throws {
        let block = try #require(Self.blocks().first { $0.name.hasPrefix(Self.workerLines) })
        for (index, line) in block.lines.enumerated() {
            #expect(throws: Never.self, "\(line)") { try WorkerMessage(line: Array(line.utf8)[...], number: index + 1) }
        }
    }

    /// Makes what the pages' commands find on a reader's disk: a job that has crawled the demo, pages, a backup.
    private func prepare(_ folder: URL, shop: String) async throws {
        let site = Repository.root.appending(path: "Examples/demo-site")
        try Data(
            """
            agent: { contact: "https://example.org/bot" }
            politeness: { delay: 20ms }
            fetch: { allow_private_networks: true, ca_file: ca.pem, retries: 1, retry_delay: 100ms, max_wait: 5s }
            recrawl: { min_interval: 1s, default_interval: 1s, max_interval: 1h }
            output: { ndjson: crawl.ndjson, search_index: true, warc: archive, log: crawl.jsonl }

            """.utf8
        ).write(to: folder.appending(path: "crawl-config.yaml"))
        let made = try await PippinProcess.run(
            """
            set -e
            mkdir -p dist/products
            cp '\(site.path)/shop.example/products/mug.html' page.html
            cp page.html dist/products/
            pippin crawl || [ $? = 3 ]
            cp archive/*.warc.gz CC-MAIN-1.warc.gz
            cp archive/*.warc.gz crawl.warc.gz
            cp -a crawl-data monday
            (umask 077 && printf '0123456789abcdef0123456789abcdef' > token.txt)
            """, in: folder)
        #expect(made.status == 0, "\(made.errors)")
    }

    @Test func `every command is run, and prints what its page shows`() async throws {
        let scratch = try ScratchFolder()
        let folder = scratch.url
        try await DemoProcess.serving(site: Repository.root.appending(path: "Examples/demo-site"), folder: folder) {
            demo in
            let shop = try demo.origin(of: "shop.example")
            let port = try #require(shop.split(separator: ":").last)
            try await prepare(folder, shop: shop)
            /// The page's names of hosts, folders and programs as they are here.
            func here(_ line: String) throws -> String {
                var line = line.replacing(":8443", with: ":\(port)").replacing("/backups/monday", with: "monday")
                    .replacing("pippin-demo/", with: "")
                    .replacing(/^check-pages/, with: "sh '\(Repository.root.path)/Examples/ci/check-pages'")
                // Pages that are fetched, unlike the URLs of files.
                let site = try demo.origin(of: "clownfair.example")
                line = line.replacing("--sitemap https://example.org/", with: "--sitemap \(site)/")
                    .replacing(/^pippin (validate|extract) https:\/\/example.org\/\S+/) {
                        "pippin \($0.output.1) \(shop)/products/mug.html"
                    }
                // A server is stopped once it serves.
                line = line.replacing(/^pippin serve([^#]*)/) {
                    let arguments = $0.output.1.replacing(" --port 9000", with: "")
                    // Without the file of the server before: the shell reads it before the new server has emptied it.
                    return "rm -f served.txt; pippin serve \(arguments) --port 0 > served.txt 2>&1 & server=$!; "
                        + "while kill -0 $server && ! grep -qs http:// served.txt; do sleep 0.1; done; "
                        + "kill -TERM $server; wait $server; status=$?; cat served.txt; exit $status "
                }
                return line.replacing(" --contact ", with: " --allow-private-networks --ca-file ca.pem --contact ")
            }
            var output = ""
            var ran = 0
            for page in Self.pages {
                output = ""
                for block in DocumentedBlock.all(of: page) where !Self.isElsewhere(block) {
                    let place = "\(block.page), line \(block.line)"
                    switch block.language {
                    case "yaml": continue
                    case "json" where Self.changes.contains(block.name): continue
                    case _ where block.name.hasPrefix(Self.workerLines): continue
                    case "json" where block.name == Self.clicks:
                        try Data((block.lines.joined(separator: "\n") + "\n").utf8)
                            .write(to: folder.appending(path: "clicks.ndjson"))
                        let run = try await PippinProcess.run(
                            "pippin search apple pie --clicks clicks.ndjson", in: folder)
                        #expect(run.status == 0 && !run.errors.contains("clicks.ndjson"), "\(place): \(run.errors)")
                    case "sh":
                        output = ""
                        for line in block.commands {
                            let run = try await PippinProcess.run(try here(line), in: folder)
                            // 1: a page has an error, nothing is found. 3: a seed of the demo fails on purpose.
                            #expect([0, 1, 3].contains(run.status), "\(place): \(line): \(run.status) \(run.errors)")
                            output += run.output + run.errors
                            ran += 1
                        }
                    case "json":
                        let isFrontier = block.name.hasPrefix(Self.frontierLine)
                        guard let command = isFrontier ? "pippin export --frontier" : Self.printed[block.name] else {
                            Issue.record("\(place): no table says what prints “\(block.name)”")
                            continue
                        }
                        let sample = try JSONSerialization.jsonObject(
                            with: Data(block.lines.joined().replacing(":8443", with: ":\(port)").utf8))
                        let run = try await PippinProcess.run(command, in: folder)
                        let documents = try run.output.split(separator: "\n").map {
                            try JSONSerialization.jsonObject(with: Data($0.utf8))
                        }
                        if isFrontier {
                            let known = documents.reduce(into: Set<String>()) {
                                $0.formUnion(($1 as? [String: Any] ?? [:]).keys)
                            }
                            let keys = Set((sample as? [String: Any] ?? [:]).keys)
                            #expect(keys.isSubset(of: known), "\(place): \(keys.subtracting(known))")
                        } else {
                            let faults = documents.map { DocumentedBlock.difference(sample, $0) }
                            #expect(faults.contains(nil), "\(place): \(faults.compactMap(\.self).suffix(3))")
                        }
                    case "":
                        if let line = try block.missing(in: output, { (try? here($0)) ?? $0 }) {
                            Issue.record("\(place): nobody says “\(line)”, but:\n\(output.prefix(6_000))")
                        }
                    default:
                        Issue.record(
                            "\(place): a block of \(block.language) is neither run nor in a table: “\(block.name)”")
                    }
                }
            }
            #expect(ran >= 15)
        }
    }

    @Test func `a sample is in an output that has more, and differs from one that has less`() throws {
        func difference(_ sample: String, _ output: String) throws -> String? {
            DocumentedBlock.difference(
                try JSONSerialization.jsonObject(with: Data(sample.utf8)),
                try JSONSerialization.jsonObject(with: Data(output.utf8)))
        }
        let output = #"{"a":1,"list":[{"b":"x","at":"2026-11-27T10:00:00Z"},{"b":"y"}],"score":1.5}"#
        #expect(try difference(#"{"list":[{"b":"…","at":"2025-01-01T00:00:00Z"}],"score":9.25}"#, output) == nil)
        #expect(try difference(#"{"a":2}"#, output) == ".a is 1, not 2")
        #expect(try difference(#"{"list":[{"b":"z"}]}"#, output) == ".list[0] is not in the list")
        #expect(try difference(#"{"c":1}"#, output) == ".c is not there")
        #expect(try difference(#"{"a":"1"}"#, output) == ".a is of another type")
    }
}
