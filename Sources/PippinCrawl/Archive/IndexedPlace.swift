import Foundation
import PippinPage

/// What a line of a CDXJ index says of a record: of what it is, and where it lies. Nothing of it is believed without a look at the record.
struct IndexedPlace: Sendable, Equatable {
    typealias Malformed = CDXJFields.Malformed

    let url: WebURL
    let status: String?
    let mediaType: String?
    /// The SHA-1 of the payload, 20 bytes; nil if the line has none, or one of another algorithm.
    let payloadDigest: [UInt8]?
    /// The archive's file: names of folders and of a file, separated by `/`.
    let file: String
    let offset: UInt64
    let length: Int

    /// The longest record: a page of the largest size with its heads, and what a packed one of random bytes takes more.
    static func maximumLength(maximumBodyBytes: Int) -> Int {
        maximumBodyBytes + maximumBodyBytes / 1_000 + 2 * WARCReader.maximumHeadBytes
    }

    /// The longest name of a file. Those of Common Crawl have 140 bytes.
    private static let maximumFileBytes = 1_000

    /// Reads a line: key, 14 digits, and an object, whose numbers are strings.
    init(_ line: [UInt8], maximumBodyBytes: Int) throws(Malformed) {
        let fields = try CDXJFields(line)
        func number(_ name: String) throws(Malformed) -> UInt64 {
            guard let number = fields.number(name) else {
                throw Malformed(reason: "has no \"\(name)\" of at most 15 digits")
            }
            return number
        }
        guard let url = fields.text("url").flatMap({ WebURL($0) }), url.isHTTP else {
            throw Malformed(reason: "has no \"url\" of http or https")
        }
        guard let file = fields.text("filename"), Self.isSafe(file) else {
            throw Malformed(
                reason: "has no \"filename\" that stays below a folder: no address, no absolute path, no \"..\"")
        }
        let maximum = Self.maximumLength(maximumBodyBytes: maximumBodyBytes)
        let length = try number("length")
        guard (1...UInt64(maximum)).contains(length) else {
            throw Malformed(reason: "has a \"length\" of \(length) bytes; 1 to \(maximum) are read")
        }
        (self.url, self.file, self.length, offset) = (url, file, Int(length), try number("offset"))
        status = fields.text("status")
        // What Common Crawl saw in the bytes is better than what the server said.
        mediaType = (fields.text("mime-detected") ?? fields.text("mime"))?.asciiLowercased
        if let digest = fields.text("digest") { payloadDigest = try Self.digest(digest) } else { payloadDigest = nil }
    }

    /// Whether the line says that it is of a page: status 200 and a type of HTML.
    var saysPage: Bool { status == "200" && ["text/html", "application/xhtml+xml"].contains(mediaType) }

    /// Whether a name leads to a file below a folder, and as a URL's path to one below the path of a host.
    private static func isSafe(_ name: String) -> Bool {
        guard (1...maximumFileBytes).contains(name.utf8.count) else { return false }
        let isPlain = name.utf8.allSatisfy { byte in
            // Letters, digits and what names of archives have beside them: nothing that a path or a URL takes for its own.
            byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 26
                || [0x2D, 0x2E, 0x2F, 0x5F, 0x2B, 0x3D, 0x40, 0x2C].contains(byte)
        }
        guard isPlain else { return false }
        return name.split(separator: "/", omittingEmptySubsequences: false).allSatisfy {
            !["", ".", ".."].contains($0)
        }
    }

    /// The 20 bytes of a SHA-1 in base 32 (RFC 4648 §6), with or without `sha1:`; nil for another algorithm and for none.
    private static func digest(_ text: String) throws(Malformed) -> [UInt8]? {
        var letters = text.asciiLowercased[...]
        if letters.isEmpty || letters == "-" { return nil }
        if letters.hasPrefix("sha1:") { letters = letters.dropFirst(5) } else if letters.contains(":") { return nil }
        var bytes: [UInt8] = []
        var (bits, count) = (UInt32(0), 0)
        for letter in letters.utf8 {
            let value: UInt8
            switch letter {
            case 0x61...0x7A: value = letter - 0x61
            case 0x32...0x37: value = letter - 0x32 + 26
            default: throw Malformed(reason: "has a \"digest\" that is no SHA-1 in base 32")
            }
            bits = (bits << 5 | UInt32(value)) & 0xFFFF
            count += 5
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        guard letters.utf8.count == 32 else { throw Malformed(reason: "has a \"digest\" that is no SHA-1 in base 32") }
        return bytes
    }
}
