/// The links of one page as bytes: about five for a link.
///
/// The numbers of the targets in ascending order, each once, as the difference to the one before it, doubled, plus 1 for a link
/// that passes no rank. Each result is a LEB128 number: seven bits to a byte, the lowest first, the eighth bit set on all but
/// the last. Targets mostly lie in one host and one directory, so the differences are small (`URLNumber`).
enum PackedLinks {
    struct Link: Equatable {
        let target: Int64
        let isNofollow: Bool
    }

    /// Packs links. A target that is linked with and without `nofollow` is followed.
    ///
    /// - Returns: the bytes, and how many targets there are.
    static func pack(followed: [Int64], nofollow: [Int64]) -> (bytes: [UInt8], count: Int) {
        var links = followed.map { UInt64(bitPattern: $0) << 1 }
        links.reserveCapacity(followed.count + nofollow.count)
        for target in nofollow { links.append(UInt64(bitPattern: target) << 1 | 1) }
        links.sort()
        var bytes: [UInt8] = []
        bytes.reserveCapacity(5 * links.count)
        var last: UInt64 = 0
        var count = 0
        for link in links {
            let target = link >> 1
            // Of the links to one target, the followed one sorts first.
            guard count == 0 || target != last else { continue }
            var rest = (target &- last) << 1 | link & 1
            while rest >= 0x80 {
                bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
                rest >>= 7
            }
            bytes.append(UInt8(truncatingIfNeeded: rest))
            last = target
            count += 1
        }
        return (bytes, count)
    }

    /// Calls `body` for each link, in the order of the targets. Bytes that are not links end it.
    static func unpack(_ bytes: UnsafeRawBufferPointer, _ body: (Link) throws -> Void) rethrows {
        var target: UInt64 = 0
        var value: UInt64 = 0
        var shift: UInt64 = 0
        for byte in bytes {
            guard shift < 64 else { return }
            value |= UInt64(byte & 0x7F) << shift
            shift += 7
            guard byte < 0x80 else { continue }
            target = target &+ value >> 1
            try body(Link(target: Int64(bitPattern: target), isNofollow: value & 1 == 1))
            (value, shift) = (0, 0)
        }
    }
}
