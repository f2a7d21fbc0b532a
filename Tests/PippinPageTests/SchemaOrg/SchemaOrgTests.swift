import Foundation
import PippinTestSupport
import Testing

@testable import PippinPage

/// What pages write for schema.org's values, and what is read from it.
@Suite struct SchemaOrgTests {
    @Test(arguments: [
        ("$1,299.00", "1299.00"), ("1.299,00 €", "1299.00"), ("1 299,00", "1299.00"), ("1,299", "1299"),
        ("1.299", "1299"), ("12,5", "12.5"), ("USD 12", "12"), ("12.00 USD", "12.00"), ("0", "0"), ("0.125", "0.125"),
        ("Free", "0"), ("free of charge", "0"), ("1'299.50 CHF", "1299.50"), ("1\u{202F}299,00\u{A0}€", "1299.00"),
        ("₹ 12,34,567.50", "1234567.50"), ("1.234.567", "1234567"), ("007.50", "7.50"), (".99", "0.99"),
        ("1.5E3", "1500"),
        ("٢٩٫٩٠", "29.90"), ("１２８０円", "1280"), ("12.00 (was 15.00)", "12.00"), ("5 – 5", "5"), ("1299.000", "1299.000"),
        ("Preis: 19,99 EUR", "19.99"), ("19.989999999999998436805981327779591083526611328125", "19.99"),
        ("1.999E+1", "19.99"), ("1.9990000000000000e+0001", "19.99"), ("000000000000000000000019.90", "19.90"),
    ])
    func `a price is read`(text: String, amount: String) {
        #expect(SchemaOrg.price(text)?.amount == amount)
        #expect(SchemaOrg.price(text)?.raw == text)
    }

    @Test(arguments: ["", " ", "call for price", "1.2.3", "99999999999999999999999", "freedom", "…"])
    func `what is no price gives none`(text: String) {
        #expect(SchemaOrg.price(text) == nil)
    }

    @Test(arguments: [
        ("$10 - $20", "10", "20"), ("10–25 €", "10", "25"), ("20 to 10", "10", "20"), ("10 bis 20 EUR", "10", "20"),
        ("From $12", "12", nil), ("ab 12,90 €", "12.90", nil),
    ])
    func `a range has its ends`(text: String, low: String, high: String?) {
        let price = SchemaOrg.price(text)
        #expect(price?.amount == nil)
        #expect(price?.low == low)
        #expect(price?.high == high)
    }

    @Test func `the declared currency wins, a sign that several share says nothing`() {
        #expect(SchemaOrg.price("€ 12", currency: "usd")?.currency == "USD")
        #expect(SchemaOrg.price("12 €")?.currency == "EUR")
        #expect(SchemaOrg.price("US$12")?.currency == "USD")
        #expect(SchemaOrg.price("$12")?.currency == nil)
        #expect(SchemaOrg.price("12", currency: "$")?.currency == nil)
        #expect(SchemaOrg.price("THE 12")?.currency == nil)
        // Dinars have three decimals.
        #expect(SchemaOrg.price("1.250", currency: "KWD")?.amount == "1.250")
        #expect(SchemaOrg.currency("XYZ") == nil)
    }

    @Test(arguments: [
        ("US$", "USD"), ("CA$", "CAD"), ("A$", "AUD"), ("AU$", "AUD"), ("NZ$", "NZD"), ("HK$", "HKD"), ("NT$", "TWD"),
        ("R$", "BRL"), ("MX$", "MXN"), ("€", "EUR"), ("£", "GBP"), ("₹", "INR"), ("₽", "RUB"), ("₩", "KRW"),
        ("₺", "TRY"), ("₫", "VND"), ("₪", "ILS"), ("฿", "THB"), ("₴", "UAH"), ("₦", "NGN"), ("₱", "PHP"),
        ("₸", "KZT"), ("₲", "PYG"), ("₡", "CRC"), ("₾", "GEL"), ("zł", "PLN"), ("Kč", "CZK"), ("лв", "BGN"),
        ("₼", "AZN"), ("₭", "LAK"), ("EEK", "EEK"), ("hrk", "HRK"), ("XCG", "XCG"),
    ])
    func `a sign or a code that means one currency is read`(sign: String, code: String) {
        #expect(SchemaOrg.currency(sign) == code)
        #expect(SchemaOrg.price("12 \(sign.uppercased() == code ? code : sign)")?.currency == code)
    }

