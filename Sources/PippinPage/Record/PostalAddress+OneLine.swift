import Foundation

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
