import PippinPage
import Synchronization

/// The requests of a crawl's rendered pages, on their way to the loop and back, and the answers that are kept for other pages.
///
///     page ──load──► kept? ──► answer
///                      └──no──► asks ──► the loop ──► its host's turn ──settle──► all pages that ask for the same
///
/// It alone knows which pages wait: those with a request that is not settled.
final class SubresourceDesk: Sendable {
    /// A request for the loop. It must settle it in every case.
    struct Ask: Sendable {
        let request: Subresource
        let seed: Seed

        /// What is fetched: the same file for another origin may have another answer.
        var siteFile: SiteFileRequest? { SiteFileRequest(request, seed: seed) }
    }

    /// What the loop has to know.
    enum Word: Sendable {
        case asks(Ask)
        /// One more page waits, for what another has asked for already.
        case waits
    }

    private struct Waiter {
        let number: Int
        let page: Int
        let continuation: CheckedContinuation<SubresourceAnswer?, Never>
    }

    private struct Kept {
        let response: FetchResponse
        let until: Duration
        var lastUse: Int
    }

    private struct State {
        /// The files that the loop has to settle, and who waits for them. Cancelled pages do not wait any more.
        var waiting: [SiteFileID: [Waiter]] = [:]
        var lastNumber = 0
        var lastPage = 0
        /// The requests for which each page waits.
        var requestsOfPages: [Int: Int] = [:]
        /// Files that were asked for in vain.
        var failed: [SiteFileID: (failure: RequestFailure, until: Duration)] = [:]
        var kept: [SiteFileID: Kept] = [:]
        var keptBytes = 0
        var uses = 0
        var isClosed = false
    }

    /// The shortest time for which a script is kept. Sites often forbid to keep them, and every page asks for the same.
    private static let scriptLifetime = Duration.seconds(3600)
    /// Beside the bodies, an answer takes its fields.
    private static let overheadBytes = 2_000

    private let state = Mutex(State())
    private let maximumKeptBytes: Int
    private let clock: CrawlClock
    private let words: AsyncStream<Word>
    private let continuation: AsyncStream<Word>.Continuation

    init(keepingBytes maximumKeptBytes: Int, clock: CrawlClock) {
        self.maximumKeptBytes = maximumKeptBytes
        self.clock = clock
        (words, continuation) = AsyncStream.makeStream()
    }

    /// Whether the run takes no more requests. Pages that are being rendered lack some then.
    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// How many pages wait for files.
    var waitingPages: Int { state.withLock { $0.requestsOfPages.count } }

    /// Answers the requests of one page.
    func loader(seed: Seed) -> some SubresourceLoader {
        let page = state.withLock { state in
            state.lastPage += 1
            return state.lastPage
        }
        return PageLoader(desk: self, seed: seed, page: page)
    }

    private struct PageLoader: SubresourceLoader {
        let desk: SubresourceDesk
        let seed: Seed
        let page: Int
        func load(_ request: Subresource) async -> SubresourceAnswer {
            await desk.load(request, seed: seed, page: page)
        }
    }

    /// The next word for the loop; nil if the task was cancelled.
    func next() async -> Word? {
        for await word in words { return word }
        return nil
    }

