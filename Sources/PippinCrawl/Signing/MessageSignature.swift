import Foundation
import PippinPage

/// The parts of a message that a signature can cover (RFC 9421 §2).
public struct SignedMessage: Sendable {
    /// The URL of the request. Of an answer: of the request that it answers.
    public var url: WebURL
    /// The method of the request.
    public var method: String
    /// The fields of the message itself.
    public var fields: HTTPHeaders
    /// Whether the message is an answer: then parts of its request have the parameter `req` (RFC 9421 §2.4).
    public var isAnswer: Bool

    /// Describes a request or an answer.
    public init(url: WebURL, method: String = "GET", fields: HTTPHeaders = HTTPHeaders(), isAnswer: Bool = false) {
        (self.url, self.method, self.fields, self.isAnswer) = (url, method, fields, isAnswer)
    }

    /// The value of a component; nil if the message does not have it, or if it is of a kind that is not supported.
    public func value(of component: StructuredField.Item) -> String? {
        guard case .string(let name) = component.value else { return nil }
        var parameters = component.parameters.all
        if name.hasPrefix("@") {
            let isOfRequest = parameters.contains { $0.key == "req" && $0.value == .boolean(true) }
            guard parameters.count == (isOfRequest ? 1 : 0), isOfRequest == isAnswer else { return nil }
            return derived(name)
        }
        // The fields of an answer's request are not at hand.
        var key: String?
        if let place = parameters.firstIndex(where: { $0.key == "key" }) {
            guard case .string(let text) = parameters.remove(at: place).value else { return nil }
            key = text
        }
        guard parameters.isEmpty, name == name.lowercased() else { return nil }
        let values = fields.values(name)
        guard !values.isEmpty else { return nil }
        let text = values.map { $0.trimmingHTMLSpace() }.joined(separator: ", ")
        guard let key else { return text.utf8.allSatisfy { (0x20...0x7E).contains($0) || $0 == 0x09 } ? text : nil }
        return StructuredField.Dictionary(text)?[key]?.serialized
    }

    /// RFC 9421 §2.2.
    private func derived(_ name: String) -> String? {
        switch name {
        case "@method": method
        case "@authority": authority
        case "@scheme": url.scheme
        case "@target-uri": target
        case "@path": url.path.isEmpty ? "/" : url.path
        case "@query": "?\(url.query ?? "")"
        default: nil
        }
    }

    /// The host as in the request: `WebURL` has it in lower case and without the scheme's own port.
    private var authority: String? {
        url.origin.map { String($0.dropFirst(url.scheme.count + "://".count)) }
    }

    /// The URL as it is requested, without fragment, user and password.
    private var target: String? { url.origin.map { $0 + url.pathAndQuery } }
}

/// A signature of a message (RFC 9421): what it covers, and when and by whom it was made.
public struct MessageSignature: Sendable {
    /// The most components that are read. Signatures of the profile have four.
    private static let maximumComponents = 32

    /// The name that joins the members of `Signature-Input` and `Signature`. It is not signed.
    public let label: String
    /// The covered components with the parameters, in the order in which they were sent.
    public let input: StructuredField.InnerList
    /// The signature itself.
    public let bytes: [UInt8]

    /// Signs a message.
    ///
    /// - Throws: `ReportedFailure` if the message lacks a covered component, or OpenSSL has no memory.
    public init(
        of message: SignedMessage, label: String, input: StructuredField.InnerList, key: SigningKey
    ) throws {
        guard let base = Self.base(of: message, input: input) else {
            throw ReportedFailure("a message lacks what its signature is to cover: \(input.serialized)", .internalError)
        }
        self.label = label
        self.input = input
        bytes = try key.signature(of: base)
    }

    private init(label: String, input: StructuredField.InnerList, bytes: [UInt8]) {
        (self.label, self.input, self.bytes) = (label, input, bytes)
    }

    /// The bytes that are signed (RFC 9421 §2.5); nil if the message lacks a component, or one is covered twice.
    public static func base(of message: SignedMessage, input: StructuredField.InnerList) -> [UInt8]? {
        guard input.items.count <= maximumComponents else { return nil }
        var base = ""
        var seen: Set<StructuredField.Item> = []
        for component in input.items {
            guard seen.insert(component).inserted, let value = message.value(of: component) else { return nil }
            base += "\(component.serialized): \(value)\n"
        }
        return Array((base + "\"@signature-params\": \(input.serialized)").utf8)
    }

    /// The values of the fields `Signature-Input` and `Signature`.
    public var fieldValues: (input: String, signature: String) {
        ("\(label)=\(input.serialized)", "\(label)=\(StructuredField.BareItem.bytes(bytes).serialized)")
    }

    /// All signatures of a message, in the order of `Signature-Input`.
    ///
    /// - Returns: nil if the fields have a fault, or if one of them names a label that the other does not.
    public static func all(of fields: HTTPHeaders) -> [MessageSignature]? {
        guard let inputs = StructuredField.Dictionary("Signature-Input", of: fields),
            let values = StructuredField.Dictionary("Signature", of: fields), Set(inputs.keys) == Set(values.keys)
        else { return nil }
        var found: [MessageSignature] = []
        for label in inputs.keys {
            guard let input = inputs[label]?.innerList, case .bytes(let bytes)? = values[label]?.item?.value else {
                return nil
            }
            found.append(MessageSignature(label: label, input: input, bytes: bytes))
        }
        return found
    }

    /// Whether a key has made this signature of the message.
    public func isMade(by key: VerificationKey, of message: SignedMessage) throws -> Bool {
        guard let base = Self.base(of: message, input: input) else { return false }
        return try key.verifies(bytes, of: base)
    }

    /// Whether a component is covered, by its name and parameters as they are written: `"@authority"`, `"@authority";req`.
    public func covers(_ component: String) -> Bool { input.items.contains { $0.serialized == component } }

    /// A parameter with a text: `keyid`, `alg`, `nonce`, `tag`.
    public func text(_ parameter: String) -> String? {
        if case .string(let text)? = input.parameters[parameter] { text } else { nil }
    }

    /// A parameter with a moment: `created`, `expires`. Nil also after the year 5000, which nobody means.
    public func date(_ parameter: String) -> Date? {
        guard case .integer(let seconds)? = input.parameters[parameter], (0..<100_000_000_000).contains(seconds) else {
            return nil
        }
        return Date(timeIntervalSince1970: Double(seconds))
    }
}

extension StructuredField.Item {
    /// A component of a signature: a field's name or a derived one.
    public static func component(_ name: String, _ parameters: StructuredField.Parameters = .init()) -> Self {
        Self(.string(name), parameters)
    }
}
