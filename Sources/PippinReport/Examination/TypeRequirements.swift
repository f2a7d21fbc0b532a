import PippinPage

/// What Google, Apple and schema.org ask of the items of one type and of its subtypes.
///
/// The rows are those of Google's pages as of October 2026. The table leaves out what another check answers: parts of a rating
/// (S07), the values of an offer (S08), what an address
/// needs for directions (S10), the telephone of a place (S25), the address of audio and video (S11), ingredients, steps and times of a recipe (S12), the
/// target of a search action (S13). It also leaves out what only few items can say (a product's size, the key moments of a
/// video).
struct TypeRequirements: Sendable {
    /// Where items of the type count.
    enum Place: Sendable { case anywhere, homePage, homePageOrTopic }

    let type: String
    /// Subtypes that are not asked.
    let except: [String]
    /// Subtypes of those that are.
    let alsoAsked: [String]
    let place: Place
    /// What is lost without what is required, as the end of a sentence: `Google shows no event result`; nil if nothing is.
    let loss: String?
    /// What the type is good for, if that is less than it was; a sentence.
    let remark: String?
    let rows: [TypeRequirement]

    private init(
        _ type: String, except: [String] = [], butNot alsoAsked: [String] = [], at place: Place = .anywhere,
        loss: String? = nil, remark: String? = nil,
        _ rows: [TypeRequirement]
    ) {
        self.type = type
        self.except = except
        self.alsoAsked = alsoAsked
        self.place = place
        self.loss = loss
        self.remark = remark
        self.rows = rows
    }

    /// Whether a type of an item is this type.
    func includes(_ written: String) -> Bool {
        func isKind(_ others: [String]) -> Bool { others.contains { SchemaOrg.isKind(written, of: $0) } }
        return SchemaOrg.isKind(written, of: type) && (!isKind(except) || isKind(alsoAsked))
    }

    static let all: [TypeRequirements] = [
        event, recipe, product, article, localBusiness, foodEstablishment, lodgingBusiness, videoObject,
        softwareApplication, videoGame, book, movie, musicAlbum, podcastEpisode, jobPosting, course, qaPage,
        profilePage,
        socialMediaPosting, dataset, vacationRental, reviewAlone, aggregateRating, employerAggregateRating, imageObject,
        creativeWork, breadcrumbList, organization, webSite,
    ]

    /// A type whose Google result has ended, so nothing is required of it.
    struct Ended: Sendable {
        let type: String
        /// When it ended, as a sentence.
        let sentence: String
    }

    static let ended = [
        // “Latest Google Search documentation updates”, May 2026.
        Ended(
            type: "FAQPage",
            sentence: "FAQPage: Google has shown no FAQ results since 7 May 2026, so nothing is required of it.")
    ]

    // MARK: Rows

    private typealias Row = TypeRequirement

    private static func required(
        _ properties: String, in holder: String? = nil, of type: String? = nil, except: [String] = [],
        if condition: Row.Condition? = nil, atLeast minimum: Int = 1, limit: Row.Limit? = nil, _ example: JSONValue,
        _ source: Row.Source
    ) -> Row {
        Row(
            .required, properties, in: holder, of: type, except: except, if: condition, atLeast: minimum, limit: limit,
            example, source)
    }

    private static func recommended(
        _ properties: String, in holder: String? = nil, of type: String? = nil, except: [String] = [],
        if condition: Row.Condition? = nil, limit: Row.Limit? = nil, _ example: JSONValue, _ source: Row.Source
    ) -> Row {
        Row(
            .recommended, properties, in: holder, of: type, except: except, if: condition, limit: limit, example, source
        )
    }

    private static let rating: JSONValue = [
        "@type": "AggregateRating", "ratingValue": "4.5", "bestRating": "5", "ratingCount": "12",
    ]
    private static let review: JSONValue = [
        "@type": "Review", "author": ["@type": "Person", "name": "Kim Example"],
        "reviewRating": ["@type": "Rating", "ratingValue": "5", "bestRating": "5"],
    ]
    private static let postalAddress: JSONValue = [
        "@type": "PostalAddress", "streetAddress": "1 Example Street", "addressLocality": "Cupertino",
        "postalCode": "95014", "addressCountry": "US",
    ]
    private static let person: JSONValue = [
        "@type": "Person", "name": "Kim Example", "url": "https://example.org/people/kim",
    ]
    private static let company: JSONValue = [
        "@type": "Organization", "name": "Example", "url": "https://example.org/",
    ]
    private static let picture: JSONValue = "https://example.org/picture.jpg"

