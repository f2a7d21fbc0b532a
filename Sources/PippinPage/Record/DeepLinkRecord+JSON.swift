import Foundation

// The record as one line of NDJSON. Keys stand in the order of Docs/Record.md; what is unknown has no key.

extension DeepLinkRecord {
    /// Appends the record and a line feed.
    public func appendLine(to bytes: inout [UInt8]) {
        appendJSON(to: &bytes)
        bytes.append(0x0A)
    }

    /// The record as a value. By way of its line of NDJSON, so that what is shown is what a crawl writes.
    public var json: JSONValue {
        var line: [UInt8] = []
        appendJSON(to: &line)
        var parser = JSONParser(limits: .ownText)
        do throws(JSONSyntaxError) {
            return try parser.parse(line)
        } catch {
            // Only a mistake of the writer gets here; whoever looks at the record then sees it.
            return .string(String(decoding: line, as: UTF8.self))
        }
    }

    /// Appends the record as a JSON object in UTF-8, without a line end.
    public func appendJSON(to bytes: inout [UInt8]) {
        var writer = JSONWriter(reservingBytes: 2_048)
        write(to: &writer)
        bytes.append(contentsOf: writer.bytes)
    }

    /// Writes the record as one JSON value.
    public func write(to writer: inout JSONWriter) {
        var places: [RecordText.Place] = []
        write(to: &writer, &places)
    }

    /// - Parameter places: gets the places of the members that a `RecordText` can leave out.
    func write(to writer: inout JSONWriter, _ places: inout [RecordText.Place]) {
        func removable(_ part: RecordText.Part, _ member: (inout JSONWriter) -> Void) {
            let start = writer.bytes.count
            member(&writer)
            places.append(RecordText.Place(part: part, range: start..<writer.bytes.count))
        }
        writer.beginObject()
        writer.member("schemaVersion", Self.schemaVersion)
        removable(.uniqueIdentifier) { $0.member("uniqueIdentifier", uniqueIdentifier) }
        removable(.domainIdentifier) { $0.member("domainIdentifier", domainIdentifier) }
        removable(.url) { $0.member("url", url) }
        removable(.seeds) { $0.member("seeds", seeds) }
        writer.optional("title", title)
        writer.optional("contentDescription", contentDescription)
        writer.optional("snippet", snippet)
        writer.optional("text", text)
        writer.member("keywords", keywords)
        writer.member("languages", languages)
        writer.array("languageAlternates", languageAlternates) { writer, alternate in
            writer.member("language", alternate.language)
            writer.member("url", alternate.url)
        }
        writer.optional("containerTitle", containerTitle)
        writer.array("breadcrumbs", breadcrumbs) { writer, breadcrumb in
            writer.member("name", breadcrumb.name)
            writer.optional("url", breadcrumb.url)
        }
        writer.member("types", types)
        writer.member("alternateNames", alternateNames)
        writer.member("categories", categories)
        writer.member("sameAs", sameAs)
        writer.optional("wordCount", wordCount)
        writer.array("authors", authors) { $1.write(to: &$0) }
        writer.array("artists", artists) { $1.write(to: &$0) }
        writer.optional("publishedAt", publishedAt)
        removable(.modifiedAt) { $0.optional("modifiedAt", modifiedAt) }
        writer.optional("expiresAt", expiresAt)
        writer.optional("thumbnailURL", thumbnailURL)
        writer.optional("iconURL", iconURL)
        writer.array("feeds", feeds) { writer, feed in
            writer.member("url", feed.url)
            writer.member("type", feed.type)
            writer.optional("title", feed.title)
        }
        writer.array("images", images) { $1.write(to: &$0) }
        writer.array("audio", audio) { $1.write(to: &$0) }
        writer.array("video", video) { $1.write(to: &$0) }
        writer.optional("duration", duration)
        writer.array("deepLinks", deepLinks) { $1.write(to: &$0, &places) }
        if let rating { writer.object("rating") { write(rating, to: &$0) } }
        writer.array("offers", offers) { $1.write(to: &$0) }
        writer.array("variants", variants) { $1.write(to: &$0) }
        writer.optional("priceRange", priceRange)
        writer.array("interactions", interactions) { $1.write(to: &$0) }
        if let organization { writer.object("organization") { organization.write(to: &$0) } }
        if let recipe { writer.object("recipe") { recipe.write(to: &$0) } }
        if let event { writer.object("event") { event.write(to: &$0) } }
        writer.member("openingHours", openingHours)
        if let partOf { writer.object("partOf") { partOf.write(to: &$0) } }
        writer.array("parts", parts) { $1.write(to: &$0) }
        if let episode { writer.object("episode") { episode.write(to: &$0) } }
        writer.optional("brand", brand)
        if !identifiers.isEmpty { writer.object("identifiers") { identifiers.write(to: &$0) } }
        writer.optional("contentRating", contentRating)
        if let isAccessibleForFree { writer.member("isAccessibleForFree", isAccessibleForFree) }
        writer.optional("license", license)
        if !usage.isEmpty { writer.object("usage") { usage.write(to: &$0) } }
        writer.array("actions", actions) { $1.write(to: &$0) }
        if !custom.isEmpty {
            writer.key("custom")
            writer.value(.object(custom))
        }
        writer.optional("hiddenWords", hiddenWords)
        if !provenance.isEmpty {
            writer.object("provenance") { writer in
                for entry in provenance { writer.member(entry.field, entry.source.rawValue) }
            }
        }
        let confidence = confidence
        if !confidence.isEmpty {
            writer.object("confidence") { writer in
                for guess in confidence { writer.member(guess.field, guess.value) }
            }
        }
        if let popularity { writer.member("popularity", popularity) }
        writer.member("structuredDataScore", structuredDataScore)
        removable(.fetchedAt) { $0.member("fetchedAt", InternetTime.text(fetchedAt)) }
        writer.optional("contentHash", contentHash)
        writer.endObject()
    }

