import Foundation

/// A temporary certificate authority, and its server certificate for all hosts of the demo site. They are made with the `openssl`
/// command, so they are like other servers' certificates.
public struct DemoCertificates: Sendable {
    /// The authority's certificate, which clients must trust (PEM).
    public let authority: URL
    /// The server's certificate (PEM).
    public let certificate: URL
    /// The server's private key (PEM).
    public let key: URL

    enum CertificateError: Error, CustomStringConvertible {
        case openSSL(arguments: [String], output: String)

        var description: String {
            switch self {
            case .openSSL(let arguments, let output):
                "openssl \(arguments.joined(separator: " ")) failed; is openssl installed (make setup)? It said: \(output)"
            }
        }
    }

    /// Writes `ca.pem`, `server.pem` and `server.key` to a folder.
    ///
    /// - Throws: if `openssl` is missing or fails.
    public init(hosts: [String], folder: URL) throws {
        authority = folder.appending(path: "ca.pem")
        certificate = folder.appending(path: "server.pem")
        key = folder.appending(path: "server.key")
        let authorityKey = folder.appending(path: "ca.key").path
        let request = folder.appending(path: "server.csr").path
        let extensions = folder.appending(path: "server.ext")
        let names = hosts.map { "DNS:\($0)" }.joined(separator: ",")
        try Data("subjectAltName=\(names)\nextendedKeyUsage=serverAuth\n".utf8).write(to: extensions)
        try Self.openSSL([
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "7",
            "-subj", "/CN=Pippin demo CA", "-keyout", authorityKey, "-out", authority.path,
        ])
        try Self.openSSL([
            "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=Pippin demo",
            "-keyout", key.path, "-out", request,
        ])
        try Self.openSSL([
            "x509", "-req", "-in", request, "-CA", authority.path, "-CAkey", authorityKey, "-CAcreateserial", "-days",
            "7",
            "-extfile", extensions.path, "-out", certificate.path,
        ])
        for file in [authorityKey, request, extensions.path, folder.appending(path: "ca.srl").path]
        where FileManager.default.fileExists(atPath: file) {
            try FileManager.default.removeItem(atPath: file)
        }
    }

    private static func openSSL(_ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw CertificateError.openSSL(
                arguments: arguments, output: text.trimmingCharacters(in: .whitespacesAndNewlines))
        }
    }
}
