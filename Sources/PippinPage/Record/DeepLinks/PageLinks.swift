// Links with custom schemes in a page: which of them open the page's own app. Most such links are of others: people share a page by
// messengers, and call, write and pay. `Docs/Record.md` has the rule.

/// The links of a page that may open its own app, by scheme. Small: a page that waits for its manifest keeps it.
struct PageLinks: Sendable {
    /// The links of one scheme.
    struct Scheme: Sendable {
        /// Addresses that open this very page in the app, at most `maximumAddresses`.
        var here: [DeepLinkMerge.Claim] = []
        /// The only address that the page has with the scheme.
        var only: DeepLinkMerge.Claim?
        /// Whether the scheme is that of the page's own app, as its name says.
        var isOwn = false
        /// Whether it is the only one that is no other app's. So it may be that of the app that other sources name.
        var isOnlyUnknown = false

        /// The addresses that count where the scheme is the page's own.
        var claims: [DeepLinkMerge.Claim] { here.isEmpty ? [only].compactMap(\.self) : here }
    }

    /// Own ones first.
    private(set) var schemes: [Scheme] = []

    private static let maximumAddresses = 5

    init() {}

    /// - Parameters:
    ///   - claims: of links, with the address as written.
    ///   - pages: addresses of the page itself.
    ///   - names: what site and apps are called.
    init(_ claims: [AppClaim], pages: [WebURL], names: Set<FoldedName>) {
        let marks = PageMarks(pages)
        var found: [String: Reading] = [:]
        var order: [String] = []
        var named: [String: Bool] = [:]
        func isNamed(_ scheme: String) -> Bool {
            if let known = named[scheme] { return known }
            let isNamed = Self.isNamed(scheme, by: names)
            named[scheme] = isNamed
            return isNamed
        }
        for claim in claims {
            guard let address = claim.address, let url = RecordBuilder.launchURL(address), !url.isHTTP,
                !CustomScheme.opensNoApp(url.scheme)
            else { continue }
            let content = Content(url)
            // Who shares a page by a messenger hands it a text.
            guard !content.hasMessage || isNamed(url.scheme) else { continue }
            var opened = DeepLinkMerge.Claim(claim, on: .iOS)
            opened.link.url = url.href
            if found[url.scheme] == nil { order.append(url.scheme) }
            found[url.scheme, default: Reading()].add(
                opened, isHere: claim.source == .script || marks.areNamed(in: content), handsOver: content.hasAddress)
        }
        guard !order.isEmpty else { return }
        let own = Set(order.filter(isNamed))
        let unknown = order.filter { scheme in
            !own.contains(scheme) && !CustomScheme.isOfWellKnownApp(scheme) && found[scheme]?.handsOver == false
        }
        for name in order {
            guard let reading = found[name] else { continue }
            let scheme = Scheme(
                here: Array(reading.here.prefix(Self.maximumAddresses)),
                only: reading.addresses.count == 1 ? reading.first : nil, isOwn: own.contains(name),
                isOnlyUnknown: own.isEmpty && unknown == [name])
            if !scheme.claims.isEmpty { schemes.append(scheme) }
        }
        schemes = schemes.filter(\.isOwn) + schemes.filter { !$0.isOwn }
    }

    private struct Reading {
        var first: DeepLinkMerge.Claim?
        var here: [DeepLinkMerge.Claim] = []
        var addresses: Set<String> = []
        /// Whether all links hand over a web address: apps that read or keep pages take those of all sites.
        var handsOver = true

        mutating func add(_ claim: DeepLinkMerge.Claim, isHere: Bool, handsOver: Bool) {
            guard let url = claim.link.url, addresses.insert(url).inserted else { return }
            if first == nil { first = claim }
            if isHere { here.append(claim) }
            if !handsOver { self.handsOver = false }
        }
    }

    // MARK: Whose scheme

