import CZlib

/// Bodies in content codings, made here rather than kept as files.
public enum PackedBytes {
    public enum Wrapping: Int32, Sendable {
        case gzip = 31
        case zlib = 15
        /// Deflate without the zlib wrapping it should have, as some servers send it.
        case rawDeflate = -15
    }

    public static func deflate(_ bytes: [UInt8], _ wrapping: Wrapping) -> [UInt8] {
        var stream = z_stream()
        guard pippin_deflateInit2(&stream, 9, wrapping.rawValue) == Z_OK else { return [] }
        defer { deflateEnd(&stream) }
        var input = bytes
        var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(bytes.count))))
        let count = input.withUnsafeMutableBufferPointer { source in
            output.withUnsafeMutableBufferPointer { target in
                stream.next_in = source.baseAddress
                stream.avail_in = UInt32(source.count)
                stream.next_out = target.baseAddress
                stream.avail_out = UInt32(target.count)
                return CZlib.deflate(&stream, Z_FINISH) == Z_STREAM_END ? target.count - Int(stream.avail_out) : 0
            }
        }
        return Array(output[..<count])
    }

    /// A zstd frame of `count` blocks that each say "128 KiB of this byte" in four bytes (RFC 8878 §3.1.1.2.2).
    public static func zstd(repeating byte: UInt8, blocksOf128K count: Int) -> [UInt8] {
        // Magic number; descriptor without sizes or checksum; a window of 128 KiB (exponent 7).
        var bytes: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x00, 7 << 3]
        for block in 1...max(1, count) {
            let isLast: UInt32 = block == count ? 1 : 0
            let header = (128 << 10) << 3 | 1 << 1 | isLast
            bytes += [UInt8(header & 0xFF), UInt8(header >> 8 & 0xFF), UInt8(header >> 16 & 0xFF), byte]
        }
        return bytes
    }

    /// 8 MiB of zeros in brotli: 14 bytes.
    public static let brotliZeros8M: [UInt8] = [
        0x9F, 0xFF, 0xFF, 0x7F, 0xF8, 0x27, 0x00, 0xE2, 0xB1, 0x40, 0x20, 0xF7, 0xFE, 0x0F,
    ]
    /// `hello brotli` in brotli.
    public static let brotliHello: [UInt8] = [
        0x8B, 0x05, 0x80, 0x68, 0x65, 0x6C, 0x6C, 0x6F, 0x20, 0x62, 0x72, 0x6F, 0x74, 0x6C, 0x69, 0x03,
    ]
}
