import Testing

@testable import PippinPage

/// Labels and decoders as the Encoding Standard has them.
@Suite struct CharacterEncodingTests {
    private func decoded(_ name: String, _ bytes: [UInt8]) -> String {
        String(decoding: CharacterEncoding(name: name).decode(bytes).utf8, as: UTF8.self)
    }

    @Test func `labels ignore case and white space around them`() {
        #expect(CharacterEncoding(label: " \n\u{C}LATIN1\t")?.name == "windows-1252")
        #expect(CharacterEncoding(label: "X-SJIS")?.name == "shift_jis")
        #expect(CharacterEncoding(label: "gb_2312-80")?.name == "gbk")
        #expect(CharacterEncoding(label: "ks_c_5601-1987")?.name == "euc-kr")
        #expect(CharacterEncoding(label: "koi8-ru")?.name == "koi8-u")
        #expect(CharacterEncoding(label: "hz-gb-2312")?.name == "replacement")
        #expect(CharacterEncoding(label: "utf-7") == nil)
        #expect(CharacterEncoding(label: "\u{A0}utf-8") == nil)
        #expect(CharacterEncoding(label: "  ") == nil)
    }

    @Test func `every encoding of the standard has its labels, and its own name among them`() {
        #expect(CharacterEncoding.labels.count == 40)
        #expect(CharacterEncoding.labels.map { $0.labels.split(separator: " ").count }.reduce(0, +) == 228)
        for (name, _) in CharacterEncoding.labels {
            #expect(CharacterEncoding(label: name)?.name == name)
        }
    }

