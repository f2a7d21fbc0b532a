import Testing

@testable import PippinPage

@Suite struct PostalAddressTests {
    private func line(
        _ street: String, _ town: String?, _ region: String? = nil, _ code: String? = nil, _ country: String? = nil
    ) -> String? {
        var address = DeepLinkRecord.PostalAddress()
        address.streetAddress = street
        address.addressLocality = town
        address.addressRegion = region
        address.postalCode = code
        address.addressCountry = country
        return address.withoutRepeatedParts.oneLine
    }

    @Test func `what the street says of town, region and code is written once`() {
        let whole = "1 Main St, Napa, CA 94558, US"
        #expect(line("1 Main St", "Napa", "CA", "94558", "US") == whole)
        #expect(line("1 Main St, Napa, CA 94558", "Napa", "CA", "94558", "US") == whole)
        #expect(line("1 Main St, Napa, CA 94558, US", "Napa, CA", "CA", "94558", "US") == whole)
        #expect(line("1 Main St Napa CA 94558", "Napa", "CA", "94558", "US") == whole)
        #expect(
            line("Hauptstr. 5, 10115 Berlin", "Berlin", "Berlin", "10115", "DE") == "Hauptstr. 5, Berlin, 10115, DE")
        #expect(line("Hauptstr. 5 10115 Berlin", "Berlin", nil, "10115") == "Hauptstr. 5, Berlin, 10115")
        var text = DeepLinkRecord.PostalAddress()
        text.fullyFormattedAddress = "1 Main St, Napa, CA 94558, Napa, CA 94558, US"
        #expect(text.withoutRepeatedParts.oneLine == whole)
    }

    @Test func `a street keeps the name of its town, and a text of nothing else stays`() {
        #expect(line("Via Roma", "Roma", nil, "00184") == "Via Roma, Roma, 00184")
        #expect(line("Napa", "Napa", "CA") == "Napa, Napa, CA")
        #expect(line("12 New York Avenue", "New York", "NY") == "12 New York Avenue, New York, NY")
        #expect(line("5 Flat, 5 High St", "Leeds", nil, "5") == "5 Flat, 5 High St, Leeds, 5")
    }
}
