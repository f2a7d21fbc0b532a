/// Makes a document from a page's bytes. The encoding is detected, and the text is decoded and parsed. If a late declaration
/// names another encoding, the last two are done again.
public struct DecodedDocument: Sendable {
    /// The parsed page.
    public let document: HTMLDocument
    /// The encoding that the page was decoded with.
    public let encoding: CharacterEncoding
    let encodingSource: CharacterEncoding.Source
    /// The number of byte sequences that are invalid in that encoding; each is U+FFFD in the document.
    public let replacements: Int
    /// Notes on the encoding, and on limits that were reached.
    public let notes: [ParseNote]

    /// Never fails: any bytes give a document.
    public init(bytes: [UInt8], headers: HTTPHeaders = HTTPHeaders(), limits: ReadingLimits = .standard) {
        var notes: [ParseNote] = []
        var page = bytes
        if bytes.count > limits.maximumBodyBytes {
            page = Array(bytes.prefix(limits.maximumBodyBytes))
            notes.append(
                ParseNote(
                    .document(.tooLarge),
                    "The page has \(bytes.count) bytes; the first \(limits.maximumBodyBytes) were read."))
        }
        let detection = CharacterEncoding.detect(bytes: page, headers: headers)
        notes += detection.notes

        var encoding = detection.encoding
        var source = detection.source
        var text = encoding.decode(page)
        var document = HTMLDocument(utf8: text.utf8, limits: limits)
        // WHATWG HTML §13.2.3.4, "changing the encoding while parsing": a declaration after the first 1,024 bytes, or after a
        // script, counts if the encoding is only a guess so far.
        if detection.isTentative, let late = Self.declaredEncoding(in: document), late != encoding {
            notes.append(
                ParseNote(
                    .charset(.declaredLate),
                    "The encoding \(late.name) is declared after the first 1,024 bytes, where browsers have to start over."
                ))
            encoding = late
            source = .meta
            text = encoding.decode(page)
            document = HTMLDocument(utf8: text.utf8, limits: limits)
        }
        if text.replacements > 0 {
            notes.append(
                ParseNote(
                    .charset(.notDecodable), "\(text.replacements) byte sequences are no text in \(encoding.name)."))
        }
        self.document = document
        self.encoding = encoding
        encodingSource = source
        replacements = text.replacements
        self.notes = notes + document.notes
    }

    private static func declaredEncoding(in document: HTMLDocument) -> CharacterEncoding? {
        for meta in document.elements(named: .meta) {
            if let label = document.value(of: .charset, on: meta),
                let encoding = CharacterEncoding.declared(inMetaCharset: label)
            {
                return encoding
            }
            if document.bytes(of: .httpEquiv, on: meta)?.equalsIgnoringCase("content-type") == true,
                let content = document.value(of: .content, on: meta),
                let encoding = CharacterEncoding.declared(inMetaContent: content)
            {
                return encoding
            }
        }
        return nil
    }
}
