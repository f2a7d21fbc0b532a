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
        var places: [RecordDocument.Place] = []
        write(to: &writer, &places)
    }

    /// - Parameter places: gets the places of the members that a `RecordDocument` can leave out.
    func write(to writer: inout JSONWriter, _ places: inout [RecordDocument.Place]) {
        func removable(_ part: RecordDocument.Part, _ member: (inout JSONWriter) -> Void) {
            let start = writer.bytes.count
            member(&writer)
            places.append(RecordDocument.Place(part: part, range: start..<writer.bytes.count))
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
        writer.member("keywords", keywords)
        writer.member("languages", languages)
        writer.optional("containerTitle", containerTitle)
        writer.member("types", types)
        writer.member("alternateNames", alternateNames)
        writer.member("categories", categories)
        writer.array("authors", authors) { $1.write(to: &$0) }
        writer.array("artists", artists) { $1.write(to: &$0) }
        writer.optional("publishedAt", publishedAt)
        removable(.modifiedAt) { $0.optional("modifiedAt", modifiedAt) }
        writer.optional("expiresAt", expiresAt)
        writer.optional("thumbnailURL", thumbnailURL)
        writer.optional("iconURL", iconURL)
        writer.array("images", images) { $1.write(to: &$0) }
        writer.array("audio", audio) { $1.write(to: &$0) }
        writer.array("video", video) { $1.write(to: &$0) }
        writer.optional("duration", duration)
        writer.array("deepLinks", deepLinks) { $1.write(to: &$0, &places) }
        if let rating { writer.object("rating") { write(rating, to: &$0) } }
        writer.array("offers", offers) { $1.write(to: &$0) }
        writer.optional("priceRange", priceRange)
        writer.array("interactions", interactions) { $1.write(to: &$0) }
        if let organization { writer.object("organization") { organization.write(to: &$0) } }
        if let recipe { writer.object("recipe") { recipe.write(to: &$0) } }
        if let event { writer.object("event") { event.write(to: &$0) } }
        writer.member("openingHours", openingHours)
        if let partOf { writer.object("partOf") { partOf.write(to: &$0) } }
        if let episode { writer.object("episode") { episode.write(to: &$0) } }
        writer.optional("brand", brand)
        writer.optional("contentRating", contentRating)
        if let isAccessibleForFree { writer.member("isAccessibleForFree", isAccessibleForFree) }
        writer.array("actions", actions) { $1.write(to: &$0) }
        writer.optional("hiddenWords", hiddenWords)
        if !provenance.isEmpty {
            writer.object("provenance") { writer in
                for entry in provenance { writer.member(entry.field, entry.source.rawValue) }
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
    fileprivate func write(to writer: inout JSONWriter, _ places: inout [RecordDocument.Place]) {
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
        places.append(RecordDocument.Place(part: .since, range: start..<writer.bytes.count))
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
        writer.optional("yield", yield)
        writer.optional("calories", calories)
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

extension DeepLinkRecord.Whole {
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

/// A record as one JSON object, written once. It knows the places of the members that say where and when the page was found,
/// so that two documents can be compared without them, and moments can be put in afterwards.
public struct RecordDocument: Sendable {
    /// A member that is no part of the page's content.
    public enum Part: Sendable, CaseIterable {
        case uniqueIdentifier, domainIdentifier, url, seeds, modifiedAt, fetchedAt
        /// Since when the status of a deep link holds: one place for each deep link, in their order.
        case since
    }

    struct Place: Sendable {
        let part: Part
        /// The member with the comma before it; empty if the record does not have it.
        let range: Range<Int>
    }

    /// The record.
    public let record: DeepLinkRecord
    /// The object in UTF-8, without a line end.
    public let bytes: [UInt8]
    private let places: [Place]

    /// Writes a record.
    public init(_ record: DeepLinkRecord) {
        self.record = record
        var writer = JSONWriter(reservingBytes: 4_096)
        var places: [Place] = []
        record.write(to: &writer, &places)
        bytes = writer.bytes
        self.places = places
    }

    /// Appends the document and a line feed.
    public func appendLine(to lines: inout [UInt8]) {
        lines += bytes
        lines.append(0x0A)
    }

    /// The document with other moments since when the status of each deep link holds.
    public func bytes(since moments: [Date]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count + 32 * moments.count)
        var start = 0
        for (place, moment) in zip(places.lazy.filter { $0.part == .since }, moments) {
            result += bytes[start..<place.range.lowerBound]
            result += ",\"since\":\"\(InternetTime.text(moment))\"".utf8
            start = place.range.upperBound
        }
        result += bytes[start...]
        return result
    }

    /// Adds the document to a hash, with some parts as an empty record has them: an empty text, the beginning of 1970, or not
    /// at all.
    public func add(to hash: inout FNV1a, without parts: Set<Part>) {
        var start = 0
        for place in places where parts.contains(place.part) {
            hash.add(bytes[start..<place.range.lowerBound])
            hash.add(Self.emptyMember(place.part).utf8)
            start = place.range.upperBound
        }
        hash.add(bytes[start...])
    }

    private static func emptyMember(_ part: Part) -> String {
        switch part {
        case .uniqueIdentifier: ",\"uniqueIdentifier\":\"\""
        case .domainIdentifier: ",\"domainIdentifier\":\"\""
        case .url: ",\"url\":\"\""
        case .fetchedAt: ",\"fetchedAt\":\"1970-01-01T00:00:00Z\""
        case .seeds, .modifiedAt, .since: ""
        }
    }
}