    @Test(arguments: ["$", "¥", "C$", "JA$", "TT$", "AR$", "kr", "Rs", "L", "DEM", "XXX"])
    func `what several currencies share, and what is paid with no more, is none`(sign: String) {
        #expect(SchemaOrg.currency(sign) == nil)
    }

    @Test(
        arguments: [
            ("4,5", nil, 4.5, 5.0, 0.875), ("4.5/5", nil, 4.5, 5, 0.875), ("4.5 out of 5", nil, 4.5, 5, 0.875),
            ("90%", nil, 90, 100, 0.9),
            ("9", nil, 9, 10, 8.0 / 9), ("87", nil, 87, 100, 0.87), ("9", "10", 9, 10, 8.0 / 9),
            ("4.125", nil, 4.125, 5, 0.78125),
            ("7", "5", 7, 10, 2.0 / 3), ("0.5", nil, 0.5, 5, 0.1),
        ] as [(String, String?, Double, Double, Double)])
    func `a rating is normalized`(text: String, best: String?, value: Double, top: Double, normalized: Double) throws {
        let rating = try #require(SchemaOrg.rating(value: text, best: best, count: "10"))
        #expect(rating.value == value)
        #expect(rating.best == top)
        #expect(abs(rating.normalized - normalized) < 1e-9)
    }

    @Test func `nobody's rating and values off the scale are none`() {
        #expect(SchemaOrg.rating(value: "0", count: "0") == nil)
        #expect(SchemaOrg.rating(value: "0") == nil)
        #expect(SchemaOrg.rating(value: "500") == nil)
        #expect(SchemaOrg.rating(value: "good") == nil)
        #expect(SchemaOrg.rating(value: "1", best: "10", worst: "2") == nil)
        #expect(SchemaOrg.rating(value: "3", best: "-1", worst: "7", count: "1")?.normalized == 0.6)
    }

    @Test(arguments: [
        ("1,234", 1_234), ("1.234", 1_234), ("1.2K", 1_200), ("3M", 3_000_000), ("924 reviews", 924),
        ("1.5 million", 1_500_000),
        ("(12)", 12), ("2万", 20_000), ("0", 0), ("1 234", 1_234), ("12 members", 12), ("12.0", 12),
    ])
    func `a count is read`(text: String, count: Int) {
        #expect(SchemaOrg.count(text) == count)
    }

    @Test(arguments: ["", "many", "-3", "9999999999999999999999999999", "1.2.3.4"])
    func `what is no count gives none`(text: String) {
        #expect(SchemaOrg.count(text) == nil)
    }

    @Test(arguments: [
        ("4.79999999999999982236431605997495353221893310546875", 4.8), ("4.7999999999999998", 4.8),
        ("4,79999999999999982236431605997495353221893310546875", 4.8), ("0.1000000000000000055511151231257827", 0.1),
        ("-33.86881999999999948158813896588981151580810546875", -33.86882),
        ("4.33333333333333303727386009995825588703", 4.33333333333333),
        ("9.9999999999999999999", 10), ("99999999.9999999999999999", 100_000_000),
        ("0.00000000000000000000000000000", 0),
        ("4.8E0", 4.8), ("48e-1", 4.8), ("480E-0000000002", 4.8), ("0.0000048e6", 4.8), ("4.8e-999999999999999999", 0),
        ("0e99999999999", 0), ("1.5e3", 1_500), ("1e17", 1e17), (".5", 0.5),
    ])
    func `a number of any length is read, and rounded to what its digits hold`(text: String, value: Double) {
        #expect(SchemaOrg.decimal(text) == value)
    }

    /// As PHP, JavaScript and Python print a number: all digits of the binary form, 17 of them, or an exponent.
    @Test func `a number comes back from every form that programs print it in`() {
        for step in 0..<2_000 {
            let cents = step * 7_919 % 1_000_000
            let value = Double(cents) / 100
            let plain = "\(cents / 100)." + (cents % 100 < 10 ? "0" : "") + "\(cents % 100)"
            for text in [
                String(format: "%.60f", value), String(format: "%.17g", value), String(format: "%.20e", value),
            ] {
                #expect(SchemaOrg.decimal(text) == value, "\(text)")
                #expect(SchemaOrg.price(text).flatMap { $0.amount }.flatMap(Double.init) == value, "\(text)")
                #expect((SchemaOrg.price(text)?.amount ?? text).utf8.count <= plain.utf8.count, "\(text)")
            }
            #expect(SchemaOrg.count(String(format: "%.60f", Double(cents))) == cents)
        }
    }