    @Test func `clean UTF-8 comes back in the same memory`() {
        let bytes = Array("Grüße, 日本 😀".utf8)
        let text = CharacterEncoding.utf8.decode(bytes)
        #expect(text.replacements == 0)
        #expect(
            bytes.withUnsafeBufferPointer { $0.baseAddress } == text.utf8.withUnsafeBufferPointer { $0.baseAddress })
    }

    @Test func `UTF-8 loses its mark, NUL and the longest beginnings of broken sequences become U+FFFD`() {
        #expect(decoded("utf-8", [0xEF, 0xBB, 0xBF, 0x61]) == "a")
        #expect(decoded("utf-8", [0x61, 0, 0x62]) == "a\u{FFFD}b")
        #expect(decoded("utf-8", [0xF0, 0x9F, 0x98, 0x61]) == "\u{FFFD}a")
        #expect(decoded("utf-8", [0xE2, 0x82, 0x3C]) == "\u{FFFD}<")
        #expect(decoded("utf-8", [0xC0, 0xAF]) == "\u{FFFD}\u{FFFD}")
        #expect(decoded("utf-8", [0xED, 0xA0, 0x80]) == "\u{FFFD}\u{FFFD}\u{FFFD}")
        #expect(decoded("utf-8", [0xF4, 0x90, 0x80, 0x80]) == String(repeating: "\u{FFFD}", count: 4))
        #expect(decoded("utf-8", [0xE0, 0x80, 0xE1, 0x80]) == "\u{FFFD}\u{FFFD}\u{FFFD}")
        #expect(CharacterEncoding.utf8.decode([0xFF, 0, 0xC3]).replacements == 3)
    }

    @Test(arguments: 0..<80) func `a fault is found wherever it stands`(position: Int) {
        for fault: UInt8 in [0, 0x80, 0xFF, 0xC3] {
            var bytes = [UInt8](repeating: 0x61, count: 80)
            bytes[position] = fault
            let expected =
                String(repeating: "a", count: position) + "\u{FFFD}" + String(repeating: "a", count: 79 - position)
            #expect(decoded("utf-8", bytes) == expected)
        }
    }

    @Test func `random bytes decode as Swift repairs them`() {
        var random = SystemRandomNumberGenerator()
        let pool: [UInt8] = [0x41, 0x80, 0xBF, 0xC2, 0xE0, 0xA0, 0xED, 0x9F, 0xF0, 0x90, 0xF4, 0x8F, 0xFF, 0xE2, 0x82]
        for _ in 0..<2_000 {
            let bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in
                pool.randomElement(using: &random) ?? 0x41
            }
            #expect(decoded("utf-8", bytes) == String(decoding: bytes, as: UTF8.self), "\(bytes)")
        }
    }

    @Test func `UTF-16 loses its mark, and lone surrogates become U+FFFD`() {
        #expect(decoded("utf-16le", [0xFF, 0xFE, 0x61, 0, 0x3D, 0xD8, 0x00, 0xDE]) == "a😀")
        #expect(decoded("utf-16be", [0xFE, 0xFF, 0, 0x61, 0xD8, 0x3D, 0xDE, 0x00]) == "a😀")
        #expect(decoded("utf-16be", [0xD8, 0x3D, 0, 0x61]) == "\u{FFFD}a")
        #expect(decoded("utf-16be", [0xDE, 0x00, 0, 0x61, 0x62]) == "\u{FFFD}a\u{FFFD}")
        #expect(decoded("utf-16be", [0xD8, 0x3D, 0xDE]) == "\u{FFFD}")
    }

    @Test func `a lead byte without its trail does not swallow the ASCII after it`() {
        #expect(decoded("shift_jis", [0x81, 0x22, 0x3E]) == "\u{FFFD}\">")
        #expect(decoded("euc-jp", [0xA4, 0x3C]) == "\u{FFFD}<")
        #expect(decoded("euc-jp", [0x8F, 0xA2, 0x3C]) == "\u{FFFD}<")
        #expect(decoded("big5", [0xA4, 0x3C]) == "\u{FFFD}<")
        #expect(decoded("big5", [0x87, 0x40]) == "\u{43F0}")
        #expect(decoded("big5", [0x81, 0x40]) == "\u{FFFD}@")
        #expect(decoded("euc-kr", [0xB0, 0x3C]) == "\u{FFFD}<")
        #expect(decoded("gb18030", [0x81, 0x3C]) == "\u{FFFD}<")
        #expect(decoded("gb18030", [0x81, 0x30, 0x3C]) == "\u{FFFD}0<")
        #expect(decoded("gb18030", [0x81, 0x30, 0x81, 0x3C]) == "\u{FFFD}0\u{FFFD}<")
    }

    @Test func `the end of the text within a character is one error`() {
        for name in ["shift_jis", "euc-jp", "big5", "euc-kr", "gbk"] {
            #expect(decoded(name, [0x61, name == "shift_jis" ? 0x81 : 0xB0]) == "a\u{FFFD}")
        }
        #expect(decoded("gb18030", [0x81, 0x30, 0x81]) == "\u{FFFD}")
        #expect(decoded("gb18030", [0x81, 0x30]) == "\u{FFFD}")
        #expect(decoded("euc-jp", [0x8F, 0xB0]) == "\u{FFFD}")
    }

    @Test func `Shift_JIS keeps backslash and tilde, and has half-width letters and private use`() {
        #expect(decoded("shift_jis", [0x5C, 0x7E, 0xB1, 0x93, 0xFA, 0x96, 0x7B]) == "\\~ｱ日本")
        #expect(decoded("shift_jis", [0x80, 0xF0, 0x40, 0xF9, 0xFC, 0xA0]) == "\u{80}\u{E000}\u{E757}\u{FFFD}")
        #expect(decoded("shift_jis", [0x81, 0x60, 0x87, 0x40, 0xFA, 0x40]) == "～①ⅰ")
    }

    @Test func `EUC-JP reads two and three bytes`() {
        #expect(decoded("euc-jp", [0xC6, 0xFC, 0xCB, 0xDC, 0x8E, 0xB1, 0x8F, 0xB0, 0xA1]) == "日本ｱ丂")
        #expect(decoded("euc-jp", [0x8E, 0xE0, 0x80]) == "\u{FFFD}\u{FFFD}")
    }

    @Test func `ISO-2022-JP switches its sets by escape sequences`() {
        let escape: UInt8 = 0x1B
        #expect(
            decoded("iso-2022-jp", [escape, 0x24, 0x42, 0x46, 0x7C, 0x4B, 0x5C, escape, 0x28, 0x42, 0x61]) == "日本a")
        #expect(decoded("iso-2022-jp", [escape, 0x28, 0x4A, 0x5C, 0x7E]) == "¥‾")
        #expect(decoded("iso-2022-jp", [escape, 0x28, 0x49, 0x31]) == "ｱ")
        #expect(decoded("iso-2022-jp", [escape, 0x28, 0x5A, 0x61]) == "\u{FFFD}(Za")
        #expect(decoded("iso-2022-jp", [escape, 0x24, 0x42, escape, 0x28, 0x42]) == "\u{FFFD}")
        #expect(decoded("iso-2022-jp", [escape, 0x24, 0x42, 0x46, escape, 0x28, 0x42, 0x61]) == "\u{FFFD}a")
        #expect(decoded("iso-2022-jp", [0x0E, 0x80, escape]) == "\u{FFFD}\u{FFFD}\u{FFFD}")
        #expect(decoded("iso-2022-jp", [escape, 0x24]) == "\u{FFFD}$")
    }

    @Test func `GBK is gb18030 with the euro at 0x80`() {
        #expect(decoded("gbk", [0x80, 0xD6, 0xD0, 0xCE, 0xC4, 0xFF]) == "€中文\u{FFFD}")
        #expect(decoded("gb18030", [0x94, 0x39, 0xFC, 0x36, 0x81, 0x30, 0x81, 0x30]) == "😀\u{80}")
        #expect(decoded("gb18030", [0xE3, 0x32, 0x9A, 0x35]) == "\u{10FFFF}")
        #expect(decoded("gb18030", [0xE3, 0x32, 0x9A, 0x36]) == "\u{FFFD}")
        #expect(decoded("gb18030", [0x84, 0x31, 0xA4, 0x39]) == "\u{FFFF}")
        #expect(decoded("gb18030", [0x84, 0x31, 0xA5, 0x30]) == "\u{FFFD}")
    }

    @Test func `Big5 holds Hong Kong's characters, four of them of two code points`() {
        #expect(decoded("big5", [0xA4, 0xA4, 0xA4, 0xE5]) == "中文")
        #expect(decoded("windows-1255", [0xC9, 0xCA, 0xCB]).unicodeScalars.map(\.value) == [0x5B9, 0x5BA, 0x5BB])
        #expect(decoded("big5", [0x88, 0x62, 0x88, 0xA5]).unicodeScalars.map(\.value) == [0xCA, 0x304, 0xEA, 0x30C])
        #expect(decoded("big5", [0x87, 0x45, 0xA3, 0xE1]) == "\u{27267}€")
    }

    @Test func `single bytes, also those that mean nothing`() {
        #expect(decoded("windows-1252", [0x80, 0x81, 0x93, 0xE9]) == "€\u{81}“é")
        #expect(decoded("windows-1253", [0xE1, 0xAA, 0xD2]) == "α\u{FFFD}\u{FFFD}")
        #expect(decoded("windows-874", [0xA1, 0xDB, 0xFF]) == "ก\u{FFFD}\u{FFFD}")
        #expect(decoded("koi8-u", [0xAE, 0xBE, 0xA4]) == "ўЎє")
        #expect(decoded("iso-8859-16", [0x80, 0xA0, 0xA1, 0xAD, 0xFF]) == "\u{80}\u{A0}Ą\u{AD}ÿ")
        #expect(decoded("iso-8859-8-i", [0xE0]) == "א")
        #expect(decoded("x-user-defined", [0x41, 0x80, 0xFF]) == "A\u{F780}\u{F7FF}")
        #expect(
            CharacterEncoding.windows1252.decode([0x61, 0, 0x62])
                == DecodedText(utf8: Array("a\u{FFFD}b".utf8), replacements: 1))
        let long = Array("a long run of ASCII ".utf8) + [0xE9] + Array(" and another long run".utf8)
        #expect(decoded("windows-1252", long) == "a long run of ASCII é and another long run")
    }

    @Test func `the replacement encoding shows nothing of the page`() {
        #expect(decoded("replacement", Array("<script>".utf8)) == "\u{FFFD}")
        #expect(decoded("replacement", []) == "")
    }

    @Test func `any bytes in any encoding give well-formed UTF-8, and every U+FFFD is counted`() {
        var random = SystemRandomNumberGenerator()
        let tails: [UInt8] = [
            0, 0x1B, 0x24, 0x28, 0x30, 0x39, 0x40, 0x42, 0x7F, 0x80, 0x81, 0x8E, 0x8F, 0xA1, 0xFE, 0xFF,
        ]
        for (name, _) in CharacterEncoding.labels {
            for round in 0..<60 {
                let bytes: [UInt8] = (0..<Int.random(in: 0...60, using: &random)).map { _ in
                    round % 2 == 0
                        ? UInt8.random(in: 0...255, using: &random) : tails.randomElement(using: &random) ?? 0
                }
                let text = CharacterEncoding(name: name).decode(bytes)
                let string = String(validating: text.utf8, as: UTF8.self)
                #expect(string != nil, "\(name) \(bytes)")
                #expect(string?.unicodeScalars.contains("\0") == false)
                let marks = string?.unicodeScalars.count { $0 == "\u{FFFD}" } ?? -1
                // A page may hold U+FFFD itself where the encoding can write it.
                #expect(marks >= text.replacements, "\(name) \(bytes)")
            }
        }
    }
}
