// The table of all checks: identifier, group, severity, what is so when it passes, why it matters, and the function that
// judges. The functions stand in Checks+GROUP.swift, in the same order.

import PippinPage

extension Check {
    static let discoverabilityChecks: [Check] = [
        Check(
            .d01, .discoverability, .error, "robots.txt allows Applebot",
            why: "What Applebot may not fetch is in no index of Apple's.", site: Discoverability.robotsAllow),
        Check(
            .d02, .discoverability, .warning, "The rules name Applebot itself",
            why: "Without a group of its own Applebot follows Googlebot's rules, which change for Google's sake.",
            site: Discoverability.rulesAreApplebots),
        Check(
            .d03, .discoverability, .error, "robots.txt can be had",
            why: "A robots.txt that fails closes the whole site to crawlers (RFC 9309 §2.3.1.4).",
            site: Discoverability.robotsIsReachable),
        Check(
            .d04, .discoverability, .warning, "robots.txt is well formed",
            why: "Lines that crawlers read differently, or not at all, do not do what their author meant.",
            site: Discoverability.robotsIsWellFormed),
        Check(
            .d05, .discoverability, .warning, "Scripts, styles and pictures are open to Applebot",
            why: "Applebot may render a page; what it may not fetch is missing from what it sees.",
            page: Discoverability.resourcesAreAllowed),
        Check(
            .d06, .discoverability, .warning, "The picture of the result may be fetched",
            why: "A result without its picture is passed over.", page: Discoverability.imagesAreAllowed),
        Check(
            .d07, .discoverability, .error, "The page may be indexed",
            why: "noindex and none keep a page out of Spotlight and Siri.", page: Discoverability.pageIsIndexable),
        Check(
            .d08, .discoverability, .warning, "A snippet may be shown",
            why: "With nosnippet a result has its title only.", page: Discoverability.snippetIsAllowed),
        Check(
            .d09, .discoverability, .warning, "The page's links may be followed",
            why: "With nofollow Applebot finds no other page from here.", page: Discoverability.linksAreFollowed),
        Check(
            .d10, .discoverability, .error, "Links lead here from the support or marketing URL",
            why: "Applebot starts from the addresses in App Store Connect and follows links.",
            crawl: AmongPages.pageIsReachable),
        Check(
            .d11, .discoverability, .warning, "Plain links lead here",
            why: "Links that need a script, a form or nofollow are no way for a crawler.",
            crawl: AmongPages.linksArePlain),
        Check(
            .d12, .discoverability, .info, "A sitemap lists the page",
            why: "A sitemap tells crawlers of pages that few links lead to, and when they change.",
            crawl: AmongPages.sitemapListsPage),
        Check(
            .d13, .discoverability, .warning, "The sitemap lists what can be indexed",
            why: "Entries that redirect or forbid indexing waste the visits a site gets.",
            crawl: AmongPages.sitemapIsClean),
        Check(
            .d14, .discoverability, .warning, "The support or marketing URL itself works",
            why: "It is where Applebot starts.", crawl: AmongPages.seedWorks),
        Check(
            .d15, .discoverability, .warning, "The content is open to everyone",
            why: "Applebot does not crawl behind logins or paywalls.", site: Discoverability.contentIsOpen),
        Check(
            .d16, .discoverability, .warning, "The address has no state behind #",
            why: "Crawlers ignore the fragment: all such addresses are one page to them.",
            page: Discoverability.addressIsWhole),
        Check(
            .d17, .discoverability, .info, "The rules for Applebot-Extended mean what they say",
            why: "That name never fetches: it decides on training Apple's models, not on search.",
            site: Discoverability.extendedPolicy),
    ]

