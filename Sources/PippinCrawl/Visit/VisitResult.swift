import PippinPage

/// The result of a visit. The steps of the visit fill it in, the last step delivers it, and the crawl's loop continues from it.
///
/// Two other types describe the end of a visit: `VisitOutcome` is the way it ended, `FinishedVisit` is the data for the
/// frontier.
struct VisitResult: Sendable {
    /// What happens to the request.
    enum Next: Sendable {
        /// It is finished with its `outcome`. After delivery, `change` has the frontier's response.
        case finish
        /// It is visited again in this run, after the given time at the earliest.
        case visitAgain(CrawlRequest, after: Duration)
        /// The page was read. It is recorded when files of its site are there.
        indirect case waitForFiles(PendingPage)
        /// The page was fetched. It is read when its scripts have run.
        indirect case waitForRendering(UnrenderedPage)
        /// The run was stopped before the visit ended. The request goes back to the frontier.
        case release
    }

    let request: CrawlRequest
    /// Whether the visit counts against the page limits. One that was refused before it began does not.
    let isCounted: Bool
    var next = Next.release
    /// The outcome; also set for a visit that is repeated. Nil for one that waits or was stopped.
    private(set) var outcome: VisitOutcome?
    var change = FrontierChange()

    // 4 Ask permission, 5 Fetch
    /// The rule of a robots.txt that forbade the visit.
    var robots: RobotsDecision?
    var exchange: Exchange?
    var hostSign = PolitenessSchedule.HostSign.untouched
    var entityTag: String?
    var lastModified: String?

    // 6 Parse, 7 Extract
    /// Links, sitemap entries, the target of a redirect, the canonical page.
    var discovered: [CrawlRequest] = []
    /// See `FinishedVisit`.
    var nofollowLinks: [CrawlRequest] = []
    /// See `FinishedVisit`.
    var isCut = false
    /// How the page was rendered; nil if it was not to be.
    var rendering: RenderOutcome?
    /// Why the page was to be rendered, but was left, because renderings of its host bring nothing (`RenderLessons`).
    var leftUnrendered: RenderReason?
    /// How the page was rendered, or why it was not, for `why` and the log.
    var renderingSentence: String? {
        rendering?.sentence
            ?? leftUnrendered.map {
                "Not rendered, though \($0.clause): renderings of other pages of its host brought nothing."
            }
    }

    // 8 Verify, 9 Record
    /// Why the record has no text, if the page may be recorded without it only.
    var withheldText: UsageStatement?
    /// The same as a sentence, for `why` and the log.
    var withheldSentence: String? { withheldText.map { CodeSentences.withoutText + $0.sentence } }
    /// What there is to say about a page that was read, beside its outcome: a line each.
    var readingSentences: String? {
        let lines = [withheldSentence, renderingSentence].compactMap(\.self)
        return lines.isEmpty ? nil : lines.joined(separator: "\n")
    }
    var revalidationKey: RevalidationKey?
    /// The record to be filed.
    var record: RecordChange?
    var recordIdentifier: String?
    var contentHash: String?
    /// What the steps saw, for an observer; nil if nobody looks on.
    @Boxed var seen: VisitObservation.Seen?

    init(of visit: Visit) {
        request = visit.request
        seen = visit.context.observer == nil ? nil : VisitObservation.Seen()
        isCounted = visit.permission.isByRules
    }

    /// Whether its answer is a page that was read, or will be when its scripts have run, or has not changed since it was read.
    var isRead: Bool {
        guard request.isPage else { return false }
        switch next {
        case .waitForFiles, .waitForRendering: return true
        case .visitAgain, .release: return false
        case .finish: return outcome?.isOfReadPage ?? false
        }
    }

    /// The result without what was read, because that took too long or was stopped.
    func unread(by visit: Visit) -> VisitResult {
        var result = VisitResult(of: visit)
        (result.exchange, result.hostSign) = (exchange, hostSign)
        return result
    }

    /// Ends the visit with an outcome.
    mutating func end(_ outcome: VisitOutcome) {
        self.outcome = outcome
        next = .finish
    }

    /// Keeps `ETag` and `Last-Modified` for the next conditional request. Call it only for a page that was read: those of an
    /// error page would hide the real page.
    mutating func keepValidators(of headers: HTTPHeaders) {
        (entityTag, lastModified) = (headers["ETag"], headers["Last-Modified"])
    }

    /// Schedules another visit of the request, because this one did not reach its end.
    mutating func visitAgain(_ request: CrawlRequest, after wait: Duration = .zero, because outcome: VisitOutcome) {
        self.outcome = outcome
        next = .visitAgain(request, after: wait)
    }
}

/// Keeps an optional value in an allocation of its own. Visits are passed from task to task, and what an observer is shown is
/// large, while most crawls have none.
@propertyWrapper
struct Boxed<Value: Sendable>: Sendable {
    private final class Box: Sendable {
        let value: Value

        init(_ value: Value) { self.value = value }
    }

    private var box: Box?

    /// Boxes a value; nil needs no allocation.
    init(wrappedValue: Value?) { box = wrappedValue.map { Box($0) } }

    /// The value. Setting it makes a new box, so copies keep theirs.
    var wrappedValue: Value? {
        get { box?.value }
        set { box = newValue.map { Box($0) } }
    }
}
