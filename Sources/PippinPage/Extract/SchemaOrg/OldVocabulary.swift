/// Translates the properties of Google's vocabulary from before schema.org (`http://data-vocabulary.org/`,
/// `http://rdf.data-vocabulary.org/#`), which old templates still use. `SchemaOrg.type` translates its types.
enum OldVocabulary {
    static func isUsed(by item: StructuredItem) -> Bool {
        item.types.contains { isOld($0) }
    }

    private static func isOld(_ address: String) -> Bool {
        // Bare names are shorter, and nearly all types are bare names.
        address.utf8.count > 27 && address.hasPrefix("http") && address.contains("data-vocabulary.org/")
    }

    static func translate(_ index: Int, in items: inout [StructuredItem]) {
        let kind = items[index].types.lazy.filter(isOld).compactMap(SchemaOrg.type).first
        var properties: [StructuredItem.Property] = []
        var scales: Set<Int> = []
        for property in items[index].properties {
            let written = isOld(property.name) ? SchemaOrg.bareName(property.name) : property.name
            var name = names[written] ?? written
            if case .item(let inner) = property.value, items.indices.contains(inner) {
                let innerKind = items[inner].types.lazy.compactMap(SchemaOrg.type).first
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

    /// The values of the scale of a rating, which is a separate item in the old vocabulary: the first of each.
    ///
    /// Many ratings may have one scale, so it gives few values, however many it has.
    private static func scale(_ item: StructuredItem) -> [StructuredItem.Property] {
        var found: [StructuredItem.Property] = []
        for part in item.properties.prefix(maximumScaleProperties) {
            let bare = isOld(part.name) ? SchemaOrg.bareName(part.name) : part.name
            let name = names[bare] ?? bare
            guard scaleNames.contains(name), !found.contains(where: { $0.name == name }) else { continue }
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
