import PippinPage

/// How one request is signed: as usual, or as its host asks for it (`Accept-Signature`, RFC 9421 §5.1).
public struct SignatureRequest: Sendable, Hashable {
    /// The usual signature.
    public static let usual = SignatureRequest()

    /// The longest nonce and label that are signed. The draft's nonces have 88 characters.
    private static let maximumNonceBytes = 256
    private static let maximumLabelBytes = 64
    /// The components that a request of ours always has.
    private static let known: Set = ["@authority", "@method", "@path", "@query", "@target-uri", "@scheme"]

    /// The name of the signature.
    public private(set) var label = "sig1"
    /// What the host wants to be signed once; nil if it wants nothing.
    public private(set) var nonce: String?
    /// What is covered beside the usual.
    public private(set) var components: [String] = []

    private init() {}

    /// Reads what an answer asks for: the first signature that we can make. Nil if it asks for none, or if its field has a fault.
    public init?(_ headers: HTTPHeaders) {
        guard let field = StructuredField.Dictionary("Accept-Signature", of: headers) else { return nil }
        for label in field.keys {
            guard let list = field[label]?.innerList, let request = Self(label, list) else { continue }
            self = request
            return
        }
        return nil
    }

    private init?(_ label: String, _ list: StructuredField.InnerList) {
        guard label.utf8.count <= Self.maximumLabelBytes, list.items.count <= Self.known.count + 1 else { return nil }
        self.label = label
        for item in list.items {
            guard case .string(let name) = item.value else { return nil }
            if name == "signature-agent" {
                // Its member is the signature's own, whatever name the host expects.
                guard item.parameters.all.allSatisfy({ $0.key == "key" }) else { return nil }
            } else {
                guard item.parameters.isEmpty, Self.known.contains(name) else { return nil }
                if !components.contains(name) { components.append(name) }
            }
        }
        for parameter in list.parameters.all {
            switch (parameter.key, parameter.value) {
            case ("tag", let value): guard value == .string(RequestSigner.tag) else { return nil }
            case ("alg", let value): guard value == .string("ed25519") else { return nil }
            case ("nonce", .string(let text)):
                guard !text.isEmpty, text.utf8.count <= Self.maximumNonceBytes else { return nil }
                nonce = text
            case ("nonce", _): return nil
            // `created`, `expires` and `keyid` are always there. Another key than ours is wanted in vain, and the host says so again.
            default: break
            }
        }
    }

    /// The same request for a later message: a nonce is signed once.
    var withoutNonce: SignatureRequest {
        var request = self
        request.nonce = nil
        return request
    }
}
