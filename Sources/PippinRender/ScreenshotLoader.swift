import PippinCrawl
import PippinPage
import Synchronization

/// Answers the requests of one page that is rendered three times: to be read, and for screenshots with and without its scripts.
///
///     read        asks the loader, and keeps the answers
///     with        the kept answers; asks for styles and pictures, few and not for long
///     without     the kept answers
///
/// So screenshots never ask for the same file twice, and never change what is read.
final class ScreenshotLoader: SubresourceLoader {
    enum Stage {
        case reading
        case looking(until: ContinuousClock.Instant)
        case keeping
    }

    private struct State {
        var stage = Stage.reading
        var answers: [Subresource: SubresourceAnswer] = [:]
        var lookCount = 0
        var lookBytes = 0
    }

    /// Styles and pictures. Each takes a turn of its host, while somebody waits for the card.
    private static let maximumLooks = 30
    private static let maximumLookBytes = 8_000_000
    /// The time in which they are asked for.
    static let patience = Duration.seconds(10)

    private let loader: any SubresourceLoader
    private let state = Mutex(State())

    init(_ loader: any SubresourceLoader) { self.loader = loader }

    func begin(_ stage: Stage) { state.withLock { $0.stage = stage } }

    func load(_ request: Subresource) async -> SubresourceAnswer {
        let (kept, stage) = state.withLock { state in
            if request.kind.isLook { state.lookCount += state.answers[request] == nil ? 1 : 0 }
            return (state.answers[request], state.stage)
        }
        if let kept { return kept }
        let answer: SubresourceAnswer
        switch stage {
        case .reading: answer = await loader.load(request)
        case .looking(let end) where request.kind.isLook && hasRoom: answer = await look(request, until: end)
        case .looking, .keeping:
            return .failed(RequestFailure(.tooManyFiles(limit: Self.maximumLooks), asking: request.url))
        }
        state.withLock { state in
            if request.kind.isLook, case .response(let response, _) = answer {
                state.lookBytes += response.body.count
            }
            state.answers[request] = answer
        }
        return answer
    }

    private var hasRoom: Bool {
        state.withLock { $0.lookCount <= Self.maximumLooks && $0.lookBytes < Self.maximumLookBytes }
    }

    /// Gives up at a time: whoever waits for a card does not wait for all turns.
    private func look(_ request: Subresource, until end: ContinuousClock.Instant) async -> SubresourceAnswer {
        let failed = SubresourceAnswer.failed(RequestFailure(.failed(.cancelled), asking: request.url))
        guard .now < end else { return failed }
        return await withTaskGroup(of: SubresourceAnswer.self) { group in
            group.addTask { await self.loader.load(request) }
            group.addTask {
                do { try await Task.sleep(until: end) } catch { return failed }
                return failed
            }
            defer { group.cancelAll() }
            return await group.next() ?? failed
        }
    }
}
