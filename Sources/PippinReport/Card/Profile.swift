import PippinPage

extension ReportCard {
    /// Whose reading of a page is judged: it decides which checks count, and which requirements of types
    /// (`TypeRequirements`).
    public enum Profile: String, Sendable, CaseIterable {
        /// Everybody's.
        case all
        /// Applebot and Spotlight.
        case apple
        /// Google Search and its rich results.
        case google
        /// Links shared on Facebook: Open Graph and App Links.
        case facebook
        /// Links shared on X: Twitter cards, with Open Graph where they are silent.
        case twitter

        /// The crawler of the reader that the profile names.
        public var crawler: Crawler {
            switch self {
            case .all:
                Crawler(
                    name: "Applebot", robotsAgents: ["Applebot", "Googlebot"],
                    directiveAgents: PageFacts.standardAgents)
            case .apple:
                // "About Applebot": the rules for Googlebot count if none name Applebot. Directives on pages for Googlebot do not.
                Crawler(name: "Applebot", robotsAgents: ["Applebot", "Googlebot"], directiveAgents: ["Applebot"])
            case .google:
                // "Robots meta tag, data-nosnippet, and X-Robots-Tag specifications": robots and googlebot count together.
                Crawler(name: "Googlebot", robotsAgents: ["Googlebot"], directiveAgents: ["Googlebot"])
            case .facebook:
                // "Meta Web Crawlers": rules for FacebookExternalHit count, except in searches for malware.
                Crawler(name: "facebookexternalhit", robotsAgents: ["facebookexternalhit"], directiveAgents: [])
            case .twitter:
                // "Getting started with Cards", URL crawling and caching: a page that robots.txt closes to Twitterbot has
                // no card, and a picture that it closes is not shown.
                Crawler(name: "Twitterbot", robotsAgents: ["Twitterbot"], directiveAgents: [])
            }
        }

        /// The crawler of the reader, of a job with names of its own on pages.
        ///
        /// - Parameter agents: the names; only a profile for everybody has no others.
        public func crawler(named agents: [String]) -> Crawler {
            var crawler = crawler
            if self == .all { crawler.directiveAgents = agents }
            return crawler
        }

        /// Whether a check counts. One that does not count does not apply to the page.
        func counts(_ check: Check) -> Bool {
            // The operator knows what matters.
            check.group == .custom || counts(check.code)
        }

        func counts(_ check: Check.Code) -> Bool {
            switch self {
            case .all: true
            case .apple: !Self.notForApple.contains(check)
            case .google: !Self.notForGoogle.contains(check)
            case .facebook: Self.forSharing.contains(check) || check == .l19
            case .twitter: Self.forSharing.contains(check) || check == .l18 || check == .s15
            }
        }

        /// Language versions, Android's links, Google's app alternates, the Twitter card.
        private static let notForApple: Set<Check.Code> = [.d19, .l20, .l21, .s15]

        /// What only Applebot, iOS and previews of shared links need. The keywords of S20 are Apple's (TN2416). D10 and D14 are about
        /// the support and marketing URLs in App Store Connect, where Applebot starts (App Search Programming Guide). Googlebot
        /// starts from links and sitemaps (“How Google Search works”, URL discovery), which D11, D12 and D13 judge.
        private static let notForGoogle: Set<Check.Code> = [
            .d02, .d10, .d14, .d17, .l01, .l02, .l03, .l04, .l05, .l06, .l07, .l08, .l09, .l10, .l11, .l12, .l13,
            .l14, .l15, .l16, .l17, .l18, .l19, .l22, .l24, .l25, .l26, .l27, .s14, .s15, .s20,
        ]

        /// What a link needs to be fetched and shown with title, text and picture. Directives about indexing do not concern a
        /// page that is shown where somebody shares it.
        private static let forSharing: Set<Check.Code> = [
            .d01, .d03, .d06, .s01, .s02, .s03, .s04, .s14, .s16, .t01, .t02, .t03, .t04, .t05, .t06, .t07, .t09,
        ]
    }

    /// A crawler by its names in robots.txt and on pages.
    public struct Crawler: Sendable, Hashable {
        /// The name that findings use.
        public let name: String
        /// The names that it looks for in robots.txt, in order; without any of them the rules for `*` count.
        public let robotsAgents: [String]
        /// The names whose directives on pages and in headers it follows, besides those for everyone; empty if it follows none.
        public fileprivate(set) var directiveAgents: [String]

        /// Search engines that `Profile.all` also asks for their own directives.
        static let others: [(engine: String, crawler: Crawler)] = [
            (engine: "Google", crawler: Profile.google.crawler),
            // Bing Webmaster Tools, "Robots meta tags and attributes".
            (engine: "Bing", Crawler(name: "bingbot", robotsAgents: ["bingbot"], directiveAgents: ["bingbot"])),
        ]
    }
}

extension RobotsEvidence {
    /// Whether the crawler of a profile may fetch the page, and why.
    func decision(for profile: ReportCard.Profile) -> RobotsDecision {
        file.decision(for: page, agents: profile.crawler.robotsAgents)
    }
}