    private static let offer: JSONValue = [
        "@type": "Offer", "url": "https://example.org/mug", "price": "12.00", "priceCurrency": "USD",
        "availability": "https://schema.org/InStock", "priceValidUntil": "2030-12-31",
        "shippingDetails": shippingDetails, "hasMerchantReturnPolicy": returnPolicy,
    ]
    private static let shippingDetails: JSONValue = [
        "@type": "OfferShippingDetails",
        "shippingRate": ["@type": "MonetaryAmount", "value": "4.90", "currency": "USD"],
        "shippingDestination": ["@type": "DefinedRegion", "addressCountry": "US"],
        "deliveryTime": [
            "@type": "ShippingDeliveryTime",
            "handlingTime": ["@type": "QuantitativeValue", "minValue": "0", "maxValue": "1", "unitCode": "DAY"],
            "transitTime": ["@type": "QuantitativeValue", "minValue": "1", "maxValue": "5", "unitCode": "DAY"],
        ],
    ]
    private static let returnPolicy: JSONValue = [
        "@type": "MerchantReturnPolicy", "applicableCountry": "US",
        "returnPolicyCategory": "https://schema.org/MerchantReturnFiniteReturnWindow", "merchantReturnDays": "30",
    ]

    /// Parts of reviews, as review snippets require them.
    private static let reviewRows = [
        required("author", in: "review", person, .google("review-snippet")),
        required(
            "reviewRating", in: "review", ["@type": "Rating", "ratingValue": "5", "bestRating": "5"],
            .google("review-snippet")),
        required("ratingValue", in: "review.reviewRating", "5", .google("review-snippet")),
    ]

    // MARK: Types

    private static let event = TypeRequirements(
        "Event", except: ["UserInteraction", "PublicationEvent", "CourseInstance"],
        loss: "Google shows no event result",
        [
            required("name", "Example Night", .google("event")),
            required("startDate", "2030-06-01T19:30:00+02:00", .google("event")),
            required(
                "location", ["@type": "Place", "name": "Example Hall", "address": postalAddress], .google("event")),
            required(
                "address", in: "location", except: ["VirtualLocation", "PostalAddress"], postalAddress, .google("event")
            ),
            recommended(
                "url", in: "location", of: "VirtualLocation", "https://example.org/live", .schemaOrg("VirtualLocation")),
            recommended(
                "name", in: "location", except: ["VirtualLocation", "PostalAddress"], "Example Hall", .google("event")),
            recommended("description", "What happens, for whom, and what to bring.", .google("event")),
            recommended("endDate", "2030-06-01T22:00:00+02:00", .google("event")),
            recommended("eventStatus", "https://schema.org/EventScheduled", .google("event")),
            recommended(
                "previousStartDate", if: .value("eventStatus", "EventRescheduled"), "2030-05-01T19:30:00+02:00",
                .google("event")),
            recommended("image", picture, .google("event")),
            recommended(
                "offers",
                [
                    "@type": "Offer", "url": "https://example.org/tickets", "price": "12.00", "priceCurrency": "USD",
                    "availability": "https://schema.org/InStock", "validFrom": "2030-01-01",
                ], .google("event")),
            recommended("url", in: "offers", "https://example.org/tickets", .google("event")),
            recommended("availability", in: "offers", "https://schema.org/InStock", .google("event")),
            recommended(
                "validFrom", in: "offers", of: "Offer", except: ["AggregateOffer"], "2030-01-01", .google("event")),
            recommended("organizer", company, .google("event")),
            recommended("name", in: "organizer", "Example", .google("event")),
            recommended("url", in: "organizer", "https://example.org/", .google("event")),
            recommended("performer/performers", person, .google("event")),
            recommended("name", in: "performer", "Kim Example", .google("event")),
            required("name", "Example Night", .apple),
            recommended("image", picture, .apple),
        ])

    private static let recipe = TypeRequirements(
        "Recipe", loss: "Google shows no recipe result",
        [
            required("name", "Apple Pie", .google("recipe")),
            required("image", "https://example.org/pie.jpg", .google("recipe")),
            required("recipeYield/yield", if: .has("nutrition.calories"), "8", .google("recipe")),
            recommended("aggregateRating", rating, .google("recipe")),
            recommended("author", person, .google("recipe")),
            recommended("datePublished", "2026-01-31", .google("recipe")),
            recommended("description", "What it tastes like, and when it is made.", .google("recipe")),
            recommended("keywords", "autumn, oven", .google("recipe")),
            recommended(
                "nutrition", ["@type": "NutritionInformation", "calories": "320 calories"], .google("recipe")),
            recommended("calories", in: "nutrition", "320 calories", .google("recipe")),
            recommended("recipeCategory", "Dessert", .google("recipe")),
            recommended("recipeCuisine", "American", .google("recipe")),
            recommended("recipeYield/yield", "8", .google("recipe")),
            recommended(
                "video",
                [
                    "@type": "VideoObject", "name": "Apple Pie", "thumbnailUrl": "https://example.org/pie.jpg",
                    "uploadDate": "2026-01-31T08:00:00+00:00", "contentUrl": "https://example.org/pie.mp4",
                    "description": "How to bake the pie.", "duration": "PT3M",
                ], .google("recipe")),
            required("name", "Apple Pie", .apple),
            recommended("image", "https://example.org/pie.jpg", .apple),
            recommended("aggregateRating", rating, .apple),
        ])

