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
