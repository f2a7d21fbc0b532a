import Foundation
import Glibc

/// A real nginx on loopback with a port for each kind of certificate, in a temporary folder of its own.
public final class NginxServer: Sendable {
    public let certificates: TestCertificates
    private let ports: [TestCertificates.Kind: UInt16]
    private let folder: URL
    private let process: pid_t

    /// - Parameters:
    ///   - locations: nginx `location` blocks that every port serves.
    ///   - sites: further hosts on the port with the valid certificate, by the first label of their names, with their
    ///     `location` blocks.
    ///   - prepare: makes files that the blocks serve (`alias`), in the folder of the certificates.
    public init(
        locations: String = "", sites: [String: String] = [:],
        prepare: (TestCertificates) throws -> Void = { _ in }
    ) throws {
        let nginx = try TestTool("nginx")
        let folder = FileManager.default.temporaryDirectory.appending(path: "pippin-nginx-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        do {
            certificates = try TestCertificates(in: folder)
            try prepare(certificates)
            (process, ports) = try Self.start(
                nginx, in: folder, certificates: certificates, locations: locations, sites: sites)
        } catch {
            try FileManager.default.removeItem(at: folder)
            throw error
        }
        self.folder = folder
    }

    deinit {
        // It may have inherited a signal mask that holds back the polite ones.
        kill(process, SIGKILL)
        // Left behind, a temporary folder harms nobody.
        try? FileManager.default.removeItem(at: folder)
    }

    public func url(_ kind: TestCertificates.Kind, _ path: String) -> String {
        "https://localhost:\(ports[kind] ?? 0)\(path)"
    }

    /// Origin of one of `sites`.
    public func origin(ofSite name: String) -> String {
        "https://\(name).\(TestCertificates.domain):\(ports[.valid] ?? 0)"
    }

    private static func start(
        _ nginx: TestTool, in folder: URL, certificates: TestCertificates, locations: String, sites: [String: String]
    ) throws -> (pid_t, [TestCertificates.Kind: UInt16]) {
        let temporaryPaths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { "\($0)_temp_path \($0);" }
        // Another process may take a port between our look and nginx's; then it is looked for again.
        for _ in 1...4 {
            var ports: [TestCertificates.Kind: UInt16] = [:]
            for kind in TestCertificates.Kind.allCases { ports[kind] = try LoopbackServer.freePort() }
            func server(_ kind: TestCertificates.Kind, name: String, _ locations: String) -> String {
                """
                server {
                    listen 127.0.0.1:\(ports[kind] ?? 0) ssl http2;
                    server_name \(name);
                    ssl_certificate \(certificates.certificatePath(kind));
                    ssl_certificate_key \(certificates.keyPath(kind));
                    default_type text/html;
                    \(locations)
                }
                """
            }
            let servers =
                TestCertificates.Kind.allCases.map { server($0, name: "localhost", locations) }
                + sites.sorted { $0.key < $1.key }
                .map { server(.valid, name: "\($0.key).\(TestCertificates.domain)", $0.value) }
            let configuration = """
                daemon off;
                master_process off;
                pid pid;
                error_log errors;
                events { worker_connections 128; }
                http {
                    access_log off;
                    \(temporaryPaths.joined(separator: "\n"))
                    \(servers.joined(separator: "\n"))
                }

                """
            try Data(configuration.utf8).write(to: folder.appending(path: "nginx.conf"))
            let process = try nginx.start(
                ["-p", folder.path, "-c", "nginx.conf", "-e", "errors"], in: folder,
                log: folder.appending(path: "output"))
            // It writes the file of its process id once it listens on every port. That a port answers says nothing:
            // the server of another test may have taken it first.
            let listening = folder.appending(path: "pid")
            for _ in 1...1000 where process.isRunning {
                if FileManager.default.fileExists(atPath: listening.path) { return (process.processIdentifier, ports) }
                poll(nil, 0, 10)
            }
            kill(process.processIdentifier, SIGKILL)
        }
        let log = try String(contentsOf: folder.appending(path: "errors"), encoding: .utf8)
        throw TestTool.Failure(description: "nginx could not be started: \(log)")
    }
}
