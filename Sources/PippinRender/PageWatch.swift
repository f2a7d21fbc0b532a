import PippinCrawl

/// Notices that a page does nothing, does far too much, or is open for too long.
struct PageWatch {
    /// Events of a page. Real pages cause some hundred.
    private static let maximumEvents = 20_000
    /// Of what a page shows to leave it (`beforeunload`).
    private static let maximumDialogs = 100

    private let settings: RenderSettings
    private let start = ContinuousClock.now
    private var lastProgress = ContinuousClock.now
    var eventCount = 0
    var dialogCount = 0

    init(_ settings: RenderSettings) { self.settings = settings }

    mutating func noteProgress() { lastProgress = .now }

    var hasTooManyEvents: Bool { eventCount > Self.maximumEvents }
    var hasTooManyDialogs: Bool { dialogCount > Self.maximumDialogs }

    /// Why the page is read as it is now; nil if it goes on.
    ///
    /// - Parameter waits: whether its requests wait for answers.
    func end(waits: Bool) -> RenderedPage.Ending? {
        let now = ContinuousClock.now
        if now - start > settings.timeout { return .timedOut }
        return !waits && now - lastProgress > settings.stall ? .stalled : nil
    }
}
