import Foundation

/// The items of a page in the form that the record uses. Items with the same identifier are joined, even across syntaxes and
/// scripts. Character references in JSON-LD texts are decoded. Properties of Google's old vocabulary get their schema.org
/// names.
///
/// The output of `extract` is not affected. Items keep their index; an item that was joined to another is left empty.
struct JoinedItems {
    private(set) var items: [StructuredItem]
    private(set) var notes: [ParseNote] = []

    private let limits: ReadingLimits

    init(_ data: StructuredData, limits: ReadingLimits = .standard) {
        items = data.items
        self.limits = limits
        decodeTexts()
        unwrapAddresses()
        var oldVocabulary = OldVocabulary()
        for index in items.indices where OldVocabulary.isUsed(by: items[index]) {
            if limits.isInterrupted(after: items[index].properties.count) { return }
            oldVocabulary.translate(index, in: &items)
        }
        joinByIdentifier()
        for index in items.indices {
            if limits.isInterrupted(after: items[index].properties.count + items[index].types.count) { return }
            bound(index)
        }
    }

    // MARK: Bounds

    /// Bounds what questions about an item cost: an item refers to another once by a property, a property has so many values,
    /// and values of a large item are found by name.
    private mutating func bound(_ index: Int) {
        if items[index].types.count > limits.maximumTypesPerItem {
            items[index].types.removeLast(items[index].types.count - limits.maximumTypesPerItem)
            noteLoss(index, "The item has more than \(limits.maximumTypesPerItem) types; the rest is not read.")
        }
        guard items[index].properties.count > 1 else { return }
        if refersTwice(items[index]) { removeRepeatedReferences(index) }
        items[index].indexProperties()
        if items[index].mostValues > limits.maximumValuesPerProperty {
            boundValues(index)
            items[index].indexProperties()
        }
    }

    /// Whether an item refers to another more than once, by any properties.
    private func refersTwice(_ item: StructuredItem) -> Bool {
        var last: Int?
        var isAscending = true
        var count = 0
        for property in item.properties {
            guard case .item(let target) = property.value else { continue }
            count += 1
            if let last, target <= last { isAscending = false }
            last = target
        }
        // Most items refer to what follows them on the page.
        if isAscending || count < 2 { return false }
        var seen: Set<Int> = []
        for case .item(let target) in item.properties.lazy.map(\.value) where !seen.insert(target).inserted {
            return true
        }
        return false
    }

    private struct Reference: Hashable {
        let name: String
        let target: Int
    }

    private mutating func removeRepeatedReferences(_ index: Int) {
        var seen: Set<Reference> = []
        items[index].properties.removeAll { property in
            guard case .item(let target) = property.value else { return false }
            return !seen.insert(Reference(name: property.name, target: target)).inserted
        }
    }

    private mutating func boundValues(_ index: Int) {
        let maximum = limits.maximumValuesPerProperty
        var counts: [String: Int] = [:]
        var lost: String?
        items[index].properties.removeAll { property in
            let count = counts[property.name, default: 0] + 1
            counts[property.name] = count
            if count > maximum { lost = lost ?? property.name }
            return count > maximum
        }
        if let lost { noteLoss(index, "\(lost.prefix(100)) has more than \(maximum) values; the rest is not read.") }
    }

    private mutating func noteLoss(_ index: Int, _ message: String) {
        let code = items[index].syntax.boundNote
        guard !notes.contains(where: { $0.code == code }) else { return }
        notes.append(ParseNote(code, message, line: items[index].line, column: items[index].column))
    }

    // MARK: Texts

    /// The limit of a text to decode, in bytes. Titles, names and descriptions are shorter, and whole articles are not
    /// searched.
    private static let maximumTextBytes = 10_000

    /// Decodes character references in texts of JSON-LD. By HTML, `"Tom &amp; Jerry"` in a script means an ampersand, `amp` and
    /// a semicolon, but no author means that.
    private mutating func decodeTexts() {
        for index in items.indices where items[index].syntax == .jsonLD {
            if limits.isInterrupted(after: items[index].properties.count) { return }
            for (position, property) in items[index].properties.enumerated() {
                let value: StructuredItem.Value
                let written: String
                switch property.value {
                case .text(let text, let language):
                    guard let decoded = Self.decoded(text) else { continue }
                    (value, written) = (.text(decoded, language: language), text)
                case .url(let url):
                    guard let decoded = Self.decoded(url) else { continue }
                    (value, written) = (.url(decoded), url)
                case .number, .item: continue
                }
                items[index].properties[position].value = value
                if notes.isEmpty {
                    notes.append(
                        ParseNote(
                            .jsonLD(.characterReferences),
                            "A text of JSON-LD has HTML character references, \"\(Snippet.cut(written, to: 60))\"; "
                                + "the record has it decoded.", line: items[index].line, column: items[index].column))
                }
            }
        }
    }

