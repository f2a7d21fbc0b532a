import PippinPage

/// Where a page's scripts want to go. Nothing is followed.
struct PageNavigations {

    /// Popups to other pages must not hide ways into apps: some places are for those only.
    static let maximumCount = 100
    private static let maximumPages = 50

    private(set) var addresses: [String] = []

    /// The first page that was to take the page's place.
    private(set) var redirect: WebURL?

    /// Notes an address.
    ///
    /// - Parameters:
    ///   - page: the page's own address.
    ///   - replaces: whether it was to be opened in the page's place.
    /// - Returns: whether it may go on: to us, who answer it, or to an app, which does not exist. What is no page would replace ours
    ///   without being asked for.
    mutating func add(_ address: String, of page: WebURL, isInFrame: Bool, replaces: Bool) -> Bool {
        let url = WebURL(address)
        let isInert = url.map { ["about", "blob", "data", "javascript"].contains($0.scheme) } ?? false
        let isOfApp = url.map { !$0.isHTTP && !isInert } ?? false
        // Pages in frames are not ours, but a frame is also how pages open apps.
        guard isOfApp || !isInFrame else { return true }
        if let url, url.isHTTP, replaces, redirect == nil, URLKey(url) != URLKey(page) { redirect = url }
        let room = isOfApp ? Self.maximumCount : Self.maximumPages
        if !isInert, addresses.count < room, address.utf8.count <= PageRequests.maximumURLBytes,
            !addresses.contains(address)
        {
            addresses.append(address)
        }
        return !isInert
    }

    /// The addresses after others, such as those that the page was kept from going to.
    func addresses(after first: [String], of page: WebURL) -> [String] {
        var all = PageNavigations()
        for address in first + addresses { _ = all.add(address, of: page, isInFrame: false, replaces: false) }
        return all.addresses
    }
}
