/// Structured items that refer to each other, apart from the syntax that they are written in.
///
/// `Topic` says which types and properties, `Shape` who refers to whom, `Carrier` (in `ItemGraph+Carriers.swift`) how it is
/// written. Together they make every page whose cost could grow with the paths through a graph and not with its size.
public struct ItemGraph: Sendable {
    enum Value: Sendable {
        case text(String)
        case node(Int)
    }

    struct Node: Sendable {
        var types: [String]
        var properties: [(name: String, value: Value)] = []
    }

    /// The first node is what the page is about.
    private(set) var nodes: [Node] = []

    // MARK: Topics

    /// What a page is about, and a path that a record or a check follows from there.
    public struct Topic: Sendable {
        let type: String
        /// The property of each step, and the type of what it leads to.
        let path: [(property: String, type: String)]
        /// The properties at the end of the path that have the value.
        let leaves: [(name: String, text: String)]

        public var name: String { ([type] + path.map(\.property)).joined(separator: "/") }

        init(_ type: String, _ path: [(String, String)], _ leaves: KeyValuePairs<String, String>) {
            self.type = type
            self.path = path.map { (property: $0.0, type: $0.1) }
            self.leaves = leaves.map { (name: $0.key, text: $0.value) }
        }

        /// The paths that Pippin follows, and those that it may follow one day.
        public static let all: [Topic] = [
            Topic(
                "Product", [("offers", "AggregateOffer"), ("offers", "Offer")],
                ["price": "1.5", "priceCurrency": "EUR"]),
            Topic(
                "Product", [("offers", "Offer"), ("priceSpecification", "UnitPriceSpecification")],
                ["price": "1.5", "priceCurrency": "EUR", "priceType": "ListPrice"]),
            Topic(
                "ProductGroup", [("hasVariant", "Product"), ("offers", "Offer")],
                ["price": "2", "availability": "InStock"]),
            Topic("Hotel", [("makesOffer", "Offer"), ("priceSpecification", "PriceSpecification")], ["minPrice": "3"]),
            Topic(
                "Product", [("aggregateRating", "AggregateRating"), ("itemReviewed", "Product")],
                ["ratingValue": "4", "bestRating": "5"]),
            Topic(
                "Product", [("review", "Review"), ("reviewRating", "Rating")], ["ratingValue": "4", "worstRating": "1"]),
            Topic("Product", [("review", "Review"), ("author", "Person")], ["name": "A Name", "url": "/a"]),
            Topic("Product", [("brand", "Brand"), ("logo", "ImageObject")], ["name": "B", "contentUrl": "/l.png"]),
            Topic(
                "Product", [("isVariantOf", "ProductGroup"), ("isRelatedTo", "Product")], ["name": "V", "sku": "1"]),
            Topic("Article", [("author", "Person"), ("worksFor", "Organization")], ["name": "A Name", "url": "/a"]),
            Topic(
                "NewsArticle", [("publisher", "NewsMediaOrganization"), ("logo", "ImageObject")],
                ["name": "P", "url": "/l.png"]),
            Topic(
                "BlogPosting", [("image", "ImageObject"), ("thumbnail", "ImageObject")],
                ["contentUrl": "/i.png", "width": "640", "caption": "c"]),
            Topic(
                "BlogPosting", [("image", "ImageGallery"), ("itemListElement", "ImageObject")], ["contentUrl": "/i.png"]
            ),
            Topic(
                "Blog", [("blogPost", "BlogPosting"), ("mainEntityOfPage", "WebPage")], ["headline": "H", "name": "H"]),
            Topic("Article", [("comment", "Comment"), ("author", "Person")], ["text": "t", "name": "A Name"]),
            Topic(
                "Article", [("isPartOf", "PublicationIssue"), ("isPartOf", "Periodical")],
                ["name": "J", "issueNumber": "1"]),
            Topic(
                "Article", [("hasPart", "WebPageElement"), ("hasPart", "WebPageElement")],
                ["cssSelector": ".x", "isAccessibleForFree": "false"]),
            Topic(
                "Article", [("video", "VideoObject"), ("hasPart", "Clip")],
                ["contentUrl": "/v.mp4", "embedUrl": "/v", "startOffset": "1"]),
            Topic("Article", [("subjectOf", "CreativeWork"), ("about", "Thing")], ["name": "n", "inLanguage": "en"]),
            Topic(
                "Article", [("citation", "CreativeWork"), ("license", "CreativeWork")],
                ["name": "n", "keywords": "a, b"]),
            Topic(
                "Recipe", [("recipeInstructions", "HowToSection"), ("itemListElement", "HowToStep")],
                ["text": "t", "name": "s"]),
            Topic(
                "Recipe", [("nutrition", "NutritionInformation"), ("recipeIngredient", "PropertyValue")],
                ["calories": "1", "name": "flour"]),
            Topic(
                "Event", [("location", "Place"), ("address", "PostalAddress")],
                ["streetAddress": "s", "addressLocality": "t", "name": "n"]),
            Topic("Event", [("location", "Place"), ("geo", "GeoCoordinates")], ["latitude": "1", "longitude": "2"]),
            Topic("Event", [("location", "Place"), ("contactPoint", "ContactPoint")], ["telephone": "x"]),
            Topic(
                "Event", [("organizer", "Organization"), ("contactPoint", "ContactPoint")],
                ["telephone": "+1 202 555 0100"]),
            Topic(
                "Event", [("subEvent", "Event"), ("performer", "Person")], ["name": "n", "startDate": "2030-01-01"]),
            Topic(
                "Event", [("offers", "Offer"), ("eventSchedule", "Schedule")],
                ["price": "1", "validThrough": "2020-01-01"]),
            Topic(
                "Restaurant",
                [("department", "Restaurant"), ("openingHoursSpecification", "OpeningHoursSpecification")],
                ["dayOfWeek": "Monday", "opens": "10:00", "closes": "11:00"]),
            Topic(
                "Restaurant", [("openingHoursSpecification", "OpeningHoursSpecification"), ("dayOfWeek", "DayOfWeek")],
                ["opens": "10:00", "closes": "11:00", "openingHours": "Mo 10:00-11:00"]),
            Topic(
                "Restaurant", [("hasMenu", "Menu"), ("hasMenuSection", "MenuSection")],
                ["name": "n", "servesCuisine": "c"]),
            Topic(
                "WebSite", [("potentialAction", "SearchAction"), ("target", "EntryPoint")],
                ["urlTemplate": "x", "query-input": "required name=q"]),
            Topic(
                "WebPage",
                [
                    ("potentialAction", "ViewAction"), ("target", "EntryPoint"),
                    ("actionApplication", "MobileApplication"),
                ],
                ["urlTemplate": "app://x", "actionPlatform": "http://schema.org/IOSPlatform", "operatingSystem": "iOS"]),
            Topic(
                "SoftwareApplication", [("offers", "Offer"), ("installUrl", "PropertyValue")],
                ["url": "https://apps.apple.com/app/id1", "operatingSystem": "iOS"]),
            Topic(
                "SoftwareApplication", [("potentialAction", "InstallAction"), ("identifier", "PropertyValue")],
                ["value": "https://apps.apple.com/app/id1"]),
            Topic("WebPage", [("mainEntity", "Thing"), ("image", "ImageObject")], ["contentUrl": "/i.png"]),
            Topic(
                "WebPage", [("primaryImageOfPage", "ImageObject"), ("itemListElement", "ImageObject")],
                ["contentUrl": "/i.png"]),
            Topic(
                "WebPage", [("breadcrumb", "BreadcrumbList"), ("itemListElement", "ListItem"), ("item", "WebPage")],
                ["name": "n", "position": "1"]),
            Topic(
                "ItemList", [("itemListElement", "ListItem"), ("item", "Product")],
                ["name": "n", "position": "1", "url": "/x"]),
            Topic("FAQPage", [("mainEntity", "Question"), ("acceptedAnswer", "Answer")], ["text": "t", "name": "q"]),
            Topic(
                "QAPage", [("mainEntity", "Question"), ("suggestedAnswer", "Answer"), ("author", "Person")],
                ["text": "t", "name": "q", "upvoteCount": "1"]),
            Topic(
                "DiscussionForumPosting", [("comment", "Comment"), ("interactionStatistic", "InteractionCounter")],
                ["userInteractionCount": "5", "interactionType": "LikeAction"]),
            Topic(
                "ProfilePage", [("mainEntity", "Person"), ("interactionStatistic", "InteractionCounter")],
                ["userInteractionCount": "5", "interactionType": "http://schema.org/LikeAction"]),
            Topic(
                "MusicAlbum",
                [
                    ("track", "ItemList"), ("itemListElement", "ListItem"), ("item", "MusicRecording"),
                    ("audio", "AudioObject"),
                ], ["contentUrl": "/a.mp3"]),
            Topic("MusicAlbum", [("byArtist", "MusicGroup"), ("member", "Person")], ["name": "n", "url": "/m"]),
            Topic("Movie", [("trailer", "VideoObject"), ("actor", "Person")], ["contentUrl": "/v.mp4", "name": "n"]),
            Topic(
                "TVEpisode", [("partOfSeason", "TVSeason"), ("partOfSeries", "TVSeries")],
                ["name": "n", "seasonNumber": "1"]),
            Topic(
                "PodcastEpisode", [("associatedMedia", "AudioObject"), ("encoding", "MediaObject")],
                ["contentUrl": "/a.mp3", "duration": "PT1M"]),
            Topic("Book", [("workExample", "Book"), ("author", "Person")], ["isbn": "1", "name": "n"]),
            Topic(
                "VideoObject", [("publication", "BroadcastEvent"), ("hasPart", "Clip")],
                ["contentUrl": "/v.mp4", "startDate": "2030-01-01"]),
            Topic(
                "JobPosting", [("hiringOrganization", "Organization"), ("logo", "ImageObject")],
                ["name": "n", "validThrough": "2030-01-01"]),
            Topic(
                "JobPosting", [("jobLocation", "Place"), ("address", "PostalAddress")],
                ["addressCountry": "DE", "addressLocality": "t"]),
            Topic(
                "Organization", [("contactPoint", "ContactPoint"), ("areaServed", "Place")],
                ["telephone": "x", "email": "a@b"]),
            Topic(
                "Organization", [("subOrganization", "Organization"), ("address", "PostalAddress")],
                ["addressCountry": "DE", "name": "n"]),
            Topic(
                "Course", [("hasCourseInstance", "CourseInstance"), ("provider", "Organization")],
                ["name": "n", "startDate": "2030-01-01"]),
            Topic(
                "ClaimReview", [("itemReviewed", "Claim"), ("reviewRating", "Rating")],
                ["ratingValue": "1", "alternateName": "No"]),
            Topic(
                "Dataset", [("distribution", "DataDownload"), ("creator", "Organization")],
                ["contentUrl": "/d.csv", "name": "n"]),
            Topic(
                "Article", [("contentRating", "Rating"), ("author", "Organization")],
                ["ratingValue": "PG", "name": "n"]),
            Topic("Article", [("audience", "Audience"), ("genre", "Thing")], ["audienceType": "a", "name": "n"]),
            // Of Google's vocabulary before schema.org; other carriers read them as types that nobody knows.
            Topic(
                "Review-aggregate", [("rating", "Rating"), ("rating", "Rating")],
                ["average": "4", "best": "5", "votes": "9"]),
            Topic(
                "Product", [("offerDetails", "Offer-aggregate"), ("review", "Review-aggregate")],
                ["price": "1", "currency": "EUR"]),
            Topic(
                "Event", [("location", "Organization"), ("address", "Address")],
                ["summary": "s", "locality": "l", "photo": "/x.png"]),
        ]
    }

