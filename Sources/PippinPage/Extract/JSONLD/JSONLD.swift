/// The JSON-LD scripts of a page.
///
/// Each script is read on its own, so that a broken one spoils nothing: as JSON, else mended (`JSONRepair`), else mended
/// after its character references are decoded, else left out. Every step but the first leaves notes.
public struct JSONLD: Sendable {
    /// One value a script as it was written; several where a script holds several without an array around them.
    public private(set) var documents: [JSONValue] = []
    /// The script of each document.
    private var scripts: [JSONLDScriptText] = []
    /// The nodes of all scripts, joined by `@id`.
    public private(set) var structuredData = StructuredData()
    public private(set) var notes: [ParseNote] = []
    private let baseURL: String
    private let limits: ReadingLimits

    /// Reads all scripts of the type `application/ld+json`, wherever they stand.
    ///
    /// - Parameter baseURL: what relative identifiers start from.
    public init(_ document: HTMLDocument, baseURL: WebURL, limits: ReadingLimits = .standard) {
        self.init(document, baseURL: baseURL, limits: limits, expandsAll: false)
    }

    /// - Parameter expandsAll: expands plain documents too, whose items then must be those of the fast lane.
    init(_ document: HTMLDocument, baseURL: WebURL, limits: ReadingLimits = .standard, expandsAll: Bool) {
        self.baseURL = baseURL.href
        self.limits = limits
        var reader: JSONLDReader?
        for element in document.elements(named: .script) where Self.isJSONLD(document.bytes(of: .type, on: element)) {
            if limits.isInterrupted { break }
            let place = document.place(of: element).lineAndColumn
            let text = document.textBytes(of: element)
            let (found, foundNotes) = JSONLDScript.read(text, startingAt: place, limits: limits)
            notes += foundNotes
            for (value, script) in found {
                documents.append(value)
                scripts.append(script)
                var current =
                    reader ?? JSONLDReader(baseURL: baseURL.href, limits: limits, expandsAll: expandsAll)
                reader = nil
                current.read(value, script)
                reader = current
            }
        }
        if var reader {
            structuredData = reader.finish()
            notes += reader.notes
        }
    }

    /// The statements of all scripts (Deserialize JSON-LD to RDF). Each script is a document of its own; one that is no
    /// JSON-LD says nothing.
    public var dataset: RDFDataset {
        var conversion = JSONLDToRDF()
        for document in documents {
            let processor = JSONLDProcessor(baseURL: baseURL, lenientWithin: limits)
            do throws(JSONLDError) {
                try conversion.add(processor.expandedScript(document))
            } catch {
                // What is wrong with it is among the notes.
                continue
            }
        }
        return conversion.dataset
    }

    /// The dataset as N-Quads in UTF-8.
    public var nquads: [UInt8] { dataset.nquads }

    /// What `extract` prints: one parsed document a script.
    public var json: JSONValue { .array(documents) }

    /// Where a key, or a value that is a string, stands in one script; nil unless it stands there once.
    ///
    /// - Parameter start: where the script's element stands in the page.
    public func place(
        of text: String, isKey: Bool, inScriptAt start: (line: Int?, column: Int?)
    ) -> (line: Int, column: Int)? {
        var found: [(script: JSONLDScriptText, offset: Int)] = []
        for (document, script) in zip(documents, scripts)
        where script.place.line == start.line && script.place.column == start.column {
            var offsets: [Int] = []
            document.findOffsets(of: text, isKey: isKey, upTo: 2, &offsets)
            found += offsets.map { (script, $0) }
        }
        return found.count == 1 ? found[0].script.place(at: found[0].offset) : nil
    }

    /// The essence of the media type decides; parameters (`charset`, `profile`) do not matter.
    static func isJSONLD(_ type: ArraySlice<UInt8>?) -> Bool {
        guard let type, type.count >= 19 else { return false }
        let essence = type.prefix { $0 != UInt8(ascii: ";") }
        return essence.trimmingHTMLSpace().equalsIgnoringCase("application/ld+json")
    }
}
