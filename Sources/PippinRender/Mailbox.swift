import PippinCrawl
import PippinPage
import Synchronization

/// Everything that reaches one page, in order: what the browser says, the answers to its requests, the time.
final class Mailbox: Sendable {
    enum Letter: Sendable {
        /// Something happened to the page.
        case event(String, JSONValue)
        /// The end of a command.
        case answer(command: Int, Result<JSONValue, CommandFailure>)
        /// The answer to a request of the page's scripts.
        case loaded(requestID: String, Subresource, SubresourceAnswer)
        /// A moment has passed.
        case tick
        case browserEnded
        /// The browser says more than anybody reads.
        case flooded
    }

    /// The browser did not do what a command said.
    struct CommandFailure: Error, Sendable {
        let message: String
    }

    /// The bytes that may wait. A page's own document takes up to six times its size as JSON.
    private static let maximumWaitingBytes = 64_000_000

    let letters: AsyncStream<(letter: Letter, byteCount: Int)>
    private let continuation: AsyncStream<(letter: Letter, byteCount: Int)>.Continuation
    private let waitingBytes = Atomic(0)

    init() {
        (letters, continuation) = AsyncStream.makeStream()
    }

    func put(_ letter: Letter, byteCount: Int = 0) {
        let waiting = waitingBytes.add(byteCount, ordering: .relaxed).newValue
        guard waiting - byteCount <= Self.maximumWaitingBytes else {
            continuation.yield((.flooded, byteCount))
            return
        }
        continuation.yield((letter, byteCount))
    }

    /// Notes that a letter was read.
    func took(byteCount: Int) { waitingBytes.subtract(byteCount, ordering: .relaxed) }
}