    /// Google does not take cars and drugs for products unless they are also typed so. Product snippets need no currency, merchant
    /// listings do (S08).
    private static let product = TypeRequirements(
        "Product", except: ["Vehicle", "Drug"], loss: "Google shows no product result",
        [
            required("name", "Mug", .google("product-snippet")),
            required(
                "offers/hasVariant|review/reviews|aggregateRating",
                offer, .google("product-snippet")),
            required(
                "price/priceSpecification.price/priceSpecification.minPrice", in: "offers", of: "Offer",
                except: ["AggregateOffer"], "12.00", .google("product-snippet")),
            required("lowPrice", in: "offers", of: "AggregateOffer", "9.00", .google("product-snippet")),
            required("priceCurrency", in: "offers", of: "AggregateOffer", "USD", .google("product-snippet")),
            recommended("image", "https://example.org/mug.jpg", .google("merchant-listing")),
            recommended("offers/hasVariant", offer, .google("product-snippet")),
            recommended("review/reviews", review, .google("product-snippet")),
            recommended("aggregateRating", rating, .google("product-snippet")),
            recommended("description", "What it is made of, and for what.", .google("merchant-listing")),
            recommended(
                "brand/manufacturer", ["@type": "Brand", "name": "Example"], .google("merchant-listing")),
            recommended(
                "gtin/gtin8/gtin12/gtin13/gtin14/isbn|mpn|sku/productID", "4006381333931", .google("merchant-listing")),
            recommended("availability", in: "offers", "https://schema.org/InStock", .google("product-snippet")),
            recommended(
                "priceValidUntil", in: "offers", of: "Offer", except: ["AggregateOffer"], "2030-12-31",
                .google("product-snippet")),
            recommended("highPrice", in: "offers", of: "AggregateOffer", "15.00", .google("product-snippet")),
            recommended("offerCount", in: "offers", of: "AggregateOffer", "3", .google("product-snippet")),
            recommended(
                "shippingDetails", in: "offers", of: "Offer", except: ["AggregateOffer"],
                shippingDetails, .google("merchant-listing")),
            recommended(
                "hasMerchantReturnPolicy", in: "offers", of: "Offer", except: ["AggregateOffer"],
                returnPolicy, .google("merchant-listing")),
            required("name", "Mug", .apple),
            recommended("offers/hasVariant", offer, .apple),
            recommended("aggregateRating", rating, .apple),
            recommended("image", "https://example.org/mug.jpg", .apple),
        ] + reviewRows)

    /// Google reads social media postings as those of a forum.
    private static let article = TypeRequirements(
        "Article", except: ["SocialMediaPosting"], butNot: ["BlogPosting"],
        [
            recommended("headline", "Headline of the article", .google("article")),
            recommended(
                "image", limit: .pixels(50_000),
                ["@type": "ImageObject", "url": picture, "width": "1200", "height": "675"], .google("article")),
            recommended("datePublished", "2026-01-31T08:00:00+00:00", .google("article")),
            recommended("dateModified", "2026-02-01T08:00:00+00:00", .google("article")),
            recommended("author", person, .google("article")),
            recommended("name", in: "author", "Kim Example", .google("article")),
            recommended("url/sameAs", in: "author", "https://example.org/people/kim", .google("article")),
            recommended("headline/name", "Headline of the article", .apple),
            recommended("image", picture, .apple),
        ])

    private static let localBusiness = TypeRequirements(
        "LocalBusiness", except: ["VacationRental"], loss: "Google shows no details of the place",
        [
            required("name", "Example", .google("local-business")),
            required("address", postalAddress, .google("local-business")),
            recommended("url", "https://example.org/", .google("local-business")),
            recommended(
                "geo", ["@type": "GeoCoordinates", "latitude": "37.33182", "longitude": "-122.03118"],
                .google("local-business")),
            recommended("latitude", in: "geo", of: "GeoCoordinates", "37.33182", .google("local-business")),
            recommended("longitude", in: "geo", of: "GeoCoordinates", "-122.03118", .google("local-business")),
            recommended(
                "openingHoursSpecification/openingHours",
                [
                    "@type": "OpeningHoursSpecification", "dayOfWeek": "https://schema.org/Monday", "opens": "09:00",
                    "closes": "17:00",
                ], .google("local-business")),
            recommended("priceRange", "$$", .google("local-business")),
            required("name", "Example", .apple),
            recommended("priceRange", "$$", .apple),
        ])

    /// Restaurant and its like, besides what is asked of a LocalBusiness.
    private static let foodEstablishment = TypeRequirements(
        "FoodEstablishment",
        [
            recommended("servesCuisine", "Italian", .google("local-business")),
            recommended("hasMenu/menu", "https://example.org/menu", .google("local-business")),
            recommended("acceptsReservations", "True", .schemaOrg("FoodEstablishment")),
        ])

