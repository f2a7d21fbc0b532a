import CCrypto

/// Digests for file formats, computed by OpenSSL.
public enum Digest {
    /// The SHA-1 of the bytes, 20 bytes.
    static func sha1(_ bytes: [UInt8]) -> [UInt8] { digest(bytes, length: SHA_DIGEST_LENGTH, CCrypto.SHA1) }

    /// The SHA-256 of the bytes, 32 bytes.
    public static func sha256(_ bytes: [UInt8]) -> [UInt8] {
        digest(bytes, length: SHA256_DIGEST_LENGTH, CCrypto.SHA256)
    }

    private static func digest(
        _ bytes: [UInt8], length: Int32,
        _ compute: (UnsafePointer<UInt8>?, Int, UnsafeMutablePointer<UInt8>?) -> UnsafeMutablePointer<UInt8>?
    ) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Int(length)) { digest, count in
            let isComputed = compute(bytes, bytes.count, digest.baseAddress) != nil
            precondition(isComputed, "OpenSSL must offer SHA-1 and SHA-256")
            count = Int(length)
        }
    }
}
