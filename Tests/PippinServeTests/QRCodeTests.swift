import PippinPage
import Testing

@testable import PippinServe

@Suite struct QRCodeTests {
    private static let text =
        "https://shop.example/products/mug?n=" + String(repeating: "abcdefghij0123456789", count: 40)

    /// The longest text of each version. The hashes are of codes that another encoder has made, python-qrcode 8.2, with the same
    /// masks.
    @Test(arguments: [
        (1, 21, "4ab685d6ab7ccd87"), (14, 21, "e2376b195fb7d8db"), (15, 25, "6316d0b371c60b9f"),
        (26, 25, "c6406de1332d649"), (42, 29, "cb0919b589aa5bcf"), (62, 33, "e715072fbd32b16c"),
        (84, 37, "45733a219458c813"), (106, 41, "afff5dfb53d7cae2"), (122, 45, "bd010a3edbf9301b"),
        (152, 49, "348d357aae166279"), (180, 53, "b586536bfa7f381b"), (213, 57, "5d6fa1ec2fb8611f"),
        (214, 61, "49adc7344fad6a7"), (251, 61, "9b04949810dbe5db"), (287, 65, "c6d24315393fe615"),
        (331, 69, "62256f7d6cb48c3b"), (362, 73, "27740d38edda2dc3"), (412, 77, "8c23cc6a077db3f5"),
        (450, 81, "b56bf501a8db47bc"), (504, 85, "7535f5189fc1fac7"), (560, 89, "58ec81c4de4f2f3f"),
        (624, 93, "aaa68e9f77150297"), (666, 97, "18d34aebc990cc55"),
    ])
    func `all versions are as another encoder makes them`(length: Int, size: Int, hash: String) throws {
        let code = try #require(QRCode(String(Self.text.prefix(length))))
        #expect(code.size == size)
        var modules = FNV1a()
        for y in 0..<size {
            for x in 0..<size { modules.add(UInt8(ascii: code[x, y] ? "1" : "0")) }
        }
        #expect(String(modules.value, radix: 16) == hash)
    }

    @Test func `a text that no version holds has no code`() {
        #expect(QRCode(String(Self.text.prefix(667))) == nil)
    }

    @Test func `the path draws the dark modules, within a quiet zone`() throws {
        let code = try #require(QRCode("pippin"))
        // The upper edge of the two finders at the top, and of the third one.
        #expect(code.path.hasPrefix("M4 4h7v1h-7z"))
        #expect(code.path.contains("M18 4h7v1h-7z") && code.path.contains("M4 18h7v1h-7z"))
    }
}
