/// The JSON-LD scripts of a page.
///
/// Each script is read on its own, so that a broken one spoils nothing: as JSON, else mended (`JSONRepair`), else mended
/// after its character references are decoded, else left out. Every step but the first leaves notes.
public struct JSONLD: Sendable {
    /// One value a script as it was written; several where a script holds several without an array around them.
    public private(set) var documents: [JSONValue] = []
    /// The nodes of all scripts, joined by `@id`.
    public private(set) var structuredData = StructuredData()
    public private(set) var notes: [ParseNote] = []

    /// Reads all scripts of the type `application/ld+json`, wherever they stand.
    ///
    /// - Parameter baseURL: what relative identifiers start from.
    public init(_ document: HTMLDocument, baseURL: WebURL, limits: ReadingLimits = .standard) {
        var walk: JSONLDWalk?
        for element in document.elements(named: .script) where Self.isJSONLD(document.bytes(of: .type, on: element)) {
            let script = document.elements[element]
            let place = (line: Int(script.line), column: Int(script.column))
            let (values, found) = JSONLDScript.read(document.textBytes(of: element), startingAt: place, limits: limits)
            notes += found
            for value in values {
                documents.append(value)
                var current = walk ?? JSONLDWalk(base: baseURL.href, limits: limits)
                walk = nil
                current.read(value, line: place.line)
                walk = current
            }
        }
        if var walk {
            structuredData = walk.finish()
            notes += walk.notes
        }
    }

    /// What `extract` prints: one parsed document a script.
    public var json: JSONValue { .array(documents) }

    /// The essence of the media type decides; parameters (`charset`, `profile`) do not matter.
    private static func isJSONLD(_ type: ArraySlice<UInt8>?) -> Bool {
        guard let type, type.count >= 19 else { return false }
        let essence = type.prefix { $0 != UInt8(ascii: ";") }
        return essence.trimmingHTMLSpace().equalsIgnoringCase("application/ld+json")
    }
}
