import Testing

@testable import PippinPage
@testable import PippinReport

/// Pictures' first bytes: made by hand, cut anywhere, and lying about themselves.
@Suite struct ImageHeaderTests {
    private static let png: [UInt8] =
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8)
        + [0, 0, 4, 0xB0, 0, 0, 2, 0x76, 8, 6, 0, 0, 0]
    /// With an application segment, fill bytes and a table before the frame.
    private static let jpeg: [UInt8] =
        [0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 0x4A, 0x46, 0xFF, 0xFF, 0xC4, 0, 3, 0, 0xFF, 0xC2, 0, 11, 8]
        + [2, 0x76, 4, 0xB0, 1, 1, 0x11, 0]
    private static let gif = Array("GIF89a".utf8) + [0x2C, 1, 0x0A, 0, 0, 0, 0]
    private static let lossy: [UInt8] =
        Array("RIFF    WEBPVP8 ".utf8) + [0, 0, 0, 0, 0x30, 1, 0, 0x9D, 1, 0x2A, 0xB0, 0x44, 0x76, 2]
    private static let lossless: [UInt8] =
        Array("RIFF    WEBPVP8L".utf8) + [0, 0, 0, 0, 0x2F, 0xAF, 0x44, 0x9D, 0]
    private static let extended: [UInt8] =
        Array("RIFF    WEBPVP8X".utf8) + [10, 0, 0, 0, 0, 0, 0, 0, 0xAF, 4, 0, 0x75, 2, 0]

    private static func box(_ name: String, _ content: [UInt8]) -> [UInt8] {
        [0, 0, 0, UInt8(content.count + 8)] + Array(name.utf8) + content
    }

    /// A thumbnail's size stands before the picture's.
    private static let avif: [UInt8] = {
        let sizes =
            box("ispe", [0, 0, 0, 0, 0, 0, 0, 64, 0, 0, 0, 64]) + box("pixi", [0, 0, 0, 0])
            + box("ispe", [0, 0, 0, 0, 0, 0, 4, 0xB0, 0, 0, 2, 0x76])
        return box("ftyp", Array("mif1\0\0\0\0miafavif".utf8))
            + box("meta", [0, 0, 0, 0] + box("hdlr", []) + box("iprp", box("ipco", sizes)))
    }()

    @Test func `each format says its size`() {
        let cases: [(ImageHeader.Format, [UInt8], Int, Int)] = [
            (.png, Self.png, 1200, 630), (.jpeg, Self.jpeg, 1200, 630), (.gif, Self.gif, 300, 10),
            (.webp, Self.lossy, 1200, 630), (.webp, Self.lossless, 1200, 630), (.webp, Self.extended, 1200, 630),
            (.avif, Self.avif, 1200, 630),
        ]
        for (format, bytes, width, height) in cases {
            let header = ImageHeader(bytes)
            #expect(header?.format == format)
            #expect(header?.width == width && header?.height == height, "\(format) \(String(describing: header))")
        }
    }

    @Test func `a picture that is cut has a size or none, never half of one`() {
        for bytes in [Self.png, Self.jpeg, Self.gif, Self.lossy, Self.lossless, Self.extended, Self.avif] {
            for length in bytes.indices {
                guard let header = ImageHeader(Array(bytes.prefix(length))) else { continue }
                #expect((header.width == nil) == (header.height == nil))
            }
        }
    }

    @Test func `an SVG is told by its first element, whatever stands before it`() {
        let prolog = "\u{FEFF}<?xml version=\"1.0\"?>\n<!-- a > b --><!DOCTYPE svg>\n"
        #expect(ImageHeader(Array((prolog + "<svg width=\"5\">").utf8))?.format == .svg)
        #expect(ImageHeader(Array("<svg/>".utf8))?.format == .svg)
        #expect(ImageHeader(Array((prolog + "<svg width=\"5\">").utf8))?.width == nil)
        #expect(ImageHeader(Array("<html><svg></svg>".utf8)) == nil)
        #expect(ImageHeader(Array("<svgx>".utf8)) == nil)
        #expect(ImageHeader(Array("<!-- <svg>".utf8)) == nil)
    }

    @Test func `what is no picture has no header, and a side of nothing is no size`() {
        #expect(ImageHeader([]) == nil)
        #expect(ImageHeader(Array("<!DOCTYPE html><title>404</title>".utf8)) == nil)
        #expect(ImageHeader(Array("GIF89a".utf8) + [0, 0, 5, 0])?.width == nil)
        #expect(ImageHeader([0xFF, 0xD8, 0xFF, 0xE0, 0, 0, 0xFF])?.width == nil)
        #expect(ImageHeader([0xFF, 0xD8, 0xFF, 0xD9, 0xFF, 0xC0, 0, 11, 8, 0, 5, 0, 5])?.width == nil)
    }

    @Test func `boxes that claim to be larger than the file end with it`() {
        let huge: [UInt8] =
            Self.box("ftyp", Array("avif\0\0\0\0".utf8)) + [0xFF, 0xFF, 0xFF, 0xFF] + Array("meta".utf8)
        #expect(ImageHeader(huge)?.format == .avif)
        #expect(ImageHeader(huge)?.width == nil)
        #expect(ImageHeader(Self.box("ftyp", Array("avif\0\0\0\0".utf8)) + [0, 0, 0, 0, 1, 2, 3, 4, 5])?.width == nil)
    }
}