    /// Hotel and its like, besides what is asked of a LocalBusiness.
    private static let lodgingBusiness = TypeRequirements(
        "LodgingBusiness", except: ["VacationRental"],
        [
            recommended("image/photo", picture, .schemaOrg("docs/hotels.html")),
            recommended("checkinTime", "15:00", .schemaOrg("docs/hotels.html")),
            recommended("checkoutTime", "11:00", .schemaOrg("docs/hotels.html")),
            recommended("starRating", ["@type": "Rating", "ratingValue": "4"], .schemaOrg("docs/hotels.html")),
            recommended(
                "amenityFeature",
                ["@type": "LocationFeatureSpecification", "name": "Breakfast", "value": "True"],
                .schemaOrg("docs/hotels.html")),
        ])

    private static let videoObject = TypeRequirements(
        "VideoObject", loss: "Google shows no video result",
        [
            required("name", "How a mug is thrown", .google("video")),
            required("thumbnailUrl", picture, .google("video")),
            required("uploadDate", "2026-01-31T08:00:00+00:00", .google("video")),
            recommended("description", "What the video shows.", .google("video")),
            recommended("duration", "PT3M", .google("video")),
            required("name", "How a mug is thrown", .apple),
            recommended("thumbnailUrl/thumbnail/image", picture, .apple),
        ])

    private static let softwareApplication = TypeRequirements(
        "SoftwareApplication", except: ["VideoGame", "OperatingSystem", "RuntimePlatform"],
        loss: "Google shows no app result",
        [
            required("name", "Example", .google("software-app")),
            required("offers", ["@type": "Offer", "price": "0", "priceCurrency": "USD"], .google("software-app")),
            required(
                "price/priceSpecification.price", in: "offers", of: "Offer", except: ["AggregateOffer"], "0",
                .google("software-app")),
            required(
                "priceCurrency/priceSpecification.priceCurrency", in: "offers", of: "Offer", except: ["AggregateOffer"],
                if: .priced, "USD", .google("software-app")),
            required("aggregateRating|review/reviews", rating, .google("software-app")),
            recommended("applicationCategory", "TravelApplication", .google("software-app")),
            recommended("operatingSystem", "iOS 17", .google("software-app")),
            required("name", "Example", .apple),
            recommended("offers", ["@type": "Offer", "price": "0", "priceCurrency": "USD"], .apple),
            recommended("aggregateRating", rating, .apple),
            recommended(
                "installUrl|downloadUrl", "https://apps.apple.com/app/id123456789", .schemaOrg("SoftwareApplication")),
        ] + reviewRows)

    /// A game that is not also typed as another kind of app.
    private static let videoGame = TypeRequirements(
        "VideoGame", loss: "Google shows no stars for the game",
        [
            required("name", "Example Quest", .google("review-snippet")),
            recommended("@type", ["VideoGame", "MobileApplication"], .google("software-app")),
            recommended("gamePlatform|operatingSystem", "iOS", .schemaOrg("VideoGame")),
            recommended("genre|applicationCategory", "Adventure", .schemaOrg("VideoGame")),
            recommended("image|screenshot", picture, .schemaOrg("VideoGame")),
            required("name", "Example Quest", .apple),
        ])

    private static let book = TypeRequirements(
        "Book", loss: "Google shows no stars for the book",
        remark: "Google takes what book actions need from the feeds of booksellers, not from pages.",
        [
            required("name", "An Example", .google("review-snippet")),
            recommended("author", person, .schemaOrg("Book")),
            recommended("isbn|workExample", "9783161484100", .schemaOrg("Book")),
            recommended("bookFormat|workExample", "https://schema.org/Hardcover", .schemaOrg("Book")),
            recommended("inLanguage", "en", .schemaOrg("Book")),
            recommended("datePublished", "2026-01-31", .schemaOrg("Book")),
            recommended("image", picture, .schemaOrg("Book")),
            recommended("url", "https://example.org/book", .schemaOrg("Book")),
            required("name", "An Example", .apple),
            recommended("aggregateRating", rating, .apple),
        ])

    private static let movie = TypeRequirements(
        "Movie", loss: "Google shows the film in no carousel",
        [
            required("name", "An Example", .google("movie")),
            required("image", picture, .google("movie")),
            recommended("aggregateRating", rating, .google("movie")),
            recommended("dateCreated/datePublished", "2026-01-31", .google("movie")),
            recommended("director/directors", person, .google("movie")),
            recommended("review/reviews", review, .google("movie")),
            recommended("actor/actors", person, .schemaOrg("Movie")),
            recommended("duration", "PT1H40M", .schemaOrg("Movie")),
            required("name", "An Example", .apple),
            recommended("aggregateRating", rating, .apple),
        ])

