import PippinPage
import Testing

/// The one list of what a page says of apps, which the record and the report read.
@Suite struct AppClaimTests {
    @Test func `every source hands over its claims, with values as written and their place`() throws {
        let facts = try RecordBuilderTests.facts(
            """
            <meta name=apple-itunes-app content='app-id=901, app-argument=shows://s/1'>
            <meta name="twitter:app:id:ipad" content="id902"><meta name="twitter:app:url:ipad" content="HTTPS://shows.example/s/1">
            <meta property="al:android:url" content="shows://s/1"><meta property="al:android:package" content="org.example.shows">
            <meta property="al:iphone:app_store_id" content="903"><meta property="al:iphone:url" content="shows://s/1">
            <link rel=alternate href="ios-app://904/shows/s/1">
            <script type="application/ld+json">{"@context":"https://schema.org","@type":"MobileApplication","name":"Shows",
              "installUrl":"https://apps.apple.com/de/app/id905"}</script>
            <meta name="google-play-app" content="app-id=org.example.play"><meta name="branch:deeplink:$deeplink_path" content="s/1">
            <a href="https://play.google.com/store/apps/details?id=org.example.linked">x</a>
            <a href="https://play.google.com/store/apps/details?id=org.example.linked&amp;hl=de">y</a>
            <a href="intent://s/1#Intent;scheme=shows;package=org.example.started;end">z</a>
            """, url: "https://shows.example/s/1")
        let lines = facts.appClaims.map { claim in
            "\(claim.line ?? 0) \(claim.source.rawValue) \(claim.key) \(claim.platform?.rawValue ?? "-") "
                + "\(claim.storeIdentifier ?? claim.packageName ?? "-") \(claim.address ?? "-")"
        }
        #expect(
            lines == [
                "1 smart-app-banner apple-itunes-app ios 901 shows://s/1",
                "2 twitter-card ipad ipados 902 HTTPS://shows.example/s/1",
                "3 app-links android android org.example.shows shows://s/1",
                "4 app-links iphone ios 903 shows://s/1",
                "5 alternate ios-app ios 904 ios-app://904/shows/s/1",
                "6 schema-org JSON-LD installUrl ios 905 -",
                "0 app-meta google-play-app android org.example.play -",
                "9 store-link google-play android org.example.linked -",
                "11 intent-link intent android org.example.started intent://s/1#Intent;scheme=shows;package=org.example.started;end",
            ])
    }

    @Test func `an address of an app's own scheme has no platform where the action names none`() throws {
        let facts = try RecordBuilderTests.facts(
            """
            <script type="application/ld+json">{"@context":"https://schema.org","@type":"WebPage","url":"https://shows.example/s/1",
              "potentialAction":{"@type":"ViewAction","target":["shows://s/1","shows://901/s","https://shows.example/s/1","android-app://org.example.a/shows/s/1"]}}
            </script>
            """, url: "https://shows.example/s/1")
        // Only `android-app:` and `ios-app:` name an app by their host: a number in another scheme is no App Store ID.
        #expect(facts.appClaims.map(\.platform) == [nil, nil, .android])
        #expect(facts.appClaims.allSatisfy { $0.key == "JSON-LD potentialAction" })
    }
}
