import Foundation

// Where the page's topic is, and how near an address or coordinates bring people.

/// What a page says of a place on the map.
public struct PagePlace: Sendable {
    /// How near to a door it leads.
    public enum Precision: Comparable, Sendable {
        case nowhere
        /// To a postal code, which may be a house or a county.
        case area
        /// To a street in a town, to what stands in one text, or to coordinates.
        case door
    }

    /// The postal address, if it has one.
    public let address: DeepLinkRecord.PostalAddress?
    var coordinates: SchemaOrg.Coordinates?
    /// Nil for Open Graph's.
    public let item: StructuredItem?

    /// - Parameter item: nil for Open Graph's.
    public init(
        address: DeepLinkRecord.PostalAddress?, coordinates: SchemaOrg.Coordinates? = nil, item: StructuredItem? = nil
    ) {
        self.address = address
        self.coordinates = coordinates
        self.item = item
    }

    /// How near coordinates or, without them, the address lead.
    public var precision: Precision { coordinates == nil ? addressPrecision : .door }

    /// How near the address alone leads.
    public var addressPrecision: Precision {
        guard let address else { return .nowhere }
        if address.fullyFormattedAddress != nil { return .door }
        if address.streetAddress != nil, address.addressLocality != nil || address.postalCode != nil { return .door }
        return address.postalCode != nil && address.addressCountry != nil ? .area : .nowhere
    }
}

extension StructuredPage {
    /// Where the page's topic is: a place itself, or an event's location; else the only local business the page names.
    /// The address of a publisher is no reason to go there.
    public func placeItems() -> [StructuredItem] {
        var places: [StructuredItem] = []
        for index in main {
            let item = items[index]
            if isItem(item, .place) || isItem(item, .organization) { places.append(item) }
        }
        places += eventPlaces()
        if places.isEmpty {
            let businesses = items.filter { $0.isTopLevel && isItem($0, .localBusiness) }
            if businesses.count == 1 { places += businesses }
        }
        if let loose = loosePlace() { places.append(loose) }
        return places
    }

    /// The places that are the main item's location.
    func eventPlaces() -> [StructuredItem] {
        mainValues("location").compactMap { value in
            guard case .item(let index) = value, items.indices.contains(index) else { return nil }
            let item = items[index]
            if isItem(item, .virtualLocation) { return nil }
            // A PostalAddress as location stands for a place that has it.
            guard isItem(item, .postalAddress) else { return item }
            return StructuredItem(
                syntax: item.syntax, types: ["Place"], properties: [.init(name: "address", value: value)],
                place: item.place)
        }
    }

    /// The address and coordinates of an item.
    public func place(_ item: StructuredItem) -> PagePlace {
        PagePlace(
            address: item.values("address").lazy.compactMap(postalAddress).first, coordinates: coordinates(of: item),
            item: item)
    }

    private func coordinates(of item: StructuredItem) -> SchemaOrg.Coordinates? {
        // Both in one text: `40.7128, -74.0060`.
        for case .text(let text, _) in item.values("geo") {
            let parts = text.split(separator: ";", maxSplits: 2)
            let pair = parts.count == 2 ? parts : text.split(separator: ",", maxSplits: 2)
            if pair.count == 2,
                let found = SchemaOrg.coordinates(latitude: String(pair[0]), longitude: String(pair[1]))
            {
                return found
            }
        }
        for point in items(item.values("geo")) + [item] {
            if let latitude = text(point, "latitude"), let longitude = text(point, "longitude"),
                let coordinates = SchemaOrg.coordinates(latitude: latitude, longitude: longitude)
            {
                return coordinates
            }
        }
        return nil
    }

    /// A value of `address`: an item of parts, or one text. Nil where it has none.
    public func postalAddress(_ value: StructuredItem.Value) -> DeepLinkRecord.PostalAddress? {
        var address = DeepLinkRecord.PostalAddress()
        if case .item(let index) = value, items.indices.contains(index) {
            let item = items[index]
            func part(_ name: String) -> String? {
                CleanText.line(text(item, name)).map { Snippet.cut($0, to: 200) }
            }
            address.streetAddress = part("streetAddress")
            address.extendedAddress = part("extendedAddress")
            address.postOfficeBoxNumber = part("postOfficeBoxNumber")
            address.addressLocality = part("addressLocality")
            address.addressRegion = part("addressRegion")
            address.postalCode = part("postalCode")
            address.addressCountry = part("addressCountry")
            if address == DeepLinkRecord.PostalAddress() { address.fullyFormattedAddress = part("name") }
        } else if let literal = value.literal {
            address.fullyFormattedAddress = CleanText.line(literal.text).map { Snippet.cut($0, to: 500) }
        }
        return address == DeepLinkRecord.PostalAddress() ? nil : address.withoutRepeatedParts
    }
}