    private static let musicAlbum = TypeRequirements(
        "MusicAlbum", loss: "Google shows no stars for the album",
        remark: "Google no longer has a result for music.",
        [
            required("name", "An Example", .google("review-snippet")),
            recommended("byArtist", ["@type": "MusicGroup", "name": "The Examples"], .schemaOrg("MusicAlbum")),
            recommended("image", picture, .schemaOrg("MusicAlbum")),
            recommended("datePublished", "2026-01-31", .schemaOrg("MusicAlbum")),
            recommended("numTracks", "1", .schemaOrg("MusicAlbum")),
            recommended(
                "track/tracks",
                ["@type": "MusicRecording", "name": "First Song", "duration": "PT3M"], .schemaOrg("MusicAlbum")),
            recommended("url", "https://example.org/album", .schemaOrg("MusicAlbum")),
            required("name", "An Example", .apple),
            recommended("image", picture, .apple),
        ])

    private static let podcastEpisode = TypeRequirements(
        "PodcastEpisode", loss: "Google shows no stars for the episode",
        remark: "Apple and Google list podcasts from their feeds; the page's markup serves search.",
        [
            required("name", "Episode 1", .google("review-snippet")),
            recommended("url", "https://example.org/episodes/1", .schemaOrg("PodcastEpisode")),
            recommended("datePublished", "2026-01-31", .schemaOrg("PodcastEpisode")),
            recommended("description", "Who talks about what.", .schemaOrg("PodcastEpisode")),
            recommended(
                "partOfSeries",
                ["@type": "PodcastSeries", "name": "An Example", "url": "https://example.org/podcast"],
                .schemaOrg("PodcastEpisode")),
            recommended("timeRequired/duration", "PT40M", .schemaOrg("PodcastEpisode")),
            required("name", "Episode 1", .apple),
            recommended(
                "associatedMedia/audio/encoding/contentUrl",
                ["@type": "AudioObject", "contentUrl": "https://example.org/1.mp3", "duration": "PT40M"], .apple),
        ])

    private static let jobPosting = TypeRequirements(
        "JobPosting", loss: "Google does not list the job",
        [
            required("title", "Potter", .google("job-posting")),
            required("description", "<p>What to do, for whom, and what is paid.</p>", .google("job-posting")),
            required("datePosted", "2026-01-31", .google("job-posting")),
            required("hiringOrganization", company, .google("job-posting")),
            required("name", in: "hiringOrganization", "Example", .google("job-posting")),
            required(
                "applicantLocationRequirements|jobLocation", if: .value("jobLocationType", "TELECOMMUTE"),
                ["@type": "Country", "name": "USA"], .google("job-posting")),
            required(
                "jobLocation|applicantLocationRequirements", ["@type": "Place", "address": postalAddress],
                .google("job-posting")),
            required("address", in: "jobLocation", except: ["PostalAddress"], postalAddress, .google("job-posting")),
            required("addressCountry", in: "jobLocation.address", "US", .google("job-posting")),
            required(
                "jobLocationType", if: .has("applicantLocationRequirements"), "TELECOMMUTE", .google("job-posting")),
            recommended(
                "applicantLocationRequirements", if: .value("jobLocationType", "TELECOMMUTE"),
                ["@type": "Country", "name": "USA"], .google("job-posting")),
            recommended("validThrough", "2030-12-31T23:59:59+00:00", .google("job-posting")),
            recommended("employmentType", "FULL_TIME", .google("job-posting")),
            recommended(
                "baseSalary",
                [
                    "@type": "MonetaryAmount", "currency": "USD",
                    "value": ["@type": "QuantitativeValue", "value": "5000", "unitText": "MONTH"],
                ], .google("job-posting")),
            recommended(
                "identifier", ["@type": "PropertyValue", "name": "Example", "value": "1234567"], .google("job-posting")),
            recommended("directApply", "True", .google("job-posting")),
        ])

    private static let course = TypeRequirements(
        "Course", loss: "Google shows the course in no course list",
        remark: "Google's course info results ended in 2025; lists of courses remain.",
        [
            required("name", "Throwing Mugs", .google("course")),
            required("description", "What is taught, and to whom.", .google("course")),
            recommended("provider", company, .google("course")),
            recommended("name", in: "provider", "Example", .google("course")),
            recommended(
                "hasCourseInstance",
                ["@type": "CourseInstance", "courseMode": "Onsite", "courseWorkload": "PT8H"], .schemaOrg("Course")),
            required("name", "Throwing Mugs", .apple),
        ])

    private static let answer: JSONValue = [
        "@type": "Answer", "text": "Lift it with two spoons.", "url": "https://example.org/questions/1#a1",
        "upvoteCount": "7", "author": person,
    ]

