/// The RDFa attributes of one element, gathered in one pass over its attributes.
struct RDFaAttributes {
    var vocab: ArraySlice<UInt8>?
    var `typeof`: ArraySlice<UInt8>?
    var property: ArraySlice<UInt8>?
    var resource: ArraySlice<UInt8>?
    var prefix: ArraySlice<UInt8>?
    var about: ArraySlice<UInt8>?
    var rel: ArraySlice<UInt8>?
    var rev: ArraySlice<UInt8>?
    var content: ArraySlice<UInt8>?
    var href: ArraySlice<UInt8>?
    var src: ArraySlice<UInt8>?
    var datatype: ArraySlice<UInt8>?
    var datetime: ArraySlice<UInt8>?
    var lang: ArraySlice<UInt8>?
    var xmlLang: ArraySlice<UInt8>?
    var role: ArraySlice<UInt8>?
    var id: ArraySlice<UInt8>?
    var isInList = false
    /// The prefixes of `xmlns:name="IRI"`.
    var namespaces: [(name: String, iri: ArraySlice<UInt8>)] = []
    /// Whether the element has no RDFa attribute.
    private(set) var isEmpty = true

    /// Reads the attributes of one element.
    ///
    /// - Parameter namespaceNames: prefixes of the document's `xmlns:…` attributes, by name number.
    init(_ document: HTMLDocument, _ element: HTMLDocument.Index, namespaceNames: [UInt16: String]) {
        for i in document.attributeRange(of: element) {
            let attribute = document.attributes[i]
            let value = document.value(of: attribute)
            guard attribute.nameNumber < HTMLDocument.firstOwnName else {
                if let name = namespaceNames[attribute.nameNumber] {
                    namespaces.append((name, value))
                    isEmpty = false
                }
                continue
            }
            set(HTMLName(rawValue: attribute.nameNumber) ?? .other, value)
        }
    }

    private mutating func set(_ name: HTMLName, _ value: ArraySlice<UInt8>) {
        // If an attribute is repeated, the first one counts. libxml2 keeps only that one.
        switch name {
        case .vocab: vocab = value
        case .typeof: self.typeof = value
        case .property: property = value
        case .resource: resource = value
        case .prefix: prefix = value
        case .about: about = value
        case .rel: rel = value
        case .rev: rev = value
        case .content: content = value
        case .href: href = value
        case .src: src = value
        case .datatype: datatype = value
        case .datetime: datetime = value
        case .lang: lang = value
        case .xmlLang: xmlLang = value
        case .role: role = value
        case .inlist: isInList = true
        case .id:
            // Only `role` uses the `id`.
            id = value
            return
        default: return
        }
        isEmpty = false
    }
}
