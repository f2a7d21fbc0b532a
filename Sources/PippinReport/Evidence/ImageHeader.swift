import PippinPage

/// A picture's format and size, read from its first bytes.
///
/// The bytes may be anything. Reading never leaves them or traps, and the work is bounded by their number. The media type
/// that the server names is ignored; browsers also go by the bytes.
public struct ImageHeader: Sendable, Hashable {
    /// The formats that can be told apart. The raw value is the media type.
    public enum Format: String, Sendable, CaseIterable {
        case png = "image/png"
        case jpeg = "image/jpeg"
        case gif = "image/gif"
        case webp = "image/webp"
        case avif = "image/avif"
        case heic = "image/heic"
        case svg = "image/svg+xml"

        /// The media type: `image/png`.
        public var mediaType: String { rawValue }

        /// The usual name of the format.
        public var name: String {
            switch self {
            case .png: "PNG"
            case .jpeg: "JPEG"
            case .gif: "GIF"
            case .webp: "WebP"
            case .avif: "AVIF"
            case .heic: "HEIC"
            case .svg: "SVG"
            }
        }
    }

    /// The picture's format.
    public let format: Format
    /// The size in pixels; nil if the bytes end before it, and for SVG, which has no pixels.
    public let width: Int?
    public let height: Int?

    private init(_ format: Format, _ size: (width: Int, height: Int)?) {
        self.format = format
        // A size with a zero in it is no size.
        let size = size.flatMap { $0.width > 0 && $0.height > 0 ? $0 : nil }
        width = size?.width
        height = size?.height
    }

