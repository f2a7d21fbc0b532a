import CZlib

/// Bytes, deflated: their number in four bytes, little end first, and what zlib makes of them. For what is kept for long and
/// read seldom.
public enum DeflatedBytes {
    /// What nobody has written unpacks to more.
    private static let maximumBytes = 256 << 20

    /// - Parameter level: zlib's; 1 is three times as fast as 6, and packs text a fifth worse.
    /// - Returns: nil for more than 256 MiB, and where no memory is left.
    public static func pack(_ bytes: [UInt8], level: Int32 = 6) -> [UInt8]? {
        guard bytes.count <= maximumBytes else { return nil }
        var packed = [UInt8](repeating: 0, count: Int(compressBound(UInt(bytes.count))))
        var count = UInt(packed.count)
        guard compress2(&packed, &count, bytes, UInt(bytes.count), level) == Z_OK else { return nil }
        return (0..<4).map { UInt8(truncatingIfNeeded: bytes.count >> (8 * $0)) } + packed[..<Int(count)]
    }

    /// - Returns: nil for what `pack` has not made.
    public static func unpack(_ packed: [UInt8]) -> [UInt8]? {
        guard packed.count > 4 else { return nil }
        let length = (0..<4).reduce(0) { $0 | Int(packed[$1]) << (8 * $1) }
        guard length <= maximumBytes else { return nil }
        // zlib wants room for a byte where there is none.
        var bytes = [UInt8](repeating: 0, count: max(1, length))
        var count = UInt(bytes.count)
        let status = packed.withUnsafeBufferPointer { packed in
            packed.baseAddress.map { uncompress(&bytes, &count, $0 + 4, UInt(packed.count - 4)) } ?? Z_DATA_ERROR
        }
        guard status == Z_OK, count == UInt(length) else { return nil }
        if length == 0 { bytes = [] }
        return bytes
    }

    // MARK: Forms that others read

    /// A gzip file of one member (RFC 1952); nil where no memory is left.
    public static func gzip(_ bytes: [UInt8], level: Int32 = 6) -> [UInt8]? {
        deflated(bytes, level: level, windowBits: MAX_WBITS + 16)
    }

    /// RFC 1950, as PNG has it; nil where no memory is left.
    public static func zlib(_ bytes: [UInt8], level: Int32 = 6) -> [UInt8]? {
        deflated(bytes, level: level, windowBits: MAX_WBITS)
    }

    private static func deflated(_ bytes: [UInt8], level: Int32, windowBits: Int32) -> [UInt8]? {
        var stream = z_stream()
        guard pippin_deflateInit2(&stream, level, windowBits) == Z_OK else { return nil }
        defer { deflateEnd(&stream) }
        var input = bytes
        var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(bytes.count))))
        let count = input.withUnsafeMutableBufferPointer { source in
            output.withUnsafeMutableBufferPointer { target in
                stream.next_in = source.baseAddress
                stream.avail_in = UInt32(source.count)
                stream.next_out = target.baseAddress
                stream.avail_out = UInt32(target.count)
                return deflate(&stream, Z_FINISH) == Z_STREAM_END ? target.count - Int(stream.avail_out) : 0
            }
        }
        output.removeLast(output.count - count)
        return count > 0 ? output : nil
    }
}