    /// Whether a scheme is the name of a site or an app, or begins with it or begins it, the word “app” aside: `clownapp` of
    /// clownfair.example, `nyt` of nytimes.com, `com.example.shows` of example.com. Well-known apps need the whole name.
    static func isNamed(_ scheme: String, by names: Set<FoldedName>) -> Bool {
        let whole = FoldedName(scheme)
        if names.contains(whole) { return true }
        guard !CustomScheme.isOfWellKnownApp(scheme) else { return false }
        if scheme.contains("."), scheme.split(separator: ".").contains(where: { names.contains(FoldedName($0)) }) {
            return true
        }
        let app = Array("app".utf8)
        var stem = whole.bytes[...]
        if stem.count >= 6, stem.suffix(3).elementsEqual(app) { stem = stem.dropLast(3) }
        if stem.count >= 6, stem.starts(with: app) { stem = stem.dropFirst(3) }
        let scheme = FoldedName(String(decoding: stem, as: UTF8.self))
        return names.contains { name in
            let (short, long) = name.count <= scheme.count ? (name, scheme) : (scheme, name)
            return short.count >= 3 && !short.isNumber && long.starts(with: short)
        }
    }

    /// The parts of a link with a custom scheme.
    struct Content {
        let href: String
        /// Parts of the path, and the values of the query.
        let parts: [Substring]
        /// Whether it hands the app a text.
        let hasMessage: Bool
        /// Whether it hands the app a web address.
        let hasAddress: Bool

        /// What apps call the text that they are to send.
        private static let messages: Set<Substring> = [
            "text", "body", "message", "msg", "subject", "title", "quote", "caption", "description", "status",
            "summary",
        ]
        private static let maximumParts = 64

        init(_ url: WebURL) {
            href = url.href.percentDecoded
            let rest = url.href.dropFirst(url.scheme.utf8.count + 1)
            let end = rest.firstIndex { $0 == "?" || $0 == "#" } ?? rest.endIndex
            var parts = Array(rest[..<end].split(maxSplits: Self.maximumParts) { $0 == "/" || $0 == ":" })
            var hasMessage = false
            var hasAddress = false
            for pair in rest[end...].split(maxSplits: Self.maximumParts, whereSeparator: { "?&#;".contains($0) }) {
                guard let equals = pair.firstIndex(of: "=") else {
                    parts.append(pair)
                    continue
                }
                let value = pair[pair.index(after: equals)...]
                if Self.messages.contains(Substring(pair[..<equals].lowercased())) { hasMessage = true }
                if value.hasPrefix("http:") || value.hasPrefix("https:") || value.hasPrefix("http%3A")
                    || value.hasPrefix("https%3A") || value.hasPrefix("http%3a") || value.hasPrefix("https%3a")
                {
                    hasAddress = true
                }
                parts.append(value)
            }
            self.parts = parts
            self.hasMessage = hasMessage
            self.hasAddress = hasAddress
        }
    }
}

/// What an address of a page has that other pages do not, for finding links that lead back to it.
private struct PageMarks {
    /// Host and path.
    private var addresses: [String] = []
    /// The last part of the path, with and without its extension; its number; the values of the query.
    private var parts: Set<Substring> = []

    private static let extensions: Set<Substring> = ["html", "htm", "php", "asp", "aspx", "jsp", "shtml", "cms"]

    init(_ pages: [WebURL]) {
        for page in pages {
            let path = page.path
            let last = path.split(separator: "/").last ?? ""
            if !last.isEmpty { addresses.append(SiteIdentity.withoutWWW(page.host ?? "") + path) }
            var stem = last
            if let dot = last.lastIndex(of: "."), Self.extensions.contains(last[last.index(after: dot)...]) {
                stem = last[..<dot]
            }
            parts.formUnion([last, stem])
            // `story-12345`, `id12345`, `12345-story`: the number is the page's in the site's database.
            parts.formUnion(stem.split { !$0.isASCII || !$0.isNumber }.filter { $0.utf8.count >= 4 })
            for pair in (page.query ?? "").split(separator: "&").prefix(20) {
                if let equals = pair.firstIndex(of: "=") { parts.insert(pair[pair.index(after: equals)...]) }
            }
        }
        parts.remove("")
    }

