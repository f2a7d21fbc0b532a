// App claims of a rendered page's scripts: `location = "clownapp://shows/1"`, an intent, a store.

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
