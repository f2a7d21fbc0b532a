import PippinPage

/// How to satisfy a check, whatever the page says, and where its rule is written. A finding gives the same advice with the page's own
/// values. `Docs/Checks.md` and the rules of SARIF have it.
public struct CheckGuide: Sendable {
    /// A document with rules.
    public struct Source: Sendable, Hashable {
        public let title: String
        public let url: String

        fileprivate init(_ title: String, _ url: String) {
            self.title = title
            self.url = url
        }
    }

    /// What to do, in sentences.
    public let fix: String
    /// The documents with the rule, the one to read first in front.
    public let sources: [Source]

    fileprivate init(_ fix: String, _ sources: Source...) {
        self.fix = fix
        self.sources = sources
    }
}

extension CheckGuide.Source {
    fileprivate static let applebot = Self("About Applebot", "https://support.apple.com/en-us/119829")
    fileprivate static let appSearch = Self(
        "App Search Programming Guide, Mark Up Web Content",
        "https://developer.apple.com/library/archive/documentation/General/Conceptual/AppSearch/WebContent.html")
    fileprivate static let searchAdvice = Self(
        "Technical Note TN2416, App Search", "https://developer.apple.com/library/archive/technotes/tn2416/_index.html")
    fileprivate static let banner = Self(
        "Promoting Apps with Smart App Banners",
        "https://developer.apple.com/documentation/webkit/promoting-apps-with-smart-app-banners")
    fileprivate static let intents = Self(
        "App Intents, URLRepresentableEntity",
        "https://developer.apple.com/documentation/appintents/urlrepresentableentity")
    fileprivate static let domains = Self(
        "Supporting associated domains",
        "https://developer.apple.com/documentation/xcode/supporting-associated-domains")
    fileprivate static let universalLinks = Self(
        "Technical Note TN3155, Debugging universal links",
        "https://developer.apple.com/documentation/technotes/tn3155-debugging-universal-links")
    fileprivate static let appClips = Self(
        "Associating your App Clip with your website",
        "https://developer.apple.com/documentation/appclip/associating-your-app-clip-with-your-website")
    fileprivate static let appLinks = Self("Android App Links", "https://developer.android.com/training/app-links")
    fileprivate static let metaAppLinks = Self("App Links", "https://developers.facebook.com/docs/applinks")
    fileprivate static let dynamicLinks = Self(
        "Firebase Dynamic Links, deprecation", "https://firebase.google.com/support/dynamic-links-faq")
    fileprivate static let twitterCards = Self(
        "Cards, markup tags", "https://developer.x.com/en/docs/x-for-websites/cards/overview/markup")
    fileprivate static let openGraph = Self("The Open Graph protocol", "https://ogp.me/")
    fileprivate static let robots = Self(
        "RFC 9309, Robots Exclusion Protocol", "https://www.rfc-editor.org/rfc/rfc9309")
    fileprivate static let robotsMeta = Self(
        "Google, robots meta tag and X-Robots-Tag",
        "https://developers.google.com/search/docs/crawling-indexing/robots-meta-tag")
    fileprivate static let links = Self(
        "Google, link best practices", "https://developers.google.com/search/docs/crawling-indexing/links-crawlable")
    fileprivate static let sitemaps = Self("Sitemaps protocol", "https://www.sitemaps.org/protocol.html")
    fileprivate static let paywall = Self(
        "Google, paywalled content",
        "https://developers.google.com/search/docs/appearance/structured-data/paywalled-content")
    fileprivate static let scripts = Self(
        "Google, JavaScript SEO basics",
        "https://developers.google.com/search/docs/crawling-indexing/javascript/javascript-seo-basics")
    fileprivate static let intrusion = Self(
        "Google, avoid intrusive interstitials",
        "https://developers.google.com/search/docs/appearance/avoid-intrusive-interstitials")
    fileprivate static let languageVersions = Self(
        "Google, localized versions of pages",
        "https://developers.google.com/search/docs/specialty/international/localized-versions")
    fileprivate static let titles = Self(
        "Google, title links", "https://developers.google.com/search/docs/appearance/title-link")
    fileprivate static let snippets = Self(
        "Google, snippets", "https://developers.google.com/search/docs/appearance/snippet")
    fileprivate static let structuredData = Self(
        "Google, structured data that search supports",
        "https://developers.google.com/search/docs/appearance/structured-data/search-gallery")
    fileprivate static let guidelines = Self(
        "Google, general structured data guidelines",
        "https://developers.google.com/search/docs/appearance/structured-data/sd-policies")
    fileprivate static let reviews = Self(
        "Google, review snippets",
        "https://developers.google.com/search/docs/appearance/structured-data/review-snippet")
    fileprivate static let products = Self(
        "Google, product snippets",
        "https://developers.google.com/search/docs/appearance/structured-data/product-snippet")
    fileprivate static let recipes = Self(
        "Google, recipes", "https://developers.google.com/search/docs/appearance/structured-data/recipe")
    fileprivate static let events = Self(
        "Google, events", "https://developers.google.com/search/docs/appearance/structured-data/event")
    fileprivate static let places = Self(
        "Google, local businesses",
        "https://developers.google.com/search/docs/appearance/structured-data/local-business")
    fileprivate static let videos = Self(
        "Google, videos", "https://developers.google.com/search/docs/appearance/structured-data/video")
    fileprivate static let spam = Self(
        "Google, spam policies", "https://developers.google.com/search/docs/essentials/spam-policies")
    fileprivate static let redirects = Self(
        "Google, redirects", "https://developers.google.com/search/docs/crawling-indexing/301-redirects")
    fileprivate static let addresses = Self(
        "Google, URL structure", "https://developers.google.com/search/docs/crawling-indexing/url-structure")
    fileprivate static let duplicates = Self(
        "Google, duplicate URLs",
        "https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls")
    fileprivate static let canonical = Self(
        "RFC 6596, the canonical link relation", "https://www.rfc-editor.org/rfc/rfc6596")
    fileprivate static let http = Self("RFC 9110, HTTP semantics", "https://www.rfc-editor.org/rfc/rfc9110")
    fileprivate static let languageTags = Self("BCP 47, tags for languages", "https://www.rfc-editor.org/info/bcp47")
    fileprivate static let jsonLD = Self("JSON-LD 1.1", "https://www.w3.org/TR/json-ld11/")
    fileprivate static let microdata = Self("HTML, microdata", "https://html.spec.whatwg.org/multipage/microdata.html")
    fileprivate static let html = Self(
        "HTML, document metadata", "https://html.spec.whatwg.org/multipage/semantics.html")
    fileprivate static let mixedContent = Self("Mixed content", "https://www.w3.org/TR/mixed-content/")
    fileprivate static let vitals = Self(
        "Google, page experience", "https://developers.google.com/search/docs/appearance/page-experience")
    fileprivate static let mobile = Self(
        "Google, mobile-first indexing",
        "https://developers.google.com/search/docs/crawling-indexing/mobile/mobile-sites-mobile-first-indexing")
    fileprivate static let interactions = Self(
        "schema.org, InteractionCounter", "https://schema.org/InteractionCounter")
    fileprivate static let searchAction = Self("schema.org, SearchAction", "https://schema.org/SearchAction")
    fileprivate static let schemaOrg = Self("schema.org, data model", "https://schema.org/docs/datamodel.html")
    fileprivate static let dataVocabulary = Self(
        "Google, the end of data-vocabulary.org", "https://developers.google.com/search/blog/2020/01/data-vocabulary")
}