    // MARK: Shapes

    /// Who refers to whom.
    public enum Shape: String, CaseIterable, Sendable {
        /// Each property of one node leads to the node itself, again and again.
        case itself = "itself"
        /// One node refers to another again and again, at each step of the path.
        case repetition = "repetition"
        /// One node refers to many others, each with an end of its own.
        case fanOut = "fan-out"
        /// Many nodes refer to one, which refers to one again and again.
        case fanIn = "fan-in"
        /// One refers to many; they all refer to one; that refers to many.
        case hourglass = "hourglass"
        /// Layers of nodes, each of which refers to all nodes of the next.
        case layers = "layers"
        /// Each refers to the next, and the last to the first.
        case cycle = "cycle"
        /// Many references to a node with many properties.
        case breadth = "breadth"
        /// Many references to a node with many values that say nothing.
        case emptyTexts = "empty texts"
        /// Many references to a node with many types.
        case types = "types"
        /// A list of things that are alike, at the top of the page.
        case siblings = "siblings"
    }

    /// A graph of shapes that nobody thought of.
    ///
    /// - Parameters:
    ///   - rules: three bytes each: from where, by which property, to where. Each rule gives every node, or as many others, one
    ///     reference, so the page is in proportion to its size.
    ///   - size: the number of nodes.
    public init(rules: [UInt8], _ topic: Topic, size: Int) {
        let path = topic.path
        func place(_ byte: UInt8, of i: Int) -> Int {
            switch byte % 9 {
            case 0: 0
            case 1: i
            case 2: (i + 1) % size
            case 3: (i + size - 1) % size
            case 4: size - 1
            case 5: i / 2
            case 6: size - 1 - i
            case 7: i % 8 % size
            default: (i * 7 + Int(byte)) % size
            }
        }
        for i in 0..<max(1, size) {
            let level = i % (path.count + 1)
            nodes.append(
                Node(
                    types: [level == 0 ? topic.type : path[level - 1].type],
                    properties: [("name", .text("n\(i)"))] + topic.leaves.map { (name: $0.name, value: .text($0.text)) }
                ))
        }
        for start in stride(from: 0, to: rules.count - 2, by: 3).prefix(8) {
            let property = path[Int(rules[start + 1]) % path.count].property
            for i in 0..<size {
                let from = place(rules[start], of: i)
                switch rules[start + 1] / 16 {
                // All types of the path at once: such a node is its own offer, rating and place.
                case 14 where nodes[from].types.count == 1: nodes[from].types += path.map(\.type)
                case 15: nodes[from].properties.append(("p\(i)", .text("x")))
                default: break
                }
                nodes[from].properties.append((property, .node(place(rules[start + 2], of: i))))
            }
        }
    }