    private static let qaPage = TypeRequirements(
        "QAPage", loss: "Google shows no question with its answers",
        [
            required(
                "mainEntity",
                [
                    "@type": "Question", "name": "How does one turn a pancake?", "text": "Mine always tear.",
                    "answerCount": "2", "upvoteCount": "3", "datePublished": "2026-01-31T08:00:00+00:00",
                    "author": person, "acceptedAnswer": answer, "suggestedAnswer": answer,
                ], .google("qapage")),
            required("name", in: "mainEntity", of: "Question", "How does one turn a pancake?", .google("qapage")),
            required("answerCount", in: "mainEntity", of: "Question", "2", .google("qapage")),
            required("acceptedAnswer|suggestedAnswer", in: "mainEntity", of: "Question", answer, .google("qapage")),
            required("text", in: "mainEntity.acceptedAnswer", "Lift it with two spoons.", .google("qapage")),
            required("text", in: "mainEntity.suggestedAnswer", "Lift it with two spoons.", .google("qapage")),
            recommended("text", in: "mainEntity", of: "Question", "Mine always tear.", .google("qapage")),
            recommended("author", in: "mainEntity", of: "Question", person, .google("qapage")),
            recommended(
                "datePublished", in: "mainEntity", of: "Question", "2026-01-31T08:00:00+00:00", .google("qapage")),
            recommended("upvoteCount", in: "mainEntity", of: "Question", "3", .google("qapage")),
            recommended(
                "url", in: "mainEntity.acceptedAnswer", "https://example.org/questions/1#a1", .google("qapage")),
            recommended("upvoteCount", in: "mainEntity.acceptedAnswer", "7", .google("qapage")),
            recommended("author", in: "mainEntity.acceptedAnswer", person, .google("qapage")),
        ])

    private static let profilePage = TypeRequirements(
        "ProfilePage", loss: "Google does not take the page for a profile",
        [
            required(
                "mainEntity",
                [
                    "@type": "Person", "name": "Kim Example", "alternateName": "kim", "identifier": "4711",
                    "description": "Throws mugs.", "image": picture, "sameAs": "https://social.example/kim",
                    "interactionStatistic": followers,
                ], .google("profile-page")),
            required("name", in: "mainEntity", "Kim Example", .google("profile-page")),
            recommended("dateCreated", "2025-01-31T08:00:00+00:00", .google("profile-page")),
            recommended("dateModified", "2026-01-31T08:00:00+00:00", .google("profile-page")),
            recommended("alternateName", in: "mainEntity", "kim", .google("profile-page")),
            recommended("description", in: "mainEntity", "Throws mugs.", .google("profile-page")),
            recommended("identifier", in: "mainEntity", "4711", .google("profile-page")),
            recommended("image", in: "mainEntity", picture, .google("profile-page")),
            recommended(
                "interactionStatistic|agentInteractionStatistic", in: "mainEntity", followers, .google("profile-page")),
            recommended("sameAs", in: "mainEntity", "https://social.example/kim", .google("profile-page")),
        ])

    private static let followers: JSONValue = [
        "@type": "InteractionCounter", "interactionType": "https://schema.org/FollowAction",
        "userInteractionCount": "12",
    ]

    /// SocialMediaPosting and its subtype DiscussionForumPosting, which Google reads alike. Properties of only some posts (a
    /// shared page, the status of a deleted post) are left out.
    private static let socialMediaPosting = TypeRequirements(
        "SocialMediaPosting", except: ["BlogPosting"], loss: "Google does not show the post among discussions",
        [
            required("author", person, .google("discussion-forum")),
            required("name", in: "author", "Kim Example", .google("discussion-forum")),
            required("datePublished", "2026-01-31T08:00:00+00:00", .google("discussion-forum")),
            required("text|image|video", "Which glaze holds in a dishwasher?", .google("discussion-forum")),
            required("author", in: "comment", person, .google("discussion-forum")),
            required("name", in: "comment.author", "Kim Example", .google("discussion-forum")),
            required("datePublished", in: "comment", "2026-01-31T09:00:00+00:00", .google("discussion-forum")),
            required("text|image|video", in: "comment", "The white one.", .google("discussion-forum")),
            recommended("headline", "Glaze and dishwashers", .google("discussion-forum")),
            recommended("url", "https://example.org/forum/17", .google("discussion-forum")),
            recommended("url", in: "author", "https://example.org/people/kim", .google("discussion-forum")),
            recommended("isPartOf", "https://example.org/forum/glazes", .google("discussion-forum")),
            recommended(
                "interactionStatistic",
                [
                    "@type": "InteractionCounter", "interactionType": "https://schema.org/LikeAction",
                    "userInteractionCount": "12",
                ], .google("discussion-forum")),
            recommended(
                "comment",
                [
                    "@type": "Comment", "text": "The white one.", "datePublished": "2026-01-31T09:00:00+00:00",
                    "author": person,
                ], .google("discussion-forum")),
        ])

