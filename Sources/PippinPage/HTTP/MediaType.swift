extension HTTPHeaders {
    /// The media type of the response, in lower case and without parameters: the last valid one (Fetch Standard, "extract a MIME
    /// type"). Nil if there is no valid one.
    public var mediaType: String? { MediaType(headers: self)?.essence }
}

/// The parts of a Content-Type header that reading a page needs (MIME Sniffing Standard §4).
struct MediaType: Equatable {
    /// Type and subtype in lower case: `text/html`.
    let essence: String
    /// The value of the `charset` parameter as written, without quotes; the first one if there are several.
    private(set) var charset: String?

    /// Whether this is an XML media type (§4.6): `text/xml`, `application/xml`, and all that end in `+xml`.
    var isXML: Bool { essence == "text/xml" || essence == "application/xml" || essence.hasSuffix("+xml") }

    /// The media type of a response (Fetch Standard, "extract a MIME type"): the last valid one of several header values. It
    /// inherits the charset of an earlier one with the same essence.
    init?(headers: HTTPHeaders) {
        var found: MediaType?
        for value in headers.values("content-type") {
            for part in Self.listElements(Array(value.utf8)) {
                guard var type = MediaType(part), type.essence != "*/*" else { continue }
                if type.charset == nil, type.essence == found?.essence { type.charset = found?.charset }
                found = type
            }
        }
        guard let found else { return nil }
        self = found
    }

    /// Parses a media type ("parse a MIME type", §4.4).
    init?(_ text: ArraySlice<UInt8>) {
        let text = Self.trimmed(text)
        guard let slash = text.firstIndex(of: 0x2F) else { return nil }
        let semicolon = text[slash...].firstIndex(of: 0x3B) ?? text.endIndex
        let type = text[..<slash]
        let subtype = Self.trimmed(text[(slash + 1)..<semicolon])
        guard Self.isToken(type), Self.isToken(subtype) else { return nil }
        essence = String(decoding: (type + [0x2F] + subtype).map(\.asciiLowercased), as: UTF8.self)

        var i = semicolon
        while i < text.endIndex {
            i += 1
            while i < text.endIndex, Self.isSpace(text[i]) { i += 1 }
            let nameEnd = text[i...].firstIndex { $0 == 0x3B || $0 == 0x3D } ?? text.endIndex
            let isCharset = text[i..<nameEnd].map(\.asciiLowercased).elementsEqual("charset".utf8)
            i = nameEnd
            guard i < text.endIndex else { break }
            if text[i] == 0x3B { continue }
            i += 1
            guard i < text.endIndex else { break }
            let value: [UInt8]
            if text[i] == 0x22 {
                value = Self.quotedString(text, &i)
                i = text[i...].firstIndex(of: 0x3B) ?? text.endIndex
            } else {
                let end = text[i...].firstIndex(of: 0x3B) ?? text.endIndex
                value = Array(Self.trimmed(text[i..<end], leading: false))
                i = end
                if value.isEmpty { continue }
            }
            let isQuotable = value.allSatisfy { $0 == 0x09 || $0 >= 0x20 && $0 != 0x7F }
            if isCharset, charset == nil, isQuotable { charset = String(decoding: value, as: UTF8.self) }
        }
    }

    /// Reads a quoted string (Fetch Standard, "collect an HTTP quoted string"). Moves `i` from the opening quote to after the
    /// closing one.
    private static func quotedString(_ text: ArraySlice<UInt8>, _ i: inout Int) -> [UInt8] {
        var value: [UInt8] = []
        i += 1
        while i < text.endIndex {
            let byte = text[i]
            i += 1
            if byte == 0x22 { break }
            if byte == 0x5C {
                value.append(i < text.endIndex ? text[i] : byte)
                if i < text.endIndex { i += 1 }
            } else {
                value.append(byte)
            }
        }
        return value
    }

    /// Splits at commas outside quoted strings.
    private static func listElements(_ text: [UInt8]) -> [ArraySlice<UInt8>] {
        var elements: [ArraySlice<UInt8>] = []
        var start = 0
        var i = 0
        while i < text.count {
            if text[i] == 0x22 {
                _ = quotedString(text[...], &i)
                continue
            }
            if text[i] == 0x2C {
                elements.append(text[start..<i])
                start = i + 1
            }
            i += 1
        }
        elements.append(text[start...])
        return elements
    }

    private static func trimmed(_ text: ArraySlice<UInt8>, leading: Bool = true) -> ArraySlice<UInt8> {
        var text = text
        while leading, let first = text.first, isSpace(first) { text.removeFirst() }
        while let last = text.last, isSpace(last) { text.removeLast() }
        return text
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }

    private static func isToken(_ bytes: ArraySlice<UInt8>) -> Bool {
        !bytes.isEmpty
            && bytes.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
                case 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x5E...0x60, 0x7C, 0x7E: true
                default: false
                }
            }
    }
}