    private static func decoded(_ text: String) -> String? {
        // The shortest reference is `&lt;`. Nearly all texts have no ampersand, so the test for one must be cheap.
        guard text.utf8.count >= 4, text.utf8.count <= maximumTextBytes,
            text.utf8.withContiguousStorageIfAvailable({ bytes in
                bytes.baseAddress.map { memchr($0, 0x26, bytes.count) != nil } ?? false
            }) ?? true
        else { return nil }
        return CharacterReferences.decoded(text)
    }

    // MARK: Addresses

    /// Removes the line breaks in addresses that are wrapped over lines. Microdata does so when it resolves addresses.
    private mutating func unwrapAddresses() {
        var noted: Set<StructuredItem.Syntax> = []
        for index in items.indices {
            if limits.isInterrupted(after: items[index].properties.count) { return }
            let syntax = items[index].syntax
            if let id = items[index].id, let address = Self.unwrapped(id) { items[index].id = address }
            for (position, property) in items[index].properties.enumerated() {
                let address: String
                switch property.value {
                case .url(let url):
                    guard let unwrapped = Self.unwrapped(url) else { continue }
                    address = unwrapped
                    items[index].properties[position].value = .url(address)
                case .text(let text, let language):
                    guard SchemaOrgVocabulary.addressTerms.contains(property.name),
                        let unwrapped = Self.unwrapped(text)
                    else { continue }
                    address = unwrapped
                    items[index].properties[position].value = .text(address, language: language)
                case .number, .item: continue
                }
                guard noted.insert(syntax).inserted else { continue }
                notes.append(
                    ParseNote(
                        syntax.wrappedNote,
                        "The address of \(property.name.prefix(100)) is wrapped over lines; it is read as \"\(address.prefix(200))\".",
                        line: items[index].line, column: items[index].column))
            }
        }
    }

    /// The address in one line; nil if the text is not wrapped or not an address.
    private static func unwrapped(_ text: String) -> String? {
        guard let bytes = WrittenAddress.unwrapped(text.utf8), bytes.count <= WrittenAddress.maximumBytes,
            !bytes.contains(where: \.isHTMLSpace)
        else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    // MARK: Identifiers

    private mutating func joinByIdentifier() {
        // JSON-LD and RDFa already join the items of their own syntax.
        guard let first = items.first else { return }
        let isAlone = items.allSatisfy { $0.syntax == first.syntax }
        if isAlone && first.syntax != .microdata { return }
        var indexByIdentifier: [String: Int] = [:]
        /// Items with the identifier of an earlier item, and the index of that item.
        var twins: [(index: Int, first: Int)] = []
        for index in items.indices {
            // Names of blank nodes are valid only in their script or syntax.
            guard let identifier = items[index].id, !identifier.isEmpty, !identifier.utf8.starts(with: "_:".utf8) else {
                continue
            }
            if let first = indexByIdentifier[identifier] {
                twins.append((index, first))
            } else {
                indexByIdentifier[identifier] = index
            }
        }
        if indexByIdentifier.isEmpty { return }
        link(indexByIdentifier)
        if !twins.isEmpty { merge(twins) }
    }

    /// Properties that always hold an address, even if it equals an item's identifier.
    private static let addresses = SchemaOrgVocabulary.addressTerms
        .subtracting(["hasMenu", "image", "isPartOf", "logo", "menu", "primaryImageOfPage", "screenshot"])
        .union(["availability", "interactionType", "itemCondition", "itemtype", "priceType"])

    /// Replaces values that equal an item's identifier by links to that item.
    private mutating func link(_ indexByIdentifier: [String: Int]) {
        // Most addresses differ from all identifiers by their length, which is cheap to test.
        let lengths = Set(indexByIdentifier.keys.map(\.utf8.count))
        for index in items.indices {
            if limits.isInterrupted(after: items[index].properties.count) { return }
            for (position, property) in items[index].properties.enumerated() {
                guard case .url(let url) = property.value, lengths.contains(url.utf8.count),
                    let target = indexByIdentifier[url], target != index,
                    !Self.addresses.contains(property.name)
                else { continue }
                items[index].properties[position].value = .item(target)
            }
        }
    }

    /// Merges items with the same identifier. Each property comes from the first syntax that has it, so that no value occurs
    /// twice.
    private mutating func merge(_ twins: [(index: Int, first: Int)]) {
        var firsts: [Int: Int] = [:]
        var owners: [Int: [String: StructuredItem.Syntax]] = [:]
        for (index, first) in twins {
            if limits.isInterrupted(after: items[index].properties.count) { return }
            firsts[index] = first
            let twin = items[index]
            var owner =
                owners.removeValue(forKey: first)
                ?? Dictionary(
                    items[first].properties.map { ($0.name, items[first].syntax) }, uniquingKeysWith: { one, _ in one })
            for property in twin.properties {
                if let syntax = owner[property.name], syntax != twin.syntax { continue }
                owner[property.name] = twin.syntax
                items[first].properties.append(property)
            }
            owners[first] = owner
            for type in twin.types.prefix(100)
            where !items[first].types.contains(type) && items[first].types.count < 100 {
                items[first].types.append(type)
            }
            if twin.isTopLevel { items[first].isTopLevel = true }
            items[index] = StructuredItem(
                syntax: twin.syntax, isTopLevel: false, place: twin.place, element: twin.element)
        }
        for index in items.indices {
            for position in items[index].properties.indices {
                if case .item(let target) = items[index].properties[position].value, let first = firsts[target] {
                    items[index].properties[position].value = .item(first)
                }
            }
        }
    }
}

extension StructuredItem.Syntax {
    /// The code of the note on an item of which not everything is read.
    fileprivate var boundNote: ParseNote.Code {
        switch self {
        case .jsonLD: .jsonLD(.tooManyValues)
        case .microdata: .microdata(.tooManyValues)
        case .rdfa: .rdfa(.tooManyValues)
        case .microformats: .microformats(.tooManyItems)
        }
    }

