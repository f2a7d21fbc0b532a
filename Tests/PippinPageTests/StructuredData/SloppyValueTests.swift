import Testing

@testable import PippinPage

/// Each sloppy form that is known from pages, by the kind of value; beside them what must stay unread because it may mean
/// two things.
@Suite struct SloppyValueTests {
    // MARK: Prices

    @Test(
        arguments: [
            ("$1,299.00", "1299.00", nil), ("1.299,00 €", "1299.00", "EUR"), ("1 299,00", "1299.00", nil),
            ("1\u{A0}299,00 zł", "1299.00", "PLN"), ("USD 12", "12", "USD"), ("12.00 USD", "12.00", "USD"),
            ("Free", "0", nil), ("FREE!", "0", nil), ("0", "0", nil), ("0.00", "0.00", nil), ("¥1,280", "1280", nil),
            ("1 299 kr", "1299", nil), ("kr 1.299,-", "1299", nil), ("R$ 1.299,90", "1299.90", "BRL"),
            ("₹1,23,456.00", "123456.00", "INR"), ("Rs. 499", "499", nil), ("Rs.1,299.50", "1299.50", nil),
            ("١٬٢٩٩٫٥٠", "1299.50", nil), ("１，２９９円", "1299", nil), ("1.234.567", "1234567", nil),
            ("1,234,567.89", "1234567.89", nil), ("12,5", "12.5", nil), ("12,500", "12500", nil),
            ("12.500", "12500", nil), ("0,500", "0.500", nil), ("12€50", "12.50", "EUR"), ("£12", "12", "GBP"),
            ("CHF 12.–", "12", "CHF"), ("12,- €", "12", "EUR"), ("$1.2M", "1200000", nil), ("€450K", "450000", "EUR"),
            ("1'299.–", "1299", nil), ("1’299.50 CHF", "1299.50", "CHF"), ("US $19.99", "19.99", nil),
            ("US$19.99", "19.99", "USD"), ("19.99\u{A0}€ inkl. MwSt.", "19.99", "EUR"), ("EUR19.99", "19.99", "EUR"),
        ] as [(String, String, String?)])
    func `a price`(text: String, amount: String, currency: String?) {
        let price = SchemaOrg.price(text)
        #expect(price?.amount == amount)
        #expect(price?.currency == currency)
        #expect(price?.raw == text)
    }

    @Test(
        arguments: [
            ("From $12", "12", nil), ("$10 - $20", "10", "20"), ("10–20 €", "10", "20"),
            ("$1,000–$2,500", "1000", "2500"),
            ("$10K - $20K", "10000", "20000"), ("10,00 € bis 25,00 €", "10.00", "25.00"), ("starting at $5", "5", nil),
            ("20 ~ 30", "20", "30"),
        ] as [(String, String, String?)])
    func `a range of prices`(text: String, low: String, high: String?) {
        let price = SchemaOrg.price(text)
        #expect(price?.amount == nil && price?.low == low && price?.high == high)
    }

    @Test(arguments: ["", " ", "Call us", "n/a", "TBA", "-", "$", "1.2.3"])
    func `what is no price`(text: String) {
        #expect(SchemaOrg.price(text) == nil)
    }

    // MARK: Ratings

    @Test(
        arguments: [
            ("4,5", nil, 4.5, 5), ("4.5/5", nil, 4.5, 5), ("4.5 / 5", nil, 4.5, 5), ("4.5 out of 5", nil, 4.5, 5),
            ("4,5 von 5 Sternen", nil, 4.5, 5), ("90%", nil, 90, 100), ("90 %", nil, 90, 100), ("9", nil, 9, 10),
            ("87", nil, 87, 100), ("8.7", "10", 8.7, 10), ("4.5 stars", nil, 4.5, 5), ("٤٫٥", nil, 4.5, 5),
            ("Excellent 9.2", nil, 9.2, 10), ("4.5", "5,0", 4.5, 5), ("4.5", "", 4.5, 5),
        ] as [(String, String?, Double, Double)])
    func `a rating`(text: String, best: String?, value: Double, top: Double) {
        let rating = SchemaOrg.rating(value: text, best: best, count: "3")
        #expect(rating?.value == value)
        #expect(rating?.best == top)
    }