    private func write(_ rating: SchemaOrg.Rating, to writer: inout JSONWriter) {
        writer.member("value", rating.value)
        writer.member("best", rating.best)
        writer.member("worst", rating.worst)
        // Four digits: more would be noise of binary fractions.
        writer.member("normalized", (rating.normalized * 10_000).rounded() / 10_000)
        writer.optional("count", rating.count)
        writer.optional("reviewCount", rating.reviewCount)
    }
}

extension DeepLinkRecord.Author {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.member("name", name)
        writer.optional("url", url)
        writer.optional("type", type?.rawValue)
    }
}

extension DeepLinkRecord.Identifiers {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.member("sku", sku)
        writer.member("mpn", mpn)
        writer.member("gtin", gtin)
        writer.member("isbn", isbn)
        writer.member("doi", doi)
    }
}

extension DeepLinkRecord.Image {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.member("url", url)
        writer.optional("type", type)
        writer.optional("width", width)
        writer.optional("height", height)
        writer.optional("alt", alt)
    }
}

extension DeepLinkRecord.Media {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.member("url", url)
        writer.optional("type", type)
        writer.optional("width", width)
        writer.optional("height", height)
    }
}

extension DeepLinkRecord.DeepLink {
    fileprivate func write(to writer: inout JSONWriter, _ places: inout [RecordText.Place]) {
        writer.member("platform", platform.rawValue)
        writer.optional("url", url)
        if !alternativeURLs.isEmpty { writer.member("alternativeURLs", alternativeURLs) }
        writer.optional("storeIdentifier", storeIdentifier)
        writer.optional("storeCountry", storeCountry)
        writer.optional("bundleIdentifier", bundleIdentifier)
        writer.optional("appClipBundleIdentifier", appClipBundleIdentifier)
        writer.optional("packageName", packageName)
        writer.optional("appName", appName)
        writer.optional("minimumVersion", minimumVersion)
        writer.optional("launchArguments", launchArguments)
        writer.key("sources")
        writer.beginArray()
        for source in sources { writer.string(source.rawValue) }
        writer.endArray()
        writer.key("verification")
        writer.beginObject()
        writer.member("status", verification.status.rawValue)
        let start = writer.bytes.count
        writer.optional("since", verification.since.map(InternetTime.text))
        places.append(RecordText.Place(part: .since, range: start..<writer.bytes.count))
        writer.optional("applicationIdentifier", verification.applicationIdentifier)
        writer.optional("pattern", verification.pattern)
        writer.optional("reason", verification.reason)
        writer.endObject()
    }
}

extension DeepLinkRecord.Offer {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.optional("price", price)
        writer.optional("lowPrice", lowPrice)
        writer.optional("highPrice", highPrice)
        writer.optional("currency", currency)
        writer.optional("availability", availability)
        writer.optional("raw", raw)
        writer.optional("itemCondition", itemCondition)
        writer.optional("priceValidUntil", priceValidUntil)
        writer.array("shipping", shipping) { $1.write(to: &$0) }
        if let returns { writer.object("returns") { returns.write(to: &$0) } }
    }
}

