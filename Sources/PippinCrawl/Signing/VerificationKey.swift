import Foundation
import PippinPage

/// A public Ed25519 key (RFC 8037 §2).
public struct VerificationKey: Sendable, Hashable {
    /// The length of a key (RFC 8032 §5.1.5).
    static let byteCount = 32

    /// The key's 32 bytes.
    public let bytes: [UInt8]

    /// Takes a key; nil if it does not have 32 bytes.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    /// The key as in a JWK's `x`.
    public var x: String { Base64URL.text(bytes) }

    /// The key's name in signatures (RFC 7638, RFC 8037 §A.3): the digest of exactly these members in this order.
    public var thumbprint: String {
        Base64URL.text(Digest.sha256(Array(#"{"crv":"Ed25519","kty":"OKP","x":"\#(x)"}"#.utf8)))
    }

    /// The key of RFC 9421 §B.1.4, whose private part everybody knows.
    public static let ofStandard = VerificationKey(
        Base64URL.bytes("JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs") ?? [])

    /// Whether the signature of some bytes was made with the private part.
    ///
    /// - Throws: `ReportedFailure` without OpenSSL.
    public func verifies(_ signature: [UInt8], of bytes: [UInt8]) throws -> Bool {
        let library = try SigningLibrary.loaded.get()
        defer { library.clearErrors() }
        guard signature.count == SigningKey.signatureBytes,
            let key = library.publicKey(SigningLibrary.ed25519, nil, self.bytes, self.bytes.count)
        else { return false }
        defer { library.freeKey(key) }
        guard let digest = library.newDigest() else { throw SigningKey.noMemory }
        defer { library.freeDigest(digest) }
        return library.beginVerifying(digest, nil, nil, nil, key) == 1
            && library.verify(digest, signature, signature.count, bytes, bytes.count) == 1
    }
}
