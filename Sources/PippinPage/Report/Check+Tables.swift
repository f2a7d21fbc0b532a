// The table of all checks: identifier, group, severity, what is so when it passes, why it matters, and the function that
// judges. The functions stand in Checks+GROUP.swift, in the same order.

extension Check {
    static let discoverabilityChecks: [Check] = [
        Check(
            "D01", .discoverability, .error, "robots.txt allows Applebot",
            why: "What Applebot may not fetch is in no index of Apple's.", site: Discoverability.robotsAllow),
        Check(
            "D02", .discoverability, .warning, "The rules name Applebot itself",
            why: "Without a group of its own Applebot follows Googlebot's rules, which change for Google's sake.",
            site: Discoverability.rulesAreApplebots),
        Check(
            "D03", .discoverability, .error, "robots.txt can be had",
            why: "A robots.txt that fails closes the whole site to crawlers (RFC 9309 §2.3.1.4).",
            site: Discoverability.robotsIsReachable),
        Check(
            "D04", .discoverability, .warning, "robots.txt is well formed",
            why: "Lines that crawlers read differently, or not at all, do not do what their author meant.",
            site: Discoverability.robotsIsWellFormed),
        Check(
            "D05", .discoverability, .warning, "Scripts, styles and pictures are open to Applebot",
            why: "Applebot may render a page; what it may not fetch is missing from what it sees.",
            page: Discoverability.resourcesAreAllowed),
        Check(
            "D06", .discoverability, .warning, "The picture of the result may be fetched",
            why: "A result without its picture is passed over.", page: Discoverability.imagesAreAllowed),
        Check(
            "D07", .discoverability, .error, "The page may be indexed",
            why: "noindex and none keep a page out of Spotlight and Siri.", page: Discoverability.pageIsIndexable),
        Check(
            "D08", .discoverability, .warning, "A snippet may be shown",
            why: "With nosnippet a result has its title only.", page: Discoverability.snippetIsAllowed),
        Check(
            "D09", .discoverability, .warning, "The page's links may be followed",
            why: "With nofollow Applebot finds no other page from here.", page: Discoverability.linksAreFollowed),
        Check(
            "D10", .discoverability, .error, "Links lead here from the support or marketing URL",
            why: "Applebot starts from the addresses in App Store Connect and follows links.",
            crawl: AmongPages.pageIsReachable),
        Check(
            "D11", .discoverability, .warning, "Plain links lead here",
            why: "Links that need a script, a form or nofollow are no way for a crawler.",
            crawl: AmongPages.linksArePlain),
        Check(
            "D12", .discoverability, .info, "A sitemap lists the page",
            why: "A sitemap tells crawlers of pages that few links lead to, and when they change.",
            crawl: AmongPages.sitemapListsPage),
        Check(
            "D13", .discoverability, .warning, "The sitemap lists what can be indexed",
            why: "Entries that redirect or forbid indexing waste the visits a site gets.",
            crawl: AmongPages.sitemapIsClean),
        Check(
            "D14", .discoverability, .warning, "The support or marketing URL itself works",
            why: "It is where Applebot starts.", crawl: AmongPages.seedWorks),
        Check(
            "D15", .discoverability, .warning, "The content is open to everyone",
            why: "Applebot does not crawl behind logins or paywalls.", site: Discoverability.contentIsOpen),
        Check(
            "D16", .discoverability, .warning, "The address has no state behind #",
            why: "Crawlers ignore the fragment: all such addresses are one page to them.",
            page: Discoverability.addressIsWhole),
        Check(
            "D17", .discoverability, .info, "The rules for Applebot-Extended mean what they say",
            why: "That name never fetches: it decides on training Apple's models, not on search.",
            site: Discoverability.extendedPolicy),
    ]

