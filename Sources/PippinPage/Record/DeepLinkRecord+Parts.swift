import Foundation

// What the fields of a record hold.

extension DeepLinkRecord {
    public struct Author: Sendable, Hashable {
        public enum Kind: String, Sendable { case organization }

        public var name: String
        /// A page about them.
        public var url: String?
        /// Set if the page says that it is nobody in person.
        public var type: Kind?
    }

    public struct Image: Sendable, Hashable {
        public var url: String
        /// Media type: `image/jpeg`.
        public var type: String?
        /// Pixels.
        public var width: Int?
        public var height: Int?
        public var alt: String?
    }

    public struct Media: Sendable, Hashable {
        public var url: String
        /// Media type; `text/html` for a player in a page of its own.
        public var type: String?
        /// Pixels; of video.
        public var width: Int?
        public var height: Int?
    }

    /// A way into an app, or the page's own on the web.
    public struct DeepLink: Sendable, Hashable {
        public var platform: Platform
        /// What the app is opened with; nil where only the app is known.
        public var url: String?
        /// Further addresses the app is opened with, as sources of lower precedence or further targets have them.
        var alternativeURLs: [String] = []
        /// App Store ID, or the Microsoft Store's.
        public var storeIdentifier: String?
        /// Two letters, upper case: the country whose store has the app.
        var storeCountry: String?
        public var bundleIdentifier: String?
        /// Bundle identifier of the app's App Clip.
        public var appClipBundleIdentifier: String?
        /// Android's.
        public var packageName: String?
        public var appName: String?
        /// The oldest version of the app that is meant, as written.
        var minimumVersion: String?
        /// What a Windows app is handed instead of a URL.
        var launchArguments: String?
        public var sources: [AppClaim.Source]
        /// Which of them gave `url`; nil where no markup did.
        var urlSource: AppClaim.Source?
        public var verification = Verification()
    }

    /// What the site's association file says of a deep link.
    public struct Verification: Sendable, Hashable {
        public enum Status: String, Sendable, CaseIterable {
            case verified, blocked, unverifiable, unchecked
            case notCovered = "not-covered"
        }

        public var status: Status
        /// `TEAMID.bundle`, or an Android package.
        public var applicationIdentifier: String?
        /// The pattern that decided.
        public var pattern: String?
        public var reason: String?
        /// Since when the status holds, as a job's storage knows; nil without one.
        public var since: Date?

        public init(
            status: Status = .unchecked, applicationIdentifier: String? = nil, pattern: String? = nil,
            reason: String? = nil
        ) {
            self.status = status
            self.applicationIdentifier = applicationIdentifier
            self.pattern = pattern
            self.reason = reason
        }
    }

    public struct Offer: Sendable, Hashable {
        /// Decimal number with `.` as mark: `12.00`. Of several prices the lowest, as shops say “from”.
        public var price: String?
        public var lowPrice: String?
        public var highPrice: String?
        /// ISO 4217.
        public var currency: String?
        /// Member of schema.org's `ItemAvailability`.
        public var availability: String?
        /// The price as written.
        public var raw: String?
        /// Member of schema.org's `OfferItemCondition`.
        public var itemCondition: String?
        /// ISO 8601: the last day of the price.
        public var priceValidUntil: String?
        /// One a region and speed.
        public var shipping: [Shipping] = []
        public var returns: ReturnPolicy?
    }

    /// What it costs to have an offered thing sent, and how long it takes.
    public struct Shipping: Sendable, Hashable {
        /// Countries, as written: `US`.
        public var countries: [String] = []
        /// Decimal number with `.` as mark; `0` is free.
        public var price: String?
        /// ISO 4217.
        public var currency: String?
        /// Days until it arrives, from the order on.
        public var minimumDays: Int?
        public var maximumDays: Int?
        /// False where it is not sent to.
        public var isShipped = true
    }

    /// Whether, and for how long, people can give back what they bought.
    public struct ReturnPolicy: Sendable, Hashable {
        /// Member of schema.org's `MerchantReturnEnumeration`: `MerchantReturnFiniteReturnWindow`.
        public var category: String?
        /// How many, from when it arrived.
        public var days: Int?
        /// Member of `ReturnFeesEnumeration`: `FreeReturn`.
        public var fees: String?
        /// As written: `US`.
        public var countries: [String] = []
        /// A page with the rules.
        public var url: String?
    }

