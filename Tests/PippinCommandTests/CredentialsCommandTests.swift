import Foundation
import PippinTestSupport
import Synchronization
import Testing

@testable import PippinPage

/// Real crawls of a host that wants a password, by its file of credentials.
@Suite struct CredentialsCommandTests {
    /// What two hosts were sent. The first wants a password for everything and links to the second.
    fileprivate final class Hosts: Sendable {
        struct Heard: Sendable {
            let target: String
            let authorization: String?
            let key: String?
        }

        let staging: LoopbackServer
        let other: LoopbackServer
        private let memory: Memory

        final class Memory: Sendable {
            let staging = Mutex<[Heard]>([])
            let other = Mutex<[Heard]>([])
        }

        var heardByStaging: [Heard] { memory.staging.withLock { $0 } }
        var heardByOther: [Heard] { memory.other.withLock { $0 } }

        init() throws {
            let memory = Memory()
            self.memory = memory
            let other = try LoopbackServer { request, connection in
                memory.other.withLock { $0.append(Heard(request)) }
                connection.respond(body: Array("<title>Other</title><p>Another host entirely.".utf8))
                return .keepOpen
            }
            self.other = other
            let away = other.url("/away")
            staging = try LoopbackServer { request, connection in
                memory.staging.withLock { $0.append(Heard(request)) }
                guard request.headers["Authorization"] != nil else {
                    connection.respond("401 Unauthorized", ["WWW-Authenticate: Basic realm=staging"])
                    return .keepOpen
                }
                switch request.target {
                case "/robots.txt":
                    connection.respond(
                        "200 OK", ["Content-Type: text/plain"], body: Array("User-agent: *\nDisallow: /no\n".utf8))
                case "/moved": connection.respond("302 Found", ["Location: \(away)"])
                case "/":
                    connection.respond(
                        body: Array(
                            "<title>Staging</title><a href=/moved>moved</a><a href=\(away)?a>other</a><a href=/no>no</a>"
                                .utf8))
                default: connection.respond("404 Not Found")
                }
                return .keepOpen
            }
        }
    }

    /// The secrets in all forms in which they could be written somewhere.
    private static let secrets = ["open-sesame", "b3Blbi1zZXNhbWU", "bWU6b3Blbi1zZXNhbWU=", "key-of-the-cellar"]

    private func job(_ folder: borrowing ScratchFolder, _ hosts: Hosts) throws {
        try folder.write("\(hosts.staging.url("/"))\n", to: "seeds.txt")
        try folder.write(
            """
            hosts:
              127.0.0.1:\(hosts.staging.port):
                user: me
                password: open-sesame
                headers: { X-Cellar: { env: CELLAR_KEY } }
            """, to: "secrets.yaml")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600], ofItemAtPath: folder.url.appending(path: "secrets.yaml").path)
        try folder.write(
            """
            agent: { contact: "https://example.org/bot" }
            politeness: { delay: 0s, adaptive: false }
            scope: { follow: any }
            fetch: { allow_private_networks: true, retries: 0, credentials: secrets.yaml }
            records: all
            storage: storage
            output: { log: crawl.jsonl, summary: summary.json, metrics: crawl.prom, report: report, warc: archive, search_index: true }
            log_level: debug

            """, to: "crawl-config.yaml")
    }

    @Test func `the host gets them, no other does, and nothing keeps them`() async throws {
        let folder = try ScratchFolder()
        let hosts = try Hosts()
        try job(folder, hosts)
        let run = try await PippinProcess.run("CELLAR_KEY=key-of-the-cellar pippin crawl", in: folder.url)
        #expect(run.status == 0, "\(run.errors)")
        let heard = hosts.heardByStaging
        #expect(Set(heard.map(\.target)).isSuperset(of: ["/robots.txt", "/", "/moved"]))
        #expect(!heard.contains { $0.target == "/no" })
        #expect(heard.allSatisfy { $0.authorization == "Basic bWU6b3Blbi1zZXNhbWU=" && $0.key == "key-of-the-cellar" })
        let elsewhere = hosts.heardByOther
        #expect(Set(elsewhere.map(\.target)).isSuperset(of: ["/robots.txt", "/away", "/away?a"]))
        #expect(elsewhere.allSatisfy { $0.authorization == nil && $0.key == nil })

        // Everything that was written, unpacked: nowhere a secret, and the request without its field.
        let verdict = try PythonJudge().run(
            """
            import gzip, os, sys
            folder, secrets = sys.argv[1], [text.encode() for text in sys.argv[2:]]
            files = requests = 0
            for path, _, names in os.walk(folder):
                for name in names:
                    if name == "secrets.yaml": continue
                    data = open(os.path.join(path, name), "rb").read()
                    if name.endswith(".gz"): data = gzip.decompress(data)
                    files += 1
                    requests += data.count(b"GET / HTTP/1.1\\r\\n")
                    assert b"X-Cellar" not in data and b"\\nAuthorization:" not in data, name
                    for secret in secrets: assert secret not in data, (name, secret)
            assert files >= 8 and requests >= 1, (files, requests)
            """, [folder.url.path] + Self.secrets)
        #expect(verdict.status == 0, "\(verdict.output)")
        for secret in Self.secrets { #expect(!run.output.contains(secret) && !run.errors.contains(secret)) }
    }

    @Test func `one page is judged with them, and the environment's proxy exceptions do not count`() async throws {
        let folder = try ScratchFolder()
        let hosts = try Hosts()
        try job(folder, hosts)
        let proxy = try TunnelProxy()
        let line =
            "pippin validate \(hosts.staging.url("/")) --allow-private-networks --fail-on error --format json"
        let without = try await PippinProcess.run(line, in: folder.url)
        #expect(without.output.contains("401") && hosts.heardByStaging.allSatisfy { $0.authorization == nil })
        let with = try await PippinProcess.run(
            "CELLAR_KEY=key-of-the-cellar no_proxy='*' NO_PROXY='*' \(line) --credentials secrets.yaml --proxy \(proxy.url)",
            in: folder.url)
        #expect(with.output.contains("\"Staging\""), "\(with.output) \(with.errors)")
        #expect(Set(proxy.asked.map(\.target)) == ["127.0.0.1:\(hosts.staging.port)"])
        for secret in Self.secrets { #expect(!with.output.contains(secret) && !with.errors.contains(secret)) }
    }

    @Test func `a file that everyone may read, or a variable that is not set, ends with status 2`() async throws {
        let folder = try ScratchFolder()
        let hosts = try Hosts()
        try job(folder, hosts)
        let unset = try await PippinProcess.run("env -u CELLAR_KEY pippin crawl", in: folder.url)
        #expect(
            unset.status == 2 && unset.errors.contains("the environment variable CELLAR_KEY is not set"),
            "\(unset.errors)")
        let open = try await PippinProcess.run("chmod 644 secrets.yaml; pippin crawl", in: folder.url)
        #expect(
            open.status == 2
                && open.errors.contains(
                    "secrets.yaml:4:15: hosts.127.0.0.1:\(hosts.staging.port).password: every user of this machine may read"
                ),
            "\(open.errors)")
        for run in [unset, open] {
            for secret in Self.secrets { #expect(!run.errors.contains(secret) && !run.output.contains(secret)) }
        }
        #expect(hosts.heardByStaging.isEmpty)
    }
}

extension CredentialsCommandTests.Hosts.Heard {
    fileprivate init(_ request: LoopbackServer.Request) {
        self.init(
            target: request.target, authorization: request.headers["Authorization"], key: request.headers["X-Cellar"])
    }
}
