import PippinPage
import Synchronization

/// The requests of a crawl's rendered pages, on their way to the loop and back, and the answers that are kept for other pages.
///
///     page ──load──► kept? ──► answer
///                      └──no──► asks ──► the loop ──► its host's turn ──settle──► all pages that ask for the same
final class SubresourceDesk: Sendable {
    /// A request for the loop. It must settle it in every case.
    struct Ask: Sendable {
        let request: Subresource
        let seed: Seed

        /// What is fetched: the same file for another origin may have another answer.
        var siteFile: SiteFileRequest? { SiteFileRequest(request, seed: seed) }
    }

    private struct Kept {
        let response: FetchResponse
        let until: Duration
        var lastUse: Int
    }

    private struct State {
        var waiting: [SiteFileID: [(number: Int, continuation: CheckedContinuation<SubresourceAnswer?, Never>)]] = [:]
        var lastNumber = 0
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
    private let asks: AsyncStream<Ask>
    private let continuation: AsyncStream<Ask>.Continuation

    init(keepingBytes maximumKeptBytes: Int, clock: CrawlClock) {
        self.maximumKeptBytes = maximumKeptBytes
        self.clock = clock
        (asks, continuation) = AsyncStream.makeStream()
    }

    /// Whether the run takes no more requests. Pages that are being rendered lack some then.
    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Answers the requests of one page.
    func loader(seed: Seed) -> some SubresourceLoader { PageLoader(desk: self, seed: seed) }

    private struct PageLoader: SubresourceLoader {
        let desk: SubresourceDesk
        let seed: Seed
        func load(_ request: Subresource) async -> SubresourceAnswer { await desk.load(request, seed: seed) }
    }

    /// The next request for the loop; nil if the task was cancelled.
    func next() async -> Ask? {
        for await ask in asks { return ask }
        return nil
    }

    private func load(_ request: Subresource, seed: Seed) async -> SubresourceAnswer {
        let ask = Ask(request: request, seed: seed)
        guard let id = ask.siteFile?.id else {
            return .failed(RequestFailure(.notHTTP, asking: request.url))
        }
        let now = clock.now()
        let (number, known) = state.withLock { state -> (Int, FetchResponse?) in
            state.lastNumber += 1
            guard var kept = state.kept[id], kept.until > now else { return (state.lastNumber, nil) }
            state.uses += 1
            kept.lastUse = state.uses
            state.kept[id] = kept
            return (state.lastNumber, kept.response)
        }
        if let known { return .response(known, isKept: true) }
        let answer = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<SubresourceAnswer?, Never>) in
                enum Standing { case gone, first, waits }
                let standing = state.withLock { state -> Standing in
                    guard !state.isClosed, !Task.isCancelled else { return .gone }
                    state.waiting[id, default: []].append((number, continuation))
                    return state.waiting[id]?.count == 1 ? .first : .waits
                }
                switch standing {
                case .gone: continuation.resume(returning: nil)
                case .first: self.continuation.yield(ask)
                case .waits: break
                }
            }
        } onCancel: {
            let waiting = state.withLock { state -> CheckedContinuation<SubresourceAnswer?, Never>? in
                guard let index = state.waiting[id]?.firstIndex(where: { $0.number == number }) else { return nil }
                return state.waiting[id]?.remove(at: index).continuation
            }
            waiting?.resume(returning: nil)
        }
        return answer ?? .failed(RequestFailure(.failed(.cancelled), asking: request.url))
    }

    /// Answers all pages that asked for a file.
    func settle(_ id: SiteFileID, _ answer: SubresourceAnswer, isScript: Bool) {
        let now = clock.now()
        let waiting = state.withLock { state in
            if case .response(let response, _) = answer { keep(response, id, isScript: isScript, now: now, &state) }
            return state.waiting.removeValue(forKey: id) ?? []
        }
        for entry in waiting { entry.continuation.resume(returning: answer) }
    }

    /// Takes no more requests. Those that wait fail.
    func close() {
        let waiting = state.withLock { state in
            state.isClosed = true
            defer { state.waiting = [:] }
            return state.waiting.values.joined().map(\.continuation)
        }
        for continuation in waiting { continuation.resume(returning: nil) }
    }

    // MARK: Kept answers

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
