import CZlib
import PippinPage

/// A picture that the demo site draws: a ball before a sky, as a PNG of the requested size. The colors depend on the address, so
/// that different pictures differ.
struct DemoPicture: Sendable {
    /// The allowed sizes in pixels; larger ones would only cost memory.
    static let sides = 1...2_000

    let width: Int
    let height: Int

    init(width: Int, height: Int) {
        self.width = min(max(width, Self.sides.lowerBound), Self.sides.upperBound)
        self.height = min(max(height, Self.sides.lowerBound), Self.sides.upperBound)
    }

    /// - Parameter name: the address of the picture.
    func png(named name: String) -> [UInt8] {
        var bytes: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        // Eight bits per pixel, an index into the palette; no interlacing.
        bytes += Self.chunk("IHDR", Self.bigEndian(width) + Self.bigEndian(height) + [8, 3, 0, 0, 0])
        bytes += Self.chunk("PLTE", Self.palette(for: name))
        bytes += Self.chunk("IDAT", DeflatedBytes.zlib(rows, level: 1) ?? [])
        return bytes + Self.chunk("IEND", [])
    }

    // MARK: Drawing

    private static let skyColors = 64

    /// The colors of the sky from top to bottom, and the ball's as the last.
    private static func palette(for name: String) -> [UInt8] {
        let hash = FNV1a.hash(name.utf8)
        let base = [hash >> 16 & 0x7F, hash >> 24 & 0x7F, hash >> 32 & 0x7F].map { Int($0) }
        let sky = (0..<skyColors).flatMap { step in base.map { UInt8($0 + step * (255 - $0) / skyColors) } }
        return sky + [0xE0, 0x20, 0x30]
    }

    /// Scan lines, each after its filter type 0 (PNG §9).
    private var rows: [UInt8] {
        var rows: [UInt8] = []
        rows.reserveCapacity((width + 1) * height)
        let radius = Double(min(width, height)) / 3
        for line in 0..<height {
            let sky = UInt8(line * Self.skyColors / height)
            let distance = Double(line) - Double(height) / 2
            let square = radius * radius - distance * distance
            let half = square > 0 ? min(Int(square.squareRoot()), width / 2) : 0
            let side = width / 2 - half
            rows.append(0)
            rows += [UInt8](repeating: sky, count: side)
            rows += [UInt8](repeating: UInt8(Self.skyColors), count: 2 * half)
            rows += [UInt8](repeating: sky, count: width - side - 2 * half)
        }
        return rows
    }

    // MARK: Bytes

    private static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
        let body = Array(type.utf8) + data
        return bigEndian(data.count) + body + bigEndian(Int(crc32(0, body, UInt32(body.count))))
    }

    private static func bigEndian(_ number: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}
