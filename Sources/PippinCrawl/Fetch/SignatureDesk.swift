import PippinPage
import Synchronization

/// Decides which requests are signed, and remembers what hosts ask for. All requests of a crawl share it (`RequestGate`).
final class SignatureDesk: Sendable {
    /// The most origins that are remembered. One that is forgotten asks again.
    private static let maximumOrigins = 10_000

    private let policy: CrawlConfiguration.Agent.Signing.Policy
    /// What each origin has asked for last.
    private let asked = Mutex<[String: SignatureRequest]>([:])

    /// Nil if the configuration has no key.
    init?(_ agent: CrawlConfiguration.Agent) {
        guard let signing = agent.signing else { return nil }
        policy = signing.policy
    }

    /// How the next request to a URL is signed; nil if it is not.
    func request(for url: WebURL) -> SignatureRequest? {
        guard url.scheme == "https", let origin = url.origin else { return nil }
        let known = asked.withLock { asked -> SignatureRequest? in
            guard let request = asked[origin] else { return nil }
            if request.nonce != nil { asked[origin] = request.withoutNonce }
            return request
        }
        return known ?? (policy == .always ? .usual : nil)
    }

    /// Takes what an answer asks for.
    ///
    /// - Parameter signature: how its request was signed; nil if it was not.
    /// - Returns: whether the request is to be made once more, because only its signature was missing, or the nonce in it.
    func takes(_ answer: FetchResponse, to url: WebURL, signedAs signature: SignatureRequest?) -> Bool {
        // 429 (draft, §5): a signature was used too often. The usual retry waits, and is signed anew.
        guard [401, 403, 429].contains(answer.status), url.scheme == "https", let origin = url.origin,
            let request = SignatureRequest(answer.headers)
        else { return false }
        asked.withLock { asked in
            if asked.count >= Self.maximumOrigins, asked[origin] == nil { asked.removeAll() }
            asked[origin] = request
        }
        guard answer.status != 429 else { return false }
        guard let signature else { return true }
        return signature.nonce == nil && request.nonce != nil || signature.withoutNonce != request.withoutNonce
    }
}