    /// The code of the note on an address that is wrapped over lines.
    fileprivate var wrappedNote: ParseNote.Code {
        switch self {
        case .jsonLD: .jsonLD(.urlWrapped)
        case .microdata: .microdata(.urlWrapped)
        case .rdfa: .rdfa(.urlWrapped)
        // Addresses of microformats are resolved, so that none is wrapped.
        case .microformats: .microformats(.tooManyItems)
        }
    }
}

/// Translates the properties of Google's vocabulary from before schema.org (`http://data-vocabulary.org/`,
/// `http://rdf.data-vocabulary.org/#`), which old templates still use. `SchemaOrg.type` translates its types.
///
/// A page writes few names many times, so each is translated once.
struct OldVocabulary {
    private var knownTypes: [String: String?] = [:]
    private var knownNames: [String: (written: String, translated: String)] = [:]

    static func isUsed(by item: StructuredItem) -> Bool {
        item.types.contains { isOld($0) }
    }

    private static func isOld(_ address: String) -> Bool {
        // Bare names are shorter, and nearly all types are bare names.
        address.utf8.count > 27 && address.hasPrefix("http") && address.has("data-vocabulary.org/")
    }

    mutating func translate(_ index: Int, in items: inout [StructuredItem]) {
        let kind = firstType(of: items[index].types.filter(Self.isOld))
        var properties: [StructuredItem.Property] = []
        properties.reserveCapacity(items[index].properties.count)
        var scales: Set<Int> = []
        for property in items[index].properties {
            let (written, translated) = names(of: property.name)
            var name = translated
            if case .item(let inner) = property.value, items.indices.contains(inner) {
                let innerKind = firstType(of: items[inner].types)
                if innerKind == "AggregateRating" { name = "aggregateRating" }
                if kind == "AggregateRating", written == "rating" {
                    if scales.insert(inner).inserted { properties += scale(items[inner]) }
                    continue
                }
            }
            if written == "summary" { name = kind == "Event" ? "name" : "description" }
            properties.append(StructuredItem.Property(name: name, value: property.value, element: property.element))
        }
        items[index].properties = properties
    }

    /// The first of an item's types that has a name in schema.org.
    private mutating func firstType(of types: [String]) -> String? {
        for written in types {
            let type = knownTypes[written] ?? SchemaOrg.type(written)
            knownTypes[written] = .some(type)
            if let type { return type }
        }
        return nil
    }

    /// The bare name of a property as written, and its schema.org name.
    private mutating func names(of property: String) -> (written: String, translated: String) {
        if let known = knownNames[property] { return known }
        let written = Self.isOld(property) ? SchemaOrg.bareName(property) : property
        let names = (written, Self.names[written] ?? written)
        knownNames[property] = names
        return names
    }

    /// The values of the scale of a rating, which is a separate item in the old vocabulary: the first of each.
    ///
    /// Many ratings may have one scale, so it gives few values, however many it has.
    private mutating func scale(_ item: StructuredItem) -> [StructuredItem.Property] {
        var found: [StructuredItem.Property] = []
        for part in item.properties.prefix(Self.maximumScaleProperties) {
            let name = names(of: part.name).translated
            guard Self.scaleNames.contains(name), !found.contains(where: { $0.name == name }) else { continue }
            found.append(StructuredItem.Property(name: name, value: part.value, element: part.element))
        }
        return found
    }

    private static let scaleNames: Set = ["ratingValue", "bestRating", "worstRating", "ratingCount", "reviewCount"]
    /// Properties of a scale that are looked at. Real ones have three.
    private static let maximumScaleProperties = 50

    private static let names = [
        "rating": "ratingValue", "average": "ratingValue", "value": "ratingValue", "best": "bestRating",
        "worst": "worstRating", "votes": "ratingCount", "count": "reviewCount", "itemreviewed": "itemReviewed",
        "currency": "priceCurrency", "offerDetails": "offers", "offerdetails": "offers", "photo": "image",
        "ingredient": "recipeIngredient", "yield": "recipeYield", "recipeType": "recipeCategory",
        "instructions": "recipeInstructions", "tel": "telephone", "street-address": "streetAddress",
        "locality": "addressLocality", "region": "addressRegion", "postal-code": "postalCode",
        "country-name": "addressCountry", "dtreviewed": "datePublished", "reviewer": "author",
    ]
}
