extension UnsafeBufferPointer<UInt8> {
    /// The character at an offset of well-formed UTF-8, and its bytes. A text that ends within it counts as if zeros followed.
    @inline(__always)
    func character(at offset: Int) -> (value: UInt32, length: Int) {
        let lead = UInt32(self[offset])
        guard lead >= 0x80 else { return (lead, 1) }
        let length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4
        var value = lead & (0x7F >> UInt32(length))
        for i in offset + 1..<offset + length { value = value << 6 | (i < count ? UInt32(self[i] & 0x3F) : 0) }
        return (value, length)
    }
}
