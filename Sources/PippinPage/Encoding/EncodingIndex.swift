import CICU

/// The indexes of the Encoding Standard (§5): tables from a pointer (the number of a byte sequence) to its character.
///
/// Each is made at first use from the most similar converter of ICU and corrected where the standard differs, so the program
/// contains no such tables. 0 means no character. Without ICU's data, everything beyond ASCII becomes U+FFFD.
enum EncodingIndex {
    static func scalar(_ index: [UInt16], _ pointer: Int) -> UInt32 {
        pointer >= 0 && pointer < index.count ? UInt32(index[pointer]) : 0
    }

    static func scalar(_ index: [UInt32], _ pointer: Int) -> UInt32 {
        pointer >= 0 && pointer < index.count ? index[pointer] : 0
    }

    /// Index jis0208, 188 pointers for each lead byte of Shift_JIS.
    static let jis0208: [UInt16] = basicPlane(
        read("ibm-943_P15A-2003", count: 60 * 188) { pointer, bytes in
            let (lead, trail) = (UInt8(pointer / 188), UInt8(pointer % 188))
            bytes.append(lead + (lead < 0x1F ? 0x81 : 0xC1))
            bytes.append(trail + (trail < 0x3F ? 0x40 : 0x41))
        })

    /// Index jis0212: 77 rows of 94. ICU has vendor characters after them.
    static let jis0212: [UInt16] = basicPlane(
        read("euc-jp-2007", count: 77 * 94) { pointer, bytes in
            bytes += [0x8F, UInt8(pointer / 94) + 0xA1, UInt8(pointer % 94) + 0xA1]
        })

    /// Index euc-kr, without ICU's two rows for private use.
    static let eucKR: [UInt16] = basicPlane(
        read("windows-949-2000", count: 126 * 190) { pointer, bytes in
            bytes += [UInt8(pointer / 190) + 0x81, UInt8(pointer % 190) + 0x41]
        }.map { isPrivateUse($0) ? 0 : $0 })

    /// Index gb18030. The standard follows the edition of 2022, in which 18 characters left private use, but keeps A3A0 as a
    /// space.
    static let gb18030: [UInt16] = {
        func bytes(of pointer: Int) -> [UInt8] {
            let trail = UInt8(pointer % 190)
            return [UInt8(pointer / 190) + 0x81, trail + (trail < 0x3F ? 0x40 : 0x41)]
        }
        var index = basicPlane(
            read("gb18030", count: 126 * 190) { pointer, input in input += bytes(of: pointer) })
        let corrections: [(UInt16, UInt16)] = [
            (0xA3A0, 0x3000), (0xA6D9, 0xFE10), (0xA6DA, 0xFE12), (0xA6DB, 0xFE11), (0xA6DC, 0xFE13), (0xA6DD, 0xFE14),
            (0xA6DE, 0xFE15), (0xA6DF, 0xFE16), (0xA6EC, 0xFE17), (0xA6ED, 0xFE18), (0xA6F3, 0xFE19), (0xFE59, 0x9FB4),
            (0xFE61, 0x9FB5), (0xFE66, 0x9FB6), (0xFE67, 0x9FB7), (0xFE6D, 0x9FB8), (0xFE7E, 0x9FB9), (0xFE90, 0x9FBA),
            (0xFEA0, 0x9FBB),
        ]
        for (sequence, scalar) in corrections {
            let trail = Int(sequence & 0xFF)
            index[(Int(sequence >> 8) - 0x81) * 190 + trail - (trail < 0x7F ? 0x40 : 0x41)] = scalar
        }
        return index
    }()

