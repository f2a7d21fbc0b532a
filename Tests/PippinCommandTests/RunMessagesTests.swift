import Foundation
import PippinTestSupport
import Testing

@testable import PippinPage

/// What a run of the program tells, on standard error and in the files it is asked for.
@Suite struct RunMessagesTests {
    private func objects(_ text: String) throws -> [JSONValue] {
        try text.split(separator: "\n").map { line in
            var parser = JSONParser()
            return try parser.parse(Array(line.utf8))
        }
    }

    private func file(_ name: String, in folder: URL) throws -> String {
        try String(contentsOf: folder.appending(path: name), encoding: .utf8)
    }

    /// A crawl that needs no server: nothing listens on port 9 of this machine.
    private static let crawl =
        "pippin crawl http://127.0.0.1:9/ --allow-private-networks --config quick.yaml --out records.ndjson"
    private static let quick = "fetch: { retries: 0, connect_timeout: 2s }\noutput: { ndjson: null }\n"

    @Test func `log, summary and metrics are written where the flags say`() async throws {
        let folder = try ScratchFolder()
        try folder.write(Self.quick, to: "quick.yaml")
        let run = try await PippinProcess.run(
            Self.crawl + " --log out/crawl.jsonl --summary out/summary.json --metrics out/pippin.prom", in: folder.url)
        #expect(run.status == 3, "\(run.errors)")
        let log = try objects(file("out/crawl.jsonl", in: folder.url))
        #expect(log.map { $0["outcome"]?.string } == ["unreachable", "robots-unreachable"])
        #expect(log.map { $0["kind"]?.string } == ["robots", "page"])
        var parser = JSONParser()
        let summary = try parser.parse(Array(file("out/summary.json", in: folder.url).utf8))
        #expect(summary["seeds"]?.array?.first?["outcome"]?.string == "robots-unreachable")
        #expect(summary["requests"]?.integer == 1)
        let metrics = try file("out/pippin.prom", in: folder.url)
        #expect(metrics.contains("pippin_run_state{state=\"finished\"} 1\n"))
        #expect(metrics.contains("pippin_visits_total{outcome=\"robots-unreachable\"} 1\n"))
        #expect(run.errors.contains("Seeds that failed:"))
    }

    @Test func `with log_format json all of standard error is JSON, errors too`() async throws {
        let folder = try ScratchFolder()
        try folder.write("log_format: json\nlog_level: info\n" + Self.quick, to: "quick.yaml")
        let run = try await PippinProcess.run(Self.crawl + " --metrics-port 0", in: folder.url)
        #expect(run.status == 3)
        let messages = try objects(run.errors)
        #expect(messages.contains { $0["message"]?.string?.hasPrefix("metrics are at http://127.0.0.1:") == true })
        let last = try #require(messages.last)
        #expect(last["level"]?.string == "notice")
        #expect(last["metadata"]?["requests"]?.integer == 1)
        #expect(last["metadata"]?["outcomes"]?["robots-unreachable"]?.integer == 1)

        let failed = try await PippinProcess.run(
            "pippin crawl http://127.0.0.1:9/ --log-format json --log /dev/null/x", in: folder.url)
        #expect(failed.status == 6, "\(failed.errors)")
        #expect(try objects(failed.errors).map { $0["level"]?.string } == ["error"])
        let wrong = try await PippinProcess.run("pippin crawl --log-format json --config nowhere.yaml", in: folder.url)
        #expect(wrong.status == 2)
        #expect(try objects(wrong.errors).first?["message"]?.string?.contains("nowhere.yaml") == true)
    }

    @Test(arguments: ["2> /dev/full", "2>&1 > /dev/null | true"])
    func `a run whose messages nobody takes goes on to its end`(redirection: String) async throws {
        let folder = try ScratchFolder()
        try folder.write(Self.quick, to: "quick.yaml")
        let run = try await PippinProcess.run(
            "{ \(Self.crawl) --summary summary.json; echo $? > status; } \(redirection)", in: folder.url)
        #expect(run.output.isEmpty)
        #expect(try file("status", in: folder.url) == "3\n")
        #expect(try file("summary.json", in: folder.url).contains("robots-unreachable"))
    }

    @Test(arguments: ["why http://127.0.0.1:9/", "status"])
    func `an answer that the disk has no room for ends with 6`(command: String) async throws {
        let folder = try ScratchFolder()
        try folder.write(Self.quick, to: "quick.yaml")
        _ = try await PippinProcess.run(Self.crawl + " --storage kept", in: folder.url)
        let run = try await PippinProcess.run("pippin \(command) --storage kept > /dev/full", in: folder.url)
        #expect(run.status == 6, "\(run.errors)")
        #expect(run.errors.contains("standard output"))
    }

