import CLibXML2

// Runs libxml2 over an XML sitemap. Its SAX2 events go to `SitemapElements`; no tree is built.
//
// Nothing but the given bytes is read. The handler has no callback that could load a DTD or an external entity. Entities of the
// document itself are read and expanded by `SitemapEntities` within a budget, not by libxml2.

/// Reads XML sitemaps and feeds.
enum SitemapXMLReader {
    /// The limit of attributes per tag. libxml2 compares each with all others of its tag. Entries have fewer than ten.
    private static let maximumAttributes = 500
    /// The limit of namespace declarations in force. libxml2 searches them for every prefix. Real files declare fewer than 20.
    static let maximumNamespaces = 1_000

    static func read(
        _ bytes: [UInt8], url: WebURL, limits: ReadingLimits, notes: BoundedNotes
    ) -> SitemapReading {
        var notes = notes
        var octets = decoded(bytes, notes: &notes)
        // The document type is removed, so that libxml2 needs no limits for its declarations.
        let type = SitemapDocumentType(of: octets)
        if let range = type?.range {
            let lines = octets[range].count { $0 == 0x0A }
            octets.replaceSubrange(range, with: repeatElement(0x0A, count: lines))
        }
        let safe = cutAtCrowdedTag(octets, limits)
        if safe.count < octets.count {
            notes.add(
                .sitemap(.tooManyAttributes),
                "A tag has more than \(maximumAttributes) attributes; the rest is not read.")
        }
        let escaped = LooseAmpersands.escaped(safe, maximumBytes: Sitemap.maximumDecodedBytes, limits: limits)
        if escaped != nil {
            notes.add(.sitemap(.ampersandLoose), "An ampersand stands alone; it must be written “&amp;”.")
        }
        let elements = SitemapElements(
            url: url, limits: limits, entities: SitemapEntities(type?.entities ?? [:], octetsOfDocument: octets.count),
            notes: notes)
        parse(escaped ?? safe, into: elements)
        return elements.finished()
    }

    /// The text as UTF-8. libxml2 gets only UTF-8, so that the checks here see the same characters as libxml2.
    private static func decoded(_ bytes: [UInt8], notes: inout BoundedNotes) -> [UInt8] {
        let encoding: CharacterEncoding
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0x3C, 0x00]) {
            encoding = .utf16LE
        } else if bytes.starts(with: [0xFE, 0xFF]) || bytes.first == 0x00 {
            encoding = .utf16BE
        } else if let declared = MetaPrescan.encodingOfXMLDeclaration(in: bytes[...]) {
            encoding = declared
        } else {
            encoding = .utf8
            let declaration = bytes.starts(with: "<?xml".utf8) ? bytes.prefix { $0 != UInt8(ascii: ">") } : []
            if String(decoding: declaration.prefix(MetaPrescan.maximumBytes), as: UTF8.self).has("encoding") {
                // The name is not an encoding. The file is read as UTF-8, which sitemaps.org requires anyway.
                notes.add(.sitemap(.encodingUnknown), "The declared encoding is unknown; the file is read as UTF-8.")
            }
        }
        let text = encoding.decode(bytes).utf8
        guard let start = text.firstIndex(where: { $0 > 0x20 }), start > 0 else { return text }
        return Array(text[start...])
    }

    private static func parse(_ octets: [UInt8], into elements: SitemapElements) {
        LibXML2.isReady
        octets.withUnsafeBytes { raw in
            let bytes = raw.baseAddress?.assumingMemoryBound(to: CChar.self)
            // libxml2 does not accept an empty buffer or one of more than 2 GB. Other limits are far lower.
            guard let size = Int32(exactly: raw.count), size > 0,
                let context = xmlCreateMemoryParserCtxt(bytes, size)
            else { return }
            defer {
                // Without a tree, libxml2 keeps entity declarations in a separate document.
                if let document = context.pointee.myDoc { xmlFreeDoc(document) }
                context.pointee.myDoc = nil
                xmlFreeParserCtxt(context)
            }
            // The octets are UTF-8, whatever the file declares.
            let options = XML_PARSE_RECOVER.rawValue | XML_PARSE_NONET.rawValue | XML_PARSE_IGNORE_ENC.rawValue
            xmlCtxtUseOptions(context, Int32(options))
            context.pointee.sax.pointee = handler()
            elements.context = context
            // libxml2 uses the pointer only during the call, and the elements live longer.
            context.pointee.userData = Unmanaged.passUnretained(elements).toOpaque()
            xmlParseDocument(context)
            elements.context = nil
        }
    }

    private static func handler() -> xmlSAXHandler {
        var handler = xmlSAXHandler()
        handler.initialized = UInt32(XML_SAX2_MAGIC)
        handler.startElementNs = { user, name, prefix, namespace, namespaceCount, namespaces, count, _, attributes in
            guard let name, let elements = SitemapXMLReader.elements(user) else { return }
            elements.start(
                SitemapElements.Tag(
                    name: name, prefix: prefix, namespace: namespace, namespaces: namespaces,
                    namespaceCount: Int(namespaceCount), attributes: attributes, attributeCount: Int(count)))
        }
        handler.endElementNs = { user, _, _, _ in
            SitemapXMLReader.elements(user)?.end()
        }
        handler.characters = { user, bytes, count in
            guard let bytes else { return }
            SitemapXMLReader.elements(user)?.characters(UnsafeBufferPointer(start: bytes, count: Int(count)))
        }
        handler.ignorableWhitespace = handler.characters
        handler.cdataBlock = handler.characters
        handler.internalSubset = { user, _, _, _ in
            // A document type that was overlooked because the prolog is broken.
            SitemapXMLReader.elements(user)?.stop()
        }
        handler.getEntity = { user, name in
            // libxml2 knows the five entities of XML and asks only for others. It gets none that it could expand.
            if let name { SitemapXMLReader.elements(user)?.entity(named: name) }
            return nil
        }
        handler.processingInstruction = { user, target, _ in
            if let target { SitemapXMLReader.elements(user)?.met(target) }
        }
        handler.comment = { user, _ in SitemapXMLReader.elements(user)?.stopIfInterrupted() }
        handler.serror = { user, error in
            guard let error else { return }
            SitemapXMLReader.elements(user)?.problem(error.pointee)
        }
        return handler
    }

    private static func elements(_ user: UnsafeMutableRawPointer?) -> SitemapElements? {
        user.map { Unmanaged<SitemapElements>.fromOpaque($0).takeUnretainedValue() }
    }

    /// The octets before the first tag with too many attributes. It counts equals signs outside quotation marks between `<` and
    /// `>`. A `<` restarts the count even inside quotation marks, because libxml2 ends a value there.
    private static func cutAtCrowdedTag(_ octets: [UInt8], _ limits: ReadingLimits) -> [UInt8] {
        var tag: Int?
        var quote: UInt8?
        var count = 0
        for (index, octet) in octets.enumerated() {
            if index & 0xFFFF == 0, limits.isInterrupted { return [] }
            if octet == UInt8(ascii: "<") {
                tag = index
                quote = nil
                count = 0
            } else if let start = tag {
                if let mark = quote {
                    if octet == mark { quote = nil }
                } else if octet == UInt8(ascii: "\"") || octet == UInt8(ascii: "'") {
                    quote = octet
                } else if octet == UInt8(ascii: ">") {
                    tag = nil
                } else if octet == UInt8(ascii: "=") {
                    count += 1
                    if count > maximumAttributes { return Array(octets[..<start]) }
                }
            }
        }
        return octets
    }
}

