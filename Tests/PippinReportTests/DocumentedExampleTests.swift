import Testing

@testable import PippinPage
@testable import PippinReport

/// The rules of Google's rich results, tested with complete examples of what its documentation describes instead of with the
/// table: an example with all that is required has no error, and each required property that is taken away is the one error.
@Suite struct DocumentedExampleTests {
    /// An example by the page of the documentation that describes it.
    struct Example: Sendable, CustomTestStringConvertible {
        let page: String
        let json: String
        /// What is required: the path of a property, and how the finding names it where that differs.
        let required: [(path: String, label: String)]
        var testDescription: String { page }

        init(_ page: String, _ json: String, _ required: [String: String] = [:], _ paths: String...) {
            self.page = page
            self.json = json
            self.required = paths.map { ($0, required[$0] ?? $0) }
        }
    }

    static let examples: [Example] = [
        Example(
            "article",
            #"""
            {"@type": "NewsArticle", "headline": "Mugs that last", "image": ["https://example.org/16x9.jpg"],
             "datePublished": "2026-01-05T08:00:00+08:00", "author": [{"@type": "Person", "name": "Kim Example"}]}
            """#),
        Example(
            "breadcrumb",
            #"""
            {"@type": "BreadcrumbList", "itemListElement": [
              {"@type": "ListItem", "position": 1, "name": "Kitchen", "item": "https://example.org/kitchen"},
              {"@type": "ListItem", "position": 2, "name": "Mugs", "item": "https://example.org/kitchen/mugs"},
              {"@type": "ListItem", "position": 3, "name": "Blue mug"}]}
            """#,
            [
                "itemListElement": "itemListElement (at least 2)",
                "itemListElement.name": "itemListElement.name or itemListElement.item.name",
            ],
            "itemListElement", "itemListElement.position", "itemListElement.name", "itemListElement.item"),
        Example(
            "course",
            #"{"@type": "Course", "name": "Throwing", "description": "How a mug is thrown.", "provider": {"@type": "Organization", "name": "Example"}}"#,
            [:], "name", "description"),
        Example(
            "dataset",
            #"""
            {"@type": "Dataset", "name": "Breaks of mugs", "description": "How many mugs broke in each week of a year, by glaze.",
             "distribution": [{"@type": "DataDownload", "encodingFormat": "CSV", "contentUrl": "https://example.org/a.csv"}]}
            """#, ["description": "description (50 to 5,000 characters)"], "name", "description",
            "distribution.contentUrl"),
        Example(
            "discussion-forum",
            #"""
            {"@type": "DiscussionForumPosting", "headline": "Glazes", "text": "Which glaze lasts?",
             "datePublished": "2026-03-01T08:34:34+02:00",
             "author": {"@type": "Person", "name": "Kim", "url": "https://example.org/kim"},
             "comment": [{"@type": "Comment", "text": "White.", "datePublished": "2026-03-02T09:46:02+02:00",
               "author": {"@type": "Person", "name": "Lee", "url": "https://example.org/lee"}}]}
            """#,
            ["text": "text, image or video", "comment.text": "comment.text, comment.image or comment.video"],
            "author", "author.name", "datePublished", "text", "comment.author", "comment.author.name",
            "comment.datePublished", "comment.text"),
        Example(
            "employer-rating",
            #"""
            {"@type": "EmployerAggregateRating", "ratingValue": "91", "bestRating": "100", "worstRating": "1",
             "ratingCount": "10561",
             "itemReviewed": {"@type": "Organization", "name": "Example", "sameAs": "https://example.org"}}
            """#,
            ["ratingValue": "no ratingValue", "ratingCount": "neither ratingCount nor reviewCount"],
            "itemReviewed", "itemReviewed.name", "ratingValue", "ratingCount"),
        Example(
            "event",
            #"""
            {"@type": "Event", "name": "Kiln night", "startDate": "2030-07-21T19:00-05:00",
             "location": {"@type": "Place", "name": "Hall", "address": {"@type": "PostalAddress",
               "streetAddress": "100 West Street", "addressLocality": "Snickertown", "postalCode": "19019",
               "addressRegion": "PA", "addressCountry": "US"}}}
            """#, [:], "name", "startDate", "location", "location.address"),
        Example(
            "image-license-metadata",
            #"""
            {"@type": "ImageObject", "contentUrl": "https://example.org/mug.jpg", "license": "https://example.org/license",
             "acquireLicensePage": "https://example.org/buy"}
            """#, ["license": "license, creator, creditText or copyrightNotice"], "contentUrl", "license"),
        Example(
            "job-posting",
            #"""
            {"@type": "JobPosting", "title": "Potter", "description": "<p>Throws mugs.</p>", "datePosted": "2026-01-18",
             "hiringOrganization": {"@type": "Organization", "name": "Example", "sameAs": "https://example.org"},
             "jobLocation": {"@type": "Place", "name": "Workshop", "address": {"@type": "PostalAddress",
               "streetAddress": "1600 Main Street", "addressLocality": "Detroit", "addressCountry": "US"}}}
            """#,
            ["jobLocation": "jobLocation or applicantLocationRequirements"],
            "title", "description", "datePosted", "hiringOrganization", "hiringOrganization.name", "jobLocation",
            "jobLocation.address", "jobLocation.address.addressCountry"),
        Example(
            "local-business",
            #"""
            {"@type": "Restaurant", "name": "Example", "telephone": "+12122459600",
             "address": {"@type": "PostalAddress", "streetAddress": "148 W 51st St", "addressLocality": "New York",
               "postalCode": "10019", "addressCountry": "US"}}
            """#, [:], "name", "address"),
        Example(
            "movie", #"{"@type": "Movie", "name": "Clay", "image": "https://example.org/clay.jpg"}"#, [:], "name",
            "image"),
        Example(
            "paywalled-content",
            #"""
            {"@type": "NewsArticle", "headline": "Mugs", "isAccessibleForFree": false,
             "hasPart": [{"@type": "WebPageElement", "isAccessibleForFree": false, "cssSelector": ".section1"},
               {"@type": "WebPageElement", "isAccessibleForFree": false, "cssSelector": ".section2"}]}
            """#,
            [
                "hasPart.cssSelector": "hasPart.cssSelector (1 of 2)",
                "hasPart.isAccessibleForFree": "hasPart.isAccessibleForFree (1 of 2)",
            ], "isAccessibleForFree", "hasPart.cssSelector", "hasPart.isAccessibleForFree"),
        Example(
            "product-snippet",
            #"{"@type": "Product", "name": "Mug", "offers": {"@type": "Offer", "price": 12.5, "priceCurrency": "USD"}}"#,
            ["offers": "offers, review or aggregateRating"], "name", "offers", "offers.price"),
        Example(
            "product-snippet (AggregateOffer)",
            #"""
            {"@type": "Product", "name": "Mug",
             "offers": {"@type": "AggregateOffer", "lowPrice": 9, "highPrice": 12, "priceCurrency": "USD", "offerCount": 3}}
            """#, [:], "offers.lowPrice", "offers.priceCurrency"),
        Example(
            "product-snippet (review and rating)",
            #"""
            {"@type": "Product", "name": "Mug",
             "review": {"@type": "Review", "reviewRating": {"@type": "Rating", "ratingValue": 4, "bestRating": 5},
               "author": {"@type": "Person", "name": "Kim"}},
             "aggregateRating": {"@type": "AggregateRating", "ratingValue": 4.4, "reviewCount": 89}}
            """#,
            [
                "aggregateRating.ratingValue": "no ratingValue",
                "aggregateRating.reviewCount": "neither ratingCount nor reviewCount",
            ], "review.author", "review.reviewRating", "review.reviewRating.ratingValue", "aggregateRating.ratingValue",
            "aggregateRating.reviewCount"),
        Example(
            "profile-page",
            #"""
            {"@type": "ProfilePage", "dateCreated": "2024-12-23T12:34:00-05:00",
             "mainEntity": {"@type": "Person", "name": "Kim", "identifier": "123475623"}}
            """#, [:], "mainEntity", "mainEntity.name"),
        Example(
            "qapage",
            #"""
            {"@type": "QAPage", "mainEntity": {"@type": "Question", "name": "How many ounces are in a pound?",
             "answerCount": 2, "acceptedAnswer": {"@type": "Answer", "text": "16.", "upvoteCount": 1337},
             "suggestedAnswer": [{"@type": "Answer", "text": "Sixteen.", "upvoteCount": 42}]}}
            """#,
            [:], "mainEntity", "mainEntity.name", "mainEntity.answerCount", "mainEntity.acceptedAnswer.text",
            "mainEntity.suggestedAnswer.text"),
        Example(
            "qapage (one answer)",
            #"""
            {"@type": "QAPage", "mainEntity": {"@type": "Question", "name": "How many?", "answerCount": 1,
             "suggestedAnswer": {"@type": "Answer", "text": "Sixteen."}}}
            """#,
            ["mainEntity.suggestedAnswer": "mainEntity.acceptedAnswer or mainEntity.suggestedAnswer"],
            "mainEntity.suggestedAnswer"),
        Example(
            "recipe",
            #"{"@type": "Recipe", "name": "Party Cake", "image": ["https://example.org/1x1.jpg"], "recipeIngredient": ["flour"]}"#,
            [:], "name", "image"),
        Example(
            "review-snippet (Review)",
            #"""
            {"@type": "Review", "itemReviewed": {"@type": "Restaurant", "name": "Legal", "telephone": "+12122459600",
               "address": {"@type": "PostalAddress", "streetAddress": "148 W 51st St", "postalCode": "10019",
                 "addressLocality": "New York", "addressCountry": "US"}},
             "reviewRating": {"@type": "Rating", "ratingValue": 4, "bestRating": 5},
             "author": {"@type": "Person", "name": "Bob"}, "datePublished": "2026-01-05"}
            """#,
            [:], "itemReviewed", "itemReviewed.name", "reviewRating", "reviewRating.ratingValue", "author"),
        Example(
            "review-snippet (AggregateRating)",
            #"""
            {"@type": "AggregateRating", "itemReviewed": {"@type": "Book", "name": "The Catcher", "isbn": "9780316769488"},
             "ratingValue": "88", "bestRating": "100", "ratingCount": "20"}
            """#,
            ["ratingValue": "no ratingValue", "ratingCount": "neither ratingCount nor reviewCount"],
            "itemReviewed", "itemReviewed.name", "ratingValue", "ratingCount"),
        Example(
            "software-app",
            #"""
            {"@type": "MobileApplication", "name": "Birds", "operatingSystem": "ANDROID", "applicationCategory": "GameApplication",
             "aggregateRating": {"@type": "AggregateRating", "ratingValue": 4.6, "ratingCount": 8864},
             "offers": {"@type": "Offer", "price": 1.00, "priceCurrency": "USD"}}
            """#,
            ["aggregateRating": "aggregateRating or review"], "name", "aggregateRating", "offers", "offers.price",
            "offers.priceCurrency"),
        Example(
            "vacation-rental",
            #"""
            {"@type": "VacationRental", "name": "Cabin", "identifier": "cabin-17", "telephone": "+12122459600",
             "latitude": 42.12345, "longitude": 101.12345,
             "address": {"@type": "PostalAddress", "streetAddress": "1 Lake Road", "addressLocality": "Bend",
               "postalCode": "97701", "addressCountry": "US"},
             "image": ["https://example.org/1.jpg", "https://example.org/2.jpg", "https://example.org/3.jpg",
               "https://example.org/4.jpg", "https://example.org/5.jpg", "https://example.org/6.jpg",
               "https://example.org/7.jpg", "https://example.org/8.jpg"],
             "containsPlace": {"@type": "Accommodation", "additionalType": "EntirePlace",
               "occupancy": {"@type": "QuantitativeValue", "unitText": "guests", "value": 5}}}
            """#,
            ["image": "image (at least 8)"],
            "name", "identifier", "latitude", "longitude", "image", "containsPlace", "containsPlace.occupancy",
            "containsPlace.occupancy.value"),
        Example(
            "video",
            #"""
            {"@type": "VideoObject", "name": "Throwing", "thumbnailUrl": ["https://example.org/1.jpg"],
             "uploadDate": "2026-03-31T08:00:00+08:00", "contentUrl": "https://example.org/1.mp4"}
            """#, [:], "name", "thumbnailUrl", "uploadDate"),
    ]

    /// Errors of structured data, as Google judges the page.
    private func errors(_ object: JSONValue) throws -> [String] {
        var document: JSONObject = ["@context": "https://schema.org"]
        for member in try #require(object.object).members { document[member.key] = member.value }
        var page = ReportPage("<title>An example</title>" + Markup.script(.object(document)))
        page.options.profile = .google
        return page.card.findings.filter { $0.outcome == .error && $0.check.group == .structuredData }.map(\.sentence)
    }

    /// The value without a property; of several parts the first loses it.
    private func removing(_ path: ArraySlice<String>, from value: JSONValue) -> JSONValue {
        if let values = value.array, let first = values.first {
            return .array([removing(path, from: first)] + values.dropFirst())
        }
        guard let name = path.first, var object = value.object else { return value }
        object[name] = path.count == 1 ? nil : object[name].map { removing(path.dropFirst(), from: $0) }
        return .object(object)
    }

    @Test(arguments: examples)
    func `an example with all that Google requires has no error, and each missing property is one`(example: Example)
        throws
    {
        var parser = JSONParser()
        let value = try parser.parse(example.json)
        #expect(try errors(value) == [])
        for (path, label) in example.required {
            let names = path.split(separator: ".").map(String.init)
            let found = try errors(removing(names[...], from: value))
            #expect(found.count == 1 && found.first?.contains(label) == true, "without \(path): \(found)")
        }
    }

    @Test func `every required row of Google's is met by an example`() {
        // A rule that no example needs could say anything.
        let labels = Set(Self.examples.flatMap { $0.required.map(\.label) })
        let conditional = ["recipeYield", "jobLocationType", "applicantLocationRequirements or jobLocation"]
        let checked = ["Book", "MusicAlbum", "PodcastEpisode", "VideoGame", "WebSite"]
        for types in TypeRequirements.all where !checked.contains(types.type) {
            for row in types.rows where row.level == .required && row.source.profile == .google {
                let isMet = labels.contains { $0 == row.label || $0.hasPrefix(row.label + " (") }
                #expect(isMet || conditional.contains(row.label), "\(types.type) \(row.label)")
            }
        }
    }

    // MARK: Rules of single types

    @Test func `a breadcrumb has two items, and its last is the one with the highest position`() throws {
        func list(_ items: String) throws -> [String] {
            var parser = JSONParser()
            return try errors(try parser.parse(#"{"@type": "BreadcrumbList", "itemListElement": [\#(items)]}"#))
        }
        let home = #"{"@type": "ListItem", "position": 1, "name": "Home", "item": "https://shop.example/"}"#
        let own = #"{"@type": "ListItem", "position": 2, "name": "Mug"}"#
        #expect(try list("\(home), \(own)").isEmpty)
        #expect(try list("\(own), \(home)").isEmpty)
        #expect(try list(home).first?.contains("itemListElement (at least 2)") == true)
        let first = #"{"@type": "ListItem", "position": "1", "name": "Home"}"#
        let second = #"{"@type": "ListItem", "position": "2", "name": "Mug", "item": "https://shop.example/mug"}"#
        #expect(try list("\(second), \(first)").first?.contains("itemListElement.item") == true)
        #expect(try list("\(first), \(second)").first?.contains("itemListElement.item") == true)
        // Ten comes after nine.
        let many = (1...9).map {
            #"{"@type": "ListItem", "position": "\#($0)", "name": "L", "item": "https://shop.example/\#($0)"}"#
        }
        #expect(
            try list(
                (["{\"@type\": \"ListItem\", \"position\": \"10\", \"name\": \"Mug\"}"] + many).joined(separator: ",")
            ).isEmpty)
    }

    @Test func `nothing is asked of an FAQ page, and the card says why`() throws {
        var page = ReportPage(
            #"<title>Questions</title><script type="application/ld+json">{"@context": "https://schema.org", "@type": "FAQPage"}</script>"#
        )
        for (profile, isSaid) in [(ReportCard.Profile.all, true), (.google, true), (.apple, false)] {
            page.options.profile = profile
            let card = page.card
            #expect(card.findings.allSatisfy { !["S21", "S22"].contains($0.check.id) || $0.outcome == .pass })
            #expect(card.findings("S21").contains { $0.sentence.contains("7 May 2026") } == isSaid)
        }
    }

    @Test(arguments: [
        (#""ratingValue": "4.5", "ratingCount": "3""#, true), (#""ratingValue": "4.5", "reviewCount": "3""#, true),
        (#""ratingCount": "3""#, false), (#""ratingValue": "4.5""#, false),
        (#""ratingValue": "6", "ratingCount": "3""#, false),
        (#""ratingValue": "6", "bestRating": "10", "ratingCount": "3""#, true),
        (#""ratingValue": "2", "worstRating": "3", "ratingCount": "3""#, false),
        (#""ratingValue": "good", "ratingCount": "3""#, false), (#""ratingValue": "4", "ratingCount": "many""#, false),
    ])
    func `a rating that Google rejects is an error for Google, and a warning for everyone`(rating: String, isGood: Bool)
    {
        var page = ReportPage(
            #"""
            <title>Mug</title><script type="application/ld+json">{"@context": "https://schema.org", "@type": "Book",
            "name": "Mugs", "aggregateRating": {"@type": "AggregateRating", \#(rating)}}</script>
            """#)
        #expect(page.card.outcome("S07") == (isGood ? .pass : .warning))
        page.options.profile = .google
        #expect(page.card.outcome("S07") == (isGood ? .pass : .error))
        if !isGood {
            #expect(page.card.findings("S07").first?.sentence.hasSuffix("Google rejects the rating.") == true)
        }
    }

    @Test func `a price without currency is no matter of product snippets, but of merchant listings`() throws {
        var parser = JSONParser()
        let product = try parser.parse(
            #"{"@type": "Product", "name": "Mug", "offers": {"@type": "Offer", "price": "12"}}"#)
        #expect(try errors(product).isEmpty)
        let page = ReportPage(
            #"<title>Mug</title><script type="application/ld+json">{"@context": "https://schema.org", "@type": "Product", "name": "Mug", "offers": {"@type": "Offer", "price": "12"}}</script>"#
        )
        #expect(page.card.findings("S08").first?.sentence.contains("merchant listings") == true)
        #expect(page.card.outcome("S08") == .warning)
    }

    @Test(arguments: [(49, false), (50, true), (5_000, true), (5_001, false)])
    func `the description of a data set has 50 to 5,000 characters`(count: Int, fits: Bool) throws {
        var parser = JSONParser()
        let text = String(repeating: "é", count: count)
        let found = try errors(try parser.parse(#"{"@type": "Dataset", "name": "Breaks", "description": "\#(text)"}"#))
        #expect(found.isEmpty == fits, "\(found)")
        #expect(found.allSatisfy { $0.contains("lacks: description (50 to 5,000 characters).") })
    }

    /// Pictures of an article, what Open Graph or the picture itself says of /a.jpg, and whether they are enough.
    @Test(arguments: [
        (#""https://shop.example/a.jpg""#, "", nil, true),
        (#"{"@type": "ImageObject", "url": "/a.jpg", "width": 250, "height": 200}"#, "", nil, true),
        (#"{"@type": "ImageObject", "url": "/a.jpg", "width": 250, "height": 199}"#, "", nil, false),
        (#"{"@type": "ImageObject", "url": "/a.jpg", "width": "250", "height": "199"}"#, "", nil, false),
        (#"{"@type": "ImageObject", "url": "/a.jpg", "width": 249}"#, "", nil, true),
        // One that is large enough will do.
        (
            #"[{"@type": "ImageObject", "width": 100, "height": 100}, {"@type": "ImageObject", "width": 1200, "height": 675}]"#,
            "", nil, true
        ),
        (#""https://shop.example/a.jpg""#, "100", nil, false), (#""https://shop.example/a.jpg""#, "1000", nil, true),
        (#""https://shop.example/other.jpg""#, "100", nil, true),
        (#""https://shop.example/a.jpg""#, "1000", 100, false),
        (#"{"@type": "ImageObject", "contentUrl": "https://shop.example/a.jpg"}"#, "", 100, false),
    ])
    func `an article's picture has 50,000 pixels, if its size is known`(
        image: String, openGraph: String, side: Int?, isEnough: Bool
    ) throws {
        var page = ReportPage(
            """
            <title>Mugs</title><meta property="og:image" content="https://shop.example/a.jpg">
            <meta property="og:image:width" content="\(openGraph)"><meta property="og:image:height" content="\(openGraph)">
            <script type="application/ld+json">{"@context": "https://schema.org", "@type": "NewsArticle", "headline": "Mugs",
            "image": \(image)}</script>
            """)
        if let side {
            var picture = ImageEvidence(url: try #require(WebURL("https://shop.example/a.jpg")), status: 200)
            (picture.format, picture.width, picture.height) = (.jpeg, side, side)
            page.images = [picture]
        }
        let found = page.card.findings("S22").first { $0.outcome >= .info }
        #expect(found?.sentence.contains("image (50,000 pixels or more)") == !isEnough, "\(found?.sentence ?? "")")
        if !isEnough {
            #expect(found?.remedy?.text.contains("16:9, 4:3 and 1:1") == true)
            #expect(found?.remedy?.code?.contains("a.jpg") == false)
        }
    }

    @Test func `pictures without license or credit, and free works, are not asked about either`() throws {
        var parser = JSONParser()
        for json in [
            #"{"@type": "ImageObject", "contentUrl": "https://example.org/mug.jpg", "width": 1200}"#,
            #"{"@type": "NewsArticle", "headline": "Mugs", "isAccessibleForFree": true}"#,
            #"{"@type": "NewsArticle", "headline": "Mugs", "hasPart": {"@type": "WebPageElement", "name": "Intro"}}"#,
        ] {
            #expect(try errors(try parser.parse(json)).isEmpty, "\(json)")
        }
    }

    @Test func `a page that another item names as its own has a main entity`() throws {
        let page = ReportPage(
            #"""
            <title>Kim</title><script type="application/ld+json">{"@context": "https://schema.org", "@graph": [
            {"@type": "ProfilePage", "@id": "https://shop.example/mug", "dateCreated": "2025-01-01"},
            {"@type": "Person", "name": "Kim", "mainEntityOfPage": {"@id": "https://shop.example/mug"}}]}</script>
            """#)
        #expect(page.card.outcome("S21") == .pass, "\(page.card.findings("S21").map(\.sentence))")
    }
}
