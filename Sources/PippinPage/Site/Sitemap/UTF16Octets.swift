/// UTF-16 as UTF-8, unpaired surrogates replaced; a last odd byte is dropped.
enum UTF16Octets {
    static func utf8(_ bytes: ArraySlice<UInt8>, bigEndian: Bool) -> [UInt8] {
        var units: [UInt16] = []
        units.reserveCapacity(bytes.count / 2)
        var index = bytes.startIndex
        while index + 1 < bytes.endIndex {
            let (a, b) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
            units.append(bigEndian ? a << 8 | b : b << 8 | a)
            index += 2
        }
        return Array(String(decoding: units, as: UTF16.self).utf8)
    }
}
