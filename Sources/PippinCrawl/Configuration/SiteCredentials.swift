import Foundation
import PippinPage

/// User names, passwords and header fields for the operator's own hosts and proxy, from the file `fetch.credentials`.
///
/// A host's fields are sent to exactly this host and port, over https; over http only if the host is private (`HostReach`). Each
/// request is matched by its own URL, so a redirect to another host carries nothing there. The values are only in memory:
/// nothing prints, logs or archives them.
struct SiteCredentials: Sendable {
    /// A header field with a secret value.
    struct Field: Sendable, Equatable {
        let name: String
        let value: String

        /// RFC 9110 §5.6.2.
        static func isToken(_ text: String) -> Bool {
            !text.isEmpty && text.utf8.count <= 200
                && text.utf8.allSatisfy {
                    ($0 | 0x20) &- 0x61 < 26 || $0 &- 0x30 < 10 || "!#$%&'*+-.^_`|~".utf8.contains($0)
                }
        }

        /// A line end would begin another field.
        static func isSendable(_ text: String) -> Bool {
            text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } && text.first != " " && text.last != " "
        }
    }

    /// Fields that say who we are, or that belong to the protocol.
    static let ownNames: Set<String> = [
        "user-agent", "host", "from", "accept-encoding", "connection", "content-length", "transfer-encoding", "te",
        "trailer", "upgrade", "expect", "range", "proxy-authorization", "proxy-connection", "keep-alive",
        "if-none-match", "if-modified-since", "signature-agent", "signature-input", "signature", "content-digest",
    ]

    /// A host and the port of its URLs; nil for the usual port of the scheme.
    struct Place: Sendable, Hashable {
        let host: String
        let port: Int?

        /// Reads `staging.example.org` or `localhost:8443`; nil for anything else.
        init?(_ text: String) {
            guard !text.contains(where: { "/?#@\\*".contains($0) || $0.isWhitespace }),
                let url = WebURL("https://\(text)/"),
                !url.politenessHost.isEmpty
            else { return nil }
            host = url.politenessHost
            port = url.port
        }

        init(of url: WebURL) {
            host = url.politenessHost
            port = url.port
        }
    }

    private var hosts: [Place: [Field]] = [:]
    /// The user and password for the proxy, in the form of CURLOPT_PROXYUSERPWD; nil without.
    private(set) var proxy: (user: String, password: String)?

    /// No credentials.
    init() {}

    /// Removes everything but the proxy's user and password.
    mutating func forgetHosts() { hosts = [:] }

    /// The fields for a request to `url`; usually none.
    func fields(for url: WebURL) -> [Field] {
        guard !hosts.isEmpty, let fields = hosts[Place(of: url)] else { return [] }
        guard url.scheme == "https" || url.scheme == "http" && HostReach(host: url.politenessHost) == .privateHost
        else {
            return []
        }
        return fields
    }
}

extension SiteCredentials: CustomStringConvertible, CustomReflectable {
    /// How many there are. The values are never written.
    var description: String { "credentials for \(hosts.count) hosts" }

    var customMirror: Mirror { Mirror(self, children: ["hosts": hosts.count]) }
}

// MARK: - Reading

extension SiteCredentials {
    /// Reads the file. A secret value is text, or the name of an environment variable: `{ env: NAME }`.
    ///
    /// - Throws: `ConfigurationError`, also if every user of the machine may read secrets in the file. Errors have the place of
    ///   a fault and never its text.
    init(
        contentsOf path: String, environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws {
        let file = try InputFile.textAndRights(at: path)
        let root = try ConfigurationSection(
            yaml: file.text, file: path, known: ["hosts", "proxy"], hidesValues: true)
        let reader = SecretReader(environment: environment, isOpenToOthers: file.isOpenToOthers)
        let hostSections = try root.sectionOfAnyKeys("hosts")
        for name in hostSections.names {
            // The name first: one with user and password must not be in an error's path.
            guard let place = Place(name) else {
                throw hostSections.invalid(
                    name, "expected a host, or host:port, without scheme and path", namesKey: false)
            }
            let section = try hostSections.section(name, known: ["user", "password", "headers"])
            guard hosts.updateValue(try reader.fields(section), forKey: place) == nil else {
                throw section.misnamed("this host is written more than once; keep one")
            }
        }
        proxy = try reader.userAndPassword(root.section("proxy", known: ["user", "password"]))
    }

    /// Reads the values of one file.
    private struct SecretReader {
        let environment: [String: String]
        let isOpenToOthers: Bool

        /// Servers refuse longer fields; nginx and Apache take 8 KB.
        private static let maximumValueBytes = 8000
        private static let maximumFields = 32

        func fields(_ section: ConfigurationSection) throws -> [Field] {
            var fields: [Field] = []
            if let (user, password) = try userAndPassword(section) {
                let text = Data("\(user):\(password)".utf8).base64EncodedString()
                fields.append(Field(name: "Authorization", value: "Basic \(text)"))
            }
            let headers = try section.sectionOfAnyKeys("headers")
            for name in headers.names {
                guard Field.isToken(name), !ownNames.contains(name.lowercased()) else {
                    throw headers.invalid(
                        name,
                        "this field may not be set; allowed are names like Authorization, Cookie and X-Preview-Key")
                }
                guard !fields.contains(where: { $0.name.lowercased() == name.lowercased() }) else {
                    throw headers.invalid(name, "this field is set twice; user and password set Authorization")
                }
                guard let value = try secret(headers, name) else { throw headers.invalid(name, "the value is missing") }
                fields.append(Field(name: name, value: value))
            }
            guard !fields.isEmpty else {
                throw section.misnamed("nothing is written for this host; give user and password, or headers")
            }
            guard fields.count <= Self.maximumFields else {
                throw section.misnamed("more than \(Self.maximumFields) fields for one host")
            }
            return fields
        }

        func userAndPassword(_ section: ConfigurationSection) throws -> (user: String, password: String)? {
            let user = try section.string("user")
            let password = try secret(section, "password")
            guard let user else {
                if password != nil { throw section.invalid("password", "there is no user") }
                return nil
            }
            guard let password else { throw section.invalid("user", "there is no password") }
            // RFC 7617 §2: the first colon ends the user.
            guard !user.contains(":"), Field.isSendable(user) else {
                throw section.invalid("user", "a user must not have colons or control characters")
            }
            return (user, password)
        }

        /// A value from the file or from the environment.
        private func secret(_ section: ConfigurationSection, _ key: String) throws -> String? {
            let text: String?
            if section.isGroup(key) {
                guard let name = try section.section(key, known: ["env"]).string("env") else {
                    throw section.invalid(key, "expected { env: NAME }, the name of an environment variable")
                }
                guard let value = environment[name], !value.isEmpty else {
                    throw section.invalid(key, "the environment variable \(name) is not set")
                }
                text = value
            } else {
                text = try section.string(key)
                if text != nil, isOpenToOthers {
                    throw section.invalid(
                        key,
                        "every user of this machine may read this secret: chmod 600 \(section.file), or write { env: NAME }"
                    )
                }
            }
            guard let text else { return nil }
            guard !text.isEmpty, text.utf8.count <= Self.maximumValueBytes, Field.isSendable(text) else {
                throw section.invalid(
                    key, "the value is empty, longer than \(Self.maximumValueBytes) bytes, or has control characters")
            }
            return text
        }
    }
}
