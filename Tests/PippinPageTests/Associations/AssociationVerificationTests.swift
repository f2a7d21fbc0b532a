import Foundation
import PippinTestSupport
import Testing

@testable import PippinPage

/// What the site's own files say of a record's deep links: every way it can come out, with its reason.
@Suite struct AssociationVerificationTests {
    private static let page = "https://shop.example/mug"
    private static let team = "ABCDE12345"

    static func host(
        _ site: String = "https://shop.example/", apple: AssociationFetch = .status(404),
        root: AssociationFetch = .status(404), android: AssociationFetch = .status(404)
    ) throws -> HostAssociations {
        let site = try #require(WebURL(site))
        let places = AppleAssociationOutcome.locations(of: site)
        let assetLinks = AssetLinksOutcome(android, at: try #require(AssetLinksOutcome.location(of: site)))
        return HostAssociations(
            wellKnown: AppleAssociationOutcome(apple, at: places[0]),
            rootCopy: AppleAssociationOutcome(root, at: places[1]), assetLinks: assetLinks,
            included: assetLinks.links.map { AssetLinksGathering($0, at: assetLinks.url) })
    }

    private static func record(_ links: [DeepLinkRecord.DeepLink], at page: String = page) throws -> DeepLinkRecord {
        var record = DeepLinkRecord(
            uniqueIdentifier: page, domainIdentifier: try #require(WebURL(page)?.host), url: page,
            fetchedAt: Date(timeIntervalSince1970: 1_795_204_800), contentHash: "0")
        record.deepLinks = links
        return record
    }

    private static func link(
        _ platform: Platform = .iOS, _ url: String? = page, store: String? = nil, bundle: String? = nil,
        package: String? = nil, clip: String? = nil
    ) -> DeepLinkRecord.DeepLink {
        var link = DeepLinkRecord.DeepLink(platform: platform, url: url, sources: [.smartAppBanner])
        link.storeIdentifier = store
        link.bundleIdentifier = bundle
        link.packageName = package
        link.appClipBundleIdentifier = clip
        return link
    }

    /// The verification of one link of a page whose host has these files.
    private static func outcome(
        _ link: DeepLinkRecord.DeepLink, _ found: HostAssociations?, page: String = "https://shop.example/other",
        apps: [RecordBuilder.AppIdentity] = []
    ) throws -> DeepLinkRecord.Verification {
        var associations = SiteAssociations()
        if let found, let site = WebURL(found.wellKnown.url.href) { associations[site] = found }
        let done = AssociationVerification(
            of: try record([link], at: page), associations: associations, apps: apps)
        return try #require(done.record.deepLinks.first { $0.sources.contains(.smartAppBanner) }).verification
    }

    struct AppleCase: Sendable {
        let name: String
        let link: DeepLinkRecord.DeepLink
        var file = AssociationFetch.status(404)
        var root = AssociationFetch.status(404)
        let status: DeepLinkRecord.Verification.Status
        var app: String?
        var pattern: String?
        let reason: String
    }

    private static let named = link(store: "123456789", bundle: "example.shop")
    private static let everything = (app: "\(team).example.shop", components: "{}")

    static let appleCases: [AppleCase] = [
        AppleCase(
            name: "a pattern matches", link: named,
            file: .apple((app: "\(team).example.shop", components: #"{"/":"/mug"}"#)), status: .verified,
            app: "ABCDE12345.example.shop", pattern: "/mug",
            reason: "The apple-app-site-association of shop.example opens it in ABCDE12345.example.shop."),
        AppleCase(
            name: "any prefix will do", link: named, file: .apple((app: "OLDPREFIX9.example.shop", components: "{}")),
            status: .verified, app: "OLDPREFIX9.example.shop", pattern: "{}",
            reason: "The apple-app-site-association of shop.example opens it in OLDPREFIX9.example.shop."),
        AppleCase(
            name: "a match under one prefix beats a block under another", link: named,
            file: .apple(
                (app: "OLDPREFIX9.example.shop", components: #"{"/":"/mug","exclude":true}"#), everything),
            status: .verified, app: "ABCDE12345.example.shop", pattern: "{}",
            reason: "The apple-app-site-association of shop.example opens it in ABCDE12345.example.shop."),
        AppleCase(
            name: "a pattern blocks", link: named,
            file: .apple((app: "\(team).example.shop", components: #"{"/":"/mug","exclude":true},{}"#)),
            status: .blocked, app: "ABCDE12345.example.shop", pattern: "NOT /mug",
            reason: "The apple-app-site-association of shop.example keeps ABCDE12345.example.shop from it."),
        AppleCase(
            name: "no pattern covers it", link: named,
            file: .apple((app: "\(team).example.shop", components: #"{"/":"/cup"}"#)), status: .notCovered,
            reason:
                "The apple-app-site-association of shop.example names ABCDE12345.example.shop, but no pattern covers it."
        ),
        AppleCase(
            name: "another app matches", link: named, file: .apple((app: "\(team).example.other", components: "{}")),
            status: .notCovered,
            reason:
                "The apple-app-site-association of shop.example does not name the app example.shop; it names ABCDE12345.example.other."
        ),
        AppleCase(
            name: "a bundle ID that only ends alike is another app", link: link(bundle: "shop"),
            file: .apple(everything), status: .notCovered,
            reason:
                "The apple-app-site-association of shop.example does not name the app shop; it names ABCDE12345.example.shop."
        ),
        AppleCase(
            name: "no app at all", link: named,
            file: .fetched(bytes: Array("{\"webcredentials\":{}}".utf8), mediaType: "application/json"),
            status: .notCovered,
            reason: "The apple-app-site-association of shop.example names no app that opens links."),
        AppleCase(
            name: "the store's ID is not tied", link: link(store: "123456789"), file: .apple(everything),
            status: .unverifiable,
            reason:
                "The apple-app-site-association of shop.example opens it in ABCDE12345.example.shop, but it is not known whether that is the app with the App Store ID 123456789."
        ),
        AppleCase(
            name: "the store's ID is not tied, several apps", link: link(store: "123456789"),
            file: .apple(everything, (app: "\(team).example.other", components: "{}")), status: .unverifiable,
            reason:
                "The apple-app-site-association of shop.example opens it in ABCDE12345.example.shop and ABCDE12345.example.other, but it is not known whether that is the app with the App Store ID 123456789."
        ),
        AppleCase(
            name: "the store's ID is not tied, and no app opens it", link: link(store: "123456789"),
            file: .apple((app: "\(team).example.shop", components: #"{"/":"/cup"}"#)), status: .notCovered,
            reason: "The apple-app-site-association of shop.example opens it in no app."),
        AppleCase(
            name: "the store's ID is not tied, and an app is kept from it", link: link(store: "123456789"),
            file: .apple((app: "\(team).example.shop", components: #"{"/":"/m*","exclude":true}"#)), status: .blocked,
            pattern: "NOT /m*",
            reason:
                "The apple-app-site-association of shop.example opens it in no app and keeps ABCDE12345.example.shop from it."
        ),
        AppleCase(
            name: "the markup names no app", link: link(), file: .apple(everything), status: .verified,
            app: "ABCDE12345.example.shop", pattern: "{}",
            reason:
                "The markup does not say which app; the apple-app-site-association of shop.example opens it in ABCDE12345.example.shop."
        ),
        AppleCase(
            name: "a pattern without its slash", link: named,
            file: .apple((app: "\(team).example.shop", components: #"{"/":"mug"}"#)), status: .verified,
            app: "ABCDE12345.example.shop", pattern: "mug",
            reason:
                "The apple-app-site-association of shop.example opens it in ABCDE12345.example.shop. The pattern has no slash at its beginning; it was compared as if it had."
        ),
        AppleCase(
            name: "no file", link: named, status: .notCovered,
            reason:
                "Devices have no apple-app-site-association of shop.example: the server has no such file (status 404)."),
        AppleCase(
            name: "the file redirects", link: named, file: .redirected(to: "https://www.shop.example/"),
            status: .notCovered,
            reason:
                "Devices have no apple-app-site-association of shop.example: the server redirects to “https://www.shop.example/”, which devices do not follow."
        ),
        AppleCase(
            name: "the copy at the root only", link: named, root: .apple(everything), status: .verified,
            app: "ABCDE12345.example.shop", pattern: "{}",
            reason: "The apple-app-site-association of shop.example opens it in ABCDE12345.example.shop."),
        AppleCase(
            name: "a broken file comes before a good copy", link: named,
            file: .fetched(bytes: Array("{".utf8), mediaType: "application/json"), root: .apple(everything),
            status: .notCovered,
            reason:
                "Devices do not use the apple-app-site-association of shop.example. The file is not valid JSON: the file ends too early: a bracket, brace or quotation mark is not closed (expected a key in double quotes or '}', found the end of the text)."
        ),
        AppleCase(
            name: "the server is in trouble", link: named, file: .status(503), root: .apple(everything),
            status: .unchecked,
            reason:
                "The apple-app-site-association of shop.example was not seen: the server answers with status 503."),
        AppleCase(
            name: "robots.txt forbids the file", link: named, file: .disallowed("Disallow: / in line 2."),
            status: .unchecked,
            reason:
                "The apple-app-site-association of shop.example was not seen: robots.txt does not allow it: Disallow: / in line 2."
        ),
        AppleCase(
            name: "no file, and the copy at the root unseen", link: named, root: .unreachable("timed-out"),
            status: .unchecked,
            reason:
                "The apple-app-site-association of shop.example was not seen: its copy at the root is unknown, it cannot be fetched: timed-out."
        ),
        AppleCase(
            name: "a scheme of its own", link: link(.iOS, "shop://mug", store: "123456789"), file: .apple(everything),
            status: .unverifiable,
            reason: "Any app can claim the scheme “shop:”; only https addresses are tied to a site."),
        AppleCase(
            name: "no address", link: link(.iOS, nil, store: "123456789"), file: .apple(everything),
            status: .unverifiable, reason: "The app is named, but no address that it is opened with."),
        AppleCase(
            name: "http on a port", link: link(.iOS, "http://shop.example:8080/mug", bundle: "example.shop"),
            file: .apple(everything), status: .unverifiable,
            reason: "Devices ask for association files over https, and this address is http on a port."),
        AppleCase(
            name: "http", link: link(.iOS, "http://shop.example/mug", bundle: "example.shop"),
            file: .apple(everything), status: .verified, app: "ABCDE12345.example.shop", pattern: "{}",
            reason: "The apple-app-site-association of shop.example opens it in ABCDE12345.example.shop."),
        AppleCase(
            name: "another host, which nobody asked", link: link(.iOS, "https://www.shop.example/mug", bundle: "b.c"),
            file: .apple(everything), status: .unchecked,
            reason: "The apple-app-site-association of www.shop.example was not asked for."),
        AppleCase(
            name: "Apple's address of a clip",
            link: link(.iOS, "https://appclip.apple.com/id?p=example.shop.Clip", clip: "example.shop.Clip"),
            file: .apple(everything), status: .unverifiable,
            reason: "Apple itself ties this address to the App Clip; no file of the site does."),
        AppleCase(
            name: "a clip that the file lists",
            link: link(.iOS, nil, bundle: "example.shop.Clip", clip: "example.shop.Clip"),
            file: .apple(clips: ["\(team).example.shop.Clip"]), status: .verified,
            app: "ABCDE12345.example.shop.Clip",
            reason: "The apple-app-site-association of shop.example lists the App Clip ABCDE12345.example.shop.Clip."),
        AppleCase(
            name: "a clip that it does not",
            link: link(.iOS, nil, bundle: "example.shop.Clip", clip: "example.shop.Clip"), file: .apple(everything),
            status: .notCovered,
            reason:
                "The apple-app-site-association of shop.example does not list the App Clip example.shop.Clip under “appclips”."
        ),
        AppleCase(
            name: "the web", link: link(.web), file: .apple(everything), status: .unverifiable,
            reason: "A page on the web needs no app, so no association file speaks of it."),
        AppleCase(
            name: "Windows", link: link(.windows), file: .apple(everything), status: .unverifiable,
            reason: "Windows ties apps to sites by files that are not looked at."),
    ]

    @Test(arguments: appleCases.indices)
    func `every way a universal link can come out has its reason`(index: Int) throws {
        let one = Self.appleCases[index]
        let found = try Self.host(apple: one.file, root: one.root)
        let verification = try Self.outcome(one.link, found)
        #expect(verification.status == one.status, "\(one.name)")
        #expect(verification.applicationIdentifier == one.app, "\(one.name)")
        #expect(verification.pattern == one.pattern, "\(one.name)")
        #expect(verification.reason == one.reason, "\(one.name)")
    }

    private static let app = link(.android, package: "example.shop")

    static let androidCases: [AppleCase] = [
        AppleCase(
            name: "vouched for", link: app, file: .assetLinks("example.shop"), status: .verified, app: "example.shop",
            reason:
                "The assetlinks.json of shop.example vouches for example.shop on the whole host; which of its addresses the app opens is written in the app's manifest."
        ),
        AppleCase(
            name: "a rule matches", link: app, file: .assetLinks("example.shop", rules: #"{"/":"/m*"}"#),
            status: .verified,
            app: "example.shop", pattern: "/m*",
            reason:
                "The assetlinks.json of shop.example opens it in example.shop, by a rule of Android 15 and later."),
        AppleCase(
            name: "a rule blocks", link: app, file: .assetLinks("example.shop", rules: #"{"/":"/m*","exclude":true}"#),
            status: .blocked, app: "example.shop", pattern: "NOT /m*",
            reason: "The assetlinks.json of shop.example keeps example.shop from it."),
        AppleCase(
            name: "no rule matches", link: app, file: .assetLinks("example.shop", rules: #"{"/":"/cup"}"#),
            status: .blocked, app: "example.shop",
            reason:
                "The assetlinks.json of shop.example has rules for example.shop, and none lets it open the address."),
        AppleCase(
            name: "another app", link: app, file: .assetLinks("example.other"), status: .notCovered,
            reason:
                "The assetlinks.json of shop.example does not name the app example.shop; it names example.other."),
        AppleCase(
            name: "no app", link: app, file: .assetLinks(), status: .notCovered,
            reason: "The assetlinks.json of shop.example names no app that opens links."),
        AppleCase(
            name: "the markup names no app", link: link(.android), file: .assetLinks("example.shop"), status: .verified,
            app: "example.shop",
            reason:
                "The markup does not say which app; the assetlinks.json of shop.example vouches for example.shop on the whole host; which of its addresses the app opens is written in the app's manifest."
        ),
        AppleCase(
            name: "no file", link: app, status: .notCovered,
            reason: "Devices have no assetlinks.json of shop.example: the server has no such file (status 404)."),
        AppleCase(
            name: "not JSON", link: app, file: .fetched(bytes: Array("{}".utf8), mediaType: "application/json"),
            status: .notCovered,
            reason:
                "Devices do not use the assetlinks.json of shop.example. The file must be one JSON array of statements, and is an object."
        ),
        AppleCase(
            name: "the server is in trouble", link: app, file: .status(500), status: .unchecked,
            reason: "The assetlinks.json of shop.example was not seen: the server answers with status 500."),
        AppleCase(
            name: "a scheme of its own", link: link(.android, "shop://mug", package: "example.shop"),
            file: .assetLinks("example.other"), status: .unverifiable,
            reason: "Any app can claim the scheme “shop:”; only https addresses are tied to a site."),
        AppleCase(
            name: "no address", link: link(.android, nil, package: "example.other"), file: .assetLinks("example.shop"),
            status: .unverifiable, reason: "The app is named, but no address that it is opened with."),
    ]

    @Test(arguments: androidCases.indices)
    func `every way an Android link can come out has its reason`(index: Int) throws {
        let one = Self.androidCases[index]
        let verification = try Self.outcome(one.link, try Self.host(android: one.file))
        #expect(verification.status == one.status, "\(one.name)")
        #expect(verification.applicationIdentifier == one.app, "\(one.name)")
        #expect(verification.pattern == one.pattern, "\(one.name)")
        #expect(verification.reason == one.reason, "\(one.name)")
    }

    @Test func `seeds and the lookup file tie the store's ID to a bundle ID`() throws {
        let link = Self.link(store: "123456789")
        let found = try Self.host(apple: AssociationFetch.apple(Self.everything))
        let seed = RecordBuilder.AppIdentity(storeIdentifier: "123456789", bundleIdentifier: "example.shop")
        #expect(try Self.outcome(link, found, apps: [seed]).status == .verified)
        let other = RecordBuilder.AppIdentity(storeIdentifier: "123456789", bundleIdentifier: "example.other")
        #expect(try Self.outcome(link, found, apps: [other]).status == .notCovered)
        let reply = #"{"resultCount":1,"results":[{"trackId":123456789,"bundleId":"example.shop","trackName":"Shop"}]}"#
        let lookup = try AppLookup(bytes: Array(reply.utf8))
        var associations = SiteAssociations()
        associations[found.wellKnown.url] = found
        let done = AssociationVerification(
            of: try Self.record([link]), associations: associations, lookup: lookup, tracing: true)
        let only = try #require(done.record.deepLinks.first)
        #expect(done.record.deepLinks.count == 1)
        #expect(only.verification.status == .verified)
        #expect(only.bundleIdentifier == "example.shop" && only.appName == "Shop")
        #expect(only.sources == [.smartAppBanner, .association])
        #expect(done.traces.values.map(\.entries.count) == [1])
    }

    // MARK: Links that the files alone give

    @Test func `a page that its host's files cover has a deep link for each app`() throws {
        let apple = AssociationFetch.apple(
            (app: "\(Self.team).example.shop", components: #"{"/":"/m*"}"#),
            (app: "\(Self.team).example.admin", components: #"{"/":"/mug","exclude":true}"#),
            (app: "\(Self.team).example.shop.Clip", components: "{}"),
            (app: "OLDPREFIX9.example.shop", components: "{}"), clips: ["\(Self.team).example.shop.Clip"])
        let found = try Self.host(apple: apple, android: AssociationFetch.assetLinks("example.shop", "example.lite"))
        var associations = SiteAssociations()
        associations[found.wellKnown.url] = found
        let links = AssociationVerification(
            of: try Self.record([Self.link(.web)]), associations: associations
        ).record.deepLinks
        #expect(links.map(\.platform) == [.iOS, .android, .android, .web])
        #expect(links.map(\.url) == Array(repeating: Self.page, count: 4))
        #expect(links[0].bundleIdentifier == "example.shop" && links[0].sources == [.association])
        #expect(links[0].appClipBundleIdentifier == "example.shop.Clip")
        #expect(links[1].packageName == "example.shop" && links[2].packageName == "example.lite")
        #expect(links.prefix(3).allSatisfy { $0.verification.status == .verified })
        #expect(links[1].verification.reason?.contains("the app's manifest") == true)
    }

    @Test func `an app with a store ID that nothing ties stays beside the one of the file`() throws {
        let found = try Self.host(apple: AssociationFetch.apple(Self.everything))
        var associations = SiteAssociations()
        associations[found.wellKnown.url] = found
        let links = AssociationVerification(
            of: try Self.record([Self.link(store: "123456789")]), associations: associations
        ).record.deepLinks
        #expect(links.map(\.storeIdentifier) == ["123456789", nil])
        #expect(links.map(\.bundleIdentifier) == [nil, "example.shop"])
        #expect(links.map(\.verification.status) == [.unverifiable, .verified])
    }

    @Test func `an address without an app is the only app's, and of several nobody's`() throws {
        let link = Self.link()
        var associations = SiteAssociations()
        let one = try Self.host(apple: AssociationFetch.apple(Self.everything))
        associations[one.wellKnown.url] = one
        let joined = AssociationVerification(of: try Self.record([link]), associations: associations).record.deepLinks
        #expect(joined.map(\.bundleIdentifier) == ["example.shop"])
        #expect(joined.map(\.sources) == [[.smartAppBanner, .association]])
        let two = try Self.host(
            apple: AssociationFetch.apple(Self.everything, (app: "\(Self.team).example.other", components: "{}")))
        associations[two.wellKnown.url] = two
        let apart = AssociationVerification(of: try Self.record([link]), associations: associations).record.deepLinks
        #expect(apart.map(\.bundleIdentifier) == [nil, "example.shop", "example.other"])
    }

    @Test func `an app that the markup opens with its own scheme keeps it, and the page's address beside`() throws {
        let link = Self.link(.iOS, "shop://mug", store: "123456789", bundle: "example.shop")
        let found = try Self.host(apple: AssociationFetch.apple(Self.everything))
        var associations = SiteAssociations()
        associations[found.wellKnown.url] = found
        let links = AssociationVerification(of: try Self.record([link]), associations: associations).record.deepLinks
        #expect(links.map(\.url) == ["shop://mug"] && links[0].alternativeURLs == [Self.page])
        #expect(links[0].verification.status == .unverifiable)
        #expect(links[0].verification.reason?.hasSuffix("tie the app to the page's own address.") == true)
    }

    @Test func `nothing that was not seen gives a deep link`() throws {
        for fetch in [AssociationFetch.status(503), .notAsked, .disallowed("x"), .unreachable("x"), .status(404)] {
            let found = try Self.host(apple: fetch, root: AssociationFetch.apple(Self.everything), android: fetch)
            var associations = SiteAssociations()
            associations[found.wellKnown.url] = found
            let links = AssociationVerification(of: try Self.record([]), associations: associations).record.deepLinks
            // Without the first file the copy at the root counts; without knowing of the first, it does not.
            if case .status(404) = fetch { #expect(links.count == 1) } else { #expect(links.isEmpty, "\(fetch)") }
        }
        let none = AssociationVerification(of: try Self.record([]), associations: SiteAssociations())
        #expect(none.record.deepLinks.isEmpty)
    }

    @Test func `the apps that files add are few`() throws {
        let many = (0..<50).map { #"{"appIDs":["\#(Self.team).example.app\#($0)"],"components":[{}]}"# }
        let text = #"{"applinks":{"details":[\#(many.joined(separator: ","))]}}"#
        let found = try Self.host(apple: .fetched(bytes: Array(text.utf8), mediaType: "application/json"))
        var associations = SiteAssociations()
        associations[found.wellKnown.url] = found
        let links = AssociationVerification(of: try Self.record([]), associations: associations).record.deepLinks
        #expect(links.count == AssociationVerification.maximumAssociatedApps)
    }

    @Test func `a page gives its record with its host's files`() throws {
        let folder = Fixtures.folder("verification")
        func bytes(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: folder.appending(path: name))) }
        let facts = try RecordBuilderTests.facts(
            String(decoding: try bytes("page.html"), as: UTF8.self), url: "https://shop.example/mugs/42?ref=letter")
        let built = try #require(RecordBuilder.conclusion(from: facts, now: RecordBuilderTests.fetchedAt).record)
        let wants = AssociationVerification.wanted(by: built)
        #expect(wants.map(\.site.href) == ["https://shop.example/", "https://go.shop.example/"])
        var associations = SiteAssociations()
        associations[wants[0].site] = try Self.host(
            apple: .fetched(bytes: try bytes("apple-app-site-association"), mediaType: "application/json"),
            android: .fetched(bytes: try bytes("assetlinks.json"), mediaType: "application/json"))
        associations[wants[1].site] = try Self.host("https://go.shop.example/", apple: .status(503))
        let record = AssociationVerification(
            of: built, associations: associations, lookup: try AppLookup(bytes: try bytes("app-lookup.json"))
        ).record
        let written = RecordBuilderTests.pretty(record)
        // Beside the other golden records, which are all held against the schema.
        let file = RecordBuilderTests.folder.appending(path: "verified.json")
        if ProcessInfo.processInfo.environment["PIPPIN_WRITE_FIXTURES"] == "1" {
            try written.write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(written == (try String(contentsOf: file, encoding: .utf8)))
    }

    @Test(.slow) func `a file that takes too long to compare is unchecked, for all links of the page together`() throws
    {
        let stars = String(repeating: "*a", count: 400)
        let components = Array(repeating: #"{"/":"\#(stars)b"}"#, count: 100).joined(separator: ",")
        let found = try Self.host(
            apple: AssociationFetch.apple((app: "\(Self.team).example.shop", components: components)))
        var associations = SiteAssociations()
        associations[found.wellKnown.url] = found
        let path = String(repeating: "a", count: 1_500)
        let links = (0..<20).map { Self.link(.iOS, "https://shop.example/\(path)\($0)", bundle: "example.a\($0)") }
        let done = AssociationVerification(of: try Self.record(links), associations: associations)
        #expect(done.record.deepLinks.allSatisfy { $0.verification.status == .unchecked })
        #expect(done.record.deepLinks[0].verification.reason?.contains("could not be compared") == true)
        #expect(done.budget.isSpent)
    }

    // MARK: Which files are needed

    @Test func `the files of the page's host are wanted, then those of the deep links' hosts`() throws {
        var record = try Self.record(
            [
                Self.link(.iOS, "https://www.shop.example/mug"), Self.link(.iPadOS, "https://shop.example/a"),
                Self.link(.android, "http://m.shop.example/mug"), Self.link(.android, "https://www.shop.example/b"),
                Self.link(.iOS, "shop://mug"), Self.link(.web, "https://web.example/"),
                Self.link(.iOS, "https://appclip.apple.com/id?p=a.b.Clip"), Self.link(.iOS, "http://x.example:8080/"),
            ])
        let wants = AssociationVerification.wanted(by: record)
        #expect(
            wants.map { "\($0.site.href) \($0.apple) \($0.android)" } == [
                "https://shop.example/ true true", "https://www.shop.example/ true true",
                "https://m.shop.example/ false true",
            ])
        record.deepLinks = (0..<20).map { Self.link(.iOS, "https://h\($0).example/") }
        #expect(AssociationVerification.wanted(by: record).count == AssociationVerification.maximumSites)
    }

    @Test func `files are kept by the host's origin over https`() throws {
        let found = try Self.host("https://shop.example:8443/", apple: AssociationFetch.apple(Self.everything))
        var associations = SiteAssociations()
        #expect(associations.isEmpty)
        associations[try #require(WebURL("https://shop.example:8443/any?x#y"))] = found
        #expect(associations.hosts.count == 1)
        #expect(associations[try #require(WebURL("https://shop.example:8443/"))] != nil)
        #expect(associations[try #require(WebURL("https://shop.example/"))] == nil)
        #expect(associations[try #require(WebURL("shop://mug"))] == nil)
        #expect(
            SiteAssociations.site(of: try #require(WebURL("http://user@shop.example/a")))?.href
                == "https://shop.example/")
    }
}
