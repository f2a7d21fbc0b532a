import Foundation
import PippinCrawl
import PippinPage

/// The bot of a demo: its key, the directory on the demo's host `bot.example`, and the pages that admit only it.
public struct DemoBot: Sendable {
    /// The host that publishes the key.
    public static let host = "bot.example"
    /// What pages for signed requests ask for (RFC 9421 §5.1).
    private static let wanted =
        #"sig1=("@authority" "@method" "@path" "signature-agent");created;expires;keyid;tag="web-bot-auth""#

    private let key: SigningKey

    public init(key: SigningKey) { self.key = key }

    /// Where its public key is.
    public static func directory(_ ports: DemoPorts) -> String {
        ports.secureOrigin(of: host) + CrawlConfiguration.Agent.Signing.directoryPath
    }

    private var keys: KeyDirectory { KeyDirectory([KeyDirectory.Entry(key.publicKey)]) }

    /// The directory, signed for as long as it may be kept.
    func directoryReply(_ ports: DemoPorts, at date: Date) throws -> DemoSite.Reply {
        guard let url = WebURL(Self.directory(ports)) else { preconditionFailure("ports make a URL") }
        let body = keys.json()
        let fields = try KeyDirectory.fields(of: body, at: url, keys: [key], created: date, life: .seconds(86_400))
        return DemoSite.Reply(status: 200, headers: fields + [("Cache-Control", "max-age=86400")], body: body)
    }

    /// The answer to a request that is not signed as it must be; nil if it is admitted.
    func refusal(of request: SignedMessage, at date: Date) throws -> DemoSite.Reply? {
        let reason: String
        switch try keys.verdict(on: request, at: date) {
        case .verified: return nil
        case .unsigned: reason = "the request is not signed"
        case .invalid(let text): reason = text
        }
        return DemoSite.Reply(
            status: 401,
            headers: [("Content-Type", "text/plain; charset=utf-8"), ("Accept-Signature", Self.wanted)],
            body: Array("Only bots that are known are admitted (Web Bot Auth): \(reason).\n".utf8))
    }
}
