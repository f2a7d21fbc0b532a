import Testing

@testable import PippinPage

@Suite struct LetterFoldingTests {
    /// A name folded as a whole by ICU, without the tables of single characters.
    private static func slowly(_ name: String) -> [UInt8] {
        var bytes: [UInt8] = []
        for scalar in LetterFolding.folded(name.unicodeScalars).unicodeScalars where LetterFolding.isLetter(scalar) {
            for byte in String(scalar).utf8 {
                if byte == UInt8(ascii: "e"), let last = bytes.last, "aou".utf8.contains(last) { continue }
                bytes.append(byte)
            }
        }
        return bytes
    }

    @Test func `a name is folded as its characters are, one by one`() {
        for value in UInt32(0x80)..<0x3100 {
            guard let scalar = Unicode.Scalar(value), LetterFolding.isLetter(scalar) else { continue }
            for name in ["x\(scalar)y", "\(scalar)", "б\(scalar)г", "\(scalar)\u{301}"] {
                #expect(FoldedName(name).bytes == Self.slowly(name), "U+\(String(value, radix: 16)) in \(name)")
            }
        }
    }

    @Test(arguments: [
        ("Η ΚΑΘΗΜΕΡΙΝΗ", "Η Καθημερινή"), ("El País", "EL PAIS"), ("Łódź", "lodz"), ("Ｐｏｓｔ", "post"),
        ("Münchner Merkur", "muenchner-merkur"), ("Straße", "strasse"), ("Ěščřž", "escrz"), ("ĿLA", "l·la"),
        ("Йод", "йод"), ("Ёлка", "елка"), ("شَمْس", "شمس"), ("ﬁne", "fine"), ("Æsop", "aesop"),
    ])
    func `spellings of one name are one`(first: String, second: String) {
        #expect(FoldedName(first) == FoldedName(second))
    }

    @Test(arguments: [("йод", "иод"), ("が", "か"), ("blue", "bleu"), ("कि", "क")])
    func `other letters are another name`(first: String, second: String) {
        #expect(FoldedName(first) != FoldedName(second))
    }
}
