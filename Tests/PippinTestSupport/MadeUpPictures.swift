import CZlib

/// Pictures made for tests: real ones, and those that take far more to read than their bytes.
public enum MadeUpPictures {
    /// A PNG whose samples all have one value, of any size. Its rows are made and packed one after the other.
    ///
    /// - Parameters:
    ///   - isInterlaced: says so in the head. A reader then needs all pixels at once; that the rows are not in the order of Adam7, it sees
    ///     later.
    public static func png(
        width: Int, height: Int, bits: Int = 8, channels: Int = 3, value: UInt8 = 0, isInterlaced: Bool = false
    ) -> [UInt8] {
        let row = [0] + [UInt8](repeating: value, count: (width * bits * channels + 7) / 8)
        return png(width: width, height: height, bits: bits, channels: channels, isInterlaced: isInterlaced) { _ in row
        }
    }

    /// A PNG with something to see.
    public static func colorful(width: Int, height: Int) -> [UInt8] {
        png(width: width, height: height, bits: 8, channels: 3, isInterlaced: false) { line in
            [0]
                + (0..<width).flatMap {
                    [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: line), UInt8(($0 ^ line) & 0xFF)]
                }
        }
    }

    /// A GIF whose frames have one pixel each, after the size of its screen.
    public static func gif(frames: Int, width: Int, height: Int) -> [UInt8] {
        let sides = [width, height].flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        let head = Array("GIF89a".utf8) + sides + [0x80, 0, 0] + [0, 0, 0, 255, 255, 255]
        let control: [UInt8] = [0x21, 0xF9, 4, 0, 1, 0, 0, 0]
        let frame: [UInt8] = control + [0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0] + [2, 2, 0x4C, 1, 0]
        var bytes = head
        for _ in 0..<frames { bytes += frame }
        return bytes + [0x3B]
    }

    private static func png(
        width: Int, height: Int, bits: Int, channels: Int, isInterlaced: Bool, row: (Int) -> [UInt8]
    ) -> [UInt8] {
        let color: UInt8 = channels == 1 ? 0 : channels == 3 ? 2 : 6
        let head = big(width) + big(height) + [UInt8(bits), color, 0, 0, isInterlaced ? 1 : 0]
        var packed: [UInt8] = []
        var stream = z_stream()
        deflateInit_(&stream, 1, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        var block = [UInt8](repeating: 0, count: 64 << 10)
        func pack(_ bytes: [UInt8], _ flush: Int32) {
            var bytes = bytes
            bytes.withUnsafeMutableBufferPointer { input in
                stream.next_in = input.baseAddress
                stream.avail_in = UInt32(input.count)
                repeat {
                    let count = block.withUnsafeMutableBufferPointer { output in
                        stream.next_out = output.baseAddress
                        stream.avail_out = UInt32(output.count)
                        deflate(&stream, flush)
                        return output.count - Int(stream.avail_out)
                    }
                    packed += block[..<count]
                } while stream.avail_out == 0
            }
        }
        for line in 0..<height { pack(row(line), Z_NO_FLUSH) }
        pack([], Z_FINISH)
        deflateEnd(&stream)
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + chunk("IHDR", head) + chunk("IDAT", packed)
            + chunk("IEND", [])
    }

    private static func big(_ number: Int) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
    }

    private static func chunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
        let bytes = Array(type.utf8) + content
        return big(content.count) + bytes + big(Int(crc32(0, bytes, UInt32(bytes.count))))
    }
}
