import PippinTestSupport
import Testing

@testable import PippinPage

/// Every sequence of every legacy encoding, against the indexes of the Encoding Standard and against Python's codecs.
@Suite struct EncodingIndexTests {
    /// One decoded sequence, nil where it is an error.
    private func character(_ encoding: CharacterEncoding, _ bytes: [UInt8]) -> [UInt8]? {
        let text = encoding.decode(bytes)
        return text.replacements == 0 ? text.utf8 : nil
    }

    struct Index: CustomTestStringConvertible, Sendable {
        let encoding: String
        var prefix: [UInt8] = []
        let leads: [ClosedRange<UInt8>]
        let trails: ClosedRange<UInt8>
        /// Characters in the standard's index.
        let count: Int
        /// FNV-1a, 64 bits, over the UTF-8 of the characters in order, FF for an error; made from the standard's index files.
        let checksum: UInt64
        var testDescription: String { prefix.isEmpty ? encoding : "\(encoding), three bytes" }
    }

    static let indexes = [
        Index(
            encoding: "big5", leads: [0x81...0xFE], trails: 0x40...0xFE, count: 18594, checksum: 0xF9BD_E2AF_236C_5103),
        Index(
            encoding: "euc-kr", leads: [0x81...0xFE], trails: 0x41...0xFE, count: 17048,
            checksum: 0x5185_9425_1945_AFC7),
        Index(
            encoding: "gb18030", leads: [0x81...0xFE], trails: 0x40...0xFE, count: 23940,
            checksum: 0x8492_61EC_6080_CFE4),
        Index(
            encoding: "shift_jis", leads: [0x81...0x9F, 0xE0...0xFC], trails: 0x40...0xFC, count: 9604,
            checksum: 0xD9E9_E8E7_7EB6_4E9F),
        Index(
            encoding: "euc-jp", leads: [0xA1...0xFE], trails: 0xA1...0xFE, count: 7336,
            checksum: 0x8C97_874E_C142_24F2),
        Index(
            encoding: "euc-jp", prefix: [0x8F], leads: [0xA1...0xFE], trails: 0xA1...0xFE, count: 6067,
            checksum: 0xD299_01DD_1AB1_969B),
    ]

    @Test(arguments: indexes) func `every two-byte sequence is as in the standard's index`(index: Index) {
        let encoding = CharacterEncoding(name: index.encoding)
        var checksum: UInt64 = 0xCBF2_9CE4_8422_2325
        var count = 0
        for lead in index.leads.joined() {
            for trail in index.trails {
                let utf8 = character(encoding, index.prefix + [lead, trail])
                count += utf8 == nil ? 0 : 1
                for byte in utf8 ?? [0xFF] { checksum = (checksum ^ UInt64(byte)) &* 0x100_0000_01B3 }
            }
        }
        #expect(count == index.count)
        #expect(checksum == index.checksum)
    }

    @Test func `the 39,420 four-byte sequences of the basic plane are in the standard's order`() {
        var checksum: UInt64 = 0xCBF2_9CE4_8422_2325
        for pointer in 0..<39420 {
            let bytes = [
                UInt8(pointer / 12600) + 0x81, UInt8(pointer / 1260 % 10) + 0x30, UInt8(pointer / 10 % 126) + 0x81,
                UInt8(pointer % 10) + 0x30,
            ]
            for byte in character(CharacterEncoding(name: "gb18030"), bytes) ?? [0xFF] {
                checksum = (checksum ^ UInt64(byte)) &* 0x100_0000_01B3
            }
        }
        #expect(checksum == 0xB176_5545_402A_2682)
    }

    @Test func `ISO-2022-JP and EUC-JP have the same kanji`() {
        for row in UInt8(0x21)...0x7E {
            for cell in UInt8(0x21)...0x7E {
                let inISO = character(CharacterEncoding(name: "iso-2022-jp"), [0x1B, 0x24, 0x42, row, cell])
                let inEUC = character(CharacterEncoding(name: "euc-jp"), [row | 0x80, cell | 0x80])
                #expect(inISO == inEUC)
            }
        }
    }

