import Foundation
import PippinPage

/// The public keys of a crawler, as others fetch them: a JWK Set (RFC 7517 §5) at the URL that `Signature-Agent` names.
public struct KeyDirectory: Sendable {
    /// The media type of the file.
    public static let mediaType = "application/http-message-signatures-directory+json"
    /// The tag of signatures of the file itself.
    public static let tag = "http-message-signatures-directory"
    /// The largest file that is read, and the most keys. A key takes some 150 bytes, and nobody needs more than two or three.
    public static let maximumBytes = 65_536
    static let maximumKeys = 100

    /// A key of the directory.
    public struct Entry: Sendable, Hashable {
        /// The key.
        public var key: VerificationKey
        /// When it begins and ends to count, if that is said.
        public var begins: Date?
        public var ends: Date?

        /// Takes a key that always counts.
        public init(_ key: VerificationKey, begins: Date? = nil, ends: Date? = nil) {
            (self.key, self.begins, self.ends) = (key, begins, ends)
        }

        /// Whether it counts at a time.
        public func counts(at date: Date) -> Bool {
            begins.map { $0 <= date } ?? true && ends.map { date < $0 } ?? true
        }
    }

    /// The keys that can be used, in their order.
    public private(set) var entries: [Entry]
    /// A fault of one key.
    public struct Fault: Sendable, Hashable {
        /// A sentence without its full stop.
        public let text: String
        /// Whether it harms; otherwise verifiers leave the key out.
        public let isGrave: Bool
    }

    /// What is wrong with the list and its keys.
    public private(set) var faults: [Fault] = []

    /// Lists keys.
    public init(_ entries: [Entry]) { self.entries = entries }

    /// Reads a file.
    ///
    /// - Throws: `ReportedFailure` if it is no JWK Set. Keys that cannot be used are `faults`.
    public init(json bytes: [UInt8]) throws {
        guard bytes.count <= Self.maximumBytes else {
            throw ReportedFailure("the directory has more than \(Self.maximumBytes) bytes", .findings)
        }
        var parser = JSONParser()
        let value: JSONValue
        do throws(JSONSyntaxError) {
            value = try parser.parse(bytes)
        } catch {
            throw ReportedFailure("the directory is not valid JSON: \(error)", .findings)
        }
        guard let keys = value["keys"]?.array else {
            throw ReportedFailure("the directory is no JWK Set: it has no list \"keys\"", .findings)
        }
        self.init([])
        if keys.count > Self.maximumKeys {
            faults.append(Fault(text: "only the first \(Self.maximumKeys) of its keys are read", isGrave: true))
        }
        for (number, key) in keys.prefix(Self.maximumKeys).enumerated() { add(key, number + 1) }
    }

    private mutating func add(_ jwk: JSONValue, _ number: Int) {
        func fault(_ text: String, isGrave: Bool = false) {
            faults.append(Fault(text: "key \(number) \(text)", isGrave: isGrave))
        }
        guard jwk["d"] == nil else {
            return fault(
                "has its private part \"d\": everybody can sign with it; make a new key at once", isGrave: true)
        }
        guard jwk["kty"]?.string == "OKP", jwk["crv"]?.string == "Ed25519" else {
            return fault("is of another type than Ed25519; few verifiers know others")
        }
        guard let x = jwk["x"]?.string.flatMap(Base64URL.bytes), let key = VerificationKey(x) else {
            return fault("has no \"x\" of 32 bytes in base64url")
        }
        if let use = jwk["use"], use.string != "sig" { return fault("is not for signatures: \"use\" is not \"sig\"") }
        if let name = jwk["kid"], name.string != key.thumbprint {
            fault("has a \"kid\" that is not its thumbprint \(key.thumbprint)", isGrave: true)
        }
        guard !entries.contains(where: { $0.key == key }) else { return fault("is in the list twice") }
        entries.append(Entry(key, begins: Self.date(jwk["nbf"]), ends: Self.date(jwk["exp"])))
    }

    /// Seconds since 1970; directories with milliseconds were seen. Nothing after the year 5000 is meant.
    private static func date(_ value: JSONValue?) -> Date? {
        guard let number = value?.double, number >= 0, number < 1e14 else { return nil }
        return Date(timeIntervalSince1970: number < 1e11 ? number : number / 1000)
    }

    /// The key of a name, if the directory has it and it counts at a time.
    public func key(named thumbprint: String, at date: Date) -> VerificationKey? {
        entries.first { $0.key.thumbprint == thumbprint && $0.counts(at: date) }?.key
    }

    /// The file.
    public func json() -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.objects("keys", entries) { writer, entry in
                writer.member("kty", "OKP")
                writer.member("crv", "Ed25519")
                writer.member("kid", entry.key.thumbprint)
                writer.member("x", entry.key.x)
                writer.member("use", "sig")
                if let begins = entry.begins { writer.member("nbf", Int(begins.timeIntervalSince1970)) }
                if let ends = entry.ends { writer.member("exp", Int(ends.timeIntervalSince1970)) }
            }
        }
        return writer.bytes
    }
}

extension KeyDirectory {
    /// The fields with which the file proves that who serves it has the private keys: one signature by each.
    ///
    /// - Parameters:
    ///   - body: the file as it is served.
    ///   - url: where it is served.
    ///   - life: how long the signatures count.
    public static func fields(
        of body: [UInt8], at url: WebURL, keys: [SigningKey], created: Date, life: Duration
    ) throws -> [(name: String, value: String)] {
        let digest = RequestSigner.contentDigest(of: body)
        let message = SignedMessage(url: url, fields: HTTPHeaders([("Content-Digest", digest)]), isAnswer: true)
        let seconds = Int(created.timeIntervalSince1970.rounded(.down))
        let values = try keys.enumerated().map { number, key in
            let parameters = StructuredField.Parameters([
                ("created", .integer(seconds)), ("expires", .integer(seconds + Int(life / .seconds(1)))),
                ("keyid", .string(key.publicKey.thumbprint)), ("alg", .string("ed25519")), ("tag", .string(tag)),
            ])
            let components = [
                StructuredField.Item.component("@authority", .init([("req", .boolean(true))])),
                .component("content-digest"),
            ]
            return try MessageSignature(
                of: message, label: "sig\(number + 1)", input: StructuredField.InnerList(components, parameters),
                key: key
            ).fieldValues
        }
        return [
            ("Content-Type", mediaType), ("Content-Digest", digest),
            ("Signature-Input", values.map(\.input).joined(separator: ", ")),
            ("Signature", values.map(\.signature).joined(separator: ", ")),
        ]
    }
}
