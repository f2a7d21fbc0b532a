import Foundation
import PippinPage

/// What a server can say of who made a request (draft-ietf-webbotauth-httpsig-protocol-01).
public enum RequestVerdict: Sendable, Hashable {
    /// A key of the directory has made its signature, with this thumbprint.
    case verified(keyID: String)
    /// It has no signature of a bot.
    case unsigned
    /// Its signature does not count, with the reason as half a sentence.
    case invalid(String)
}

extension KeyDirectory {
    /// The longest life of a request's signature that the draft advises, and how far clocks may differ.
    private static let longestLife: TimeInterval = 86_400
    private static let clockDifference: TimeInterval = 5

    /// Whether a request was signed by the owner of this directory.
    ///
    /// - Throws: `ReportedFailure` without OpenSSL.
    public func verdict(on request: SignedMessage, at date: Date) throws -> RequestVerdict {
        guard let signatures = MessageSignature.all(of: request.fields) else {
            return .invalid("Signature-Input and Signature cannot be read")
        }
        guard let signature = signatures.first(where: { $0.text("tag") == RequestSigner.tag }) else { return .unsigned }
        guard request.url.scheme == "https" else { return .invalid("a signature over plain http proves nothing") }
        guard signature.covers(#""@authority""#) || signature.covers(#""@target-uri""#) else {
            return .invalid("the signature is for any host")
        }
        guard let agent = request.fields["Signature-Agent"], signature.covers(Self.component(of: agent)) else {
            return .invalid("Signature-Agent is missing or not signed")
        }
        guard let created = signature.date("created"), let expires = signature.date("expires"),
            created <= date + Self.clockDifference, date < expires + Self.clockDifference,
            expires.timeIntervalSince(created) <= Self.longestLife
        else { return .invalid("the signature does not count now") }
        guard let name = signature.text("keyid"), let key = key(named: name, at: date) else {
            return .invalid("the key is not in the directory")
        }
        guard try signature.isMade(by: key, of: request) else {
            return .invalid("the signature is not of this request")
        }
        return .verified(keyID: name)
    }

    /// How `Signature-Agent` is covered: its only member, or the whole field in the old form.
    private static func component(of agent: String) -> String {
        let label = StructuredField.Dictionary(agent)?.keys.first
        return StructuredField.Item.component(
            "signature-agent", .init(label.map { [("key", .string($0))] } ?? [])
        ).serialized
    }
}