    @Test func `a port that is taken ends with 2 and says which`() async throws {
        let folder = try ScratchFolder()
        try folder.write(Self.quick, to: "quick.yaml")
        let server = try LoopbackServer { _, _ in .close }
        let run = try await PippinProcess.run(Self.crawl + " --metrics-port \(server.port)", in: folder.url)
        #expect(run.status == 2, "\(run.errors)")
        #expect(run.errors.contains("\(server.port)"))
    }

    // MARK: Examples/deploy

    private static let deploy = Repository.root.appending(path: "Examples/deploy")

    @Test func `systemd accepts the units, and takes the exit statuses of a run that did its work for success`() throws
    {
        let folder = try ScratchFolder()
        var service = try file("pippin.service", in: Self.deploy)
        #expect(service.contains("\nSuccessExitStatus=3 4 5\n"))
        #expect(service.contains("\nRestartPreventExitStatus=2 7\n"))
        // The program is not installed where the tests run.
        service = service.replacing("/usr/local/bin/pippin", with: "/bin/true")
        try folder.write(service, to: "pippin.service")
        try folder.write(file("pippin.timer", in: Self.deploy), to: "pippin.timer")
        try FileManager.default.createDirectory(
            at: folder.url.appending(path: "pippin.service.d"), withIntermediateDirectories: false)
        try folder.write(file("pippin-render.conf", in: Self.deploy), to: "pippin.service.d/render.conf")
        let server = try file("pippin-serve.service", in: Self.deploy).replacing(
            "/usr/local/bin/pippin", with: PippinProcess.binary.path)
        try folder.write(server, to: "pippin-serve.service")
        try TestTool("systemd-analyze").run(
            ["verify", "./pippin.service", "./pippin.timer", "./pippin-serve.service"], in: folder.url)
    }

    @Test func `a run's file of metrics has what the alerts ask for, with the state that its end has left`()
        async throws
    {
        let folder = try ScratchFolder()
        try folder.write(Self.quick, to: "quick.yaml")
        let run = try await PippinProcess.run(Self.crawl + " --storage kept --metrics pippin.prom", in: folder.url)
        #expect(run.status == 3, "\(run.errors)")
        let verdict = try PythonJudge(importing: "yaml", "prometheus_client").run(
            """
            import re, sys, yaml
            from prometheus_client.parser import text_string_to_metric_families
            families = {f.name + ("_total" if f.type == "counter" else ""): f
                        for f in text_string_to_metric_families(open(sys.argv[2]).read())}
            alerts = [r for g in yaml.safe_load(open(sys.argv[1]))["groups"] for r in g["rules"]]
            assert len(alerts) == len({r["alert"] for r in alerts}) >= 7
            for rule in alerts:
                assert rule["annotations"]["summary"] and rule["labels"]["severity"] in ("page", "ticket"), rule
                names = re.findall(r"pippin_\\w+", rule["expr"])
                assert names and all(name in families for name in names), (names, sorted(families))
            success, = families["pippin_last_success_timestamp_seconds"].samples
            start, = families["pippin_start_time_seconds"].samples
            assert success.value >= start.value
            consumer, = families["pippin_consumer_lag_changes"].samples
            assert consumer.value == 0 and consumer.labels["consumer"].endswith("/records.ndjson"), consumer
            """,
            [Self.deploy.appending(path: "pippin-alerts.yaml").path, folder.url.appending(path: "pippin.prom").path])
        #expect(verdict.status == 0, "\(verdict.output)")
        let status = try await PippinProcess.run("pippin status --storage kept", in: folder.url)
        for line in [
            "starved hosts: none", "database log: 0 bytes", "last run that ended in order: ",
            "/records.ndjson: up to date",
        ] {
            #expect(status.output.contains(line), "\(status.output)")
        }
    }

    @Test func `the configuration of the service is read as it stands`() async throws {
        let folder = try ScratchFolder()
        try folder.write(
            file("crawl-config.yaml", in: Self.deploy).replacing("/var/lib/pippin", with: folder.url.path)
                .replacing("metrics_port: 9464", with: "metrics_port: 0"),
            to: "crawl-config.yaml")
        try folder.write("http://127.0.0.1:9/\n", to: "seeds.txt")
        // The seed is a private address, which the configuration does not allow: nothing leaves this machine.
        let run = try await PippinProcess.run("pippin crawl", in: folder.url)
        #expect(run.status == 3, "\(run.errors)")
        #expect(try objects(run.errors).last?["metadata"]?["failedSeeds"]?.array?.count == 1)
        #expect(try objects(file("crawl.jsonl", in: folder.url)).count >= 1)
    }
}
