import PippinPage

/// Where a page's scripts want to go. Nothing is followed.
struct PageNavigations {
    enum Target { case app, page }

    /// Popups to other pages must not hide ways into apps: some places are for those only.
    private static let maximumCount = 100
    private static let maximumPages = 50

    private(set) var addresses: [String] = []

    /// Notes an address.
    ///
    /// - Returns: what it leads to; nil if it does not concern the page.
    mutating func add(_ address: String, isInFrame: Bool) -> Target? {
        let isOfApp = WebURL(address).map {
            !$0.isHTTP && $0.scheme != "about" && $0.scheme != "blob" && $0.scheme != "data"
        }
        // Pages in frames are not ours, but a frame is also how pages open apps.
        guard isOfApp == true || !isInFrame else { return nil }
        let room = isOfApp == true ? Self.maximumCount : Self.maximumPages
        if addresses.count < room, address.utf8.count <= PageRequests.maximumURLBytes, !addresses.contains(address) {
            addresses.append(address)
        }
        return isOfApp == true ? .app : .page
    }
}
