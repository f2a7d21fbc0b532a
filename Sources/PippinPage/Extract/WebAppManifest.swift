/// A web application manifest (W3C Web Application Manifest, with its app-information supplement): what a site says of
/// itself as an app, and which apps in stores belong to it.
public struct WebAppManifest: Sendable {
    /// An app that is related to the site: a member of `related_applications`.
    public struct RelatedApplication: Sendable {
        /// How an app's certificate is known; Android's `sha256_cert`.
        public struct Fingerprint: Sendable, Hashable {
            public let type: String
            public let value: String
        }

        /// Lower case, as the manifest has it: `play`, `itunes`, `windows`, `webapp`, `f-droid`, `amazon`, …
        public let platform: String
        /// Resolved against the manifest's address; a store's page as a rule.
        public internal(set) var url: WebURL?
        /// As written.
        public internal(set) var id: String?
        public internal(set) var minimumVersion: String?
        public internal(set) var fingerprints: [Fingerprint] = []

        /// App Store ID of an `itunes` app: its `id`, or what its store address names.
        public internal(set) var appStoreID: String?
        /// Two letters, lower case, where the store's address says which country's store it means.
        public internal(set) var storeCountry: String?
        /// Android package of a `play`, `chromeos_play`, `f-droid` or `amazon` app.
        public internal(set) var packageName: String?
        /// Microsoft Store's product ID of a `windows` app.
        public internal(set) var microsoftStoreID: String?

        init(platform: String) { self.platform = platform }
    }

    /// Where it was found; relative addresses in it start from here.
    public let url: WebURL
    public internal(set) var name: String?
    public internal(set) var shortName: String?
    /// As written.
    public internal(set) var id: String?
    public internal(set) var startURL: WebURL?
    public internal(set) var scope: WebURL?
    /// In the order of the manifest, the preferred one first.
    public internal(set) var relatedApplications: [RelatedApplication] = []
    /// Whether the site would rather have one of these apps installed than itself.
    public internal(set) var prefersRelatedApplications = false
    /// Lines and columns are those of the manifest, not of the page that links to it.
    public internal(set) var notes: [ParseNote] = []
}