    @Test func `the length of a number costs no more than its bytes`() {
        for text in [String(repeating: "9", count: 1_000_000), "4." + String(repeating: "9", count: 1_000_000)] {
            #expect(SchemaOrg.count(text) == (text.hasPrefix("4") ? 5 : nil))
        }
        #expect(SchemaOrg.decimal("1e" + String(repeating: "9", count: 1_000_000)) == nil)
        #expect(SchemaOrg.duration("PT90.0000000000000000000000M") == 5_400)
        #expect(SchemaOrg.duration("0:90.0000000000000000") == 90)
    }

    @Test(arguments: [
        ("PT1H30M", 5_400), ("P0Y0M0DT0H35M0S", 2_100), ("PT90M", 5_400), ("pt15m", 900), ("T30M", 1_800),
        ("00:35:00", 2_100),
        ("35 min", 2_100), ("1 hour 30 minutes", 5_400), ("1h30", 5_400), ("P1DT2H", 93_600), ("PT1.5H", 5_400),
        ("P1W", 604_800),
        ("30M", 1_800), ("3:45", 225), ("PT0S", 0), ("2 Std. 10 Min.", 7_800),
    ])
    func `a duration is read`(text: String, seconds: Int) {
        #expect(SchemaOrg.duration(text) == seconds)
    }

    @Test(arguments: [
        "", "P", "PT", "35", "soon", "PTM", "P99999999999Y", "PT1X", "1:2:3:4", "PT999999999999999999999H",
    ])
    func `what is no duration gives none`(text: String) {
        #expect(SchemaOrg.duration(text) == nil)
    }

    @Test func `durations are written in hours, minutes and seconds`() {
        #expect(SchemaOrg.durationText(seconds: 5_400) == "PT1H30M")
        #expect(SchemaOrg.durationText(seconds: 93_605) == "PT26H5S")
        #expect(SchemaOrg.durationText(seconds: 0) == "PT0S")
        #expect(SchemaOrg.duration("1:30", hoursFirst: true) == 5_400)
    }

    @Test(arguments: [
        ("2015-10-31T19:00", "2015-10-31T19:00:00Z"), ("2015-10-31", "2015-10-31T00:00:00Z"),
        ("20151031", "2015-10-31T00:00:00Z"),
        ("20151031T190000+0100", "2015-10-31T18:00:00Z"), ("1446318000", "2015-10-31T19:00:00Z"),
        ("1446318000000", "2015-10-31T19:00:00Z"),
        ("Sat, 31 Oct 2015 19:00:00 GMT", "2015-10-31T19:00:00Z"), ("October 31, 2015", "2015-10-31T00:00:00Z"),
        ("2016-02-29T23:59:60Z", "2016-03-01T00:00:00Z"), ("1969-12-31T23:59:59Z", "1969-12-31T23:59:59Z"),
        ("0001-01-01", "0001-01-01T00:00:00Z"),
    ])
    func `a date is read`(text: String, written: String) {
        #expect(SchemaOrg.date(text).map(InternetTime.text) == written)
    }

    @Test(arguments: ["", "0000-00-00", "2015-02-30", "tomorrow", "99999999", "12", "20151031T99"])
    func `what is no date gives none`(text: String) {
        #expect(SchemaOrg.date(text) == nil)
    }

    @Test(arguments: [
        "InStock", "http://schema.org/InStock", "https://schema.org/InStock/", "in stock", "instock", "schema:InStock",
        "in_stock",
    ])
    func `an availability is named in many ways`(text: String) {
        #expect(SchemaOrg.availability(text) == "InStock")
    }