    static let deepLinkChecks: [Check] = [
        Check(
            "L01", .deepLinks, .error, "The page leads into an app",
            why: "Only content with a deep link can open in the app from a search result.", page: DeepLinks.leadsIntoApp
        ),
        Check(
            "L02", .deepLinks, .warning, "There is a Smart App Banner",
            why: "It is the way to deep links that Apple names first, and the one Safari shows.",
            page: DeepLinks.hasBanner),
        Check(
            "L03", .deepLinks, .error, "The banner tag is named right",
            why: "Safari and Applebot look for meta name=\"apple-itunes-app\" and nothing else.",
            page: DeepLinks.bannerIsNamed),
        Check(
            "L04", .deepLinks, .error, "app-id is the App Store's number",
            why: "With another value no app is found.", page: DeepLinks.appIDIsNumber),
        Check(
            "L05", .deepLinks, .warning, "The banner's content is well formed",
            why: "Apple documents key=value pairs with commas between them; readers differ in what else they take.",
            page: DeepLinks.bannerIsWellFormed),
        Check(
            "L06", .deepLinks, .error, "The banner has an app-argument",
            why: "Without it the app opens, but not this content, and Apple cannot index the deep link.",
            page: DeepLinks.hasArgument),
        Check(
            "L07", .deepLinks, .error, "app-argument is a whole URL",
            why: "What is no URL cannot be handed to the app.", page: DeepLinks.argumentIsURL),
        Check(
            "L08", .deepLinks, .warning, "app-argument is this page",
            why: "People who tap a result want the content they saw, not the app's first screen.",
            page: DeepLinks.argumentIsThisPage, crawl: AmongPages.argumentIsItsOwn),
        Check(
            "L09", .deepLinks, .warning, "app-argument is a universal link",
            why: "Any app can claim a custom scheme; an https address is tied to the site and works without the app.",
            page: DeepLinks.argumentIsUniversal),
        Check(
            "L10", .deepLinks, .warning, "Deep links stay on the page's site",
            why: "An address of another site opens the app only if that site says so too.",
            page: DeepLinks.linksStayOnSite),
        Check(
            "L11", .deepLinks, .error, "The association file covers the deep link",
            why: "iOS opens an https link in an app only where the site's file says so.",
            page: Association.deepLinkIsCovered),
        Check(
            "L12", .deepLinks, .warning, "The association file covers the page's own address",
            why: "Then results, messages and the camera open the app too.", page: Association.pageIsCovered),
        Check(
            "L13", .deepLinks, .error, "The association file is served right",
            why: "A file that redirects, is too large or has a bad certificate is not used.",
            site: Association.fileIsServed),
        Check(
            "L14", .deepLinks, .warning, "The association file is well formed",
            why: "Entries that can never match are not what their author meant.", site: Association.fileIsWellFormed),
        Check(
            "L15", .deepLinks, .error, "The association file names the banner's app",
            why: "If they differ, the banner offers one app and links open another.", page: Association.appIsTheBanners),
        Check(
            "L16", .deepLinks, .warning, "All markup names the same app",
            why: "Each reader takes another tag: people should get the same app from all.", page: DeepLinks.appsAgree),
        Check(
            "L17", .deepLinks, .warning, "All markup leads to the same content",
            why: "Each reader takes another tag: people should get the same content from all.",
            page: DeepLinks.destinationsAgree),
        Check(
            "L18", .deepLinks, .warning, "twitter:app tags are complete",
            why: "Name, ID and URL belong together; Apple reads exactly these three.", page: DeepLinks.twitterIsComplete
        ),
        Check(
            "L19", .deepLinks, .warning, "App Links are complete",
            why: "A target needs its URL and its app.", page: DeepLinks.appLinksAreComplete),
        Check(
            "L20", .deepLinks, .warning, "assetlinks.json names the Android app",
            why: "Android opens https links in an app only where the site's file says so.",
            page: Association.androidIsAssociated),
        Check(
            "L21", .deepLinks, .warning, "ios-app: and android-app: addresses are well formed",
            why: "A malformed one opens nothing.", page: DeepLinks.alternatesAreWellFormed),
        Check(
            "L22", .deepLinks, .warning, "The App Clip belongs to the app",
            why: "A clip's bundle ID begins with the app's, and the association file names it under appclips.",
            page: Association.clipBelongsToApp),
        Check(
            "L23", .deepLinks, .warning, "No links through services that ended",
            why: "Firebase Dynamic Links stopped in August 2025, Google's App Indexing before.",
            page: DeepLinks.servicesLive),
        Check(
            "L24", .deepLinks, .warning, "Every host in use serves the association file",
            why: "www and the bare domain are two hosts to iOS, each with its own file (TN3155).",
            site: Association.hostsServeFile),
        Check(
            "L25", .deepLinks, .warning, "Letter case and escapes match the file's patterns",
            why: "Patterns are case-sensitive and compare escaped unless they say otherwise.",
            page: Association.caseMatches),
    ]