extension OpenGraph {
    /// What `business:contact_data`, `place:location` and their older names say.
    public var place: PagePlace {
        func value(_ business: String, _ old: String) -> String? {
            CleanText.line(self["business:contact_data:" + business] ?? self["og:" + old])
        }
        var address = DeepLinkRecord.PostalAddress()
        address.streetAddress = value("street_address", "street-address")
        address.addressLocality = value("locality", "locality")
        address.addressRegion = value("region", "region")
        address.postalCode = value("postal_code", "postal-code")
        address.addressCountry = value("country_name", "country-name")
        var place = PagePlace(
            address: address == DeepLinkRecord.PostalAddress() ? nil : address.withoutRepeatedParts)
        if let latitude = self["place:location:latitude"] ?? self["og:latitude"],
            let longitude = self["place:location:longitude"] ?? self["og:longitude"]
        {
            place.coordinates = SchemaOrg.coordinates(latitude: latitude, longitude: longitude)
        }
        return place
    }
}

// An address as people write it on one line, with each of its parts once.

extension DeepLinkRecord.PostalAddress {
    /// The parts in the order they are read, with commas between.
    var oneLine: String? {
        if let fullyFormattedAddress { return fullyFormattedAddress }
        // Berlin is a town and a state.
        let state = addressRegion == addressLocality ? nil : addressRegion
        let region = [state, postalCode].compactMap { $0 }.joined(separator: " ")
        let parts = [streetAddress, extendedAddress, addressLocality, region.isEmpty ? nil : region, addressCountry]
        let text = parts.compactMap { $0 }.joined(separator: ", ")
        return text.isEmpty ? nil : text
    }

    /// The address without what a part says of the parts behind it: templates write `1 Main St, Napa, CA 94558` as street,
    /// and town, region and postal code once more.
    var withoutRepeatedParts: DeepLinkRecord.PostalAddress {
        var address = self
        address.fullyFormattedAddress = fullyFormattedAddress.map(Self.withoutRepeatedEnd)
        let country = [addressCountry].compactMap { $0 }
        let area = [addressRegion, postalCode].compactMap { $0 } + country
        address.streetAddress = streetAddress.map {
            Self.without([addressLocality].compactMap { $0 } + area, atEndOf: $0, mustHave: postalCode)
        }
        address.addressLocality = addressLocality.map { Self.without(area, atEndOf: $0, mustHave: postalCode) }
        address.addressRegion = addressRegion.map {
            Self.without([postalCode].compactMap { $0 } + country, atEndOf: $0, mustHave: postalCode)
        }
        return address
    }

    /// Words are letters and digits of any script; `CA` and `Ca.` are one.
    private static func words(_ text: some StringProtocol) -> [String] {
        text.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init)
    }

    /// The text without the pieces between commas at its end that are made of nothing but the parts' words. Without commas,
    /// only from a postal code on: a street may have its town's name.
    private static func without(_ parts: [String], atEndOf text: String, mustHave postalCode: String?) -> String {
        let known = Set(parts.flatMap(words))
        guard !known.isEmpty else { return text }
        var pieces = text.split(separator: ",")
        while pieces.count > 1, let last = pieces.last {
            let words = words(last)
            guard words.allSatisfy(known.contains) else { break }
            pieces.removeLast()
        }
        var rest = pieces.joined(separator: ",").trimmingHTMLSpace()
        if let postalCode, !postalCode.isEmpty, let found = rest.range(of: postalCode, options: .backwards) {
            let before = rest[..<found.lowerBound]
            let behind = words(rest[found.upperBound...])
            let last = before.split { $0 == " " || $0 == "," }.last
            if !behind.isEmpty, behind.allSatisfy(known.contains), before.last == " ", last != nil {
                // `5 Pier Street 89073 Ulm`
                rest = String(before)
            } else if behind.isEmpty, before.last == " " {
                // `1 Main St Napa CA 94558`: the words before the code, as far as they are parts.
                var words = before.split(separator: " ")
                let count = words.count
                while words.count > 1, let last = words.last, Self.words(last).allSatisfy(known.contains) {
                    words.removeLast()
                }
                if words.count < count { rest = words.joined(separator: " ") }
            }
        }
        while let last = rest.last, last == "," || last == " " || last == "-" { rest.removeLast() }
        return rest.isEmpty ? text : rest
    }

    /// `1 Main St, Napa, CA 94558, Napa, CA 94558, US`: each piece between commas once.
    private static func withoutRepeatedEnd(_ text: String) -> String {
        var seen: Set<String> = []
        let pieces = text.split(separator: ",", maxSplits: 20).map { String($0).trimmingHTMLSpace() }
        // A flat and a house may have one number.
        let kept = pieces.filter { piece in
            let isNew = seen.insert(piece.lowercased()).inserted
            return isNew || piece.utf8.count < 2
        }
        return kept.count == pieces.count ? text : kept.joined(separator: ", ")
    }
}