    @Test func `booleans are named in many ways`() {
        for text in ["true", "True", "http://schema.org/True", "yes", "1"] { #expect(SchemaOrg.boolean(text) == true) }
        for text in ["false", "https://schema.org/False", "No", "0"] { #expect(SchemaOrg.boolean(text) == false) }
        #expect(SchemaOrg.boolean("maybe") == nil)
        #expect(SchemaOrg.availability("who knows") == nil)
    }

    @Test func `coordinates are put right where only that makes sense`() {
        func read(_ latitude: String, _ longitude: String) -> [Double]? {
            SchemaOrg.coordinates(latitude: latitude, longitude: longitude).map { [$0.latitude, $0.longitude] }
        }
        #expect(read("40,7128", "-74.0060") == [40.7128, -74.006])
        #expect(read("40.7128° N", "74.0060° W") == [40.7128, -74.006])
        #expect(read("-122.16", "37.44") == [37.44, -122.16])
        #expect(read("40°30′0″S", "8°15′") == [-40.5, 8.25])
        #expect(read("0", "0") == nil)
        #expect(read("91", "181") == nil)
        #expect(read("", "1") == nil)
    }

    @Test(
        arguments: [
            ("+1 (650) 555-0100 ext. 12", "+16505550100", "12"), ("tel:+49-30-123456;ext=7", "+4930123456", "7"),
            ("1-800-FLOWERS", "18003569377", nil), ("+49 (0)30 1234", "+49301234", nil), ("030/1234", "0301234", nil),
            ("(650) 555-0100 x12", "6505550100", "12"), ("Tel.: 030 123", "030123", nil),
            ("555-1234, 555-9999", "5551234", nil),
            ("112", "112", nil), ("tel:+49%2030%20123456", "+4930123456", nil),
        ] as [(String, String, String?)])
    func `a telephone number can be dialed`(text: String, dialable: String, suffix: String?) {
        #expect(SchemaOrg.telephone(text)?.dialable == dialable)
        #expect(SchemaOrg.telephone(text)?.extension == suffix)
    }

    @Test(arguments: ["", "call us", "12", "+", "123456789012345678901234567890"])
    func `what cannot be dialed gives none`(text: String) {
        #expect(SchemaOrg.telephone(text) == nil)
    }

    @Test func `a bakery is a local business, and so a place and an organization`() {
        for kind in ["Bakery", "FoodEstablishment", "LocalBusiness", "Place", "Organization", "Thing"] {
            #expect(SchemaOrg.isKind("Bakery", of: kind))
        }
        #expect(!SchemaOrg.isKind("Bakery", of: "Product"))
        #expect(!SchemaOrg.isKind("LocalBusiness", of: "Bakery"))
        #expect(SchemaOrg.isKind("Nonsense", of: "Nonsense"))
        #expect(!SchemaOrg.isKind("Nonsense", of: "Thing"))
        #expect(SchemaOrg.isKind("NewsArticle", of: "Article"))
        #expect(SchemaOrg.isKind("AggregateOffer", of: "Offer"))
    }

    @Test func `a type is known however its address is spelled`() {
        for text in [
            "Product", "product", "http://www.schema.org/Product", "https://schema.org/product/", "schema:Product",
        ] {
            #expect(SchemaOrg.type(text) == "Product")
        }
        #expect(SchemaOrg.type("http://data-vocabulary.org/Review-aggregate") == "AggregateRating")
        #expect(SchemaOrg.type("NotYetInvented") == "NotYetInvented")
        #expect(SchemaOrg.type("http://purl.org/dc/terms/Agent") == nil)
    }

    @Test(.slow) func `no bytes make a reader trap`() {
        var generator = SystemRandomNumberGenerator()
        let alphabet = Array("0123456789.,-–'’ \u{A0}PpTtHhMmSsYyDdWw:+()x%;/eEKN°′″S$€万abcXYZ\u{0}é".unicodeScalars)
        for _ in 0..<2_000 {
            var text = ""
            for _ in 0..<Int.random(in: 0...24, using: &generator) {
                text.unicodeScalars.append(alphabet[Int.random(in: 0..<alphabet.count, using: &generator)])
            }
            if let price = SchemaOrg.price(text)?.amount { #expect(Double(price) != nil, "\(text)") }
            if let rating = SchemaOrg.rating(value: text, best: text, worst: text, count: .init(text)) {
                #expect((0...1).contains(rating.normalized), "\(text)")
            }
            if let seconds = SchemaOrg.duration(text) {
                #expect(SchemaOrg.duration(SchemaOrg.durationText(seconds: seconds)) == seconds, "\(text)")
            }
            if let phone = SchemaOrg.telephone(text) { #expect(phone.dialable.utf8.count >= 3) }
            if let place = SchemaOrg.coordinates(latitude: text, longitude: text) { #expect(abs(place.latitude) <= 90) }
            _ = SchemaOrg.count(text)
            _ = SchemaOrg.date(text)
            if let tag = LanguageTag.normalized(text) { #expect(LanguageTag.normalized(tag) == tag, "\(text)") }
        }
    }
}
