import PippinPage
import Testing

@testable import PippinReport

/// Which name of schema.org is suggested for one that is none.
@Suite struct MeantNameTests {
    @Test(
        arguments: [
            // The same letters.
            ("thumbnailUrl ", "Article", "thumbnailUrl", "it is thumbnailUrl with a space."),
            ("head\u{200B}line", "Article", "headline", "it is headline with the invisible character U+200B."),
            ("\u{FEFF}name", "Product", "name", "it is name with the invisible character U+FEFF."),
            ("datepublished", "Article", "datePublished", "datePublished is."),
            ("AggregateRating", "Product", "aggregateRating", "aggregateRating is."),
            ("date-published", "Article", "datePublished", "did you mean datePublished?"),
            ("date_published", "Article", "datePublished", "did you mean datePublished?"),
            // Singular and plural.
            ("authors", "Article", "author", "did you mean author?"),
            ("recipeIngredients", "Recipe", "recipeIngredient", "did you mean recipeIngredient?"),
            ("recipeInstruction", "Recipe", "recipeInstructions", "did you mean recipeInstructions?"),
            // The words in another order.
            ("publishedDate", "Article", "datePublished", "did you mean datePublished?"),
            // Slips. The item's own properties come first, then those with the same first letter.
            ("recipeIngredents", "Recipe", "recipeIngredient", "did you mean recipeIngredient?"),
            ("heigth", "ImageObject", "height", "did you mean height?"),
            // The end of a longer name of the item.
            ("cuisine", "Recipe", "recipeCuisine", "did you mean recipeCuisine?"),
            // Nothing is near.
            ("madeByHand", "Product", nil, ""), ("qqqq", "Product", nil, ""), ("", "Product", nil, ""),
        ] as [(String, String, String?, String)])
    func `the nearest property is suggested`(written: String, type: String, name: String?, clause: String) {
        let meant = MeantName.property(written, on: [type])
        #expect(meant?.name == name)
        if name != nil { #expect(meant?.clause == clause) }
    }

    @Test(
        arguments: [
            ("product", "Product", "Product is."), ("Recipe ", "Recipe", "it is Recipe with a space."),
            ("NewsArtcile", "NewsArticle", "did you mean NewsArticle?"), ("Zzyzx", nil, ""),
            ("Recipes", "Recipe", "did you mean Recipe?"), ("offers", "Offer", "did you mean Offer?"),
            ("rating", "Rating", "Rating is."), ("name", nil, ""), ("price", nil, ""), ("image", nil, ""),
        ] as [(String, String?, String)])
    func `the nearest type is suggested`(written: String, name: String?, clause: String) {
        let meant = MeantName.type(written)
        #expect(meant?.name == name)
        if name != nil { #expect(meant?.clause == clause) }
    }

    @Test func `a name of the other kind is no slip`() {
        for property in SchemaOrg.knownProperties {
            guard let meant = MeantName.type(property) else { continue }
            #expect(isAlike(property, meant.name), "\(property) as type: \(meant.name)")
        }
        #expect(MeantName.property("Game", on: ["Product"])?.name != "name")
    }

    /// The same letters, singular and plural aside; or a name from before schema.org.
    private func isAlike(_ property: String, _ type: String) -> Bool {
        func singular(_ name: String) -> String {
            let name = name.lowercased()
            if name.hasSuffix("ies") { return name.dropLast(3) + "y" }
            return name.hasSuffix("s") && !name.hasSuffix("ss") ? String(name.dropLast()) : name
        }
        return singular(property) == singular(type) || SchemaOrg.type(property) == type
    }

    /// The class of wrong suggestions: a slip in a name that the type has must lead back to this name, not to another one.
    @Test(arguments: ["Recipe", "Product", "Event", "JobPosting", "VideoObject"])
    func `a slip in a property of the type leads back to it or to an equally near one`(type: String) {
        let own = SchemaOrg.knownProperties.filter { SchemaOrg.isExpected($0, on: [type]) && $0.utf8.count >= 8 }
            .sorted()
        #expect(own.count > 20)
        for name in own {
            for written in [name.lowercased(), name + "s", name + " ", String(name.dropLast())]
            where !SchemaOrg.knownProperties.contains(written) {
                let meant = MeantName.property(written, on: [type])
                let isNear = meant.map {
                    $0.name == name
                        || SchemaOrg.isExpected($0.name, on: [type]) && abs($0.name.utf8.count - name.utf8.count) <= 1
                }
                #expect(isNear == true, "\(written) on \(type): \(meant?.name ?? "nothing")")
            }
        }
    }
}
