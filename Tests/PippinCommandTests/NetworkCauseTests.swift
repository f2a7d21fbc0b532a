import Foundation
import PippinTestSupport
import Testing

@testable import PippinPage

/// What the network did is told in words, with the option that changes it, in every place that tells of a crawl.
@Suite struct NetworkCauseTests {
    /// Something that keeps a crawl from a host, made with real servers.
    enum Cause: String, CaseIterable {
        case privateAddress, selfSigned, wrongHost, expired, closedPort, unknownName, silence, robotsStatus, pageStatus

        /// Code of the seed's outcome.
        var code: String { self == .pageStatus ? "server-error" : "robots-unreachable" }

        /// What every place says.
        var words: String {
            switch self {
            case .privateAddress: "127.0.0.1 is a private address"
            case .selfSigned: "the certificate of localhost is not trusted (self-signed certificate)"
            case .wrongHost: "the certificate of localhost is for another host (no alternative certificate subject name"
            case .expired: "the certificate of localhost has expired (certificate has expired)"
            case .closedPort: "nothing listens at 127.0.0.1:"
            case .unknownName: "no address was found for the name x.invalid"
            case .silence: "127.0.0.1 took too long: no answer within 1 s"
            case .robotsStatus: "robots.txt cannot be fetched: it answers with status 503"
            case .pageStatus: "500"
            }
        }

        /// The option that changes it, as a flag and as a key.
        var option: (flag: String, key: String)? {
            switch self {
            case .privateAddress: ("--allow-private-networks", "fetch.allow_private_networks")
            case .selfSigned: ("--ca-file", "fetch.ca_file")
            case .silence: ("fetch.timeout", "fetch.timeout")
            default: nil
            }
        }
    }

    private static let quick = """
        fetch: { retries: 0, connect_timeout: 1s, timeout: 1s }
        output: { ndjson: null }

        """

    private func places(of url: String, flags: String, status: Int32) async throws -> [String: String] {
        let folder = try ScratchFolder()
        try folder.write(Self.quick, to: "quick.yaml")
        let run = try await PippinProcess.run(
            "pippin crawl '\(url)' \(flags) --config quick.yaml --storage kept --log log --summary summary.json "
                + "--report report", in: folder.url)
        #expect(run.status == status, "\(run.errors)")
        func file(_ name: String) throws -> String {
            try String(contentsOf: folder.url.appending(path: name), encoding: .utf8)
        }
        func command(_ line: String) async throws -> String {
            let run = try await PippinProcess.run(line, in: folder.url)
            #expect(run.status == 0, "\(line): \(run.errors)")
            return run.output
        }
        return [
            "summary": run.errors, "summary.json": try file("summary.json"), "log": try file("log"),
            "report.json": try file("report/report.json"), "report": try file("report/index.html"),
            "why": try await command("pippin why '\(url)' --storage kept"),
            "why --json": try await command("pippin why '\(url)' --storage kept --json"),
            "status": try await command("pippin status --storage kept"),
            "status --json": try await command("pippin status --storage kept --json"),
        ]
    }

    private func places(of cause: Cause) async throws -> [String: String] {
        let allow = "--allow-private-networks"
        switch cause {
        case .privateAddress:
            let server = try LoopbackServer { _, _ in .close }
            defer { #expect(server.connectionCount == 0) }
            return try await places(of: server.url("/"), flags: "", status: 3)
        case .selfSigned, .wrongHost, .expired:
            let nginx = try NginxServer(locations: "location / { return 200 x; }")
            let kind: TestCertificates.Kind =
                cause == .selfSigned ? .selfSigned : cause == .expired ? .expired : .wrongName
            let trusted = "\(allow) --ca-file '\(nginx.certificates.authorityPath)'"
            return try await places(of: nginx.url(kind, "/"), flags: trusted, status: 3)
        case .closedPort:
            return try await places(
                of: "http://127.0.0.1:\(try LoopbackServer.freePort())/", flags: allow, status: 3)
        case .unknownName:
            return try await places(of: "http://x.invalid/", flags: "", status: 3)
        case .silence:
            let server = try LoopbackServer { _, connection in
                connection.waitForClose()
                return .close
            }
            return try await places(of: server.url("/"), flags: allow, status: 3)
        case .robotsStatus:
            let server = try LoopbackServer { _, connection in
                connection.respond("503 Service Unavailable")
                return .close
            }
            return try await places(of: server.url("/"), flags: allow, status: 3)
        case .pageStatus:
            let server = try LoopbackServer { request, connection in
                connection.respond(request.target == "/robots.txt" ? "404 Not Found" : "500 Internal Server Error")
                return .close
            }
            return try await places(of: server.url("/"), flags: allow, status: 3)
        }
    }

    @Test(arguments: Cause.allCases)
    func `every place names the cause, and the option that changes it`(cause: Cause) async throws {
        let places = try await places(of: cause)
        #expect(places.count == 9)
        for (place, text) in places.sorted(by: { $0.key < $1.key }) {
            // HTML writes some characters in another way.
            let found = text.replacing("&#39;", with: "'").replacing("&quot;", with: "\"")
            #expect(found.contains(cause.words), "\(cause) in \(place): \(text.prefix(3_000))")
            guard let option = cause.option else { continue }
            #expect(found.contains(option.flag), "\(cause), its option in \(place)")
            // The commands that read a storage do not know whether it is that of a job.
            if place.hasPrefix("why") || place.hasPrefix("status") {
                #expect(found.contains(option.key), "\(cause), its key in \(place)")
            }
        }
        let log = try (places["log"] ?? "").split(separator: "\n").map { line in
            var parser = JSONParser()
            return try parser.parse(Array(line.utf8))
        }
        #expect(log.last?["outcome"]?.string == cause.code)
        #expect(places["why"]?.hasPrefix(cause.code + " ") == true)
    }

    @Test func `a job is told of its file's keys, a crawl of URLs of flags`() async throws {
        let folder = try ScratchFolder()
        try folder.write(Self.quick, to: "crawl-config.yaml")
        try folder.write("http://127.0.0.1:9/\n", to: "seeds.txt")
        let job = try await PippinProcess.run("pippin crawl --storage kept", in: folder.url)
        #expect(job.errors.contains("Allow private addresses with fetch.allow_private_networks."), "\(job.errors)")
        let why = try await PippinProcess.run("pippin why http://127.0.0.1:9/ --storage kept", in: folder.url)
        #expect(why.output.contains("Allow private addresses with fetch.allow_private_networks."), "\(why.output)")
        let single = try await PippinProcess.run("pippin crawl http://127.0.0.1:9/", in: folder.url)
        #expect(single.errors.contains("Allow private addresses with --allow-private-networks."), "\(single.errors)")
    }

    @Test func `every option that a message names is one that the command line has`() async throws {
        let folder = try ScratchFolder()
        let help = try await PippinProcess.run("pippin crawl --help", in: folder.url).output
        for flag in [
            "--contact", "--follow", "--max-depth", "--max-pages", "--delay", "--concurrency",
            "--allow-private-networks", "--ca-file",
        ] {
            #expect(help.contains(flag), "\(flag)")
        }
    }
}