    static let deepLinkChecks: [Check] = [
        Check(
            .l01, .deepLinks, .error, "The page leads into an app",
            why: "Only content with a deep link can open in the app from a search result.",
            page: DeepLinks.leadsIntoApp,
            crawl: AmongPages.siteHasApp),
        Check(
            .l02, .deepLinks, .warning, "There is a Smart App Banner",
            why: "It is the way to deep links that Apple names first, and the one Safari shows.",
            page: DeepLinks.hasBanner),
        Check(
            .l03, .deepLinks, .error, "The banner tag is named right",
            why: "Safari and Applebot look for meta name=\"apple-itunes-app\" and nothing else.",
            page: DeepLinks.bannerIsNamed),
        Check(
            .l04, .deepLinks, .error, "app-id is the App Store's number",
            why: "With another value no app is found.", page: DeepLinks.appIDIsNumber),
        Check(
            .l05, .deepLinks, .warning, "The banner's content is well formed",
            why: "Apple documents key=value pairs with commas between them; readers differ in what else they take.",
            page: DeepLinks.bannerIsWellFormed),
        Check(
            .l06, .deepLinks, .error, "The banner has an app-argument",
            why: "Without it the app opens, but not this content, and Apple cannot index the deep link.",
            page: DeepLinks.hasArgument),
        Check(
            .l07, .deepLinks, .error, "app-argument is a whole URL",
            why: "What is no URL cannot be handed to the app.", page: DeepLinks.argumentIsURL),
        Check(
            .l08, .deepLinks, .warning, "app-argument is this page",
            why: "People who tap a result want the content they saw, not the app's first screen.",
            page: DeepLinks.argumentIsThisPage, crawl: AmongPages.argumentIsItsOwn),
        Check(
            .l09, .deepLinks, .warning, "app-argument is a universal link",
            why: "Any app can claim a custom scheme; an https address is tied to the site and works without the app.",
            page: DeepLinks.argumentIsUniversal),
        Check(
            .l10, .deepLinks, .warning, "Deep links stay on the page's site",
            why: "An address of another site opens the app only if that site says so too.",
            page: DeepLinks.linksStayOnSite),
        Check(
            .l11, .deepLinks, .error, "The association file covers the deep link",
            why: "iOS opens an https link in an app only where the site's file says so.",
            page: Association.deepLinkIsCovered),
        Check(
            .l12, .deepLinks, .warning, "The association file covers the page's own address",
            why: "Then results, messages and the camera open the app too.", page: Association.pageIsCovered),
        Check(
            .l13, .deepLinks, .error, "The association file is served right",
            why: "A file that redirects, is too large or has a bad certificate is not used.",
            site: Association.fileIsServed),
        Check(
            .l14, .deepLinks, .warning, "The association file is well formed",
            why: "Entries that can never match are not what their author meant.", site: Association.fileIsWellFormed),
        Check(
            .l15, .deepLinks, .error, "The association file names the banner's app",
            why: "If they differ, the banner offers one app and links open another.", page: Association.appIsTheBanners),
        Check(
            .l16, .deepLinks, .warning, "All markup names the same app",
            why: "Each reader takes another tag: people should get the same app from all.", page: DeepLinks.appsAgree),
        Check(
            .l17, .deepLinks, .warning, "All markup leads to the same content",
            why: "Each reader takes another tag: people should get the same content from all.",
            page: DeepLinks.destinationsAgree),
        Check(
            .l18, .deepLinks, .warning, "twitter:app tags are complete",
            why: "Name, ID and URL belong together; Apple reads exactly these three.", page: DeepLinks.twitterIsComplete
        ),
        Check(
            .l19, .deepLinks, .warning, "App Links are complete",
            why: "A target needs its URL and its app.", page: DeepLinks.appLinksAreComplete),
        Check(
            .l20, .deepLinks, .warning, "assetlinks.json names the Android app",
            why: "Android opens https links in an app only where the site's file says so.",
            page: Association.androidIsAssociated),
        Check(
            .l21, .deepLinks, .warning, "ios-app: and android-app: addresses are well formed",
            why: "A malformed one opens nothing.", page: DeepLinks.alternatesAreWellFormed),
        Check(
            .l22, .deepLinks, .warning, "The App Clip belongs to the app",
            why: "A clip's bundle ID begins with the app's, and the association file names it under appclips.",
            page: Association.clipBelongsToApp),
        Check(
            .l23, .deepLinks, .warning, "No links through services that ended",
            why: "Firebase Dynamic Links stopped in August 2025, Google's App Indexing before.",
            page: DeepLinks.servicesLive),
        Check(
            .l24, .deepLinks, .warning, "Every host in use serves the association file",
            why: "www and the bare domain are two hosts to iOS, each with its own file (TN3155).",
            site: Association.hostsServeFile),
        Check(
            .l25, .deepLinks, .warning, "Letter case and escapes match the file's patterns",
            why: "Patterns are case-sensitive and compare escaped unless they say otherwise.",
            page: Association.caseMatches),
    ]