    /// - Parameter size: the number of references, within a small factor.
    public init(_ shape: Shape, _ topic: Topic, size: Int) {
        // Every path gets two steps at least.
        var path = topic.path
        if path.count == 1 { path.append(path[0]) }
        let leaves = topic.leaves.map { (name: $0.name, value: Value.text($0.text)) }
        func type(_ level: Int) -> String { level == 0 ? topic.type : path[(level - 1) % path.count].type }
        func node(_ level: Int, hasLeaves: Bool = false) -> Node {
            Node(
                types: [type(level)],
                properties: (level == 0 ? [("name", .text("Name"))] : []) + (hasLeaves ? leaves : []))
        }
        func name(_ level: Int) -> String { path[level % path.count].property }
        func add(_ node: Node) -> Int {
            nodes.append(node)
            return nodes.count - 1
        }
        func link(_ from: Int, _ level: Int, _ to: Int) { nodes[from].properties.append((name(level), .node(to))) }

        switch shape {
        case .itself:
            var own = node(0)
            for step in path where !own.types.contains(step.type) { own.types.append(step.type) }
            let index = add(own)
            for _ in 0..<size { for level in path.indices { link(index, level, index) } }
        case .repetition:
            var last = add(node(0))
            for level in path.indices {
                let next = add(node(level + 1))
                for _ in 0..<size { link(last, level, next) }
                last = next
            }
            for _ in 0..<size { nodes[last].properties += leaves }
        case .fanOut:
            let main = add(node(0))
            for i in 0..<size {
                var last = main
                for level in path.indices {
                    let next = add(node(level + 1, hasLeaves: level == path.count - 1))
                    nodes[next].properties.append(("name", .text("n\(i)")))
                    link(last, level, next)
                    last = next
                }
            }
        case .fanIn:
            let hub = add(node(1))
            let end = add(node(2, hasLeaves: true))
            for _ in 0..<size { link(hub, 1, end) }
            for _ in 0..<size { link(add(node(0)), 0, hub) }
        case .hourglass:
            let main = add(node(0))
            let hub = add(node(2))
            for _ in 0..<size {
                let middle = add(node(1))
                link(main, 0, middle)
                link(middle, 1, hub)
                link(hub, 2, add(node(3, hasLeaves: true)))
            }
        case .layers:
            var width = 1
            while (width + 1) * (width + 1) <= size { width += 1 }
            var layer = [add(node(0))]
            for level in 0..<max(3, path.count) {
                let next = (0..<width).map { _ in add(node(level + 1)) }
                for one in layer { for other in next { link(one, level, other) } }
                layer = next
            }
        case .cycle:
            for i in 0..<size { _ = add(node(i % (path.count + 1))) }
            for i in 0..<size { link(i, i % path.count, (i + 1) % size) }
        case .breadth, .emptyTexts, .types:
            let main = add(node(0))
            let hub = add(node(1))
            let end = add(node(2))
            link(hub, 1, end)
            for i in 0..<size {
                link(main, 0, hub)
                // Owners of their own, so that no list of seen pairs helps.
                let middle = add(node(1))
                link(main, 0, middle)
                link(middle, 1, end)
                switch shape {
                case .breadth:
                    nodes[hub].properties.append(("n\(i)", .text("x")))
                    nodes[end].properties.append(("n\(i)", .text("x")))
                case .types:
                    nodes[hub].types.append("T\(i)")
                    nodes[end].types.append("T\(i)")
                default:
                    for leaf in leaves + [("name", .text(""))] {
                        nodes[hub].properties.append((leaf.name, .text("{{ x }}")))
                        nodes[end].properties.append((leaf.name, .text("{{ x }}")))
                    }
                }
            }
        case .siblings:
            for i in 0..<size {
                let top = add(node(0))
                nodes[top].properties.append(("url", .text("/\(i)")))
                link(top, 0, add(node(1, hasLeaves: true)))
            }
        }
    }
}