    /// The part of index gb18030 ranges in the basic plane, one entry per pointer. 84318236 and A6D9 both mean U+FE10, and so
    /// on.
    static let gb18030FourByte: [UInt16] = {
        var index = basicPlane(
            read("gb18030", count: 39420) { pointer, bytes in
                bytes += [
                    UInt8(pointer / 12600) + 0x81, UInt8(pointer / 1260 % 10) + 0x30, UInt8(pointer / 10 % 126) + 0x81,
                    UInt8(pointer % 10) + 0x30,
                ]
            })
        index[7457] = 0xE7C7
        // U+FFFD itself, which looks like an error of ICU.
        index[39417] = 0xFFFD
        for offset in 0..<8 { index[19057 + offset] = 0x9FB4 + UInt16(offset) }
        for offset in 0..<10 { index[39076 + offset] = 0xFE10 + UInt16(offset) }
        return index
    }()

    /// Index big5: Big5 with the Hong Kong characters of 2008. ICU has the predecessor of 2004, and no control pictures.
    static let big5: [UInt32] = {
        var index = read("ibm-1375_P100-2008", count: 126 * 157) { pointer, bytes in
            let trail = UInt8(pointer % 157)
            bytes += [UInt8(pointer / 157) + 0x81, trail + (trail < 0x3F ? 0x40 : 0x62)]
        }.map { isPrivateUse($0) ? 0 : $0 }
        func set(_ sequence: UInt16, _ scalar: UInt32) {
            let trail = Int(sequence & 0xFF)
            index[(Int(sequence >> 8) - 0x81) * 157 + trail - (trail < 0x7F ? 0x40 : 0x62)] = scalar
        }
        for offset in 0..<32 { set(0xA3C0 + UInt16(offset), 0x2400 + UInt32(offset)) }
        for (sequence, scalar) in big5Corrections { set(sequence, UInt32(scalar)) }
        return index
    }()

    /// The single-byte indexes by the encoding's name: 128 entries for 0x80...0xFF.
    static let singleByte: [String: [UInt16]] = {
        var indexes: [String: [UInt16]] = [:]
        for (name, converter) in singleByteConverters {
            indexes[name] = basicPlane(read(converter, count: 128) { $1.append(UInt8($0) + 0x80) })
        }
        indexes["iso-8859-8-i"] = indexes["iso-8859-8"]
        func set(_ name: String, _ bytes: ClosedRange<UInt8>, to scalar: UInt16) {
            for byte in bytes { indexes[name]?[Int(byte) - 0x80] = scalar }
        }
        // Holes in the standard's indexes. ICU fills them with private use or with the Latin-1 character.
        set("windows-874", 0xDB...0xDE, to: 0)
        set("windows-874", 0xFC...0xFF, to: 0)
        set("windows-1253", 0xAA...0xAA, to: 0)
        // Holam haser, a character newer than ICU's table.
        set("windows-1255", 0xCA...0xCA, to: 0x5BA)
        // For these bytes, the standard's KOI8-U is KOI8-RU.
        set("koi8-u", 0xAE...0xAE, to: 0x45E)
        set("koi8-u", 0xBE...0xBE, to: 0x40E)
        // ICU has no ISO 8859-16.
        indexes["iso-8859-16"] =
            (0x80...0xA0).map { UInt16($0) }
            + Array(
                ("ĄąŁ€„Š§š©Ș«Ź\u{AD}źŻ°±ČłŽ”¶·žčș»ŒœŸżÀÁÂĂÄĆÆÇÈÉÊËÌÍÎÏ"
                    + "ĐŃÒÓÔŐÖŚŰÙÚÛÜĘȚßàáâăäćæçèéêëìíîïđńòóôőöśűùúûüęțÿ").utf16)
        return indexes
    }()