extension DeepLinkRecord.Shipping {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.member("countries", countries)
        writer.optional("price", price)
        writer.optional("currency", currency)
        writer.optional("minimumDays", minimumDays)
        writer.optional("maximumDays", maximumDays)
        writer.member("isShipped", isShipped)
    }
}

extension DeepLinkRecord.ReturnPolicy {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.optional("category", category)
        writer.optional("days", days)
        writer.optional("fees", fees)
        writer.member("countries", countries)
        writer.optional("url", url)
    }
}

extension DeepLinkRecord.Variant {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.optional("name", name)
        writer.optional("url", url)
        writer.optional("sku", sku)
        writer.optional("gtin", gtin)
        for member in properties { writer.member(member.key, member.value) }
        writer.optional("price", price)
        writer.optional("currency", currency)
        writer.optional("availability", availability)
    }
}

extension DeepLinkRecord.Interaction {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.member("type", type)
        writer.member("count", count)
    }
}

extension DeepLinkRecord.Organization {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.optional("name", name)
        writer.optional("telephone", telephone)
        writer.optional("email", email)
        if let address {
            writer.object("address") { writer in
                writer.optional("streetAddress", address.streetAddress)
                writer.optional("extendedAddress", address.extendedAddress)
                writer.optional("postOfficeBoxNumber", address.postOfficeBoxNumber)
                writer.optional("addressLocality", address.addressLocality)
                writer.optional("addressRegion", address.addressRegion)
                writer.optional("postalCode", address.postalCode)
                writer.optional("addressCountry", address.addressCountry)
                writer.optional("fullyFormattedAddress", address.fullyFormattedAddress)
            }
        }
    }
}

extension DeepLinkRecord.Recipe {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.optional("totalTime", totalTime)
        writer.optional("prepTime", prepTime)
        writer.optional("cookTime", cookTime)
        writer.optional("yield", yield)
        writer.optional("calories", calories)
        if !nutrition.isEmpty { writer.member("nutrition", .object(nutrition)) }
        writer.optional("ingredients", ingredients)
    }
}

extension DeepLinkRecord.Event {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.optional("startDate", startDate)
        writer.optional("endDate", endDate)
        writer.optional("venue", venue)
        writer.optional("address", address)
        if let coordinates {
            writer.member("latitude", coordinates.latitude)
            writer.member("longitude", coordinates.longitude)
        }
        writer.optional("status", status)
        writer.optional("url", url)
    }
}

extension DeepLinkRecord.Work {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.member("type", type)
        writer.member("name", name)
        writer.optional("url", url)
    }
}

extension DeepLinkRecord.Episode {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.optional("number", number)
        writer.optional("season", season)
    }
}

extension DeepLinkRecord.Action {
    fileprivate func write(to writer: inout JSONWriter) {
        switch self {
        case .call(let phoneNumber, let `extension`):
            writer.member("type", "call")
            writer.member("phoneNumber", phoneNumber)
            writer.optional("extension", `extension`)
        case .directions(let address, let coordinates):
            writer.member("type", "directions")
            writer.optional("address", address)
            if let coordinates {
                writer.member("latitude", coordinates.latitude)
                writer.member("longitude", coordinates.longitude)
            }
        case .play(let media, let url):
            writer.member("type", "play")
            writer.member("media", media.rawValue)
            writer.member("url", url)
        case .search(let urlTemplate, let parameter):
            writer.member("type", "search")
            writer.member("urlTemplate", urlTemplate)
            writer.member("parameter", parameter)
        }
    }
}

extension RecordDeletion {
    /// Appends the deletion as a JSON object in UTF-8, without a line end.
    public func appendJSON(to bytes: inout [UInt8]) {
        var writer = JSONWriter(reservingBytes: 200)
        writer.beginObject()
        writer.member("schemaVersion", DeepLinkRecord.schemaVersion)
        writer.member("uniqueIdentifier", uniqueIdentifier)
        writer.member("deleted", true)
        writer.member("reason", reason)
        writer.member("at", InternetTime.text(at))
        writer.endObject()
        bytes.append(contentsOf: writer.bytes)
    }

    /// Appends the deletion and a line feed.
    public func appendLine(to bytes: inout [UInt8]) {
        appendJSON(to: &bytes)
        bytes.append(0x0A)
    }
}

extension JSONWriter {
    /// Nothing for an empty array.
    fileprivate mutating func array<Element>(
        _ key: String, _ elements: [Element], _ write: (inout JSONWriter, Element) -> Void
    ) {
        if !elements.isEmpty { objects(key, elements, write) }
    }
}
