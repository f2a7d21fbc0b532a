extension CharacterEncoding {
    /// The reason for choosing an encoding, the strongest first (HTML Standard, "determining the character encoding").
    public enum Source: String, Sendable, Hashable {
        case byteOrderMark = "byte-order-mark"
        /// `charset` of the Content-Type header.
        case contentType = "content-type"
        case meta
        case xmlDeclaration = "xml-declaration"
        /// No declaration, but the bytes are valid UTF-8 with characters beyond ASCII, which does not happen by chance.
        case validUTF8 = "valid-utf-8"
        case fallback
    }

    /// The encoding of a page, and the reason for it.
    public struct Detection: Sendable, Hashable {
        /// The encoding to decode the page with.
        public let encoding: CharacterEncoding
        /// The reason for the encoding.
        public let source: Source
        /// Notes for the author: `charset-unknown`, `charset-overruled`, `charset-conflict`.
        public let notes: [ParseNote]

        /// Whether a `meta` that the parser meets later can still change the encoding. The first one that declares an encoding
        /// decides: if `declared(inMetaCharset:)` or `declared(inMetaContent:)` gives another one, the page must be decoded and
        /// parsed again (HTML Standard, "changing the encoding while parsing").
        var isTentative: Bool {
            switch source {
            case .byteOrderMark, .contentType: false
            case .meta, .xmlDeclaration, .validUTF8, .fallback: !encoding.isUTF16 && !isForced
            }
        }

        /// Whether the bytes overruled a declaration. Then a later declaration is ignored too.
        let isForced: Bool

        init(
            _ encoding: CharacterEncoding, _ source: Source, notes: [ParseNote] = [], isForced: Bool = false
        ) {
            self.encoding = encoding
            self.source = source
            self.notes = notes
            self.isForced = isForced
        }
    }

    /// Finds the encoding of a page or XML file. The first of these decides. HTML: byte order mark, Content-Type, meta or XML
    /// declaration in the first 1,024 bytes, UTF-8 if the bytes are valid UTF-8, windows-1252. XML: the same, but the XML
    /// declaration before meta, and UTF-8 at the end.
    ///
    /// Two rules are ours, because headers and saved pages are often wrong. If header and meta differ, the meta says UTF-8, and
    /// the bytes are valid UTF-8 with characters beyond ASCII, the encoding is UTF-8. Without a header, the same holds against
    /// a meta if there are at least `enoughMultibyte` such characters.
    public static func detect(bytes: [UInt8], headers: HTTPHeaders) -> Detection {
        if let marked = byteOrderMark(of: bytes) {
            return Detection(marked, .byteOrderMark)
        }
        var notes: [ParseNote] = []
        let mediaType = MediaType(headers: headers)
        let declared = declaration(in: bytes[...], isXML: mediaType?.isXML ?? false)

        if let charset = mediaType?.charset {
            if let encoding = CharacterEncoding(label: charset) {
                return judge(encoding, against: declared, bytes)
            }
            notes.append(
                ParseNote(
                    .charset(.unknown), "The Content-Type header names the unknown encoding “\(shortened(charset))”."))
        }
        // The bytes are not looked at if they cannot change anything.
        if let declared, declared.encoding == .utf8 { return Detection(.utf8, declared.source, notes: notes) }
        let multibyte = multibyteCount(of: bytes)
        if let declared {
            guard multibyte >= enoughMultibyte else {
                return Detection(declared.encoding, declared.source, notes: notes)
            }
            notes.append(
                ParseNote(
                    .charset(.overruled), "The page declares \(declared.encoding.name), but its bytes are valid UTF-8.")
            )
            return Detection(.utf8, .validUTF8, notes: notes, isForced: true)
        }
        if multibyte > 0 {
            return Detection(.utf8, .validUTF8, notes: notes, isForced: multibyte >= enoughMultibyte)
        }
        return Detection(mediaType?.isXML == true ? .utf8 : .windows1252, .fallback, notes: notes)
    }

    /// A page that is valid UTF-8 and has this many characters beyond ASCII is UTF-8, whatever it declares itself. One in seven
    /// pairs of GB 2312 bytes is UTF-8 by chance; sixteen pairs and no error do not happen.
    private static let enoughMultibyte = 16

    /// The encoding that a `charset` attribute of a `meta` declares; nil for unknown labels.
    public static func declared(inMetaCharset value: some StringProtocol) -> CharacterEncoding? {
        CharacterEncoding(label: value)?.asDeclaredInside
    }

    /// The encoding that the `content` attribute of a `meta` with `http-equiv=content-type` declares; nil if none.
    public static func declared(inMetaContent value: some StringProtocol) -> CharacterEncoding? {
        MetaPrescan.encoding(inMetaContent: Array(value.utf8))?.asDeclaredInside
    }

    /// The encoding whose byte order mark the bytes begin with (Encoding Standard §6, "BOM sniff").
    static func byteOrderMark(of bytes: [UInt8]) -> CharacterEncoding? {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return .utf8 }
        if bytes.starts(with: [0xFE, 0xFF]) { return .utf16BE }
        return bytes.starts(with: [0xFF, 0xFE]) ? .utf16LE : nil
    }

    private static func declaration(
        in bytes: ArraySlice<UInt8>, isXML: Bool
    ) -> (encoding: CharacterEncoding, source: Source)? {
        if let encoding = MetaPrescan.utf16XMLDeclaration(in: bytes) { return (encoding, .xmlDeclaration) }
        let declaredByXML = { MetaPrescan.encodingOfXMLDeclaration(in: bytes).map { ($0, Source.xmlDeclaration) } }
        let declaredByMeta = { MetaPrescan.declaredEncoding(in: bytes).map { ($0, Source.meta) } }
        return isXML ? declaredByXML() ?? declaredByMeta() : declaredByMeta() ?? declaredByXML()
    }

    /// The header's encoding, unless both the meta and the bytes are for UTF-8.
    private static func judge(
        _ header: CharacterEncoding, against declared: (encoding: CharacterEncoding, source: Source)?, _ bytes: [UInt8]
    ) -> Detection {
        guard let declared, declared.encoding != header else { return Detection(header, .contentType) }
        if declared.encoding == .utf8, !header.isUTF16, multibyteCount(of: bytes) > 0 {
            let note = ParseNote(
                .charset(.overruled),
                "The Content-Type header says \(header.name), but the page declares UTF-8 and its bytes are valid UTF-8."
            )
            return Detection(.utf8, declared.source, notes: [note], isForced: true)
        }
        let note = ParseNote(
            .charset(.conflict),
            "The Content-Type header says \(header.name), the page declares \(declared.encoding.name); the header decides."
        )
        return Detection(header, .contentType, notes: [note])
    }

    /// The number of characters beyond ASCII if the bytes are valid UTF-8, else 0.
    private static func multibyteCount(of bytes: [UInt8]) -> Int {
        bytes.withUnsafeBufferPointer(UTF8Scan.multibyteCount) ?? 0
    }

    /// A label of the page, cut to the length that a note may quote.
    private static func shortened(_ label: String) -> String {
        String(label.unicodeScalars.prefix(40).map { $0.value < 0x20 ? " " : Character($0) })
    }
}