    /// Reads lines "codec rule bytes ours" and prints those where the codec disagrees and no rule excuses it.
    private static let judge = """
        import sys
        bad = count = 0
        for line in sys.stdin:
            count += 1
            codec, rule, data, ours = line.split()
            data = bytes.fromhex(data)
            ours = None if ours == '-' else bytes.fromhex(ours).decode('utf-8')
            try: theirs = data.decode(codec)
            except UnicodeDecodeError: theirs = None
            if theirs == ours: continue
            if rule == 'controls' and theirs is None and ours == chr(data[0]): continue
            if rule == 'superset' and theirs is None: continue
            bad += 1
            if bad < 20: print(codec, data.hex(), ascii(theirs), ascii(ours))
        print('compared', count, 'differences', bad)
        """

    private func judged(_ lines: [String]) throws -> String {
        try PythonJudge().run(Self.judge, input: Array(lines.joined(separator: "\n").utf8)).output
    }

    private func line(_ codec: String, _ rule: String, _ encoding: CharacterEncoding, _ bytes: [UInt8]) -> String {
        let ours = character(encoding, bytes).map(hex) ?? "-"
        return "\(codec) \(rule) \(hex(bytes)) \(ours)"
    }

    private func hex(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef")
        return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }

    /// Python's name for each encoding of one byte, and the bytes where Python is not the standard.
    private static let singleByteCodecs: [(name: String, codec: String, except: Set<UInt8>)] =
        [
            ("ibm866", "cp866", []), ("koi8-r", "koi8_r", []), ("koi8-u", "koi8_u", [0xAE, 0xBE]),
            ("macintosh", "mac_roman", []), ("x-mac-cyrillic", "mac_cyrillic", []), ("windows-874", "cp874", []),
            ("windows-1255", "cp1255", [0xCA]), ("iso-8859-8-i", "iso8859_8", []),
        ]
        + ([2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16]).map { ("iso-8859-\($0)", "iso8859_\($0)", []) }
        + ([1250, 1251, 1252, 1253, 1254, 1256, 1257, 1258]).map { ("windows-\($0)", "cp\($0)", []) }

    @Test(.slow) func `Python agrees on every single byte`() throws {
        #expect(Self.singleByteCodecs.count == 28)
        var lines: [String] = []
        for (name, codec, except) in Self.singleByteCodecs {
            for byte in UInt8(0x80)...0xFF where !except.contains(byte) {
                lines.append(line(codec, byte < 0xA0 ? "controls" : "exact", CharacterEncoding(name: name), [byte]))
            }
        }
        #expect(try judged(lines) == "compared \(lines.count) differences 0\n")
    }

    @Test(.slow) func `Python agrees on the multi-byte encodings that it shares with the standard`() throws {
        var lines: [String] = []
        func add(
            _ name: String, _ codec: String, _ rule: String, _ leads: [ClosedRange<UInt8>],
            _ trails: ClosedRange<UInt8>, prefix: [UInt8] = [], except: Set<UInt16> = []
        ) {
            for lead in leads.joined() {
                for trail in trails where !except.contains(UInt16(lead) << 8 | UInt16(trail)) {
                    // Where the standard reads an ASCII trail byte again, Python reads a character and it.
                    lines.append(line(codec, rule, CharacterEncoding(name: name), prefix + [lead, trail]))
                }
            }
        }
        add("euc-kr", "cp949", "exact", [0x81...0xFE], 0x41...0xFE)
        add("shift_jis", "cp932", "exact", [0x81...0x9F, 0xE0...0xFC], 0x40...0xFC)
        // The space at A3A0, the letter with two homes, and the 18 characters that left private use in 2022.
        add(
            "gb18030", "gb18030", "exact", [0x81...0xFE], 0x40...0xFE,
            except: [
                0xA3A0, 0xA8BC, 0xA6D9, 0xA6DA, 0xA6DB, 0xA6DC, 0xA6DD, 0xA6DE, 0xA6DF, 0xA6EC, 0xA6ED, 0xA6F3, 0xFE59,
                0xFE61, 0xFE66, 0xFE67, 0xFE6D, 0xFE7E, 0xFE90, 0xFEA0,
            ])
        // Python has the Hong Kong characters of 2004, and reads A2B7 as an ASCII tilde.
        add("euc-jp", "euc_jp", "superset", [0xA1...0xFE], 0xA1...0xFE, prefix: [0x8F], except: [0xA2B7])
        #expect(try judged(lines) == "compared \(lines.count) differences 0\n")
    }
}
