import Testing

@testable import PippinPage

/// The local file of App Store lookup replies.
@Suite struct AppLookupTests {
    private static let shop =
        #"{"resultCount":1,"results":[{"wrapperType":"software","trackId":123456789,"bundleId":"example.shop","trackName":"Shop\n App","trackViewUrl":"https://apps.apple.com/app/id123456789"}]}"#
    private static let news = #"{"resultCount":1,"results":[{"trackId":"987654321","bundleId":"example.news"}]}"#

    private static func read(_ text: String) throws(AppLookup.Failure) -> AppLookup {
        try AppLookup(bytes: Array(text.utf8))
    }

    @Test(arguments: [
        "\(shop)\(news)", "\(shop)\n\(news)\n", "\n\n\n\(shop)\r\n \(news)", "[\(shop),\(news)]",
        "\u{FEFF}\(shop) \(news)",
    ])
    func `replies may stand one after another, in lines and in an array`(text: String) throws {
        let lookup = try Self.read(text)
        #expect(lookup.count == 2)
        let app = try #require(lookup.app(storeIdentifier: "123456789"))
        #expect(app.bundleIdentifier == "example.shop" && app.name == "Shop App")
        #expect(app.storeURL == "https://apps.apple.com/app/id123456789")
        #expect(lookup.app(bundleIdentifier: "example.news")?.storeIdentifier == "987654321")
        #expect(lookup.app(storeIdentifier: "1") == nil)
    }

    @Test func `results that are no apps are left out, and bare results are taken`() throws {
        let lookup = try Self.read(
            #"{"resultCount":0,"results":[]}{"results":[{"wrapperType":"track","trackId":1},7,{"bundleId":"a.b","trackId":-3}]}{"trackId":5,"bundleId":"c.d"}"#
        )
        #expect(lookup.count == 1 && lookup.skipped == 3)
        #expect(lookup.app(bundleIdentifier: "c.d")?.storeIdentifier == "5")
    }

    @Test func `of two results for one app the first counts`() throws {
        let lookup = try Self.read(
            #"{"results":[{"trackId":5,"bundleId":"c.d","trackName":"A"},{"trackId":5,"bundleId":"c.e","trackName":"B"}]}"#
        )
        #expect(lookup.app(storeIdentifier: "5")?.name == "A")
    }

    @Test(arguments: [
        ("{\"results\":[]}\n{\"results\": oops}", "line 2, column 13: "), ("<html>", "line 1, column 1: "),
        ("{\"results\":[]}\n\n  {\"error\":1}", "line 3, column 3: the object has no “results”"),
        ("{\"results\":{}}", "line 1, column 1: “results” is not an array"),
        ("[1]", "line 1, column 1: the array holds"), ("7", "line 1, column 1: a reply"),
        ("{\"results\":[", "line 1, column 13: "), ("{} trailing", "line 1, column 1: the object has no"),
    ])
    func `what is wrong is told with its place`(text: String, beginning: String) {
        #expect {
            _ = try Self.read(text)
        } throws: { error in
            "\(error)".hasPrefix(beginning)
        }
    }

    @Test func `an empty file knows no app`() throws {
        #expect(try Self.read("").count == 0)
        #expect(try Self.read(" \n").count == 0)
    }
}
