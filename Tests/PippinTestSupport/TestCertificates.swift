import Foundation

/// A certificate authority that lives as long as the test, and server certificates made with it, good and bad.
public struct TestCertificates: Sendable {
    public enum Kind: String, CaseIterable, Sendable {
        /// For `localhost` and the names below `domain`, signed by the authority, valid today.
        case valid
        /// For another name.
        case wrongName
        /// Signed by nobody but itself.
        case selfSigned
        case expired
    }

    /// Names below it mean this machine, like all below `localhost` (RFC 6761 §6.3).
    public static let domain = "pippin.localhost"

    /// Where it all is; made and removed by the caller.
    public let folder: URL

    public var authorityPath: String { folder.appending(path: "ca.pem").path }
    public func certificatePath(_ kind: Kind) -> String { folder.appending(path: "\(kind.rawValue).pem").path }
    public func keyPath(_ kind: Kind) -> String { folder.appending(path: "\(kind.rawValue).key").path }

    public init(in folder: URL) throws {
        self.folder = folder
        let openssl = try TestTool("openssl")
        let settings = """
            [req]
            distinguished_name = name
            prompt = no
            [name]
            [authority]
            basicConstraints = critical, CA:TRUE
            keyUsage = critical, keyCertSign
            subjectKeyIdentifier = hash
            [valid]
            subjectAltName = DNS:localhost, DNS:*.\(Self.domain)
            [wrongName]
            subjectAltName = DNS:elsewhere.example
            [selfSigned]
            subjectAltName = DNS:localhost
            [expired]
            subjectAltName = DNS:localhost

            """
        try Data(settings.utf8).write(to: folder.appending(path: "settings"))
        let newKey = [
            "-config", "settings", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
        ]
        try openssl.run(
            ["req", "-x509"] + newKey + [
                "-extensions", "authority", "-keyout", "ca.key", "-out", "ca.pem", "-days", "2",
                "-subj", "/CN=Pippin test authority",
            ], in: folder)
        for kind in Kind.allCases {
            let name = kind.rawValue
            if kind == .selfSigned {
                try openssl.run(
                    ["req", "-x509"] + newKey + [
                        "-extensions", name, "-keyout", "\(name).key", "-out", "\(name).pem", "-days", "2",
                        "-subj", "/CN=\(name)",
                    ], in: folder)
                continue
            }
            try openssl.run(
                ["req", "-new"] + newKey + ["-keyout", "\(name).key", "-out", "\(name).csr", "-subj", "/CN=\(name)"],
                in: folder)
            try openssl.run(
                [
                    "x509", "-req", "-in", "\(name).csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial",
                    "-days", kind == .expired ? "-1" : "2", "-extfile", "settings", "-extensions", name,
                    "-out", "\(name).pem",
                ], in: folder)
        }
    }
}