    func areNamed(in link: PageLinks.Content) -> Bool {
        link.parts.contains { parts.contains($0) } || addresses.contains { link.href.contains($0) }
    }
}

extension RecordBuilder {
    /// The links of the page that may open its app.
    ///
    /// - Parameter claims: those that need a witness.
    func pageLinks(of claims: [AppClaim], names: Set<FoldedName>) -> PageLinks {
        let claims = claims.filter { $0.source == .pageLink || $0.source == .script && $0.platform == nil }
        guard !claims.isEmpty else { return PageLinks() }
        let pages = [facts.source.url, WebURL(record.uniqueIdentifier)].compactMap(\.self)
        return PageLinks(claims, pages: pages, names: names)
    }

    /// What the site and its apps are called, also in parts of identifiers.
    func namesOfSiteAndApps() -> Set<FoldedName> {
        var names = siteNames.known
        func add(_ identifier: String?) {
            // Whose it is stands in all parts but the first; what is for all apps is no name.
            for part in (identifier ?? "").split(separator: ".").dropFirst() {
                names.insert(FoldedName(part))
            }
        }
        for claim in facts.appClaims where !claim.needsWitness {
            if let name = claim.appName { names.insert(FoldedName(name)) }
            add(claim.packageName)
            add(claim.bundleIdentifier)
        }
        for app in apps {
            add(app.bundleIdentifier)
            add(app.packageName)
        }
        return names.subtracting(Self.namesOfNoApp)
    }

    fileprivate static let namesOfNoApp = Set(
        ["app", "apps", "android", "ios", "iphone", "ipad", "mobile", "client", "main", "reader", "com", "net", "org"]
            .map { FoldedName($0) } + [FoldedName("")])
}

extension DeepLinkMerge {
    /// Adds links of the page that open its app: to the apps whose scheme it is, else to the one app that the page names for a
    /// platform. A link that nothing else explains is one into an app for iOS: Android's are written as `intent:`.
    mutating func add(_ links: PageLinks) {
        for scheme in links.schemes {
            let known = scheme.claims.contains { knowsScheme(of: $0) }
            if known {
                // Other links of the scheme lead to other content of the app.
                for claim in scheme.here { _ = addWithoutPlatform(claim) }
                if scheme.here.isEmpty, let only = scheme.only { confirm(only) }
            } else if scheme.isOwn || scheme.isOnlyUnknown {
                for claim in scheme.claims where !addToNamedApps(claim, on: [.iOS, .iPadOS, .android]) {
                    // A link alone is no witness. What the page's scripts open is its own.
                    if scheme.isOwn || claim.source == .script { add(claim) }
                }
            }
        }
    }
}

/// What is known of schemes that stand in a page's links: most of them open no app of the page's site.
public enum CustomScheme {
    /// Whether a scheme opens no app of a site: it is registered for something else (mail, calls, files, money …), or belongs to
    /// a system or a browser.
    public static func opensNoApp(_ scheme: String) -> Bool {
        reserved.contains(scheme) || reservedPrefixes.contains { scheme.hasPrefix($0) }
    }

    /// Whether a scheme is that of an app or its site, as its name says (`PageLinks.isNamed`): `clownapp` of clownfair.example,
    /// `com.example.shows` of com.example.shows.
    ///
    /// - Parameters:
    ///   - host: of the app's site.
    ///   - appName: what the app is called.
    ///   - identifiers: bundle identifiers and package names of the app.
    public static func isOwn(_ scheme: String, host: String, appName: String?, identifiers: [String]) -> Bool {
        // No identifier and no name of a host has more parts that count.
        let parts =
            host.split(separator: ".", maxSplits: 16).dropLast()
            + identifiers.flatMap { $0.split(separator: ".", maxSplits: 16).dropFirst() }
        var names = Set(parts.map { FoldedName($0) })
        if let appName { names.insert(FoldedName(appName)) }
        return PageLinks.isNamed(scheme, by: names.subtracting(RecordBuilder.namesOfNoApp))
    }

