import Foundation
import PippinPage

/// A private Ed25519 key (RFC 8032) that says who the crawler is.
///
/// Its bytes stay in OpenSSL's memory: nothing prints, logs or archives them.
///
/// `@unchecked Sendable` because OpenSSL lets threads sign with a key at once, and nothing changes it after `init`.
public final class SigningKey: @unchecked Sendable {
    /// The length of a signature (RFC 8032 §5.1.6).
    static let signatureBytes = 64
    /// Real files have 119 bytes (PEM) and some 200 (JWK).
    private static let maximumFileBytes = 16_384
    static let noMemory = ReportedFailure("no memory for a signature", .internalError)

    private let library: SigningLibrary
    private let handle: SigningLibrary.Handle
    /// The public part.
    public let publicKey: VerificationKey

    /// Takes a key of OpenSSL, which this object frees.
    private init(_ handle: SigningLibrary.Handle, _ publicKey: VerificationKey, _ library: SigningLibrary) {
        self.library = library
        self.handle = handle
        self.publicKey = publicKey
    }

    /// The public part of a key; nil if OpenSSL's key is of another type.
    private static func publicKey(of handle: SigningLibrary.Handle, _ library: SigningLibrary) -> VerificationKey? {
        guard library.kind(handle) == SigningLibrary.ed25519 else { return nil }
        var bytes = [UInt8](repeating: 0, count: VerificationKey.byteCount)
        var count = bytes.count
        guard library.publicBytes(handle, &bytes, &count) == 1, count == bytes.count else { return nil }
        return VerificationKey(bytes)
    }

    deinit { library.freeKey(handle) }

    /// Makes a new key.
    ///
    /// - Throws: `ReportedFailure` without OpenSSL or randomness.
    public static func generated() throws -> SigningKey {
        let library = try SigningLibrary.loaded.get()
        defer { library.clearErrors() }
        guard let context = library.newKeyContext(SigningLibrary.ed25519, nil) else { throw noMemory }
        defer { library.freeKeyContext(context) }
        var handle: SigningLibrary.Handle?
        guard library.beginGenerating(context) == 1, library.generate(context, &handle) == 1, let handle,
            let publicKey = publicKey(of: handle, library)
        else { throw ReportedFailure("OpenSSL could not make a key", .internalError) }
        return SigningKey(handle, publicKey, library)
    }

    /// The signature of bytes: Ed25519 itself, without a digest before it.
    public func signature(of bytes: [UInt8]) throws -> [UInt8] {
        guard let digest = library.newDigest() else { throw Self.noMemory }
        defer { library.freeDigest(digest) }
        var signature = [UInt8](repeating: 0, count: Self.signatureBytes)
        var count = signature.count
        guard library.beginSigning(digest, nil, nil, nil, handle) == 1,
            library.sign(digest, &signature, &count, bytes, bytes.count) == 1, count == signature.count
        else {
            library.clearErrors()
            throw Self.noMemory
        }
        return signature
    }

    /// The key as PKCS #8 in PEM (RFC 8410 §7), for a file that only its owner may read.
    public func pem() throws -> [UInt8] {
        guard let buffer = library.buffers.make() else { throw Self.noMemory }
        defer { _ = library.buffers.free(buffer) }
        guard library.writePEM(buffer, handle, nil, nil, 0, nil, nil) == 1 else { throw Self.noMemory }
        var text = [UInt8](repeating: 0, count: library.buffers.pending(buffer))
        guard Int(library.buffers.drain(buffer, &text, Int32(text.count))) == text.count else { throw Self.noMemory }
        return text
    }
}

extension SigningKey: CustomStringConvertible, CustomReflectable {
    /// The name of the key; never the key.
    public var description: String { "key \(publicKey.thumbprint)" }

    public var customMirror: Mirror { Mirror(self, children: ["thumbprint": publicKey.thumbprint]) }
}

// MARK: - Reading

extension SigningKey {
    /// Reads a file with a private key: PKCS #8 in PEM, or a JWK.
    ///
    /// - Throws: `ConfigurationError` with what is wrong about the file and what to do; also if every user of the machine may read it.
    ///   Errors never quote the file. `ReportedFailure` without OpenSSL.
    public convenience init(contentsOf path: String) throws {
        try self.init(text: InputFile.secret(at: path), file: path)
    }

    /// Reads a private key.
    ///
    /// - Parameter file: the name for messages.
    /// - Throws: as `init(contentsOf:)`.
    public convenience init(text: String, file: String) throws {
        func fault(_ problem: String) -> ConfigurationError { ConfigurationError(file: file, problem: problem) }
        guard text.utf8.count <= Self.maximumFileBytes else {
            throw fault("has more than 16 KB, so it is no key; \(Self.remedy)")
        }
        let library = try SigningLibrary.loaded.get()
        defer { library.clearErrors() }
        let isJSON = text.drop(while: \.isWhitespace).first == "{"
        let handle = try isJSON ? Self.handle(jwk: text, library, fault) : Self.handle(pem: text, library, fault)
        guard let publicKey = Self.publicKey(of: handle, library) else {
            let kind = Self.names[library.kind(handle)] ?? "another"
            library.freeKey(handle)
            throw fault("the key's type is \(kind); requests are signed with Ed25519: \(Self.remedy)")
        }
        self.init(handle, publicKey, library)
    }

