import Testing

@testable import PippinPage

/// Texts are read eight bytes in a step, and looked up by their bytes. Every place around the steps is compared with reading
/// one by one.
@Suite struct ByteStepTests {
    /// Texts of up to 60 characters that have white space, and characters whose bytes resemble it.
    private static let texts: [String] = (0..<4_000).map { seed in
        var state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 | 1
        func next(_ count: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % count
        }
        let characters = ["a", "b", "c", " ", " ", "\n", "\u{A0}", "§", "é", "漢", "\t", "\u{7F}", "🍏"]
        let used = 1 + next(characters.count)
        return (0..<next(61)).map { _ in characters[next(used)] }.joined()
    }

    @Test func `white space collapses wherever it stands`() {
        for text in Self.texts {
            let words = text.unicodeScalars.split { $0.value <= 0x20 || $0 == "\u{A0}" }.map { String($0) }
            #expect(text.collapsingHTMLSpace() == words.joined(separator: " "))
        }
    }

    @Test(arguments: [1, 7, 300, 1_023, 1_024, 1_025, 1_032, 3_000])
    func `a limited text ends near its limit`(maximum: Int) {
        for unit in ["a ", "word  ", "漢字 ", "a\u{A0}", "a0-", "漢", "a漢é"] {
            var collector = CollapsingText(maximumBytes: maximum)
            var text = unit.repeated(4_000)
            text.withUTF8 { collector.append($0) }
            let whole = Array(unit.repeated(4_000).collapsingHTMLSpace().utf8)
            #expect(collector.bytes.count >= maximum && collector.bytes.count <= maximum + 1_040)
            #expect(collector.bytes.elementsEqual(whole.prefix(collector.bytes.count)))
        }
    }

    @Test func `JSON escapes a character wherever it stands`() throws {
        for odd in ["\"", "\\", "\n", "\u{1F}", "\u{7F}", "é", "\u{200B}", "🍏", "\u{E0041}"] {
            let written = String(JSONValue.string(odd).text().dropFirst().dropLast())
            for before in 0..<20 {
                for after in [0, 1, 7, 8, 9, 16] {
                    let text = "x".repeated(before) + odd + "y".repeated(after) + odd
                    let expected = ["\"", "x".repeated(before), written, "y".repeated(after), written, "\""].joined()
                    #expect(JSONValue.string(text).text() == expected)
                }
            }
        }
    }

    @Test func `a name is folded letter by letter`() {
        for text in Self.texts {
            var one: [UInt8] = []
            for byte in text.unicodeScalars.flatMap({ FoldedName(String($0)).bytes }) {
                // Hosts write `ä`, `ö` and `ü` with an `e`, which never counts.
                if byte == UInt8(ascii: "e"), let last = one.last, "aou".utf8.contains(last) { continue }
                one.append(byte)
            }
            #expect(FoldedName(text).bytes == one)
            #expect(FoldedName(text[...]).bytes == one)
        }
        // Letters among the first and last characters of one, two, three and four bytes.
        let ends = ["\u{7A}", "\u{180}", "\u{7EA}", "\u{800}", "\u{D7A3}", "\u{10000}", "\u{3134A}"]
        for end in ends { #expect(FoldedName(end).bytes == Array(end.utf8)) }
        #expect(FoldedName("\u{80}").isEmpty)
    }

    @Test func `digits of all scripts are read, and nothing else`() {
        var digits = 0
        for number in UInt32(1)...0x10FFFF {
            guard let scalar = Unicode.Scalar(number),
                scalar.properties.generalCategory == .decimalNumber || number < 0x3000
            else { continue }
            let read = DecimalDigit(in: Array(String(scalar).utf8), at: 0)
            #expect(read?.value == DecimalDigit.value(of: scalar))
            if read != nil { digits += 1 }
        }
        #expect(digits >= 650)
    }

    @Test func `words are what letters stand between`() {
        // ICU's dictionaries say what the words of other scripts are.
        for text in Self.texts where !text.unicodeScalars.contains(where: WordBoundaries.areNeeded(for:)) {
            let parts = text.unicodeScalars.split { FoldedName(String($0)).isEmpty }.map {
                FNV1a.hash(FoldedName(String($0)).bytes)
            }
            let long = text.unicodeScalars.split { FoldedName(String($0)).isEmpty }
                .map { FoldedName(String($0)).bytes }.filter { $0.count > 2 }.map { FNV1a.hash($0) }
            #expect(FoldedName.words(of: text) == Set(long.isEmpty ? parts : long))
        }
    }

    @Test func `names that resemble one in a table are not in it`() {
        let table = NameTable([("author", 1), ("date", 2), ("date", 3), ("", 4)])
        #expect(table["author"] == 1 && table["date"] == 3 && table[""] == 4)
        #expect(table["abcdor"] == nil && table["dxxe"] == nil && table["aut"] == nil && table["é"] == nil)
    }

    @Test(arguments: [
        ("a - b", true), ("a -b", false), (" - ", true), ("", false), (" -", false), ("x --  - ", true), ("-", false),
    ])
    func `a short text is found byte by byte`(text: String, isThere: Bool) {
        #expect(text.has(" - ") == isThere)
        #expect(text.utf8.has(0x2D) == text.contains("-"))
    }

    @Test func `words of names are found in any letter case`() {
        let letters = Array("abcdefghijklmnopqrstuvwxyz")
        let many = NameWords((0..<200).map { "word\(letters[$0 / 26])\(letters[$0 % 26])" }.joined(separator: " "))
        for first in letters.prefix(7) { #expect(many.haveOne(in: "some-Word\(first)z".utf8)) }
        #expect(!many.haveOne(in: "words wordzz Word a".utf8))
    }
}