    /// Whether a scheme belongs to an app that many sites link to: messengers, players, maps, payment.
    static func isOfWellKnownApp(_ scheme: String) -> Bool { wellKnown.contains(scheme) }

    /// `ms-settings:`, `web+mastodon:` (HTML §8.7.1.2), `x-apple-data-detectors:`.
    private static let reservedPrefixes = [
        "chrome-", "facetime", "fb-messenger", "itms", "microsoft-edge", "moz-", "ms-", "opera-", "web+", "x-",
    ]

    /// From the IANA registry of URI schemes, and what systems and browsers have.
    private static let reserved = words(
        """
        aaa aaas about acap acct admin afp aim android-app app-settings apt at bitcoin bitcoincash blob brave cab calshow callto cap
        chrome cid cifs cmd coap coaps content crid dat data dav davs dict did dns doge dogecoin doi ed2k edge eid ethereum example
        feed feeds file filesystem finger fish ftp ftps gemini geo git go gopher gtalk h323 hcp help http https hyper iax icap im
        imap info intent ios-app ipfs ipns ipp ipps irc irc6 ircs iris itpc jabber jar javascript ldap ldaps leaptofrogans lightning
        litecoin macappstore macappstores magnet mailto maps market matrix message mhtml mid mms mmsh mmst monero msrp msrps mtqp
        mumble mupdate mw-data mw news nfs ni nih nntp nostr onion opaquelocktoken openpgp4fpr otpauth pcast payto photos-redirect
        pkcs11 podcast podcasts pop pop3 prefs pres proxy reload res resource rsync rtmp rtmps rtsp rtsps rtspu secondlife service
        session sftp shortcuts shttp sieve sip sips skype sms smsto smb snews snmp ssh steam stratum stun stuns svn svn+ssh tag tel
        telnet tftp thismessage tip tn3270 ts3server turn turns tv udp unreal urn ut2004 vbscript vemmi view-source vnc
        wais webcal webcals ws wss wtai wyciwyg xcon xfire xmlrpc xmpp z39.50 z39.50r z39.50s
        """)

    private static let wellKnown = words(
        """
        acestream airbnb alipay alipays antennapod-subscribe bankid bear beyondpod bhim booking cashapp cashme castbox castro
        citymapper comgooglemaps comgooglemapsurl cursor ddgquicklink deezer dgis discord downcast evernote facebook fb fbapi
        feedly figma firefox firefox-focus flashget flipboard foxmail github-mac github-windows gitkraken googlechrome
        googlechromes googlegmail googlemaps gpay icatcher idea iina infuse instagram instagram-stories instapaper jetbrains
        kakaolink kakaomap kakaostory kakaotalk kwai line linkedin lyft mastodon messenger minecraft mobilepay moovit mqq mqqapi
        msteams musically music musics mxplayer naversearchapp navercafe nmap notion nplayer obsidian ok onenote outlook overcast
        paypal paytmmp phonepe pinterest pktc pocket podcastaddict podcastrepublic podkicker potplayer qq reddit roblox rssradio
        sgnl signal sinaweibo slack smartgit snapchat snssdk1128 sop soundcloud sourcetree spotify storylink swish teams telegram
        tez tg things threema thunder tidal tiktok todoist touch-http trello tumblr tweetbot twitter twitterrific uber venmo viber
        vipps vk vlc vnd.youtube vscode vscode-insiders waze wechat weibo weixin whatsapp whatsapp-consumer wordpress xcode
        yandexmaps yandexnavi youtube ytmusic zalo zoommtg zoomus zotero
        """)

    private static func words(_ text: String) -> Set<String> {
        Set(text.utf8.split { $0 == 0x20 || $0 == 0x0A }.map { String(decoding: $0, as: UTF8.self) })
    }
}