    private static let remedy = "pippin agent init makes a key"

    /// The types of keys that people have, by OpenSSL's numbers.
    private static let names: [Int32: String] = [
        6: "RSA", 912: "RSA", 28: "DH", 116: "DSA", 408: "EC", 1034: "X25519", 1035: "X448", 1088: "Ed448",
    ]

    // MARK: PEM

    private static func handle(
        pem text: String, _ library: SigningLibrary, _ fault: (String) -> ConfigurationError
    ) throws -> SigningLibrary.Handle {
        guard let label = label(of: text) else {
            throw fault(
                "holds no key; a key is a PEM file with a line -----BEGIN PRIVATE KEY-----, or a JWK. \(remedy)")
        }
        guard label.hasSuffix("PRIVATE KEY") else {
            let problem =
                label.hasSuffix("PUBLIC KEY") ? "holds a public key only" : "holds no private key but: \(label)"
            throw fault("\(problem); name the file with the private key")
        }
        guard label != "OPENSSH PRIVATE KEY" else {
            throw fault("holds a key of OpenSSH; a key in PKCS #8 is needed: \(remedy)")
        }
        guard label != "ENCRYPTED PRIVATE KEY", !text.contains("Proc-Type: 4,ENCRYPTED") else {
            throw fault(
                "the key is encrypted, and nobody is there to type its password; decrypt it into another file: "
                    + "openssl pkey -in OLD -out NEW")
        }
        guard let buffer = library.buffers.make() else { throw noMemory }
        defer { _ = library.buffers.free(buffer) }
        let bytes = Array(text.utf8)
        guard library.buffers.fill(buffer, bytes, Int32(bytes.count)) == bytes.count else { throw noMemory }
        // Without a function of ours, OpenSSL would ask the terminal for a password.
        guard let handle = library.readPEM(buffer, nil, { _, _, _, _ in -1 }, nil) else {
            throw fault("OpenSSL cannot read the key; the file may be cut or changed. \(remedy)")
        }
        return handle
    }

    /// What the first block of a PEM file says it is (RFC 7468 §3), or the first private key if there are several; nil without any.
    private static func label(of text: String) -> String? {
        let labels = text.split(whereSeparator: \.isNewline).compactMap { line -> String? in
            let line = line.drop(while: \.isWhitespace)
            guard line.hasPrefix("-----BEGIN "), let end = line.dropFirst(11).firstRange(of: "-----") else {
                return nil
            }
            let label = line[line.index(line.startIndex, offsetBy: 11)..<end.lowerBound]
            return label.utf8.count <= 40 && label.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) ? String(label) : nil
        }
        return labels.first { $0.hasSuffix("PRIVATE KEY") } ?? labels.first
    }

    // MARK: JWK

    private static func handle(
        jwk text: String, _ library: SigningLibrary, _ fault: (String) -> ConfigurationError
    ) throws -> SigningLibrary.Handle {
        var parser = JSONParser()
        let jwk: JSONValue
        do throws(JSONSyntaxError) {
            jwk = try parser.parse(text)
        } catch {
            // The error's own words might quote the key.
            throw fault("is not valid JSON: line \(error.line), column \(error.column); \(remedy)")
        }
        if jwk["keys"] != nil { throw fault("holds a set of keys; write the one private key into a file of its own") }
        guard jwk["kty"]?.string == "OKP", jwk["crv"]?.string == "Ed25519" else {
            let kind = [jwk["kty"], jwk["crv"]].compactMap { $0?.string }.filter { $0.utf8.count <= 20 }
            throw fault(
                "the key's type is \(kind.isEmpty ? "missing" : TerminalText.shown(kind.joined(separator: " "))); "
                    + "requests are signed with Ed25519 (\"kty\": \"OKP\", \"crv\": \"Ed25519\"): \(remedy)")
        }
        guard let text = jwk["d"]?.string else {
            throw fault("holds a public key only, without \"d\"; name the file with the private key")
        }
        guard let secret = Base64URL.bytes(text), secret.count == VerificationKey.byteCount,
            let handle = library.privateKey(SigningLibrary.ed25519, nil, secret, secret.count)
        else { throw fault("\"d\" must be 32 bytes in base64url without padding; \(remedy)") }
        // RFC 8037 §2 requires it. Without the check a wrong directory would be found only by others.
        guard let x = jwk["x"]?.string, x == publicKey(of: handle, library)?.x else {
            library.freeKey(handle)
            throw fault("\"x\" does not belong to \"d\"; \(remedy)")
        }
        return handle
    }
}
