import Testing

@testable import PippinPage

/// Numbers by each way that a page can state one, and the same digits as text, which may mean thousands.
@Suite struct StatedNumberTests {
    enum Carrier: CaseIterable {
        case numberOfJSON, decimalOfJSON, schemaNumberOfJSON, decimalOfRDFa, integerOrDoubleOfRDFa, data, meter
        case textOfJSON, textOfMicrodata, textOfRDFa

        static let texts: [Carrier] = [.textOfJSON, .textOfMicrodata, .textOfRDFa]
        static let numbers = allCases.filter { !texts.contains($0) }

        /// A product whose offers, rating and comments have the number.
        func page(_ number: String) -> String {
            switch self {
            case .numberOfJSON: Self.script(number)
            case .decimalOfJSON:
                Self.script(#"{"@type":"http://www.w3.org/2001/XMLSchema#decimal","@value":"\#(number)"}"#)
            case .schemaNumberOfJSON: Self.script(#"{"@type":"https://schema.org/Number","@value":"\#(number)"}"#)
            case .textOfJSON: Self.script("\"\(number)\"")
            case .decimalOfRDFa:
                Self.elements("vocab=https://schema.org/ typeof", "typeof", "property") {
                    "<b property=\($0) datatype=xsd:decimal content='\(number)'></b>"
                }
            case .integerOrDoubleOfRDFa:
                Self.elements("vocab=https://schema.org/ typeof", "typeof", "property") {
                    "<b property=\($0) datatype=xsd:\(number.contains { ".eE".contains($0) } ? "double" : "integer")>\(number)</b>"
                }
            case .textOfRDFa:
                Self.elements("vocab=https://schema.org/ typeof", "typeof", "property") {
                    "<b property=\($0) content='\(number)'></b>"
                }
            case .data: Self.items { "<data itemprop=\($0) value='\(number)'></data>" }
            case .meter: Self.items { "<meter itemprop=\($0) value='\(number)'></meter>" }
            case .textOfMicrodata: Self.items { "<meta itemprop=\($0) content='\(number)'>" }
            }
        }

        private static func script(_ value: String) -> String {
            #"<script type="application/ld+json">{"@context":"https://schema.org","@type":"Product","name":"A","offers":{"@type":"Offer","price":\#(value)},"aggregateRating":{"@type":"AggregateRating","ratingValue":4,"ratingCount":\#(value)}}</script>"#
        }

        private static func items(_ value: (String) -> String) -> String {
            elements("itemscope itemtype", "itemscope itemtype", "itemprop", prefix: "https://schema.org/", value)
        }

        private static func elements(
            _ outer: String, _ inner: String, _ property: String, prefix: String = "", _ value: (String) -> String
        ) -> String {
            "<div \(outer)=\(prefix)Product><i \(property)=name>A</i><p \(property)=offers \(inner)=\(prefix)Offer>"
                + value("price")
                + "</p><p \(property)=aggregateRating \(inner)=\(prefix)AggregateRating><i \(property)=ratingValue>4</i>"
                + value("ratingCount") + "</p></div>"
        }
    }

    private func price(_ carrier: Carrier, _ number: String) throws -> String? {
        try RecordBuilderTests.record("<title>A</title>" + carrier.page(number)).offers.first?.price
    }

    private func count(_ carrier: Carrier, _ number: String) throws -> Int? {
        try RecordBuilderTests.record("<title>A</title>" + carrier.page(number)).rating?.count
    }

    @Test(
        arguments: Carrier.numbers,
        [
            ("1.299", "1.299", nil), ("1299", "1299", 1_299), ("12.500", "12.500", nil), ("1.0", "1.0", 1),
            ("1e3", "1000", 1_000), ("1.5E+3", "1500", 1_500), ("0", "0", 0), ("-0", "0", 0), ("-0.0", "0.0", 0),
            ("12.000", "12.000", 12), ("-5", nil, nil), ("-1.299", nil, nil),
            ("4.79999999999999982236431605997495353221893310546875", "4.8", nil),
            ("12345678901234", "12345678901234", 12_345_678_901_234), ("99999999999999999999", nil, nil),
            ("1e400", nil, nil),
        ] as [(String, String?, Int?)])
    func `a number is a number, whoever states it`(
        carrier: Carrier, number: (text: String, price: String?, count: Int?)
    )
        throws
    {
        #expect(try price(carrier, number.text) == number.price)
        #expect(try count(carrier, number.text) == number.count)
    }

    @Test(arguments: Carrier.texts) func `a text of the same digits may mean thousands`(carrier: Carrier) throws {
        #expect(try price(carrier, "1.299") == "1299")
        #expect(try count(carrier, "1.299") == 1_299)
        #expect(try price(carrier, "1.299,00") == "1299.00")
    }

    @Test(arguments: [Carrier.decimalOfJSON, .schemaNumberOfJSON, .decimalOfRDFa, .data, .meter])
    func `a datatype makes no number of a text that is none`(carrier: Carrier) throws {
        #expect(try price(carrier, "1.299,00") == "1299.00")
    }

    @Test(
        arguments: Carrier.texts, ["-5", "\u{2212}5", "\u{FF0D}5.00", "-$5", "$-5", "USD -5", "0x10", "0b11", "0o17"])
    func `what is below zero or in a programming language is no price`(carrier: Carrier, text: String) throws {
        #expect(try price(carrier, text) == nil)
    }

    @Test(
        arguments: Carrier.texts,
        [
            ("12,-", "12"), ("kr 12,-", "12"), ("Preis - 12 €", "12"), ("- 12", "12"), ("12.\u{2013}", "12"),
            ("-0", "0"),
        ])
    func `a dash of the layout is no minus sign`(carrier: Carrier, text: (written: String, amount: String)) throws {
        #expect(try price(carrier, text.written) == text.amount)
    }

    @Test(arguments: [("5", 5), ("5.0", 5), ("1e1", 10)]) func `an episode has the number that it states`(
        text: String, number: Int
    ) throws {
        let page =
            #"<title>A</title><script type="application/ld+json">{"@context":"https://schema.org","@type":"TVEpisode","name":"A","episodeNumber":\#(text)}</script>"#
        #expect(try RecordBuilderTests.record(page).episode?.number == number)
    }
}
