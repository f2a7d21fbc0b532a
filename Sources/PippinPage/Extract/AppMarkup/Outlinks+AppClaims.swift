// App claims from links: links into a store, links of App Clips, links that start an Android app, and links with custom schemes.

extension Outlinks {
    /// One claim per app, from its first link. Web addresses come first.
    ///
    /// - Parameter notes: receives the faults of links that give no claim.
    func appClaims(notes: inout [ParseNote]) -> [AppClaim] {
        var claims: [AppClaim] = []
        var stores: Set<StoreLink> = []
        var clips: Set<String> = []
        func add(_ store: StoreLink, line: Int?, column: Int?) {
            guard stores.count < AppClaim.maximumOfSource, stores.insert(store).inserted else { return }
            claims.append(store.appClaim(.storeLink, key: store.store.rawValue, line: line, column: column))
        }
        for index in links.indices {
            guard let host = AppHost(of: links[index].url) else { continue }
            let link = links[index]
            switch host {
            case .store: if let store = StoreLink(link.url) { add(store, line: link.line, column: link.column) }
            case .appClip:
                guard let clip = AppHost.appClip(link.url), clips.count < AppClaim.maximumOfSource,
                    clips.insert(clip).inserted
                else { continue }
                var claim = AppClaim(.iOS, .storeLink, "app-clip", line: link.line, column: link.column)
                claim.bundleIdentifier = clip
                claim.appClipBundleIdentifier = clip
                claims.append(claim)
            case .deadDynamicLink:
                notes.append(
                    ParseNote(
                        .deepLink(.dynamicLinkDead),
                        "A link leads to “\(link.url.href.prefix(200))”, but links of page.link stopped working in August 2025.",
                        line: link.line, column: link.column))
            }
        }
        for link in schemeLinks.prefix(AppClaim.maximumOfSource) {
            switch link.scheme {
            case "itms-apps", "itms-appss", "itms", "itmss", "market":
                if let store = StoreLink(href: link.href) { add(store, line: link.line, column: link.column) }
            case "intent":
                guard let intent = IntentURI(link.href) else { continue }
                var claim = AppClaim(.android, .intentLink, "intent", line: link.line, column: link.column)
                claim.packageName = intent.packageName
                claim.address = link.href
                claims.append(claim)
            case "tel", "mailto", "sms": break
            default:
                var claim = AppClaim(nil, .pageLink, link.scheme, line: link.line, column: link.column)
                claim.address = link.href
                claims.append(claim)
            }
        }
        return claims
    }

    /// Apps that the page's links lead to in a store, each once, in page order.
    func storeLinks() -> [StoreLink] {
        var found: [StoreLink] = []
        var seen: Set<StoreLink> = []
        for link in links where AppHost(of: link.url) == .store {
            if let store = StoreLink(link.url), seen.insert(store).inserted { found.append(store) }
        }
        for link in schemeLinks {
            if let store = StoreLink(href: link.href), seen.insert(store).inserted { found.append(store) }
        }
        return found
    }
}

/// Hosts whose addresses name an app.
enum AppHost {
    case store, appClip, deadDynamicLink

    /// Nil for other hosts. A page has hundreds of links, most of them to other hosts, so two letters of the host are tested
    /// first.
    init?(of url: WebURL) {
        let host: AppHost? = url.withBytes { bytes in
            let start = Int(url.layout.hostStart)
            let end = Int(url.layout.hostEnd)
            guard end - start >= 10 else { return nil }
            switch bytes[end - 1] {
            case UInt8(ascii: "m"):
                // The letter before `.com`: apple, google, android.
                let letter = bytes[end - 5]
                guard letter == UInt8(ascii: "e") || letter == UInt8(ascii: "d") else { return nil }
                let host = bytes[start..<end]
                if Self.ends(host, ".apple.com") { return Self.ends(host, "appclip.apple.com") ? .appClip : .store }
                return Self.ends(host, "play.google.com") || Self.ends(host, "market.android.com") ? .store : nil
            case UInt8(ascii: "k"): return Self.ends(bytes[start..<end], ".page.link") ? .deadDynamicLink : nil
            default: return nil
            }
        }
        guard let host else { return nil }
        self = host
    }

    private static func ends(_ host: Slice<UnsafeBufferPointer<UInt8>>, _ name: StaticString) -> Bool {
        let count = name.utf8CodeUnitCount
        return host.count >= count
            && host.suffix(count).elementsEqual(UnsafeBufferPointer(start: name.utf8Start, count: count))
    }

    /// The App Clip's bundle ID in `https://appclip.apple.com/id?p=org.example.app.Clip`.
    static func appClip(_ url: WebURL) -> String? {
        guard url.host == "appclip.apple.com", let id = StoreLink.queryValue("p", of: url), id.utf8.count <= 255,
            ASCIIText.isReverseDomain(id, allowsHyphens: true)
        else { return nil }
        return id
    }
}
