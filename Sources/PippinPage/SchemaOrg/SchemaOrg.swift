/// Values of the schema.org vocabulary as pages really write them.
///
/// schema.org asks for `1299.00`, `InStock` and `PT1H30M`; pages write `1.299,00 €`, `in stock` and `1 h 30 min`. Each reader
/// takes a text and returns its value, or nil if the text has none. Nothing is guessed. Readers work on bytes, look at a
/// bounded prefix, and never trap.
///
///     +Numbers   4,5  1.2K  1 299,00; 4.5/5  90%      +Date          2015-10-31T19:00  20151031  1446318000
///     +Price     $10 - $20  1.299,00 €  ISO 4217       +Duration      PT1H30M  00:35:00  35 min
///     +Places    40.7128° N, telephone numbers         +Enumerations  https://schema.org/InStock  in stock  True
///     +OpeningHours  Mo-Fr 9-17
///
/// In this file: types and their supertypes, and the properties of each.
public enum SchemaOrg {
    /// The number of bytes of a value that are read. The longest values, prices with words around them, have fewer than 100.
    static let maximumValueBytes = 200

    /// The first bytes of a value, without white space at its ends. Digits of other scripts become ASCII digits.
    static func bytes(of text: String) -> [UInt8] {
        DecimalDigit.folding(Array(text.utf8.prefix(maximumValueBytes).trimmingHTMLSpace()))
    }
}

// MARK: Types

extension SchemaOrg {
    /// Whether a type is the other one or a subtype of it: a `Bakery` is a `LocalBusiness`, and so a `Place` and an
    /// `Organization`. An unknown type is only equal to itself.
    public static func isKind(_ type: String, of ancestor: String) -> Bool {
        if type == ancestor { return true }
        var upcoming = parents[type] ?? []
        // The table has no cycles and no chain of more than seven types.
        var next = 0
        while next < upcoming.count && next < 64 {
            if upcoming[next] == ancestor { return true }
            upcoming.append(contentsOf: parents[upcoming[next]] ?? [])
            next += 1
        }
        return false
    }

    /// Whether the vocabulary has the type.
    public static func isKnownType(_ type: String) -> Bool { parents[type] != nil }

    /// A type and all its supertypes.
    static func ancestors(of type: String) -> Set<String> {
        var found: Set<String> = [type]
        var upcoming = parents[type] ?? []
        while let next = upcoming.popLast() {
            if found.insert(next).inserted { upcoming.append(contentsOf: parents[next] ?? []) }
        }
        return found
    }

    /// All types that a type is a kind of; empty for one that the vocabulary does not have.
    public static func supertypes(of type: String) -> Set<String> { ancestors(of: type).subtracting([type]) }

    /// Names of all types of the vocabulary.
    public static var knownTypes: some Collection<String> { parents.keys }

    /// The vocabulary's spelling of a type, whose name or address may have any form: `product`, `schema:Product`,
    /// `http://www.schema.org/Product/`, `http://data-vocabulary.org/Review-aggregate`. Unknown bare names are returned as
    /// written; addresses of other vocabularies give nil.
    public static func type(_ text: String) -> String? {
        if parents[text] != nil { return text }
        if text.utf8.has(UInt8(ascii: ":")), !namesVocabulary(text) { return nil }
        let name = bareName(text)
        let lower = String(decoding: name.utf8.map(\.asciiLowercased), as: UTF8.self)
        if let spelled = spellings[lower] { return spelled }
        if let old = oldNames[lower] { return old }
        return name.isEmpty ? nil : name
    }

    /// Whether an address is one of schema.org or of data-vocabulary.org.
    private static func namesVocabulary(_ address: String) -> Bool {
        var address = address
        return address.withUTF8 { utf8 in
            let bytes = utf8.prefix(maximumValueBytes)
            if bytes.prefix(7).equalsIgnoringCase("schema:") { return true }
            return bytes.indices.contains { end in
                bytes[end] == UInt8(ascii: "/")
                    && (bytes[..<end].suffix(10).equalsIgnoringCase("schema.org")
                        || bytes[..<end].suffix(19).equalsIgnoringCase("data-vocabulary.org"))
            }
        }
    }

    /// Types of Google's vocabulary from before schema.org, with their schema.org names.
    private static let oldNames = [
        "review-aggregate": "AggregateRating", "offer-aggregate": "AggregateOffer", "breadcrumb": "BreadcrumbList",
        "geo": "GeoCoordinates", "address": "PostalAddress",
    ]

    /// The lines of a generated table: a name, then the names that belong to it.
    static func entries(of table: StaticString) -> [(name: String, others: [Substring])] {
        var entries: [(name: String, others: [Substring])] = []
        for line in table.description.split(separator: "\n") {
            let sides = line.split(separator: ":", maxSplits: 1)
            guard sides.count == 2 else { continue }
            entries.append((String(sides[0]), sides[1].split(separator: " ")))
        }
        return entries
    }

    /// Each type with its direct supertypes.
    private static let parents: [String: [String]] = {
        var parents: [String: [String]] = ["Thing": []]
        for (parent, children) in entries(of: hierarchy) {
            for child in children { parents[String(child), default: []].append(parent) }
        }
        return parents
    }()

    private static let spellings: [String: String] = Dictionary(
        parents.keys.map { (String(decoding: $0.utf8.map(\.asciiLowercased), as: UTF8.self), $0) },
        uniquingKeysWith: { first, _ in first })
}

extension SchemaOrg {
    /// Whether the vocabulary has the property.
    public static func isKnownProperty(_ name: String) -> Bool { propertyDomains[name] != nil }

    /// The types that a property is made for, sorted. Their subtypes have the property too.
    public static func domains(of property: String) -> [String] { propertyDomains[property] ?? [] }

    /// Whether an item of these types may have the property. All types must be known.
    public static func isExpected(_ property: String, on types: [String]) -> Bool {
        guard let domains = propertyDomains[property] else { return false }
        return types.contains { type in domains.contains { isKind(type, of: $0) } }
    }

    /// Names of all properties of the vocabulary.
    public static var knownProperties: some Collection<String> { propertyDomains.keys }

    /// Only reports use the table, so it is read on first use.
    private static let propertyDomains: [String: [String]] = {
        var result: [String: [String]] = [:]
        for (type, properties) in entries(of: domains) {
            for property in properties where result[String(property)]?.last != type {
                result[String(property), default: []].append(type)
            }
        }
        return result
    }()
}
