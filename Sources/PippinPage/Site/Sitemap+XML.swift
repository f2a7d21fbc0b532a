import CLibXML2

// Driving libxml2 over an XML sitemap: its SAX2 events go to `SitemapElements`, no tree is built.
//
// Nothing but the given bytes is read. The handler has no callback that could load a DTD or an external entity, and
// entities of the document itself are expanded by us, within a budget (`SitemapEntities`), instead of by libxml2.

/// Reads XML sitemaps and feeds.
enum SitemapXMLReader {
    /// Attributes of one tag. libxml2 compares each with all others of its tag; entries have below ten.
    private static let maximumAttributes = 500
    /// Namespace declarations in force. libxml2 searches them for every prefix; real files declare below 20.
    static let maximumNamespaces = 1_000

    static func read(_ bytes: [UInt8], url: WebURL, notes: BoundedNotes) -> SitemapReading {
        var notes = notes
        let safe = cutAtCrowdedTag(bytes)
        if safe.count < bytes.count {
            notes.add(
                .sitemap(.tooManyAttributes),
                "A tag has more than \(maximumAttributes) attributes; the rest is not read.")
        }
        let escaped = LooseAmpersands.escaped(safe)
        if escaped != nil {
            notes.add(.sitemap(.ampersandLoose), "An ampersand stands alone; it must be written “&amp;”.")
        }
        let octets = escaped ?? safe
        let elements = SitemapElements(url: url, notes: notes)
        let problem = parse(octets, into: elements, ignoringDeclaredEncoding: false)
        guard problem == XML_ERR_UNSUPPORTED_ENCODING.rawValue, elements.isEmpty else { return elements.finished() }
        // A name that is no encoding: the file is most likely UTF-8, which it has to be anyway.
        notes.add(.sitemap(.encodingUnknown), "The declared encoding is unknown; the file is read as UTF-8.")
        let again = SitemapElements(url: url, notes: notes)
        _ = parse(octets, into: again, ignoringDeclaredEncoding: true)
        return again.finished()
    }

    /// Sends the events and returns libxml2's last error code, 0 for none.
    private static func parse(
        _ octets: [UInt8], into elements: SitemapElements, ignoringDeclaredEncoding: Bool
    ) -> UInt32 {
        LibXML2.isReady
        return octets.withUnsafeBytes { raw -> UInt32 in
            let bytes = raw.baseAddress?.assumingMemoryBound(to: CChar.self)
            // An empty buffer or one beyond 2 GB is no document for libxml2; sizes are limited long before.
            guard let size = Int32(exactly: raw.count), size > 0,
                let context = xmlCreateMemoryParserCtxt(bytes, size)
            else { return 0 }
            defer {
                // libxml2 keeps entity declarations in a document of its own when there is no tree.
                if let document = context.pointee.myDoc { xmlFreeDoc(document) }
                context.pointee.myDoc = nil
                xmlFreeParserCtxt(context)
            }
            var options = XML_PARSE_RECOVER.rawValue | XML_PARSE_NONET.rawValue
            if ignoringDeclaredEncoding { options |= XML_PARSE_IGNORE_ENC.rawValue }
            xmlCtxtUseOptions(context, Int32(options))
            context.pointee.sax.pointee = handler()
            elements.context = context
            // The elements outlive the call, which is the only time that libxml2 uses the pointer.
            context.pointee.userData = Unmanaged.passUnretained(elements).toOpaque()
            xmlParseDocument(context)
            elements.context = nil
            return UInt32(clamping: context.pointee.errNo)
        }
    }

    private static func handler() -> xmlSAXHandler {
        var handler = xmlSAXHandler()
        handler.initialized = UInt32(XML_SAX2_MAGIC)
        handler.startElementNs = { user, name, prefix, namespace, namespaceCount, _, count, _, attributes in
            guard let name, let elements = SitemapXMLReader.elements(user) else { return }
            elements.start(
                name: name, prefix: prefix, namespace: namespace, declaredNamespaces: Int(namespaceCount),
                attributes: attributes, count: Int(count))
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
        handler.entityDecl = { user, name, type, _, _, content in
            guard let name, let content, type == Int32(XML_INTERNAL_GENERAL_ENTITY.rawValue) else { return }
            SitemapXMLReader.elements(user)?.entities.declare(String(cString: name), as: String(cString: content))
        }
        handler.getEntity = { user, name in
            // libxml2 knows the five of XML itself and asks only for others. Nothing it could expand is given to it.
            if let name { SitemapXMLReader.elements(user)?.entity(named: String(cString: name)) }
            return nil
        }
        handler.serror = { user, error in
            guard let error else { return }
            let message = error.pointee.message.map { String(cString: $0) } ?? ""
            SitemapXMLReader.elements(user)?.problem(message, line: Int(error.pointee.line))
        }
        return handler
    }

    private static func elements(_ user: UnsafeMutableRawPointer?) -> SitemapElements? {
        user.map { Unmanaged<SitemapElements>.fromOpaque($0).takeUnretainedValue() }
    }

    /// The octets before the first tag with too many attributes. Counts equals signs outside quotation marks between `<`
    /// and `>`; a `<` begins anew even inside them, because libxml2 ends a value there.
    private static func cutAtCrowdedTag(_ octets: [UInt8]) -> [UInt8] {
        var tag: Int?
        var quote: UInt8?
        var count = 0
        for (index, octet) in octets.enumerated() {
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

/// The entities that a document declares for itself, expanded as text within a budget, so that ten lines of DTD do not
/// become a gigabyte.
struct SitemapEntities {
    /// Octets that all expansions of a document may yield; an address has below 2,048.
    private var budget = 65_536
    private var replacements: [String: String] = [:]

    private static let maximumEntities = 1_000
    private static let maximumDepth = 4

    /// The first declaration counts (XML §4.2).
    mutating func declare(_ name: String, as text: String) {
        guard replacements.count < Self.maximumEntities, replacements[name] == nil else { return }
        replacements[name] = text
    }

    /// The text an entity stands for; nil when it is not declared, holds markup or would break the budget.
    mutating func expand(_ name: String, depth: Int = 0) -> [UInt8]? {
        guard depth < Self.maximumDepth, let text = replacements[name], !text.utf8.contains(UInt8(ascii: "<")) else {
            return nil
        }
        var result: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let octet = rest.first {
            rest.removeFirst()
            guard octet == UInt8(ascii: "&"), let end = rest.prefix(64).firstIndex(of: UInt8(ascii: ";")) else {
                guard budget > 0 else { return nil }
                budget -= 1
                result.append(octet)
                continue
            }
            let name = String(decoding: rest[..<end], as: UTF8.self)
            rest = rest[(end + 1)...]
            guard let inner = Self.predefined[name].map({ [$0] }) ?? expand(name, depth: depth + 1) else { return nil }
            result += inner
        }
        return result
    }

    private static let predefined: [String: UInt8] = [
        "amp": 0x26, "#38": 0x26, "#x26": 0x26, "lt": 0x3C, "gt": 0x3E, "quot": 0x22, "apos": 0x27,
    ]
}