/// Ampersands that do not begin a reference, the most frequent mistake in sitemaps: `?a=1&b=2`. After this error an XML parser
/// has lost `&b` and would return another address.
enum LooseAmpersands {
    /// The text with every loose ampersand written as `&amp;`; nil if there is none. CDATA sections and comments are not
    /// changed, because an ampersand is plain text there. The result ends early if it would exceed `maximumBytes` or if the
    /// reading is interrupted.
    static func escaped(_ octets: [UInt8], maximumBytes: Int, limits: ReadingLimits = .standard) -> [UInt8]? {
        var result: [UInt8] = []
        var copied = 0
        var index = 0
        while index < octets.count {
            if index & 0xFFFF == 0, limits.isInterrupted { return result }
            switch octets[index] {
            case UInt8(ascii: "&") where !beginsReference(octets[(index + 1)...]):
                result += octets[copied...index]
                result += "amp;".utf8
                if result.count > maximumBytes { return result }
                index += 1
                copied = index
            case UInt8(ascii: "<"):
                if octets[index...].starts(with: "<![CDATA[".utf8) {
                    index = end(of: "]]>", in: octets, from: index + 9)
                } else if octets[index...].starts(with: "<!--".utf8) {
                    index = end(of: "-->", in: octets, from: index + 4)
                } else {
                    index += 1
                }
            default: index += 1
            }
        }
        return copied == 0 ? nil : result + octets[copied...]
    }

    /// Whether the text begins with the rest of a reference: `amp;`, `#38;`, `#x26;`. The name or number must have a plausible
    /// length.
    private static func beginsReference(_ rest: ArraySlice<UInt8>) -> Bool {
        guard let semicolon = rest.prefix(64).firstIndex(of: UInt8(ascii: ";")), semicolon > rest.startIndex else {
            return false
        }
        var name = rest[..<semicolon]
        if name.first == UInt8(ascii: "#") {
            name.removeFirst()
            return !name.isEmpty && name.allSatisfy { isDigit($0) || isLetter($0) }
        }
        guard let first = name.first, isLetter(first) || first == UInt8(ascii: "_") else { return false }
        return name.allSatisfy {
            isLetter($0) || isDigit($0) || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-")
                || $0 == UInt8(ascii: ".")
        }
    }

    private static func end(of mark: StaticString, in octets: [UInt8], from start: Int) -> Int {
        mark.withUTF8Buffer { mark in
            var index = start
            while index + mark.count <= octets.count {
                if octets[index] == mark[0], octets[index...].starts(with: mark) { return index + mark.count }
                index += 1
            }
            return octets.count
        }
    }

    private static func isLetter(_ octet: UInt8) -> Bool {
        (0x61...0x7A).contains(octet | 0x20) || octet > 0x7F
    }

    private static func isDigit(_ octet: UInt8) -> Bool {
        (0x30...0x39).contains(octet)
    }
}
