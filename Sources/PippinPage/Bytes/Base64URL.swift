import Foundation

/// Base64 with the alphabet for URLs and without padding (RFC 4648 §5), as tokens and keys have it.
public enum Base64URL {
    /// The text of bytes.
    public static func text(_ bytes: some Sequence<UInt8>) -> String {
        let base64 = Data(bytes).base64EncodedString()
        let characters = base64.utf8.lazy.filter { $0 != 0x3D }.map { $0 == 0x2B ? 0x2D : $0 == 0x2F ? 0x5F : $0 }
        return String(decoding: Array(characters), as: UTF8.self)
    }

    /// The bytes of a text; nil if it has other characters, padding, or bits beyond its bytes.
    public static func bytes(_ text: String) -> [UInt8]? {
        guard text.utf8.allSatisfy({ $0 != 0x2B && $0 != 0x2F && $0 != 0x3D }) else { return nil }
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        let padded = text.replacing("-", with: "+").replacing("_", with: "/") + padding
        guard let data = Data(base64Encoded: padded), Self.text(data) == text else { return nil }
        return Array(data)
    }
}
