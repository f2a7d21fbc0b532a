import Foundation
import PippinPage
import Synchronization

/// The requests of a crawl's rendered pages, on their way to the loop and back, and the answers that are kept for other pages.
///
///     page ──load──► fresh? ──► answer
///                      └──no──► asks ──► the loop ──► its host's turn ──settle──► all pages that ask for the same
///
/// It alone knows which pages wait: those with a request that is not settled.
final class SubresourceDesk: Sendable {
    /// A request for the loop. It must settle it in every case.
    struct Ask: Sendable {
        let request: Subresource
        let seed: Seed
        /// Its number, if its answer is not shared.
        let number: Int?
        /// An answer that is not fresh any more, to be validated.
        var copy: FetchResponse?

        /// What is fetched: the same file for another origin may have another answer.
        var siteFile: SiteFileRequest? { SiteFileRequest(request, seed: seed, validating: copy, number: number) }
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

    /// A file that the loop has to settle.
    private struct Asked {
        let copy: FetchResponse?
        /// Cancelled pages do not wait any more.
        var waiting: [Waiter] = []
    }

    private struct State {
        var asked: [SiteFileID: Asked] = [:]
        var lastNumber = 0
        var lastPage = 0
        /// The requests for which each page waits.
        var requestsOfPages: [Int: Int] = [:]
        /// Files that were asked for in vain.
        var failed: [SiteFileID: (failure: RequestFailure, until: Duration)] = [:]
        var cache: SubresourceCache
        var isClosed = false
    }

    private let state: Mutex<State>
    /// The answers of earlier runs; nil if there are none.
    private let store: SubresourceStore?
    private let clock: CrawlClock
    private let words: AsyncStream<Word>
    private let continuation: AsyncStream<Word>.Continuation

    init(keepingBytes maximumKeptBytes: Int, store: SubresourceStore? = nil, clock: CrawlClock) {
        state = Mutex(State(cache: SubresourceCache(maximumBytes: maximumKeptBytes)))
        (self.store, self.clock) = (store, clock)
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
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        var ask = Ask(request: request, seed: seed, number: request.isShareable ? nil : number)
        guard let id = ask.siteFile?.id else {
            return .failed(RequestFailure(.notHTTP, asking: request.url))
        }
        let cancelled = SubresourceAnswer.failed(RequestFailure(.failed(.cancelled), asking: request.url))
        guard request.isShareable else { return await answer(to: ask, id, number: number, page: page) ?? cancelled }
        let now = clock.now()
        let (failure, known) = state.withLock { state in
            let failed = state.failed[id].flatMap { $0.until > now ? $0.failure : nil }
            return (failed, state.cache.find(id))
        }
        if let failure { return .failed(failure) }
        var entry = known
        if entry == nil, let kept = await store?.read(id) {
            state.withLock { if $0.cache.find(id) == nil { $0.cache.put(kept, id) } }
            entry = kept
        }
        if let entry {
            if entry.isFresh(at: clock.date()) { return .response(entry.response, isKept: true) }
            if entry.response.hasValidators { ask.copy = entry.response }
        }
        let answer = await self.answer(to: ask, id, number: number, page: page)
        if let store, let new = state.withLock({ $0.cache.takeUnwritten(id) }) { await store.write(new, id) }
        return answer ?? cancelled
    }

    /// Asks the loop.
    ///
    /// - Returns: nil if the page does not wait any more.
    private func answer(to ask: Ask, _ id: SiteFileID, number: Int, page: Int) async -> SubresourceAnswer? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<SubresourceAnswer?, Never>) in
                enum Standing { case gone, first, waits }
                let standing = state.withLock { state -> Standing in
                    guard !state.isClosed, !Task.isCancelled else { return .gone }
                    let isFirst = state.asked[id] == nil
                    state.asked[id, default: Asked(copy: ask.copy)].waiting.append(
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
                guard let index = state.asked[id]?.waiting.firstIndex(where: { $0.number == number }),
                    let waiter = state.asked[id]?.waiting.remove(at: index)
                else { return nil }
                Self.release(waiter, &state)
                return waiter.continuation
            }
            waiting?.resume(returning: nil)
        }
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
        let (waiting, settled) = state.withLock { state in
            let asked = state.asked.removeValue(forKey: id)
            var answer = answer
            switch answer {
            // Nobody else may have it.
            case _ where id.number != nil: break
            case .response(let response, _):
                if response.status == 304, let copy = asked?.copy {
                    answer = .response(copy.validated(by: response), isKept: true)
                }
                if case .response(let response, _) = answer { state.cache.keep(response, id, isScript: isScript) }
            case .failed(let failure) where wasAsked: keep(failure, id, now: now, &state)
            case .failed: break
            }
            let waiting = asked?.waiting ?? []
            for waiter in waiting { Self.release(waiter, &state) }
            return (waiting, answer)
        }
        for entry in waiting { entry.continuation.resume(returning: settled) }
    }

    /// Takes no more requests. Those that wait fail.
    func close() {
        let waiting = state.withLock { state in
            state.isClosed = true
            defer { (state.asked, state.requestsOfPages) = ([:], [:]) }
            return state.asked.values.flatMap(\.waiting).map(\.continuation)
        }
        for continuation in waiting { continuation.resume(returning: nil) }
    }

    // MARK: Failures

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
}
