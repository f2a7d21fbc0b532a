import Foundation
import PippinPage

/// Signs requests as draft-ietf-webbotauth-httpsig-protocol-01 has it (Web Bot Auth): `Signature-Agent` says where the crawler's public
/// keys are, `Signature-Input` and `Signature` that the request was made by who has the private one.
public struct RequestSigner: Sendable, Equatable {
    /// The names of the fields, in lower case.
    public static let fieldNames = ["signature-agent", "signature-input", "signature"]
    /// The tag of requests.
    public static let tag = "web-bot-auth"
    /// The life of a signature: as long as verifiers advise. It must outlast look-up, connection and curl's own repetition.
    static let life: Duration = .seconds(60)

    private let key: SigningKey
    private let directory: WebURL
    private let form: CrawlConfiguration.Agent.Signing.Form
    /// The name of the key.
    private let keyID: String

    /// Prepares signing.
    ///
    /// - Parameter directory: the URL of the JWK Set with the public key.
    public init(key: SigningKey, directory: WebURL, form: CrawlConfiguration.Agent.Signing.Form = .dictionary) {
        (self.key, self.directory, self.form) = (key, directory, form)
        keyID = key.publicKey.thumbprint
    }

    public static func == (a: RequestSigner, b: RequestSigner) -> Bool {
        a.key.publicKey == b.key.publicKey && a.directory == b.directory && a.form == b.form
    }

    /// The fields for one request.
    ///
    /// - Parameters:
    ///   - body: what the request sends; nil for nothing.
    ///   - request: what the server asks for, if it asked.
    /// - Returns: none over plain http, where anybody on the way could use the signature.
    /// - Throws: `ReportedFailure` if OpenSSL has no memory.
    public func fields(
        url: WebURL, method: String, body: [UInt8]? = nil, at date: Date, as request: SignatureRequest = .usual
    ) throws -> [(name: String, value: String)] {
        guard url.scheme == "https" else { return [] }
        // `@path` is without the query, and a page of a listing is another page.
        var names = ["@authority", "@method", "@path"] + (url.query == nil ? [] : ["@query"])
        names += request.components.filter { !names.contains($0) }
        var components = names.map { StructuredField.Item.component($0) }
        var fields: [(name: String, value: String)] = []
        switch form {
        case .dictionary:
            let agent = StructuredField.BareItem.string(directory.href).serialized
            fields.append(("Signature-Agent", "\(request.label)=\(agent)"))
            components.append(.component("signature-agent", .init([("key", .string(request.label))])))
        case .string:
            fields.append(("Signature-Agent", StructuredField.BareItem.string(directory.origin ?? "").serialized))
            components.append(.component("signature-agent"))
        }
        if let body {
            fields.append(("Content-Digest", Self.contentDigest(of: body)))
            components.append(.component("content-digest"))
        }
        let created = Int(date.timeIntervalSince1970.rounded(.down))
        var parameters: [(key: String, value: StructuredField.BareItem)] = [
            ("created", .integer(created)), ("expires", .integer(created + Int(Self.life / .seconds(1)))),
            ("keyid", .string(keyID)), ("alg", .string("ed25519")),
        ]
        if let nonce = request.nonce { parameters.append(("nonce", .string(nonce))) }
        parameters.append(("tag", .string(Self.tag)))
        let signature = try MessageSignature(
            of: SignedMessage(url: url, method: method, fields: HTTPHeaders(fields)), label: request.label,
            input: StructuredField.InnerList(components, StructuredField.Parameters(parameters)), key: key)
        let values = signature.fieldValues
        return fields + [("Signature-Input", values.input), ("Signature", values.signature)]
    }

    /// The value of `Content-Digest` (RFC 9530 §2).
    public static func contentDigest(of body: [UInt8]) -> String {
        "sha-256=\(StructuredField.BareItem.bytes(Digest.sha256(body)).serialized)"
    }
}

extension RequestSigner {
    /// Reads the key of a crawl; nil if it has none.
    ///
    /// - Throws: as `SigningKey(contentsOf:)`; `ConfigurationError` with the setting if there is no such file.
    public init?(_ agent: CrawlConfiguration.Agent) throws {
        guard let signing = agent.signing else { return nil }
        guard FileManager.default.fileExists(atPath: signing.keyPath) else {
            throw ConfigurationError(
                file: "agent.signing_key",
                problem: "\(signing.keyPath) does not exist; pippin agent init makes a key")
        }
        self.init(
            key: try SigningKey(contentsOf: signing.keyPath), directory: signing.directory, form: signing.form)
    }
}
