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
