// Microdata to RDF (W3C, current draft). Each item is written once. The vocabulary of the item's type turns names into IRIs.

extension Microdata {
    /// The statements of the page's microdata.
    public var dataset: RDFDataset {
        guard hasMarkup else { return RDFDataset() }
        var graph = MicrodataGraph(
            microdata: self, found: MicrodataItems(microdata: self))
        return graph.build()
    }

    /// The dataset as N-Quads in UTF-8.
    public var nquads: [UInt8] { dataset.nquads }
}

extension MicrodataItems {
    fileprivate init(microdata: Microdata) {
        self.init(microdata.document, lenient: false, limits: microdata.limits)
    }
}

private struct MicrodataGraph {
    let microdata: Microdata
    let found: MicrodataItems
    private var dataset = RDFDataset()
    private var subjects: [RDFTerm?]
    private var texts: TextBudget
    private var languages = DeclaredLanguages()
    private let maximumStatements: Int
    /// The limit of all statements, in bytes; see `RDFaProcessor`.
    private let maximumBytes: Int
    /// The document base URL without its fragment.
    private let page: String

    /// An item whose properties are being written.
    private struct Frame {
        let subject: RDFTerm
        let item: Int
        let type: String?
        let vocabulary: String?
        var nextProperty = 0
    }

    init(microdata: Microdata, found: MicrodataItems) {
        self.microdata = microdata
        self.found = found
        subjects = Array(repeating: nil, count: found.items.count)
        texts = TextBudget(microdata.document, microdata.limits)
        maximumStatements = microdata.limits.maximumItems.multipliedReportingOverflow(by: 10).partialValue
        maximumBytes = 1_000_000 + 20 * (microdata.document.text.count + microdata.document.valueByteCount)
        page = IRIReference.resolve("", base: IRIReference(microdata.baseURL.href))
    }

    /// Writes all items. A page can nest items as deep as it likes, so a stack replaces the draft's recursion.
    mutating func build() -> RDFDataset {
        for item in found.items.indices where found.items[item].isTopLevel && subjects[item] == nil {
            var frames = [begin(item, inheriting: nil)]
            while let frame = frames.last {
                let properties = found.items[frame.item].properties
                guard frame.nextProperty < properties.count, dataset.count < maximumStatements,
                    dataset.byteCount < maximumBytes
                else {
                    frames.removeLast()
                    continue
                }
                frames[frames.count - 1].nextProperty += 1
                let property = properties[frame.nextProperty]
                if let inner = property.item, subjects[inner] == nil {
                    frames.append(begin(inner, inheriting: frame.type))
                }
                write(property, frame)
            }
        }
        return dataset
    }

    private mutating func begin(_ item: Int, inheriting inherited: String?) -> Frame {
        let element = found.items[item].element
        let subject = microdata.identifier(of: element).map { RDFTerm.iri($0) } ?? dataset.makeBlank()
        subjects[item] = subject
        let types = microdata.tokens(of: .itemtype, on: element).filter { IRIReference.hasScheme($0) }
        for type in types { dataset.insert(subject, RDFTerm.Vocabulary.type, .iri(type)) }
        let type = types.first { $0.utf8.count <= IRIReference.maximumPrefixBytes } ?? inherited
        return Frame(subject: subject, item: item, type: type, vocabulary: type.map(Self.vocabulary))
    }

    /// The vocabulary of a type: the registry's entry, or else the type without its last name.
    private static func vocabulary(of type: String) -> String {
        for entry in ["http://schema.org/", "http://microformats.org/profile/hcard"] where type.hasPrefix(entry) {
            return entry
        }
        if let hash = type.firstIndex(of: "#") { return String(type[...hash]) }
        if let slash = type.lastIndex(of: "/") { return String(type[...slash]) }
        return type
    }

    /// The IRI of a property. Names of items without a type are relative to the page, as in W3C's tests.
    private func predicate(_ name: String, _ vocabulary: String?) -> String {
        if IRIReference.hasScheme(name) { return name }
        guard let vocabulary else { return page + "#" + Self.fragmentEscaped(name) }
        let separator = vocabulary.hasSuffix("/") || vocabulary.hasSuffix("#") ? "" : "#"
        return vocabulary + separator + Self.fragmentEscaped(name)
    }

    /// The registry makes schema.org's additionalType a subproperty of rdf:type. Both spellings of its address are valid.
    private static let typePredicates: Set = ["http://schema.org/additionalType", "https://schema.org/additionalType"]

    /// The fragment-escape of the draft: percent-encodes a name for a fragment.
    private static func fragmentEscaped(_ name: String) -> String {
        var result = ""
        for scalar in name.unicodeScalars {
            switch scalar {
            case "\"", "<", ">", "[", "\\", "]", "^", "`", "{", "|", "}":
                result += "%" + String(scalar.value, radix: 16, uppercase: true)
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    private mutating func write(_ property: MicrodataItems.Property, _ frame: Frame) {
        let value = property.item.flatMap { subjects[$0] } ?? term(for: property.element)
        for name in property.isForward ? microdata.tokens(of: .itemprop, on: property.element) : [] {
            let predicate = predicate(name, frame.vocabulary)
            dataset.insert(frame.subject, predicate, value)
            if Self.typePredicates.contains(predicate) {
                dataset.insert(frame.subject, RDFTerm.Vocabulary.type, value)
            }
        }
        if case .literal = value { return }
        for name in microdata.tokens(of: .itempropReverse, on: property.element) {
            dataset.insert(value, predicate(name, frame.vocabulary), frame.subject)
        }
    }

    // MARK: Values

    private mutating func term(for element: HTMLDocument.Index) -> RDFTerm {
        let name = microdata.document.elements[element].name
        let text: String
        switch microdata.value(of: element) {
        case .url(let url): return .iri(url)
        case .text(let value): text = value
        case .content:
            let bytes = microdata.document.textBytes(of: element)
            text = texts.takeText(of: element) ? String(decoding: bytes, as: UTF8.self) : ""
        }
        let datatype: String?
        switch name {
        case .time: datatype = XSDLexical.timeType(text)
        case .data, .meter: datatype = XSDLexical.numberType(text)
        default: datatype = nil
        }
        if datatype != nil || name == .data || name == .meter { return .literal(text, datatype: datatype) }
        return .literal(text, language: languages.language(of: element, in: microdata.document))
    }
}

/// The declared languages of elements. Each element is looked up once.
struct DeclaredLanguages {
    private var known: [HTMLDocument.Index: String?] = [:]

    /// The language of an element's text as a well-formed tag, from the nearest `lang` or `xml:lang` (on the element or above
    /// it).
    mutating func language(of element: HTMLDocument.Index, in document: HTMLDocument) -> String? {
        var path: [HTMLDocument.Index] = []
        var language: String?
        var next: HTMLDocument.Index? = element
        while let current = next {
            if let remembered = known[current] {
                language = remembered
                break
            }
            path.append(current)
            if let declared = document.value(of: .xmlLang, on: current) ?? document.value(of: .lang, on: current) {
                language = LanguageTag.wellFormed(declared)
                break
            }
            next = document.parent(of: current)
        }
        for passed in path { known[passed] = language }
        return language
    }
}
