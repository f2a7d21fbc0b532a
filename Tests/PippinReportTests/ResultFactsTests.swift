import PippinPage
import Testing

@testable import PippinReport

/// What results show besides their texts.
@Suite struct ResultFactsTests {
    @Test(
        arguments: [
            (#"{"offers":[{"price":"12.50","currency":"EUR"}]}"#, "EUR 12.50"),
            (#"{"offers":[{"price":"0.00","currency":"USD"}]}"#, "free"),
            (#"{"offers":[{"price":"0"}]}"#, "free"),
            (#"{"offers":[{"lowPrice":"0","highPrice":"9","currency":"USD"}]}"#, "USD 0–9"),
            (#"{"offers":[{"lowPrice":"3","currency":"USD"}]}"#, "from USD 3"),
            (#"{"offers":[{"price":"3","lowPrice":"3","currency":"USD"}]}"#, "from USD 3"),
            (#"{"offers":[{"price":"3","lowPrice":"3","highPrice":"9","currency":"USD"}]}"#, "USD 3–9"),
            (#"{"offers":[{"price":"3","lowPrice":"3","highPrice":"3","currency":"USD"}]}"#, "USD 3"),
            (#"{"offers":[{"price":"4","lowPrice":"3","highPrice":"9","currency":"USD"}]}"#, "USD 4"),
            (#"{"priceRange":"$$"}"#, "$$"), (#"{"offers":[{}]}"#, nil),
        ])
    func `a price is told in words`(record: String, price: String?) throws {
        var parser = JSONParser()
        #expect(ResultFacts(try parser.parse(Array(record.utf8))).price == price)
    }
}
