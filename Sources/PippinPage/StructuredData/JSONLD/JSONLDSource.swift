/// A document: JSON, or HTML with JSON in scripts (JSON-LD 1.1 API §7, HTML Content Algorithms).
struct JSONLDSource {
    let bytes: [UInt8]
    /// The document's address. A fragment selects a script of HTML by its `id`.
    let address: String
    let limits: ReadingLimits

    /// Whether the document is HTML. The file name decides; if it does not, the first character does, since no JSON starts with
    /// `<`.
    static func isHTML(_ bytes: [UInt8], name: String) -> Bool {
        let path = name.prefix { $0 != "#" && $0 != "?" }.lowercased()
        if path.hasSuffix(".html") || path.hasSuffix(".htm") || path.hasSuffix(".xhtml") { return true }
        if path.hasSuffix(".json") || path.hasSuffix(".jsonld") { return false }
        return bytes.first { $0 > 0x20 && ![0xEF, 0xBB, 0xBF].contains($0) } == UInt8(ascii: "<")
    }

    /// The document's JSON. If the address does not decide whether it is HTML, `name` does.
    func document(
        name: String? = nil, profile: String? = nil, extractsAllScripts: Bool
    ) throws(JSONLDError) -> JSONValue {
        guard Self.isHTML(bytes, name: name ?? address) else {
            return try Self.parsed(bytes[...], limits, .loadingDocumentFailed, "The document")
        }
        let page = DecodedDocument(bytes: bytes, limits: limits).document
        return try Self.document(
            in: page, address: address, profile: profile, extractsAllScripts: extractsAllScripts, limits: limits)
    }

    /// The base of the document: its address, or HTML's `base` element resolved against the address.
    func baseURL(name: String? = nil) -> String {
        guard Self.isHTML(bytes, name: name ?? address), let url = WebURL(address) else { return address }
        let page = DecodedDocument(bytes: bytes, limits: limits).document
        guard !page.elements(named: .base).isEmpty else { return address }
        return page.baseURL(pageURL: url).href
    }

    // MARK: HTML

    /// The JSON of a page's scripts (§7.1 and the loading steps of §9.4.1).
    private static func document(
        in page: HTMLDocument, address: String, profile: String?, extractsAllScripts: Bool, limits: ReadingLimits
    ) throws(JSONLDError) -> JSONValue {
        let scripts = page.elements(named: .script).filter { JSONLD.isJSONLD(page.bytes(of: .type, on: $0)) }
        if let fragment = fragment(of: address) {
            var decoded: [UInt8] = []
            Array(fragment.utf8).withUnsafeBufferPointer { decoded.appendPercentDecoded($0) }
            let decodedFragment = String(decoding: decoded, as: UTF8.self)
            let named = scripts.first { script in
                guard let id = page.value(of: .id, on: script) else { return false }
                return id == fragment || id == decodedFragment
            }
            guard let named else {
                throw JSONLDError(.loadingDocumentFailed, "No JSON-LD script has the id \(fragment.quotedInMessage).")
            }
            return try content(of: named, page, limits)
        }
        if extractsAllScripts {
            var all: [JSONValue] = []
            for script in scripts { all += Optional(try content(of: script, page, limits)).elements }
            return .array(all)
        }
        var chosen = scripts.first
        if let profile {
            let fitting = scripts.first { script in
                page.value(of: .type, on: script).map { profiles(of: $0).contains(profile) } ?? false
            }
            chosen = fitting ?? chosen
        }
        guard let chosen else { throw JSONLDError(.loadingDocumentFailed, "The page has no JSON-LD script.") }
        return try content(of: chosen, page, limits)
    }

    private static func fragment(of address: String) -> String? {
        guard let hash = address.utf8.firstIndex(of: UInt8(ascii: "#")) else { return nil }
        let fragment = address[address.utf8.index(after: hash)...]
        return fragment.isEmpty ? nil : String(fragment)
    }

    /// The `profile` parameter of a media type: addresses with spaces between them.
    private static func profiles(of type: String) -> [String] {
        for parameter in type.split(separator: ";").dropFirst() {
            let parts = parameter.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, String(parts[0]).trimmingHTMLSpace().lowercased() == "profile" else { continue }
            let value = String(parts[1]).trimmingHTMLSpace()
            return value.split(whereSeparator: { $0 == " " || $0 == "\"" }).map(String.init)
        }
        return []
    }

    /// §7.2, Extract Script Content: the text without decoding character references.
    private static func content(
        of script: HTMLDocument.Index, _ page: HTMLDocument, _ limits: ReadingLimits
    ) throws(JSONLDError) -> JSONValue {
        let line = page.line(of: script)
        return try parsed(page.textBytes(of: script), limits, .invalidScriptElement, "The script on line \(line)")
    }

    static func parsed(
        _ bytes: ArraySlice<UInt8>, _ limits: ReadingLimits, _ code: JSONLDError.Code, _ what: String
    ) throws(JSONLDError) -> JSONValue {
        var parser = JSONParser(limits: limits)
        let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes
        do throws(JSONSyntaxError) {
            return try parser.parse(text)
        } catch {
            throw JSONLDError(code, "\(what) is not JSON: \(error.description).")
        }
    }
}
