import CCurl

/// Digests for file formats, computed by the OpenSSL that libcurl brings.
public enum Digest {
    /// The SHA-1 of the bytes, 20 bytes.
    static func sha1(_ bytes: [UInt8]) -> [UInt8] { digest(bytes, length: 20, sha1Function) }

    /// The SHA-256 of the bytes, 32 bytes.
    public static func sha256(_ bytes: [UInt8]) -> [UInt8] { digest(bytes, length: 32, sha256Function) }

    /// The hexadecimal digits of bytes, in lower case, as names of files, entity tags and identifiers have them.
    public static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// openssl/sha.h: `unsigned char *SHA1(const unsigned char *d, size_t n, unsigned char *md)`.
    private typealias Function =
        @convention(c) (UnsafePointer<UInt8>, Int, UnsafeMutablePointer<UInt8>?) ->
        UnsafeMutablePointer<UInt8>?

    private static let sha1Function = function("SHA1")
    private static let sha256Function = function("SHA256")

    private static func function(_ name: String) -> Function {
        guard let symbol = pippin_curl_symbol(name) else {
            let trouble = pippin_curl_trouble().map { String(cString: $0) } ?? "libcurl brings no OpenSSL"
            preconditionFailure("\(name) needs OpenSSL: \(trouble)")
        }
        return unsafeBitCast(symbol, to: Function.self)
    }

    private static func digest(_ bytes: [UInt8], length: Int, _ compute: Function) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: length) { digest, count in
            let isComputed = compute(bytes, bytes.count, digest.baseAddress) != nil
            precondition(isComputed, "OpenSSL must offer SHA-1 and SHA-256")
            count = length
        }
    }
}
