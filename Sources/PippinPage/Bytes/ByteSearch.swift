import Glibc

extension [UInt8] {
    /// Where other bytes first begin in these; nil if nowhere. No bytes begin at once.
    ///
    /// Takes as many steps as both are long, multiplied, if the other bytes repeat themselves: one of the two must be short.
    func position(of other: [UInt8]) -> Int? {
        guard let first = other.first else { return 0 }
        return withUnsafeBytes { all in
            other.withUnsafeBytes { part in
                guard let start = all.baseAddress, let wanted = part.baseAddress else { return nil }
                var i = 0
                while i + part.count <= all.count,
                    let found = memchr(start + i, Int32(first), all.count - part.count - i + 1)
                {
                    i = start.distance(to: UnsafeRawPointer(found))
                    if memcmp(found, wanted, part.count) == 0 { return i }
                    i += 1
                }
                return nil
            }
        }
    }
}

extension String.UTF8View {
    /// Whether a byte occurs. Quicker than `contains`, which looks at one byte at a time.
    func has(_ byte: UInt8) -> Bool {
        let found = withContiguousStorageIfAvailable { bytes in
            bytes.baseAddress.map { memchr($0, Int32(byte), bytes.count) != nil } ?? false
        }
        return found ?? contains(byte)
    }
}

extension String {
    /// Whether a short text stands in this one, byte by byte. `contains` compares characters, which takes far longer.
    func has(_ part: StaticString) -> Bool {
        var copy = self
        return copy.withUTF8 { bytes in
            guard let start = bytes.baseAddress else { return false }
            let count = part.utf8CodeUnitCount
            var i = 0
            while i + count <= bytes.count,
                let found = memchr(start + i, Int32(part.utf8Start[0]), bytes.count - count - i + 1)
            {
                if memcmp(found, part.utf8Start, count) == 0 { return true }
                i = UnsafeRawPointer(start).distance(to: found) + 1
            }
            return false
        }
    }
}