    @Test func `nobody's rating`() {
        #expect(SchemaOrg.rating(value: "0", count: "0") == nil)
        #expect(SchemaOrg.rating(value: "0.0", reviewCount: "0") == nil)
        #expect(SchemaOrg.rating(value: "", count: "10") == nil)
        #expect(SchemaOrg.rating(value: "4.5", reviewCount: "924 reviews")?.reviewCount == 924)
    }

    // MARK: Counts

    @Test(arguments: [
        ("1,234", 1_234), ("1.234", 1_234), ("1.2K", 1_200), ("1,2k", 1_200), ("12.5k+", 12_500), ("3M", 3_000_000),
        ("924 reviews", 924), ("100+", 100), ("1 234", 1_234), ("2.1 Mio.", 2_100_000), ("3 млн", 3_000_000),
        ("1,5 тыс.", 1_500), ("3만", 30_000), ("1.2億", 120_000_000), ("2 lakh", 200_000), ("١٢٣", 123), ("１２３", 123),
        ("1.234.567", 1_234_567), ("12.0", 12), ("(7)", 7),
    ])
    func `a count`(text: String, count: Int) {
        #expect(SchemaOrg.count(text) == count)
    }

    @Test(arguments: ["", "none", "-3", "4.7", "1,2 mil", "1.2.3"])
    func `what is no count`(text: String) {
        #expect(SchemaOrg.count(text) == nil)
    }

    // MARK: Durations

    @Test(arguments: [
        ("PT1H30M", 5_400), ("PT1H30M0S", 5_400), ("P0Y0M0DT0H35M0S", 2_100), ("P1DT2H", 93_600), ("PT90M", 5_400),
        ("pt1h30m", 5_400), ("T30M", 1_800), ("30M", 1_800), ("00:35:00", 2_100), ("35 min", 2_100), ("35min.", 2_100),
        ("1 hour 30 minutes", 5_400), ("1 hr 30 mins", 5_400), ("1h 30m", 5_400), ("1h30", 5_400), ("PT 45 M", 2_700),
        ("1,5 Stunden", 5_400), ("1時間30分", 5_400), ("45分钟", 2_700), ("30 мин", 1_800), ("PT0.5H", 1_800),
        ("PT2M3.6S", 124),
    ])
    func `a duration`(text: String, seconds: Int) {
        #expect(SchemaOrg.duration(text) == seconds)
    }

    @Test(arguments: ["", "35", "P30M", "10-15 minutes", "a while", "PT", "1 cup 30", "1h30 cups"])
    func `what may be any duration`(text: String) {
        #expect(SchemaOrg.duration(text) == nil)
    }

    // MARK: Dates

    @Test(arguments: [
        ("2015-10-31T19:00:00+01:00", "2015-10-31T18:00:00Z"), ("2015-10-31T19:00+0100", "2015-10-31T18:00:00Z"),
        ("2015-10-31T19:00", "2015-10-31T19:00:00Z"), ("2015-10-31 19:00", "2015-10-31T19:00:00Z"),
        ("2015-10-31T19:00:00.000Z", "2015-10-31T19:00:00Z"), ("20151031", "2015-10-31T00:00:00Z"),
        ("20151031T190000Z", "2015-10-31T19:00:00Z"), ("2015-10", "2015-10-01T00:00:00Z"),
        ("2015-1-5", "2015-01-05T00:00:00Z"), ("2015/10/31", "2015-10-31T00:00:00Z"),
        ("2015/10/31 19:00", "2015-10-31T19:00:00Z"), ("31.10.2015", "2015-10-31T00:00:00Z"),
        ("5.6.2015", "2015-06-05T00:00:00Z"), ("10/31/2015", "2015-10-31T00:00:00Z"),
        ("31/10/2015", "2015-10-31T00:00:00Z"), ("2015年10月31日", "2015-10-31T00:00:00Z"),
        ("Sat, 31 Oct 2015 19:00:00 +0100", "2015-10-31T18:00:00Z"), ("Oct 31, 2015", "2015-10-31T00:00:00Z"),
        ("31 October 2015", "2015-10-31T00:00:00Z"), ("Saturday, October 31st, 2015", "2015-10-31T00:00:00Z"),
        ("Sat Oct 31 2015 20:00:00 GMT+0100 (CET)", "2015-10-31T19:00:00Z"),
        ("1446318000", "2015-10-31T19:00:00Z"), ("1446318000000", "2015-10-31T19:00:00Z"),
    ])
    func `a date`(text: String, written: String) {
        #expect(SchemaOrg.date(text).map(InternetTime.text) == written)
    }

