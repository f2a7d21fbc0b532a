// App claims from links: links into a store, links of App Clips, links that start an Android app, and links with custom schemes.

extension Outlinks {
    /// One claim per app, from its first link. Web addresses come first. Only links that the site vouches for make claims: what
    /// visitors write is not the site's.
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
            guard links[index].isVouchedFor, let host = AppHost(of: links[index].url) else { continue }
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
            case .endedDynamicLink:
                notes.append(
                    ParseNote(
                        .deepLink(.dynamicLinkDead),
                        "A link leads to “\(link.url.href.prefix(200))”, but Firebase Dynamic Links stopped working in August 2025.",
                        line: link.line, column: link.column))
            }
        }
        for link in schemeLinks.lazy.filter(\.isVouchedFor).prefix(AppClaim.maximumOfSource) {
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

    /// Apps that the page's links lead to in a store, each once, in page order, as far as the site vouches for the links.
    func storeLinks() -> [StoreLink] {
        var found: [StoreLink] = []
        var seen: Set<StoreLink> = []
        for link in links where link.isVouchedFor && AppHost(of: link.url) == .store {
            if let store = StoreLink(link.url), seen.insert(store).inserted { found.append(store) }
        }
        for link in schemeLinks where link.isVouchedFor {
            if let store = StoreLink(href: link.href), seen.insert(store).inserted { found.append(store) }
        }
        return found
    }
}

// MARK: Scripts

/// App claims of a rendered page's scripts: `location = "clownapp://shows/1"`, an intent, a store.
enum ScriptNavigation {
    /// One claim for each app that the scripts wanted to open. What opens no app makes none.
    ///
    /// - Parameter addresses: where the scripts wanted to go, as the browser reports it.
    static func appClaims(of addresses: [String]) -> [AppClaim] {
        var claims: [AppClaim] = []
        var stores: Set<StoreLink> = []
        for address in addresses.prefix(AppClaim.maximumOfSource) {
            guard let url = WebURL(address) else { continue }
            switch url.scheme {
            case "http", "https":
                guard AppHost(of: url) == .store, let store = StoreLink(url), stores.insert(store).inserted else {
                    continue
                }
                claims.append(store.appClaim(.script, key: store.store.rawValue))
            case "itms-apps", "itms-appss", "itms", "itmss", "market":
                guard let store = StoreLink(href: address), stores.insert(store).inserted else { continue }
                claims.append(store.appClaim(.script, key: store.store.rawValue))
            case "intent":
                guard let intent = IntentURI(address) else { continue }
                var claim = AppClaim(.android, .script, "intent")
                claim.packageName = intent.packageName
                claim.address = address
                claims.append(claim)
            case "about", "blob", "data", "file", "javascript", "mailto", "sms", "tel", "view-source": continue
            default:
                var claim = AppClaim(nil, .script, url.scheme)
                claim.address = address
                claims.append(claim)
            }
        }
        return claims
    }
}
