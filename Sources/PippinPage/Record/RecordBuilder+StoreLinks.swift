// What a page's links show of its apps. A link into a store confirms an app that other sources name; alone it is a hint,
// taken only when it leaves no choice. A link that starts an app is a deep link of this page when it leads back to it.

extension RecordBuilder {
    /// Hosts that tell of an app.
    enum AppHost {
        case store, appClip, deadDynamicLink
    }

    /// A page has hundreds of links, and most lead elsewhere: two letters of a host rule them out.
    static func appHost(of url: WebURL) -> AppHost? {
        url.withBytes { bytes in
            let start = Int(url.layout.hostStart)
            let end = Int(url.layout.hostEnd)
            guard end - start >= 10 else { return nil }
            switch bytes[end - 1] {
            case UInt8(ascii: "m"):
                // Before `.com`: apple, google, android.
                let letter = bytes[end - 5]
                guard letter == UInt8(ascii: "e") || letter == UInt8(ascii: "d") else { return nil }
                let host = bytes[start..<end]
                if ends(host, ".apple.com") { return ends(host, "appclip.apple.com") ? .appClip : .store }
                return ends(host, "play.google.com") || ends(host, "market.android.com") ? .store : nil
            case UInt8(ascii: "k"): return ends(bytes[start..<end], ".page.link") ? .deadDynamicLink : nil
            default: return nil
            }
        }
    }

    private static func ends(_ host: Slice<UnsafeBufferPointer<UInt8>>, _ name: StaticString) -> Bool {
        let count = name.utf8CodeUnitCount
        return host.count >= count
            && host.suffix(count).elementsEqual(UnsafeBufferPointer(start: name.utf8Start, count: count))
    }

    /// The App Clip of `https://appclip.apple.com/id?p=org.example.app.Clip`.
    static func appClip(_ url: WebURL) -> String? {
        guard url.host == "appclip.apple.com", let id = StoreLink.queryValue("p", of: url), id.utf8.count <= 255,
            ASCIIText.isReverseDomain(id, allowsHyphens: true)
        else { return nil }
        return id
    }

    /// What the links of the page show, in the order in which it counts.
    mutating func appLinksOfPage() -> AppLinksOfPage {
        var stores: [(link: StoreLink, place: AppLinksOfPage.Place)] = []
        var found = AppLinksOfPage()
        let outlinks = facts.outlinks.links
        for index in outlinks.indices {
            guard let host = Self.appHost(of: outlinks[index].url) else { continue }
            let url = outlinks[index].url
            let place: AppLinksOfPage.Place = (outlinks[index].line, outlinks[index].column)
            switch host {
            case .store: if let link = StoreLink(url) { stores.append((link, place)) }
            case .appClip: if let id = Self.appClip(url) { found.clips.append((id, place)) }
            case .deadDynamicLink:
                notes.append(
                    ParseNote(
                        .deepLink(.dynamicLinkDead),
                        "A link leads to “\(url.href.prefix(200))”, but links of page.link stopped working in August 2025.",
                        line: place.line, column: place.column))
            }
        }
        var intents: [(intent: IntentURI, place: AppLinksOfPage.Place)] = []
        for link in facts.outlinks.schemeLinks.prefix(Self.maximumClaims) {
            switch link.scheme {
            case "itms-apps", "itms-appss", "itms", "itmss", "market":
                if let store = StoreLink(href: link.href) { stores.append((store, (link.line, link.column))) }
            case "intent":
                if let intent = IntentURI(link.href) { intents.append((intent, (link.line, link.column))) }
            default: break
            }
        }
        // What leads back to this page first: it says more than a store does.
        found.ofThisPage = intents.compactMap { claim($0.intent, $0.place) }
        found.packages = intents.compactMap { entry in
            Self.packageName(entry.intent.packageName).map { (id: $0, place: entry.place, country: nil) }
        }
        func links(to store: StoreLink.Store) -> [AppLinksOfPage.Named] {
            stores.filter { $0.link.store == store }.map { ($0.link.identifier, $0.place, $0.link.country) }
        }
        found.appStore = links(to: .appStore)
        found.googlePlay = links(to: .googlePlay)
        return found
    }

    /// An intent opens this page when its web address or its fallback is this page's.
    private func claim(_ intent: IntentURI, _ place: AppLinksOfPage.Place) -> DeepLinkClaim? {
        let launch = intent.launchURL.flatMap(Self.launchURL)
        let fallback = intent.fallbackURL.flatMap { WebURL($0, base: facts.baseURL) }
        guard let launch, isThisPage(launch) || fallback.map(isThisPage) == true else { return nil }
        var claim = DeepLinkClaim(.android, .intentLink, line: place.line, column: place.column)
        claim.link.packageName = Self.packageName(intent.packageName)
        claim.link.url = launch.href
        return claim
    }

    private func isThisPage(_ url: WebURL) -> Bool {
        guard url.isHTTP else { return false }
        let key = URLKey(url).string
        return key == record.uniqueIdentifier || key == URLKey(facts.source.url).string
            || WebURL(record.uniqueIdentifier).map { URLKey($0).string == key } == true
    }
}