    private func load(_ request: Subresource, seed: Seed, page: Int) async -> SubresourceAnswer {
        let ask = Ask(request: request, seed: seed)
        guard let id = ask.siteFile?.id else {
            return .failed(RequestFailure(.notHTTP, asking: request.url))
        }
        let now = clock.now()
        let (number, known) = state.withLock { state -> (Int, SubresourceAnswer?) in
            state.lastNumber += 1
            if let (failure, until) = state.failed[id], until > now { return (state.lastNumber, .failed(failure)) }
            guard var kept = state.kept[id], kept.until > now else { return (state.lastNumber, nil) }
            state.uses += 1
            kept.lastUse = state.uses
            state.kept[id] = kept
            return (state.lastNumber, .response(kept.response, isKept: true))
        }
        if let known { return known }
        let answer = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<SubresourceAnswer?, Never>) in
                enum Standing { case gone, first, waits }
                let standing = state.withLock { state -> Standing in
                    guard !state.isClosed, !Task.isCancelled else { return .gone }
                    let isFirst = state.waiting[id] == nil
                    state.waiting[id, default: []].append(
                        Waiter(number: number, page: page, continuation: continuation))
                    state.requestsOfPages[page, default: 0] += 1
                    return isFirst ? .first : .waits
                }
                switch standing {
                case .gone: continuation.resume(returning: nil)
                case .first: self.continuation.yield(.asks(ask))
                case .waits: self.continuation.yield(.waits)
                }
            }
        } onCancel: {
            let waiting = state.withLock { state -> CheckedContinuation<SubresourceAnswer?, Never>? in
                guard let index = state.waiting[id]?.firstIndex(where: { $0.number == number }),
                    let waiter = state.waiting[id]?.remove(at: index)
                else { return nil }
                Self.release(waiter, &state)
                return waiter.continuation
            }
            waiting?.resume(returning: nil)
        }
        return answer ?? .failed(RequestFailure(.failed(.cancelled), asking: request.url))
    }

    private static func release(_ waiter: Waiter, _ state: inout State) {
        let left = (state.requestsOfPages[waiter.page] ?? 1) - 1
        state.requestsOfPages[waiter.page] = left > 0 ? left : nil
    }

    /// Answers all pages that asked for a file.
    ///
    /// - Parameter wasAsked: whether a request was made.
    func settle(_ id: SiteFileID, _ answer: SubresourceAnswer, isScript: Bool, wasAsked: Bool = true) {
        let now = clock.now()
        let waiting = state.withLock { state in
            switch answer {
            case .response(let response, _): keep(response, id, isScript: isScript, now: now, &state)
            case .failed(let failure) where wasAsked: keep(failure, id, now: now, &state)
            case .failed: break
            }
            let waiting = state.waiting.removeValue(forKey: id) ?? []
            for waiter in waiting { Self.release(waiter, &state) }
            return waiting
        }
        for entry in waiting { entry.continuation.resume(returning: answer) }
    }

    /// Takes no more requests. Those that wait fail.
    func close() {
        let waiting = state.withLock { state in
            state.isClosed = true
            defer { (state.waiting, state.requestsOfPages) = ([:], [:]) }
            return state.waiting.values.joined().map(\.continuation)
        }
        for continuation in waiting { continuation.resume(returning: nil) }
    }

    // MARK: Kept answers

    /// The time for which a file that could not be fetched is not asked for again. Pages of a site ask for the same files, and each
    /// would wait for the time limit.
    private static let failureLifetime = Duration.seconds(60)
    private static let maximumFailures = 10_000

    private func keep(_ failure: RequestFailure, _ id: SiteFileID, now: Duration, _ state: inout State) {
        if state.failed.count >= Self.maximumFailures {
            state.failed = state.failed.filter { $0.value.until > now }
            // Whatever is left is asked for once more.
            if state.failed.count >= Self.maximumFailures { state.failed = [:] }
        }
        state.failed[id] = (failure, now + Self.failureLifetime)
    }

    private func keep(_ response: FetchResponse, _ id: SiteFileID, isScript: Bool, now: Duration, _ state: inout State)
    {
        guard response.status == 200 else { return }
        let stated = Self.statedLifetime(of: response)
        let lifetime = isScript ? max(stated ?? .zero, Self.scriptLifetime) : stated ?? .zero
        let size = response.body.count + Self.overheadBytes
        guard lifetime > .zero, size <= maximumKeptBytes / 4 else { return }
        if let old = state.kept.removeValue(forKey: id) {
            state.keptBytes -= old.response.body.count + Self.overheadBytes
        }
        state.uses += 1
        state.kept[id] = Kept(response: response, until: now + lifetime, lastUse: state.uses)
        state.keptBytes += size
        guard state.keptBytes > maximumKeptBytes else { return }
        // A quarter goes at a time, the longest unused first.
        for (id, kept) in state.kept.sorted(by: { $0.value.lastUse < $1.value.lastUse })
        where state.keptBytes > maximumKeptBytes / 4 * 3 {
            state.kept[id] = nil
            state.keptBytes -= kept.response.body.count + Self.overheadBytes
        }
    }

    /// `Cache-Control: max-age`, at most a day; nil if there is none, zero if the answer may not be kept.
    private static func statedLifetime(of response: FetchResponse) -> Duration? {
        let directives = response.headers.values("Cache-Control").joined(separator: ",").lowercased().split(
            separator: ","
        )
        .map { $0.drop { $0 == " " } }
        if directives.contains(where: {
            $0.hasPrefix("no-store") || $0.hasPrefix("no-cache") || $0.hasPrefix("private")
        }) {
            return .zero
        }
        let age = directives.lazy.compactMap { $0.hasPrefix("max-age=") ? Int($0.dropFirst(8)) : nil }.first
        return age.map { .seconds(min(max($0, 0), 86_400)) }
    }
}
