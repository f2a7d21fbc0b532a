import PippinTestSupport
import Testing

@testable import PippinPage

/// Telephone numbers get their calling code where the page makes the country certain.
@Suite struct TelephoneCountryTests {
    @Test(arguments: [
        ("US", "(707) 555-0100", "+17075550100"), ("usa", "1-707-555-0100", "+17075550100"),
        ("United States", "1-800-FLOWERS", "+18003569377"), ("US", "555-0100", nil), ("US", "911", nil),
        ("US", "011 49 30 123456", nil), ("Deutschland", "030 123456", "+4930123456"),
        ("DE", "0049 30 123456", "+4930123456"),
        ("DE", "123456", nil), ("DE", "112", nil), ("GB", "020 7946 0958", "+442079460958"),
        ("GB", "20 7946 0958", nil),
        ("IT", "06 1234 5678", "+390612345678"), ("FR", "01 23 45 67 89", "+33123456789"),
        ("DK", "39 00 00 02", "+4539000002"),
        ("JP", "03-1234-5678", "+81312345678"), ("IN", "98765 43210", "+919876543210"),
        ("RU", "8 (495) 123-45-67", "+74951234567"),
        ("HU", "06 1 234 5678", "+3612345678"), ("日本", "03-1234-5678", "+81312345678"), ("Atlantis", "030 123456", nil),
        ("AU", "1300 123 456", nil),
    ])
    func `by address`(country: String, written: String, number: String?) {
        let digits = SchemaOrg.telephone(written)?.dialable ?? ""
        #expect(CallingCode.country(named: country)?.complete(digits) == number)
    }

    @Test(arguments: [
        ("en-US", "https://shop.example.com/", "(707) 555-0100", "+17075550100"),
        // Templates write en-US everywhere.
        ("en-US", "https://shop.example.com/", "98765 43210", "9876543210"),
        ("en-US", "https://shop.example.in/", "(707) 555-0100", "7075550100"),
        ("en-GB", "https://shop.example.com/", "020 7946 0958", "02079460958"),
        ("en-GB", "https://shop.example.co.uk/", "020 7946 0958", "+442079460958"),
        ("de-AT", "https://shop.example.at/", "01 234567", "+431234567"),
        ("de-DE", "https://shop.example.at/", "01 234567", "01234567"),
        ("de", "https://shop.example.com/", "030 123456", "030123456"),
        ("ja", "https://shop.example.com/", "03-1234-5678", "+81312345678"),
        ("ja", "https://shop.example.com/", "+1 707 555 0100", "+17075550100"),
    ])
    func `by language, unless the host is of another country`(
        language: String, url: String, written: String, number: String
    ) throws {
        let record = try RecordBuilderTests.record(
            "<html lang=\(language)><p>Call <a href='tel:\(written)'>us</a>", url: url)
        // A tel: link has the digits as people write them.
        let marked = try RecordBuilderTests.record(
            "<html lang=\(language)><b itemprop=telephone>\(written)</b>", url: url)
        #expect(marked.actions == [.call(phoneNumber: number, extension: nil)])
        #expect(record.actions.count == 1)
    }
}