    private static let dataset = TypeRequirements(
        "Dataset", loss: "Google's Dataset Search does not list it",
        [
            required("name", "Breaks of mugs by glaze", .google("dataset")),
            required(
                "description", limit: .characters(50...5_000),
                "How many mugs of each glaze broke in a year of daily use, by week and household.",
                .google("dataset")),
            required("contentUrl", in: "distribution", "https://example.org/breaks.csv", .google("dataset")),
            recommended("creator", company, .google("dataset")),
            recommended(
                "distribution",
                [
                    "@type": "DataDownload", "contentUrl": "https://example.org/breaks.csv",
                    "encodingFormat": "text/csv",
                ], .google("dataset")),
            recommended("encodingFormat", in: "distribution", "text/csv", .google("dataset")),
            recommended("identifier", "https://doi.org/10.5555/12345678", .google("dataset")),
            recommended("isAccessibleForFree", "True", .google("dataset")),
            recommended("keywords", ["mugs", "glazes"], .google("dataset")),
            recommended("license", "https://creativecommons.org/licenses/by/4.0/", .google("dataset")),
            recommended("spatialCoverage", "Berlin", .google("dataset")),
            recommended("temporalCoverage", "2025-01-01/2025-12-31", .google("dataset")),
            recommended("url", "https://example.org/data/breaks", .google("dataset")),
            recommended("variableMeasured", "broken mugs a week", .google("dataset")),
            recommended("version", "1", .google("dataset")),
        ])

    /// Replaces the rows of hotels and other local businesses.
    private static let vacationRental = TypeRequirements(
        "VacationRental", loss: "Google does not list the rental",
        remark: "Google lists rentals of sites with access to its Hotel Center.",
        [
            required("name", "Cabin by the lake", .google("vacation-rental")),
            required("identifier", "cabin-17", .google("vacation-rental")),
            required(
                "image", atLeast: 8, .array((1...8).map { .string("https://example.org/cabin-\($0).jpg") }),
                .google("vacation-rental")),
            required("latitude/geo.latitude", "52.34702", .google("vacation-rental")),
            required("longitude/geo.longitude", "13.66016", .google("vacation-rental")),
            required("containsPlace", rentedPlace, .google("vacation-rental")),
            required("occupancy", in: "containsPlace", guests, .google("vacation-rental")),
            required("value", in: "containsPlace.occupancy", "4", .google("vacation-rental")),
            recommended("additionalType", "Cabin", .google("vacation-rental")),
            recommended("address", postalAddress, .google("vacation-rental")),
            recommended("aggregateRating", rating, .google("vacation-rental")),
            recommended("checkinTime", "15:00", .google("vacation-rental")),
            recommended("checkoutTime", "11:00", .google("vacation-rental")),
            recommended("description", "What it is like, and what is near.", .google("vacation-rental")),
            recommended("knowsLanguage", "en-US", .google("vacation-rental")),
            recommended("additionalType", in: "containsPlace", "EntirePlace", .google("vacation-rental")),
            recommended("amenityFeature", in: "containsPlace", wifi, .google("vacation-rental")),
            recommended("bed", in: "containsPlace", bed, .google("vacation-rental")),
            recommended("floorSize", in: "containsPlace", floorSize, .google("vacation-rental")),
            recommended("numberOfBathroomsTotal", in: "containsPlace", "1", .google("vacation-rental")),
            recommended("numberOfBedrooms", in: "containsPlace", "2", .google("vacation-rental")),
            recommended("numberOfRooms", in: "containsPlace", "3", .google("vacation-rental")),
            required("name", "Cabin by the lake", .apple),
        ])
    private static let guests: JSONValue = ["@type": "QuantitativeValue", "value": "4"]
    private static let wifi: JSONValue = ["@type": "LocationFeatureSpecification", "name": "wifi", "value": "True"]
    private static let bed: JSONValue = ["@type": "BedDetails", "numberOfBeds": "2", "typeOfBed": "Single"]
    private static let floorSize: JSONValue = ["@type": "QuantitativeValue", "value": "57", "unitCode": "MTK"]
    private static let rentedPlace: JSONValue = [
        "@type": "Accommodation", "additionalType": "EntirePlace", "occupancy": guests, "amenityFeature": wifi,
        "bed": bed, "floorSize": floorSize, "numberOfBathroomsTotal": "1", "numberOfBedrooms": "2",
        "numberOfRooms": "3",
    ]

    private static let reviewed: JSONValue = ["@type": "Book", "name": "An Example"]

    /// A review that is an item of its own. `reviewRows` has the rules for reviews of products and apps.
    private static let reviewAlone = TypeRequirements(
        "Review", except: ["ClaimReview", "MediaReview", "CriticReview"], loss: "Google shows no stars for the review",
        [
            required("author", person, .google("review-snippet")),
            required("itemReviewed", reviewed, .google("review-snippet")),
            required("name", in: "itemReviewed", "An Example", .google("review-snippet")),
            required(
                "reviewRating", ["@type": "Rating", "ratingValue": "5", "bestRating": "5"], .google("review-snippet")),
            required("ratingValue", in: "reviewRating", "5", .google("review-snippet")),
            recommended("datePublished", "2026-01-31", .google("review-snippet")),
        ])