    /// One of the forms in which a product is sold.
    public struct Variant: Sendable, Hashable {
        public var name: String?
        /// Its own page, or the page with it chosen.
        public var url: String?
        /// As `Identifiers` has them.
        public var sku: String?
        public var gtin: String?
        /// By what it differs, as written: `color`, `size`, `material`, `pattern`, `suggestedAge`, `suggestedGender`.
        public var properties = JSONObject()
        public var price: String?
        public var currency: String?
        public var availability: String?
    }

    public struct Interaction: Sendable, Hashable {
        /// schema.org Action: `LikeAction`.
        public var type: String
        public var count: Int
    }

    public struct Organization: Sendable, Hashable {
        public var name: String?
        /// As written.
        public var telephone: String?
        var email: String?
        public var address: PostalAddress?
    }

    /// Parts as schema.org names them, or the whole as one text.
    public struct PostalAddress: Sendable, Hashable {
        public var streetAddress: String?
        var extendedAddress: String?
        var postOfficeBoxNumber: String?
        public var addressLocality: String?
        var addressRegion: String?
        public var postalCode: String?
        public var addressCountry: String?
        /// The address as one line, where the page has it as such.
        var fullyFormattedAddress: String?
    }

    public struct Recipe: Sendable, Hashable {
        /// ISO 8601: `PT35M`; likewise its parts.
        public var totalTime: String?
        public var prepTime: String?
        public var cookTime: String?
        /// As written.
        public var yield: String?
        /// As written: `270 calories`.
        var calories: String?
        /// The other members of schema.org's `NutritionInformation`, as written: `fatContent`, `servingSize`.
        public var nutrition = JSONObject()
        /// How many.
        public var ingredients: Int?
    }

    /// When and where an event takes place.
    public struct Event: Sendable, Hashable {
        /// ISO 8601, as exact as its source; likewise `endDate`.
        public var startDate: String?
        public var endDate: String?
        /// Name of the place.
        public var venue: String?
        /// In one line.
        public var address: String?
        public var coordinates: SchemaOrg.Coordinates?
        /// Member of schema.org's `EventStatusType`: `EventCancelled`.
        public var status: String?
        /// Where it is held on the web.
        public var url: String?
    }

    /// What something is a part of, or a part of it.
    public struct Work: Sendable, Hashable {
        /// schema.org type: `PodcastSeries`, `MusicAlbum`, `Periodical`, `TVEpisode`.
        public var type: String
        public var name: String
        /// A page about it.
        public var url: String?
    }

    /// A step from the home page to the page.
    public struct Breadcrumb: Sendable, Hashable {
        public var name: String
        /// Nil for the last one, which is the page.
        public var url: String?
    }

    public struct LanguageAlternate: Sendable, Hashable {
        /// BCP 47; `x-default` for all other languages.
        public var language: String
        public var url: String
    }

    public struct Feed: Sendable, Hashable {
        public var url: String
        /// Media type: `application/rss+xml`.
        public var type: String
        public var title: String?
    }

    /// Numbers by which others know it; of each kind in the order of the page, without repetitions.
    public struct Identifiers: Sendable, Hashable {
        /// The shop's own, as written; likewise `mpn`, the maker's.
        public var sku: [String] = []
        public var mpn: [String] = []
        /// 8, 12, 13 or 14 digits, of which the last one checks the others; likewise `isbn`, of 13 digits.
        public var gtin: [String] = []
        public var isbn: [String] = []
        /// `10.1000/182`, in small letters.
        public var doi: [String] = []

        var isEmpty: Bool { self == Identifiers() }
    }

    /// The place of an episode in its series.
    public struct Episode: Sendable, Hashable {
        public var number: Int?
        var season: Int?
    }

    public enum PlayedMedia: String, Sendable { case audio, video }

    /// What a result lets people do without opening the page.
    public enum Action: Sendable, Hashable {
        /// A number that can be dialed, with the extension to ask for.
        case call(phoneNumber: String, extension: String?)
        case directions(address: String?, coordinates: SchemaOrg.Coordinates?)
        case play(PlayedMedia, url: String)
        /// The template holds `{parameter}`.
        case search(urlTemplate: String, parameter: String)
    }
}