    static let structuredDataChecks: [Check] = [
        Check(
            .s01, .structuredData, .error, "The page has a good title",
            why: "A result without a title is not shown; Apple advises 90 characters at most.",
            page: Presentation.titleIsGood, crawl: AmongPages.titleIsItsOwn),
        Check(
            .s02, .structuredData, .error, "The page has a good description",
            why:
                "Apple requires one to index an item, and advises 300 characters at most that do not repeat the title.",
            page: Presentation.descriptionIsGood, crawl: AmongPages.descriptionIsItsOwn),
        Check(
            .s03, .structuredData, .warning, "The page has a picture of its own",
            why: "Apple strongly advises a picture of the content, at least 180×180 pixels.",
            page: Presentation.imageIsGood, crawl: AmongPages.imageIsItsOwn),
        Check(
            .s04, .structuredData, .info, "The picture says its size and what it shows",
            why: "With a size a result is laid out before the picture is there; alt speaks to those who cannot see it.",
            page: Presentation.imageIsDescribed),
        Check(
            .s05, .structuredData, .warning, "JSON-LD is well formed",
            why: "A wrong character can lose the whole script to readers, a wrong name what stands under it.",
            page: StructuredDataChecks.jsonLD),
        Check(
            .s06, .structuredData, .warning, "Microdata and RDFa are well formed",
            why: "Properties outside an item, and types nobody knows, say nothing.",
            page: StructuredDataChecks.microdataAndRDFa),
        Check(
            .s07, .structuredData, .warning, "Ratings have a value and a count",
            why: "Stars are shown only where both are known and make sense.", page: StructuredDataChecks.ratings),
        Check(
            .s08, .structuredData, .warning, "Offers have a price and a currency",
            why: "A price without a currency cannot be shown, and one that is no longer valid is left out.",
            page: StructuredDataChecks.offers),
        Check(
            .s09, .structuredData, .info, "Interactions are counted the new way",
            why: "interactionCount gave way to interactionStatistic.", page: StructuredDataChecks.interactions),
        Check(
            .s10, .structuredData, .warning, "Telephone, address and place can be used",
            why: "They give a result its buttons to call and for directions.", page: StructuredDataChecks.contact),
        Check(
            .s11, .structuredData, .warning, "Audio and video can be played",
            why: "They give a result its play button.", page: StructuredDataChecks.media),
        Check(
            .s12, .structuredData, .info, "The recipe is complete",
            why: "Name, picture, ingredients, steps and times are what people look for.",
            page: StructuredDataChecks.recipe),
        Check(
            .s13, .structuredData, .warning, "The search action has its placeholder",
            why: "Without {name} in the target there is no place for what people type.",
            page: StructuredDataChecks.searchAction),
        Check(
            .s14, .structuredData, .warning, "Open Graph is complete",
            why: "Title, type, image and url are the four that ogp.me requires; Apple reads them.",
            page: Presentation.openGraphIsComplete),
        Check(
            .s15, .structuredData, .info, "The Twitter card is known",
            why: "An unknown card is shown as none.", page: Presentation.twitterCardIsKnown),
        Check(
            .s16, .structuredData, .warning, "All markup says the same",
            why: "Where sources differ each reader shows something else.", page: Presentation.valuesAgree),
        Check(
            .s17, .structuredData, .info, "Dates and times are plausible",
            why:
                "Readers pass over a date that they cannot read or that has not come yet, and over times that contradict each other.",
            page: StructuredDataChecks.dates),
        Check(
            .s18, .structuredData, .info, "The language is declared",
            why: "Results are chosen by language.", page: Presentation.languageIsDeclared),
        Check(
            .s19, .structuredData, .warning, "No dead vocabulary",
            why: "data-vocabulary.org ended in 2020; schema.org took its place.", page: StructuredDataChecks.vocabulary),
        Check(
            .s20, .structuredData, .info, "Three to five keywords",
            why: "Apple advises that many, with synonyms and the words of the category (TN2416).",
            page: Presentation.keywordsAreFew),
    ]

    static let technicalChecks: [Check] = [
        Check(
            .t01, .technical, .error, "The page answers with status 200",
            why: "Anything else is not indexed.", site: Technical.statusIsOK),
        Check(
            .t02, .technical, .warning, "Few redirects, and permanent ones",
            why: "Each hop costs time and some trust; a temporary one keeps the old address in the index.",
            site: Technical.redirectsAreFew),
        Check(
            .t03, .technical, .warning, "The page is served over HTTPS",
            why: "Universal links and association files need https with a valid certificate.", site: Technical.isSecure),
        Check(
            .t04, .technical, .warning, "One canonical address",
            why: "It joins what several addresses of one page earn (RFC 6596).", page: Technical.canonicalIsSound),
        Check(
            .t05, .technical, .warning, "The character encoding is declared",
            why: "Otherwise readers guess, and letters go wrong.", page: Technical.encodingIsDeclared),
        Check(
            .t06, .technical, .error, "The content type is HTML",
            why: "Crawlers do not read other types as pages.", site: Technical.typeIsHTML),
        Check(
            .t07, .technical, .warning, "Everything in the markup is https",
            why: "A secure page's http pictures and media are blocked or asked for in the open.",
            page: Technical.contentIsSecure),
        Check(
            .t08, .technical, .info, "The page is quick and small",
            why: "Crawlers slow down for slow sites, and people leave them.", site: Technical.isQuick),
        Check(
            .t09, .technical, .warning, "The head holds what belongs there",
            why: "A stray element ends the head early, and tags behind it are not looked at.",
            page: Technical.headIsWhole),
        Check(
            .t10, .technical, .info, "The page fits a phone",
            why: "Apple counts a page's design among what ranks it.", page: Technical.fitsPhone),
        Check(
            .t11, .technical, .info, "The server says when the page changed",
            why: "With ETag or Last-Modified a crawler need not fetch again what it has.", site: Technical.hasValidators
        ),
        Check(
            .t12, .technical, .info, "Every reader gets the same page",
            why: "A page that differs by reader is not the one that people find.", site: Technical.isSameForAll),
        Check(
            .t13, .technical, .warning, "No other page has the same content",
            why: "Copies without a canonical link take each other's place.", crawl: AmongPages.contentIsUnique),
        Check(
            .t14, .technical, .info, "The address is clean",
            why: "Sessions, tracking and overlong addresses make many addresses of one page.",
            site: Technical.addressIsClean),
    ]
}