    /// A rating that is not the property of another item.
    private static let aggregateRating = TypeRequirements(
        "AggregateRating", except: ["EmployerAggregateRating"], loss: "Google does not know what is rated",
        [
            required("itemReviewed", reviewed, .google("review-snippet")),
            required("name", in: "itemReviewed", "An Example", .google("review-snippet")),
        ])

    private static let employerAggregateRating = TypeRequirements(
        "EmployerAggregateRating", loss: "Google shows no rating of the employer",
        [
            required(
                "itemReviewed", ["@type": "Organization", "name": "Example", "sameAs": "https://example.org/"],
                .google("employer-rating")),
            required("name", in: "itemReviewed", "Example", .google("employer-rating")),
            recommended("sameAs", in: "itemReviewed", "https://example.org/", .google("employer-rating")),
            recommended("bestRating", "5", .google("employer-rating")),
            recommended("worstRating", "1", .google("employer-rating")),
        ])

    private static let licensing = ["license", "acquireLicensePage", "creditText", "creator", "copyrightNotice"]

    /// A picture with a license or credit.
    private static let imageObject = TypeRequirements(
        "ImageObject", loss: "Google shows no license of the picture",
        [
            required("contentUrl", if: .hasAny(licensing), picture, .google("image-license-metadata")),
            required(
                "license|creator|creditText|copyrightNotice", if: .has("acquireLicensePage"),
                "https://example.org/license", .google("image-license-metadata")),
            recommended(
                "license", if: .hasAny(licensing), "https://example.org/license", .google("image-license-metadata")),
            recommended(
                "acquireLicensePage", if: .hasAny(licensing), "https://example.org/license/buy",
                .google("image-license-metadata")),
            recommended("creditText", if: .hasAny(licensing), "Kim Example", .google("image-license-metadata")),
            recommended("creator", if: .hasAny(licensing), person, .google("image-license-metadata")),
            recommended("name", in: "creator", "Kim Example", .google("image-license-metadata")),
            recommended(
                "copyrightNotice", if: .hasAny(licensing), "© Kim Example", .google("image-license-metadata")),
        ])

    /// Content behind a paywall.
    private static let creativeWork = TypeRequirements(
        "CreativeWork", loss: "Google may take the paywall for cloaking",
        [
            required("isAccessibleForFree", if: .has("hasPart.cssSelector"), "False", .google("paywalled-content")),
            required("cssSelector", in: "hasPart", if: .partPaid, ".paid", .google("paywalled-content")),
            required(
                "isAccessibleForFree", in: "hasPart", if: .partHas("cssSelector"), "False",
                .google("paywalled-content")),
            recommended(
                "hasPart", if: .paid,
                ["@type": "WebPageElement", "isAccessibleForFree": "False", "cssSelector": ".paid"],
                .google("paywalled-content")),
        ])

    private static let breadcrumbList = TypeRequirements(
        "BreadcrumbList", loss: "Google shows the address instead of the path",
        [
            required(
                "itemListElement", atLeast: 2,
                [
                    ["@type": "ListItem", "position": "1", "name": "Mugs", "item": "https://example.org/mugs"],
                    ["@type": "ListItem", "position": "2", "name": "This page"],
                ], .google("breadcrumb")),
            required("position", in: "itemListElement", "1", .google("breadcrumb")),
            required("name|item.name", in: "itemListElement", "This page", .google("breadcrumb")),
            required("item", in: "itemListElement", if: .beforeLast, "https://example.org/mugs", .google("breadcrumb")),
        ])

    private static let organization = TypeRequirements(
        "Organization", except: ["LocalBusiness", "PerformingGroup"], at: .homePageOrTopic,
        [
            recommended("name", "Example", .google("organization")),
            recommended("url", "https://example.org/", .google("organization")),
            recommended("logo", "https://example.org/logo.png", .google("organization")),
            recommended("description", "What it does.", .google("organization")),
            recommended("sameAs", "https://social.example/example", .google("organization")),
            recommended("address", postalAddress, .google("organization")),
            recommended(
                "contactPoint/contactPoints|telephone|email",
                ["@type": "ContactPoint", "telephone": "+1-650-555-0100", "email": "hello@example.org"],
                .google("organization")),
            recommended("name", "Example", .apple),
            recommended("telephone|contactPoint/contactPoints", "+1-650-555-0100", .apple),
            recommended("address", postalAddress, .apple),
        ])

    private static let siteNames = TypeRequirement.Source(
        profile: .google, url: "https://developers.google.com/search/docs/appearance/site-names")

    private static let webSite = TypeRequirements(
        "WebSite", at: .homePage, loss: "Google must guess the name of the site",
        [
            required("name", "Example", siteNames),
            required("url", "https://example.org/", siteNames),
            recommended("alternateName", "Ex.", siteNames),
        ])
}
