import CZlib

/// Compresses bytes that are kept for long and read seldom. The packed form is the number of bytes in four bytes, the lowest
/// first, then zlib's output.
public enum DeflatedBytes {
    /// The limit of unpacked bytes. `pack` never writes more.
    private static let maximumBytes = 256 << 20

    /// Compresses bytes.
    ///
    /// - Parameter level: zlib's level; 1 is three times as fast as 6, and its result is a fifth larger for text.
    /// - Returns: nil for more than 256 MiB, or without enough memory.
    public static func pack(_ bytes: [UInt8], level: Int32 = 6) -> [UInt8]? {
        guard bytes.count <= maximumBytes else { return nil }
        var packed = [UInt8](repeating: 0, count: Int(compressBound(UInt(bytes.count))))
        var count = UInt(packed.count)
        guard compress2(&packed, &count, bytes, UInt(bytes.count), level) == Z_OK else { return nil }
        return (0..<4).map { UInt8(truncatingIfNeeded: bytes.count >> (8 * $0)) } + packed[..<Int(count)]
    }

    /// Decompresses bytes.
    ///
    /// - Returns: nil for bytes that `pack` did not make.
    public static func unpack(_ packed: [UInt8]) -> [UInt8]? {
        guard packed.count > 4 else { return nil }
        let length = (0..<4).reduce(0) { $0 | Int(packed[$1]) << (8 * $1) }
        guard length <= maximumBytes else { return nil }
        // zlib needs a buffer of at least one byte, even for an empty result.
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

    /// A gzip file with one member (RFC 1952); nil without enough memory.
    public static func gzip(_ bytes: [UInt8], level: Int32 = 6) -> [UInt8]? {
        deflated(bytes, level: level, windowBits: MAX_WBITS + 16)
    }

    /// The format of RFC 1950, which PNG uses; nil without enough memory.
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