    @Test(arguments: [
        "", "0000-00-00", "0000-00-00 00:00:00", "5/6/2015", "2015-13-45", "31/31/2015", "yesterday", "1/2/3",
    ])
    func `what may be any day`(text: String) {
        #expect(SchemaOrg.date(text) == nil)
    }

    // MARK: Enumerations and booleans

    @Test(
        arguments: [
            ("InStock", "InStock"), ("http://schema.org/InStock", "InStock"), ("https://schema.org/InStock", "InStock"),
            ("http://www.schema.org/InStock/", "InStock"), ("in stock", "InStock"), ("instock", "InStock"),
            ("schema:InStock", "InStock"), ("In-Stock", "InStock"), ("IN_STOCK", "InStock"),
            ("https://shop.example/In%20Stock", "InStock"), ("out of stock", "OutOfStock"),
            ("OutofStock", "OutOfStock"),
            ("preorder", "PreOrder"), ("sold out", "SoldOut"), ("available for order", "BackOrder"),
            ("oos", "OutOfStock"),
            ("MadeToOrder", "MadeToOrder"), ("call us", nil), ("", nil),
        ] as [(String, String?)])
    func `an availability`(text: String, member: String?) {
        #expect(SchemaOrg.availability(text) == member)
    }

    @Test(
        arguments: [
            ("true", true), ("True", true), ("http://schema.org/True", true), ("yes", true), ("1", true),
            ("false", false),
            ("False", false), ("https://schema.org/False", false), ("no", false), ("0", false), ("perhaps", nil),
            ("", nil),
        ] as [(String, Bool?)])
    func `a boolean`(text: String, value: Bool?) {
        #expect(SchemaOrg.boolean(text) == value)
    }

    // MARK: Coordinates

    @Test(arguments: [
        ("40,7128", "-74,0060", 40.7128, -74.006), ("40.7128° N", "74.0060° W", 40.7128, -74.006),
        ("N 40.7128", "W 74.0060", 40.7128, -74.006), ("-122.4", "37.7", 37.7, -122.4),
        ("40°30'S", "8°15'E", -40.5, 8.25),
        ("+40.7", "\u{2212}74", 40.7, -74),
    ])
    func `coordinates`(latitude: String, longitude: String, north: Double, east: Double) throws {
        let found = try #require(SchemaOrg.coordinates(latitude: latitude, longitude: longitude))
        #expect(abs(found.latitude - north) < 1e-9)
        #expect(abs(found.longitude - east) < 1e-9)
    }

    // MARK: Types

    @Test(
        arguments: [
            ("Product", "Product"), ("product", "Product"), ("http://schema.org/Product", "Product"),
            ("https://schema.org/Product/", "Product"), ("http://www.schema.org/Product", "Product"),
            ("http://schema.org/product", "Product"), ("schema:Product", "Product"), ("schema.org/Product", "Product"),
            ("http://data-vocabulary.org/Product", "Product"),
            ("http://data-vocabulary.org/Organization", "Organization"),
            ("http://data-vocabulary.org/Review-aggregate", "AggregateRating"),
            ("http://rdf.data-vocabulary.org/#Review-aggregate", "AggregateRating"),
            ("http://rdf.data-vocabulary.org/#Recipe", "Recipe"),
            ("http://data-vocabulary.org/Offer-aggregate", "AggregateOffer"),
            ("http://data-vocabulary.org/Breadcrumb", "BreadcrumbList"), ("http://xmlns.com/foaf/0.1/Person", nil),
        ] as [(String, String?)])
    func `a type`(text: String, name: String?) {
        #expect(SchemaOrg.type(text) == name)
    }

    @Test func `every kind of local business is a place and an organization`() {
        let kinds = """
            Bakery Dermatology Physiotherapy IndividualPhysician SkiResort AutoPartsStore TattooParlor VacationRental Notary
            CovidTestingFacility HVACBusiness TireShop Distillery TravelAgency MovieTheater PostOffice OutletStore Hospital
            """.split(whereSeparator: \.isWhitespace).map(String.init)
        for kind in kinds {
            #expect(SchemaOrg.isKind(kind, of: "LocalBusiness"), "\(kind)")
            #expect(SchemaOrg.isKind(kind, of: "Place"), "\(kind)")
            #expect(SchemaOrg.isKind(kind, of: "Organization"), "\(kind)")
        }
    }
}