    private static let singleByteConverters: [(name: String, converter: String)] = [
        ("ibm866", "ibm-866_P100-1995"), ("iso-8859-2", "iso-8859-2"), ("iso-8859-3", "iso-8859-3"),
        ("iso-8859-4", "iso-8859-4"), ("iso-8859-5", "iso-8859-5"), ("iso-8859-6", "iso-8859-6"),
        ("iso-8859-7", "iso-8859-7"), ("iso-8859-8", "iso-8859-8"), ("iso-8859-10", "iso-8859-10"),
        ("iso-8859-13", "iso-8859-13"), ("iso-8859-14", "iso-8859-14"), ("iso-8859-15", "iso-8859-15"),
        ("koi8-r", "koi8-r"), ("koi8-u", "koi8-u"), ("macintosh", "macintosh"), ("windows-874", "windows-874-2000"),
        ("windows-1250", "windows-1250"), ("windows-1251", "windows-1251"), ("windows-1252", "windows-1252"),
        ("windows-1253", "windows-1253"), ("windows-1254", "windows-1254"), ("windows-1255", "windows-1255"),
        ("windows-1256", "windows-1256"), ("windows-1257", "windows-1257"), ("windows-1258", "windows-1258"),
        ("x-mac-cyrillic", "x-mac-cyrillic"),
    ]

    private static func isPrivateUse(_ scalar: UInt32) -> Bool { scalar >= 0xE000 && scalar <= 0xF8FF }

    private static func basicPlane(_ index: [UInt32]) -> [UInt16] { index.map { UInt16(exactly: $0) ?? 0 } }

    /// Converts each sequence with a converter of ICU, one by one, so that an invalid one does not affect its neighbors. Invalid
    /// sequences, and those for an ASCII character or several characters, give 0.
    private static func read(_ converter: String, count: Int, sequence: (Int, inout [UInt8]) -> Void) -> [UInt32] {
        var index = [UInt32](repeating: 0, count: count)
        var status: Int32 = 0
        guard let handle = pippin_ucnv_open(converter, &status) else { return index }
        defer { pippin_ucnv_close(handle) }
        guard status <= 0 else { return index }
        var input: [UInt8] = []
        var units = [UInt16](repeating: 0, count: 8)
        for pointer in 0..<count {
            input.removeAll(keepingCapacity: true)
            sequence(pointer, &input)
            pippin_ucnv_reset(handle)
            status = 0
            let written = units.withUnsafeMutableBufferPointer { units in
                input.withUnsafeBytes { input -> Int in
                    let bytes = input.bindMemory(to: CChar.self)
                    guard let start = units.baseAddress, let source = bytes.baseAddress else { return 0 }
                    var target: UnsafeMutablePointer<UInt16>? = start
                    var from: UnsafePointer<CChar>? = source
                    pippin_ucnv_toUnicode(
                        handle, &target, start + units.count, &from, source + bytes.count, 1, &status)
                    return target.map { $0 - start } ?? 0
                }
            }
            guard status <= 0 else { continue }
            // ICU marks unreadable sequences with U+FFFD, or with U+001A if they are a single byte.
            if written == 1, units[0] >= 0x80, units[0] != 0xFFFD {
                index[pointer] = UInt32(units[0])
            } else if written == 2, UTF16.isLeadSurrogate(units[0]), UTF16.isTrailSurrogate(units[1]) {
                index[pointer] = 0x10000 + (UInt32(units[0]) - 0xD800) << 10 + UInt32(units[1]) - 0xDC00
            }
        }
        return index
    }
}

