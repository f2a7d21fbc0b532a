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
        for property in items[index].properties {
            let written = isOld(property.name) ? SchemaOrg.bareName(property.name) : property.name
            var name = names[written] ?? written
            if case .item(let inner) = property.value, items.indices.contains(inner) {
                let innerKind = items[inner].types.lazy.compactMap(SchemaOrg.type).first
                if innerKind == "AggregateRating" { name = "aggregateRating" }
                if kind == "AggregateRating", written == "rating" {
                    // The scale is a separate item in the old vocabulary. Its values are added to the rating.
                    properties += items[inner].properties.map { part in
                        let bare = isOld(part.name) ? SchemaOrg.bareName(part.name) : part.name
                        return StructuredItem.Property(name: names[bare] ?? bare, value: part.value)
                    }
                    continue
                }
            }
            if written == "summary" { name = kind == "Event" ? "name" : "description" }
            properties.append(StructuredItem.Property(name: name, value: property.value))
        }
        items[index].properties = properties
    }

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
