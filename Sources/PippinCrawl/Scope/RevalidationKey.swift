/// Two small hashes of the inputs of a record other than the page's own bytes. "Not modified" only concerns the bytes, so a
/// conditional request is made only if these inputs are unchanged.
public struct RevalidationKey: Sendable, Equatable {
    /// The inputs that are known before the visit: configuration, seeds, what sitemaps say of the page, and the version of
    /// the page reading.
    public var crawl: UInt16
    /// The association files of the page's own host; 0 if they were not available, so that nothing is known about them.
    public var site: UInt16

    /// Creates a key.
    public init(crawl: UInt16 = 0, site: UInt16 = 0) {
        self.crawl = crawl
        self.site = site
    }
}