/// The differences between index big5 of the Encoding Standard and ICU, as sequence and character: a few unified ideographs
/// that other systems had moved to private use, and strokes and ideographs that Unicode added after ICU's table was made.
extension EncodingIndex {
    static let big5Corrections: [(UInt16, UInt16)] = [
        (0x87A4, 0x9F97), (0x87AC, 0x9F96), (0x8840, 0x31C0), (0x8841, 0x31C1), (0x8842, 0x31C2), (0x8843, 0x31C3),
        (0x8844, 0x31C4), (0x8846, 0x31C5), (0x8849, 0x31C6), (0x884A, 0x31C7), (0x884D, 0x31C8), (0x884F, 0x31C9),
        (0x8850, 0x31CA), (0x8851, 0x31CB), (0x8852, 0x31CC), (0x8854, 0x31CD), (0x8855, 0x31CE), (0x88A9, 0x23DA),
        (0x88AA, 0x23DB), (0x8C43, 0x9FA6), (0x8C6D, 0x9FA7), (0x8C74, 0x9FA8), (0x8CB7, 0x9FA9), (0x8CB9, 0x9FAA),
        (0x8CBB, 0x9FAB), (0x8CC0, 0x9FAC), (0x8CD7, 0x9FAD), (0x8CD8, 0x9FAE), (0x8CDA, 0x9FAF), (0x8CED, 0x9FB2),
        (0x8D48, 0x9FB3), (0x8E69, 0x7BB8), (0x8E6F, 0x7C06), (0x8E7E, 0x7CCE), (0x8EAB, 0x7DD2), (0x8EB4, 0x7E1D),
        (0x8ECD, 0x8005), (0x8ED0, 0x8028), (0x8F57, 0x83C1), (0x8F69, 0x84A8), (0x8F6E, 0x840F), (0x8FCB, 0x89A6),
        (0x8FCC, 0x89A9), (0x8FFE, 0x8D77), (0x906D, 0x90FD), (0x907A, 0x92B9), (0x90DC, 0x975C), (0x90F1, 0x97FF),
        (0x91BF, 0x9F16), (0x9244, 0x8503), (0x92AF, 0x5159), (0x92B0, 0x515B), (0x92B1, 0x515D), (0x92B2, 0x515E),
        (0x92C8, 0x936E), (0x92D1, 0x7479), (0x9447, 0x6D67), (0x94CA, 0x799B), (0x95D9, 0x9097), (0x9644, 0x975D),
        (0x96ED, 0x701E), (0x96FC, 0x5B28), (0x9B76, 0x7201), (0x9B78, 0x77D7), (0x9B7B, 0x7E87), (0x9BC6, 0x99D6),
        (0x9BDE, 0x91D4), (0x9BEC, 0x60DE), (0x9BF6, 0x6FB6), (0x9C42, 0x8F36), (0x9C53, 0x4FBB), (0x9C62, 0x71DF),
        (0x9C68, 0x9104), (0x9C6B, 0x9DF0), (0x9C77, 0x83CF), (0x9CBC, 0x5C10), (0x9CBD, 0x79E3), (0x9CD0, 0x5A67),
        (0x9D57, 0x8F0B), (0x9D5A, 0x7B51), (0x9DC4, 0x62D0), (0x9EA9, 0x6062), (0x9EEF, 0x75F9), (0x9EFD, 0x6C4A),
        (0x9F60, 0x9B2E), (0x9F66, 0x9F17), (0x9FCB, 0x50ED), (0x9FD8, 0x5F0C), (0xA063, 0x880F), (0xA077, 0x62CE),
        (0xA0D5, 0x7468), (0xA0DF, 0x7162), (0xA0E4, 0x7250), (0xA3E0, 0x2421), (0xC6CF, 0x5EF4), (0xC6D3, 0x65E0),
        (0xC6D5, 0x7676), (0xC6D7, 0x96B6), (0xC6DE, 0x3003), (0xC6DF, 0x4EDD), (0xC879, 0x31CF), (0xC8A1, 0x9FB0),
        (0xC8A3, 0x9FB1), (0xFA5F, 0x5029), (0xFA66, 0x507D), (0xFABD, 0x5305), (0xFAC5, 0x5344), (0xFAD5, 0x537F),
        (0xFB48, 0x5605), (0xFBB8, 0x5A77), (0xFBF3, 0x5E75), (0xFBF9, 0x5ED0), (0xFC4F, 0x5F58), (0xFC6C, 0x60A4),
        (0xFCB9, 0x6490), (0xFCE2, 0x6674), (0xFCF1, 0x675E), (0xFDB7, 0x6C9C), (0xFDB8, 0x6E1D), (0xFDBB, 0x6E2F),
        (0xFDF1, 0x716E), (0xFE52, 0x732A), (0xFE6F, 0x745C), (0xFEAA, 0x74E9), (0xFEDD, 0x7809),
    ]
}