    static let structuredDataChecks: [Check] = [
        Check(
            "S01", .structuredData, .error, "The page has a good title",
            why: "A result without a title is not shown; Apple advises 90 characters at most.",
            page: Presentation.titleIsGood, crawl: AmongPages.titleIsItsOwn),
        Check(
            "S02", .structuredData, .error, "The page has a good description",
            why:
                "Apple requires one to index an item, and advises 300 characters at most that do not repeat the title.",
            page: Presentation.descriptionIsGood, crawl: AmongPages.descriptionIsItsOwn),
        Check(
            "S03", .structuredData, .warning, "The page has a picture of its own",
            why: "Apple strongly advises a picture of the content, at least 180×180 pixels.",
            page: Presentation.imageIsGood, crawl: AmongPages.imageIsItsOwn),
        Check(
            "S04", .structuredData, .info, "The picture says its size and what it shows",
            why: "With a size a result is laid out before the picture is there; alt speaks to those who cannot see it.",
            page: Presentation.imageIsDescribed),
        Check(
            "S05", .structuredData, .warning, "JSON-LD is well formed",
            why: "A wrong character can lose the whole script to readers, a wrong name what stands under it.",
            page: StructuredDataChecks.jsonLD),
        Check(
            "S06", .structuredData, .warning, "Microdata and RDFa are well formed",
            why: "Properties outside an item, and types nobody knows, say nothing.",
            page: StructuredDataChecks.microdataAndRDFa),
        Check(
            "S07", .structuredData, .warning, "Ratings have a value and a count",
            why: "Stars are shown only where both are known and make sense.", page: StructuredDataChecks.ratings),
        Check(
            "S08", .structuredData, .warning, "Offers have a price and a currency",
            why: "A price without a currency cannot be shown.", page: StructuredDataChecks.offers),
        Check(
            "S09", .structuredData, .info, "Interactions are counted the new way",
            why: "interactionCount gave way to interactionStatistic.", page: StructuredDataChecks.interactions),
        Check(
            "S10", .structuredData, .warning, "Telephone, address and place can be used",
            why: "They give a result its buttons to call and for directions.", page: StructuredDataChecks.contact),
        Check(
            "S11", .structuredData, .warning, "Audio and video can be played",
            why: "They give a result its play button.", page: StructuredDataChecks.media),
        Check(
            "S12", .structuredData, .info, "The recipe is complete",
            why: "Name, picture, ingredients, steps and times are what people look for.",
            page: StructuredDataChecks.recipe),
        Check(
            "S13", .structuredData, .warning, "The search action has its placeholder",
            why: "Without {name} in the target there is no place for what people type.",
            page: StructuredDataChecks.searchAction),
        Check(
            "S14", .structuredData, .warning, "Open Graph is complete",
            why: "Title, type, image and url are the four that ogp.me requires; Apple reads them.",
            page: Presentation.openGraphIsComplete),
        Check(
            "S15", .structuredData, .info, "The Twitter card is known",
            why: "An unknown card is shown as none.", page: Presentation.twitterCardIsKnown),
        Check(
            "S16", .structuredData, .warning, "All markup says the same",
            why: "Where sources differ each reader shows something else.", page: Presentation.valuesAgree),
        Check(
            "S17", .structuredData, .info, "Dates are plausible",
            why: "A date that no calendar has, or that has not come yet, is left out.", page: StructuredDataChecks.dates
        ),
        Check(
            "S18", .structuredData, .info, "The language is declared",
            why: "Results are chosen by language.", page: Presentation.languageIsDeclared),
        Check(
            "S19", .structuredData, .warning, "No dead vocabulary",
            why: "data-vocabulary.org ended in 2020; schema.org took its place.", page: StructuredDataChecks.vocabulary),
        Check(
            "S20", .structuredData, .info, "Three to five keywords",
            why: "Apple advises that many, with synonyms and the words of the category (TN2416).",
            page: Presentation.keywordsAreFew),
    ]

    static let technicalChecks: [Check] = [
        Check(
            "T01", .technical, .error, "The page answers with status 200",
            why: "Anything else is not indexed.", site: Technical.statusIsOK),
        Check(
            "T02", .technical, .warning, "Few redirects, and permanent ones",
            why: "Each hop costs time and some trust; a temporary one keeps the old address in the index.",
            site: Technical.redirectsAreFew),
        Check(
            "T03", .technical, .warning, "The page is served over HTTPS",
            why: "Universal links and association files need https with a valid certificate.", site: Technical.isSecure),
        Check(
            "T04", .technical, .warning, "One canonical address",
            why: "It joins what several addresses of one page earn (RFC 6596).", page: Technical.canonicalIsSound),
        Check(
            "T05", .technical, .warning, "The character encoding is declared",
            why: "Otherwise readers guess, and letters go wrong.", page: Technical.encodingIsDeclared),
        Check(
            "T06", .technical, .error, "The content type is HTML",
            why: "Crawlers do not read other types as pages.", site: Technical.typeIsHTML),
        Check(
            "T07", .technical, .warning, "Everything in the markup is https",
            why: "A secure page's http pictures and media are blocked or asked for in the open.",
            page: Technical.contentIsSecure),
        Check(
            "T08", .technical, .info, "The page is quick and small",
            why: "Crawlers slow down for slow sites, and people leave them.", site: Technical.isQuick),
        Check(
            "T09", .technical, .warning, "The head holds what belongs there",
            why: "A stray element ends the head early, and tags behind it are not looked at.",
            page: Technical.headIsWhole),
        Check(
            "T10", .technical, .info, "The page fits a phone",
            why: "Apple counts a page's design among what ranks it.", page: Technical.fitsPhone),
        Check(
            "T11", .technical, .info, "The server says when the page changed",
            why: "With ETag or Last-Modified a crawler need not fetch again what it has.", site: Technical.hasValidators
        ),
        Check(
            "T12", .technical, .info, "Every reader gets the same page",
            why: "A page that differs by reader is not the one that people find.", site: Technical.isSameForAll),
        Check(
            "T13", .technical, .warning, "No other page has the same content",
            why: "Copies without a canonical link take each other's place.", crawl: AmongPages.contentIsUnique),
        Check(
            "T14", .technical, .info, "The address is clean",
            why: "Sessions, tracking and overlong addresses make many addresses of one page.",
            site: Technical.addressIsClean),
    ]
}
