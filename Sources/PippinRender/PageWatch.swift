import PippinCrawl

/// Notices that a page does nothing, does far too much, or is open for too long.
struct PageWatch {
    /// Events of a page. Real pages cause some hundred.
    private static let maximumEvents = 20_000
    /// Of what a page shows to leave it (`beforeunload`).
    private static let maximumDialogs = 100
    /// Of what a page wants in its place and in windows. Its clock stands still for each.
    private static let maximumNavigations = 200

    private static let patiencePerMegabyte = Duration.milliseconds(500)

    private let settings: RenderSettings
    private let start = ContinuousClock.now
    private var lastProgress = ContinuousClock.now
    var eventCount = 0
    var dialogCount = 0
    var navigationCount = 0

    init(_ settings: RenderSettings) { self.settings = settings }

    mutating func noteProgress() { lastProgress = .now }

    var hasTooManyEvents: Bool { eventCount > Self.maximumEvents }
    var hasTooManyDialogs: Bool { dialogCount > Self.maximumDialogs }
    var hasTooManyNavigations: Bool { navigationCount > Self.maximumNavigations }

    /// Why the page is read as it is now; nil if it goes on.
    ///
    /// - Parameters:
    ///   - waits: whether its requests wait for answers.
    ///   - bytes: what its scripts got: without a compiler, large ones take their time before anything happens.
    func end(waits: Bool, bytes: Int) -> RenderedPage.Ending? {
        let now = ContinuousClock.now
        if now - start > settings.timeout { return .timedOut }
        let patience = settings.stall + Self.patiencePerMegabyte * (Double(bytes) / 1_000_000)
        return !waits && now - lastProgress > patience ? .stalled : nil
    }
}