extension Check {
    /// Where to read about the check: its section of `Docs/Checks.md`, or else what its rule is from.
    ///
    /// - Parameter docs: the URL of `Docs/Checks.md`; nil if it is not known.
    func helpURL(docs: WebURL?) -> String? {
        let section = group == .custom ? Self.ownSection : id.lowercased()
        return docs.map { "\($0.href)#\(section)" } ?? guide.sources.first?.url
    }

    /// The section of `Docs/Checks.md` about checks of the operator's own.
    private static let ownSection = "checks-of-your-own"

    /// How to satisfy the check, and where its rule is written.
    public var guide: CheckGuide {
        switch code {
        case .d01:
            CheckGuide(
                "Remove or narrow the Disallow line that matches the page, or add a longer Allow line for it.",
                .robots, .applebot)
        case .d02:
            CheckGuide(
                "Give Applebot a group of its own in robots.txt, with the rules that you want for it.",
                .applebot, .robots)
        case .d03:
            CheckGuide(
                "Serve robots.txt with status 200. If the site has none, answer with 404: then everything may be fetched.",
                .robots)
        case .d04:
            CheckGuide(
                "Write one rule a line, below a User-agent line: a field, a colon, a value. A path begins with / or *.",
                .robots)
        case .d05:
            CheckGuide(
                "Allow the folders of scripts, styles and pictures in robots.txt, also on the hosts that serve them for you.",
                .applebot, .scripts)
        case .d06:
            CheckGuide(
                "Allow the picture in robots.txt of the host that serves it, and answer for it with status 200 and without a login.",
                .robots, .openGraph)
        case .d07:
            CheckGuide(
                "Remove noindex and none from the robots tags and from X-Robots-Tag. Write one tag for each crawler, with directives that it knows.",
                .applebot, .robotsMeta)
        case .d08:
            CheckGuide(
                "Remove nosnippet, and limits that are too small. Allow large pictures with max-image-preview:large.",
                .robotsMeta, .applebot)
        case .d09:
            CheckGuide(
                "Remove nofollow from the robots tags of the page. Mark single links with rel=\"nofollow\" instead.",
                .robotsMeta, .links)
        case .d10:
            CheckGuide(
                "Link to the page, or to a page on the way to it, from the support or marketing URL in App Store Connect.",
                .appSearch, .applebot)
        case .d11:
            CheckGuide(
                "Link to the page from another page of the site with <a href=\"…\">, without nofollow.",
                .links)
        case .d12:
            CheckGuide(
                "Add the page to a sitemap that robots.txt names, with the date of its last real change in lastmod.",
                .sitemaps)
        case .d13:
            CheckGuide(
                "List only final addresses in the sitemap: those that answer with 200, are canonical and may be indexed.",
                .sitemaps)
        case .d14:
            CheckGuide(
                "Let the address answer with 200 and open it to crawlers, or change it in App Store Connect.",
                .appSearch, .applebot)
        case .d15:
            CheckGuide(
                "Show the content without a login. Mark content that costs money with isAccessibleForFree and hasPart.",
                .paywall, .applebot)
        case .d16:
            CheckGuide(
                "Put what selects the content into the path or the query of the address, not behind #.",
                .scripts, .links)
        case .d17:
            CheckGuide(
                "Write rules for Applebot-Extended only about training. What shall not be fetched goes into Applebot's group.",
                .applebot)
        case .d18:
            CheckGuide(
                "Show the content first. Use a banner that takes a part of the screen in place of an overlay.",
                .intrusion)
        case .d19:
            CheckGuide(
                "List all versions, the page itself included, on each of them, with valid language tags and whole addresses.",
                .languageVersions, .languageTags)
        case .l01:
            CheckGuide(
                "Name the app on the page, with a Smart App Banner, and open the page's address in it by the association file.",
                .appSearch, .banner)
        case .l02:
            CheckGuide(
                "Add <meta name=\"apple-itunes-app\" content=\"app-id=…, app-argument=…\"> to the head.",
                .banner)
        case .l03:
            CheckGuide(
                "Write the tag as <meta name=\"apple-itunes-app\" content=\"…\">, in the head, once.",
                .banner)
        case .l04:
            CheckGuide(
                "Copy the number from the app's address in the App Store, the digits behind /id.",
                .banner)
        case .l05:
            CheckGuide(
                "Write key=value pairs with a comma between them: app-id=…, app-argument=….",
                .banner)
        case .l06:
            CheckGuide(
                "Add app-argument with the address of this page to the banner's content.",
                .banner, .appSearch)
        case .l07:
            CheckGuide(
                "Write the whole address, with its scheme: app-argument=https://….",
                .banner)
        case .l08:
            CheckGuide(
                "Set app-argument to the canonical address of the page that it stands on.",
                .banner)
        case .l09:
            CheckGuide(
                "Use the https address of the page, and cover it in the association file.",
                .domains, .banner, .intents)
        case .l10:
            CheckGuide(
                "Use an address of the page's own site, or let the other site name the app in its association file.",
                .domains)
        case .l11:
            CheckGuide(
                "Add the app ID to applinks in /.well-known/apple-app-site-association, with components that match the deep link.",
                .domains, .universalLinks)
        case .l12:
            CheckGuide(
                "Add a component that matches the path of the page to the app's entry in the association file.",
                .domains, .universalLinks)
        case .l13:
            CheckGuide(
                "Serve the file at /.well-known/apple-app-site-association over https, with status 200, without redirects and small.",
                .domains, .universalLinks)
        case .l14:
            CheckGuide(
                "Correct the entries that are named: app IDs are TEAMID.bundle, paths begin with /, and the first match counts.",
                .domains)
        case .l15:
            CheckGuide(
                "Add the app of the banner to the association file, or correct the app ID of the banner.",
                .domains, .banner)
        case .l16:
            CheckGuide(
                "Name the same app in the banner, in al: and in twitter:app tags, and in the web app manifest.",
                .appSearch)
        case .l17:
            CheckGuide(
                "Lead to the content of this page from all tags that have an address.",
                .appSearch)
        case .l18:
            CheckGuide(
                "Write twitter:app:name, :id and :url for each platform: the name, the number of the App Store, the address.",
                .twitterCards)
        case .l19:
            CheckGuide(
                "Write al:ios:url with al:ios:app_store_id, and al:android:url with al:android:package.",
                .metaAppLinks)
        case .l20:
            CheckGuide(
                "Serve /.well-known/assetlinks.json with handle_all_urls, the package name and the fingerprint of its certificate.",
                .appLinks)
        case .l21:
            CheckGuide(
                "Write ios-app://STORE-ID/SCHEME/PATH and android-app://PACKAGE/SCHEME/PATH, or remove the links.",
                .appSearch)
        case .l22:
            CheckGuide(
                "Use the app's bundle ID with .Clip behind it in app-clip-bundle-id, and name it under appclips in the association file.",
                .appClips)
        case .l23:
            CheckGuide(
                "Replace these links by universal links and App Links on your own domain.",
                .dynamicLinks, .domains)
        case .l24:
            CheckGuide(
                "Serve the same association file, without redirects, on every host that people use, www and the bare domain included.",
                .universalLinks, .domains)
        case .l25:
            CheckGuide(
                "Write addresses as the file's patterns have them, or set caseSensitive and percentEncoded in its components.",
                .domains)
        case .l26:
            CheckGuide(
                "Let Apple's CDN reach the file from everywhere, and wait for its next visit. Until then devices have the old one.",
                .domains, .universalLinks)
        case .l27:
            CheckGuide(
                "Restore the entry of the association file, or the address, with which the link worked.",
                .universalLinks)
        case .s01:
            CheckGuide(
                "Write a <title> of its own for each page, with what is on it in front, in up to 90 characters.",
                .appSearch, .titles)
        case .s02:
            CheckGuide(
                "Write a description of its own for each page that says more than the title, in up to 300 characters.",
                .appSearch, .snippets)
        case .s03:
            CheckGuide(
                "Name a picture of the content in og:image, as a whole address, at least 180×180 pixels, as JPEG, PNG or WebP.",
                .appSearch, .openGraph)
        case .s04:
            CheckGuide(
                "Add og:image:width, og:image:height and og:image:alt.",
                .openGraph)
        case .s05:
            CheckGuide(
                "Write valid JSON with \"@context\": \"https://schema.org\", and types and properties as schema.org spells them.",
                .jsonLD, .schemaOrg)
        case .s06:
            CheckGuide(
                "Put each property inside an element with itemscope and itemtype, or with typeof, with names of schema.org.",
                .microdata, .schemaOrg)
        case .s07:
            CheckGuide(
                "State ratingValue with ratingCount or reviewCount, and bestRating if the scale does not end with 5.",
                .reviews)
        case .s08:
            CheckGuide(
                "State price as a number without signs, priceCurrency in ISO 4217, and availability.",
                .products)
        case .s09:
            CheckGuide(
                "Use interactionStatistic with an InteractionCounter.",
                .interactions)
        case .s10:
            CheckGuide(
                "Write the telephone with its country, and the address with street and town, or coordinates.",
                .places, .appSearch)
        case .s11:
            CheckGuide(
                "Name the address of the file itself in contentUrl or og:video, over https and without a login.",
                .videos, .openGraph)
        case .s12:
            CheckGuide(
                "Add recipeIngredient, recipeInstructions, and times as ISO 8601: PT30M.",
                .recipes)
        case .s13:
            CheckGuide(
                "Write {search_term_string} into the target, and query-input with the same name.",
                .searchAction)
        case .s14:
            CheckGuide(
                "Add og:title, og:type, og:image and og:url, each once and with a value.",
                .openGraph)
        case .s15:
            CheckGuide(
                "Set twitter:card to summary, summary_large_image, player or app, with the tags that it needs.",
                .twitterCards)
        case .s16:
            CheckGuide(
                "State the same name, price, availability and rating in all markup, as the page shows it.",
                .guidelines)
        case .s17:
            CheckGuide(
                "Write dates as ISO 8601, with the end after the start and the change after the publication.",
                .schemaOrg)
        case .s18:
            CheckGuide(
                "Set <html lang=\"…\"> to the language of the text, and the other tags to the same.",
                .languageTags, .html)
        case .s19:
            CheckGuide(
                "Replace data-vocabulary.org by schema.org.",
                .dataVocabulary)
        case .s20:
            CheckGuide(
                "State three to five keywords that people would type.",
                .searchAdvice)
        case .s21:
            CheckGuide(
                "Add the properties that are named; pippin validate --types lists what each type requires.",
                .structuredData)
        case .s22:
            CheckGuide(
                "Add the properties that are named as far as the page has them; pippin validate --types lists them.",
                .structuredData)
        case .s23:
            CheckGuide(
                "Show all text to readers, and say each thing once.",
                .spam)
        case .s24:
            CheckGuide(
                "Remove prices and events that are over, or state their new dates.",
                .products, .events)
        case .s25:
            CheckGuide(
                "Add telephone and address to the item of the place.",
                .places)
        case .t01:
            CheckGuide(
                "Answer with status 200 for a page that exists, and with 404 or 410 for one that does not.",
                .http, .scripts)
        case .t02:
            CheckGuide(
                "Link to the final address, and lead old ones there with one permanent redirect (301 or 308).",
                .redirects, .http)
        case .t03:
            CheckGuide(
                "Serve the page over https with a certificate of a public authority, and redirect http to it.",
                .domains, .vitals)
        case .t04:
            CheckGuide(
                "Add one <link rel=\"canonical\"> with the whole address to the head of each version of the page.",
                .canonical, .duplicates)
        case .t05:
            CheckGuide(
                "Send charset=utf-8 in Content-Type, or put <meta charset=\"utf-8\"> into the first 1,024 bytes.",
                .html)
        case .t06:
            CheckGuide(
                "Send Content-Type: text/html.",
                .http)
        case .t07:
            CheckGuide(
                "Use https addresses for scripts, styles, frames, pictures and media.",
                .mixedContent)
        case .t08:
            CheckGuide(
                "Answer within a second, and keep data and styles that are not needed at once out of the HTML.",
                .vitals)
        case .t09:
            CheckGuide(
                "Leave only title, meta, link, script, style, base, template and noscript in the head, and close what is open.",
                .html)
        case .t10:
            CheckGuide(
                "Add <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">, and widths that shrink with the screen.",
                .mobile, .applebot)
        case .t11:
            CheckGuide(
                "Send ETag or Last-Modified, and answer with 304 if nothing has changed.",
                .http)
        case .t12:
            CheckGuide(
                "Serve the same page to crawlers and people.",
                .spam, .applebot)
        case .t13:
            CheckGuide(
                "Point the copies to one page with a canonical link, or redirect them.",
                .duplicates, .canonical)
        case .t14:
            CheckGuide(
                "Leave sessions and tracking out of addresses, and keep them short.",
                .addresses)
        case .t15:
            CheckGuide(
                "Put the content into the HTML that the server sends, by rendering on the server or at build time.",
                .scripts, .applebot)
        case .t16:
            CheckGuide(
                "Allow the files that the scripts ask for in robots.txt of their hosts.",
                .applebot, .scripts)
        default: CheckGuide(ownFix ?? "")
        }
    }
}