    /// nil if the bytes are not a picture of a known format.
    public init?(_ bytes: [UInt8]) {
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            self.init(.png, Self.pngSize(bytes))
        } else if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
            self.init(.jpeg, Self.jpegSize(bytes))
        } else if bytes.starts(with: "GIF87a".utf8) || bytes.starts(with: "GIF89a".utf8) {
            self.init(.gif, Self.gifSize(bytes))
        } else if bytes.starts(with: "RIFF".utf8), bytes.dropFirst(8).starts(with: "WEBP".utf8) {
            self.init(.webp, Self.webpSize(bytes))
        } else if let format = Self.isoFormat(bytes) {
            self.init(format, Self.isoSize(bytes))
        } else if Self.isSVG(bytes) {
            self.init(.svg, nil)
        } else {
            return nil
        }
    }

    // MARK: Formats

    /// PNG (W3C) §11.2.1: the IHDR chunk is the first one.
    private static func pngSize(_ bytes: [UInt8]) -> (Int, Int)? {
        guard bytes.dropFirst(12).starts(with: "IHDR".utf8), let width = bytes.big32(at: 16),
            let height = bytes.big32(at: 20)
        else { return nil }
        return (width, height)
    }

    /// GIF89a §18: the logical screen.
    private static func gifSize(_ bytes: [UInt8]) -> (Int, Int)? {
        guard let width = bytes.little16(at: 6), let height = bytes.little16(at: 8) else { return nil }
        return (width, height)
    }

    /// ITU T.81 §B.2.2: a frame header, which may follow other segments.
    private static func jpegSize(_ bytes: [UInt8]) -> (Int, Int)? {
        var position = 2
        while position < bytes.count {
            // Fill bytes may stand before a marker.
            guard bytes[position] == 0xFF else { return nil }
            while position < bytes.count, bytes[position] == 0xFF { position += 1 }
            guard position < bytes.count else { return nil }
            let marker = bytes[position]
            position += 1
            switch marker {
            case 0x01, 0xD0...0xD7: continue  // stand alone
            case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:
                guard let height = bytes.big16(at: position + 3), let width = bytes.big16(at: position + 5) else {
                    return nil
                }
                return (width, height)
            case 0xD8, 0xD9, 0xDA: return nil  // an image that begins again, ends, or has its data before its frame
            default:
                guard let length = bytes.big16(at: position), length >= 2 else { return nil }
                position += length
            }
        }
        return nil
    }

    /// WebP container, RFC 9649 §2.5–2.7.
    private static func webpSize(_ bytes: [UInt8]) -> (Int, Int)? {
        let kind = bytes.dropFirst(12).prefix(4)
        if kind.elementsEqual("VP8 ".utf8) {
            // RFC 6386 §9.1: three bytes of frame tag, a start code, then 14 bits each.
            guard bytes.dropFirst(23).starts(with: [0x9D, 0x01, 0x2A]), let width = bytes.little16(at: 26),
                let height = bytes.little16(at: 28)
            else { return nil }
            return (width & 0x3FFF, height & 0x3FFF)
        }
        if kind.elementsEqual("VP8L".utf8) {
            guard bytes.count >= 25, bytes[20] == 0x2F, let low = bytes.little16(at: 21),
                let high = bytes.little16(at: 23)
            else { return nil }
            let bits = low | high << 16
            return ((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
        }
        if kind.elementsEqual("VP8X".utf8) {
            guard let width = bytes.little24(at: 24), let height = bytes.little24(at: 27) else { return nil }
            return (width + 1, height + 1)
        }
        return nil
    }

    // MARK: ISO base media (AVIF, HEIC)

    private static func isoFormat(_ bytes: [UInt8]) -> Format? {
        guard bytes.dropFirst(4).starts(with: "ftyp".utf8), let length = bytes.big32(at: 0), length >= 16 else {
            return nil
        }
        var hasHEIC = false
        // The major brand, then a version (at 12), then the compatible brands.
        for position in stride(from: 8, to: min(length, bytes.count, 256), by: 4) where position != 12 {
            let brand = bytes.dropFirst(position).prefix(4)
            if brand.elementsEqual("avif".utf8) || brand.elementsEqual("avis".utf8) { return .avif }
            if brand.elementsEqual("heic".utf8) || brand.elementsEqual("heix".utf8) { hasHEIC = true }
        }
        return hasHEIC ? .heic : nil
    }

    /// The largest size among the item properties. Thumbnails and tiles have theirs there too.
    private static func isoSize(_ bytes: [UInt8]) -> (Int, Int)? {
        guard let meta = box("meta", in: bytes[...], bytes)?.dropFirst(4),
            let properties = box("iprp", in: meta, bytes), let container = box("ipco", in: properties, bytes)
        else { return nil }
        var best: (Int, Int)?
        forEachBox(in: container, bytes) { name, content in
            guard name.elementsEqual("ispe".utf8), let width = bytes.big32(at: content.startIndex + 4),
                let height = bytes.big32(at: content.startIndex + 8), content.count >= 12
            else { return true }
            // As fractions, because the product of two sides of 32 bits needs 64 bits.
            let isLarger = best.map { Double($0.0) * Double($0.1) < Double(width) * Double(height) } ?? true
            if isLarger { best = (width, height) }
            return true
        }
        return best
    }

    private static func box(_ name: StaticString, in bytes: ArraySlice<UInt8>, _ all: [UInt8]) -> ArraySlice<UInt8>? {
        var found: ArraySlice<UInt8>?
        forEachBox(in: bytes, all) { box, content in
            guard box.elementsEqual(UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)) else {
                return true
            }
            found = content
            return false
        }
        return found
    }

    /// Calls `body` for each box (ISO 14496-12 §4.2) until it returns that it has enough. Every box has at least 8 bytes, so
    /// the loop ends.
    private static func forEachBox(
        in bytes: ArraySlice<UInt8>, _ all: [UInt8], _ body: (ArraySlice<UInt8>, ArraySlice<UInt8>) -> Bool
    ) {
        var position = bytes.startIndex
        while position <= bytes.endIndex - 8 {
            guard let length = all.big32(at: position) else { return }
            // Length 0 means up to the end. Length 1 means a 64-bit length, which no picture's header needs.
            let end = length == 0 ? bytes.endIndex : min(position + length, bytes.endIndex)
            guard end - position >= 8 else { return }
            if !body(bytes[position + 4..<position + 8], bytes[position + 8..<end]) { return }
            position = end
        }
    }

    // MARK: SVG

    /// Whether the bytes are text whose first element is `svg`, after any declaration, comments and document type.
    private static func isSVG(_ bytes: [UInt8]) -> Bool {
        var text = bytes.prefix(4_096)
        if text.starts(with: [0xEF, 0xBB, 0xBF]) { text = text.dropFirst(3) }
        while true {
            text = text.drop { $0.isHTMLSpace }
            if text.starts(with: "<?".utf8) || text.starts(with: "<!DOCTYPE".utf8)
                || text.starts(with: "<!doctype".utf8)
            {
                guard let end = text.firstIndex(of: UInt8(ascii: ">")) else { return false }
                text = text[(end + 1)...]
            } else if text.starts(with: "<!--".utf8) {
                guard let end = Self.commentEnd(text.dropFirst(4)) else { return false }
                text = text[end...]
            } else {
                return text.starts(with: "<svg".utf8)
                    && text.dropFirst(4).first.map { $0.isHTMLSpace || $0 == 0x3E || $0 == 0x2F } ?? false
            }
        }
    }

    private static func commentEnd(_ text: ArraySlice<UInt8>) -> Int? {
        var position = text.startIndex
        while position + 3 <= text.endIndex {
            if text[position] == 0x2D, text[position + 1] == 0x2D, text[position + 2] == 0x3E { return position + 3 }
            position += 1
        }
        return nil
    }
}

extension [UInt8] {
    fileprivate func big16(at offset: Int) -> Int? {
        guard offset >= 0, offset <= count - 2 else { return nil }
        return Int(self[offset]) << 8 | Int(self[offset + 1])
    }

    fileprivate func big32(at offset: Int) -> Int? {
        guard let high = big16(at: offset), let low = big16(at: offset + 2) else { return nil }
        return high << 16 | low
    }

    fileprivate func little16(at offset: Int) -> Int? {
        guard offset >= 0, offset <= count - 2 else { return nil }
        return Int(self[offset + 1]) << 8 | Int(self[offset])
    }

    fileprivate func little24(at offset: Int) -> Int? {
        guard let low = little16(at: offset), offset <= count - 3 else { return nil }
        return Int(self[offset + 2]) << 16 | low
    }
}
