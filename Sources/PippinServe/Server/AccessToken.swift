import Foundation
import PippinCrawl

/// The secret that gives access to a server that is not only reachable from its own machine.
///
/// It comes in `Authorization: Bearer`, or once in the sign-in form, which begins a session (`BrowserSessions`).
public struct AccessToken: Sendable {
    /// Shorter tokens could be guessed.
    static let minimumLength = 16
    static let maximumLength = 512

    private let digest: [UInt8]

    /// - Parameters:
    ///   - text: the token. White space around it is ignored.
    ///   - source: names where it came from, for the error.
    public init(_ text: String, source: String) throws(ReportedFailure) {
        let token = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw Self.unusable(source, "it has characters other than visible ASCII ones")
        }
        guard (Self.minimumLength...Self.maximumLength).contains(token.utf8.count) else {
            throw Self.unusable(
                source,
                "it must have \(Self.minimumLength) to \(Self.maximumLength) characters; openssl rand -hex 32 makes one"
            )
        }
        digest = Digest.sha256(Array(token.utf8))
    }

    private static func unusable(_ source: String, _ reason: String) -> ReportedFailure {
        ReportedFailure("the token of \(source) cannot be used: \(reason)", .usage)
    }

    /// Whether a text is the token. The time it takes does not depend on how much of it is right: digests are compared, and all
    /// of their bytes.
    func matches(_ text: String) -> Bool {
        Self.areEqual(Digest.sha256(Array(text.utf8)), digest)
    }

    /// The token in the header fields of a request; nil if they have none.
    static func bearer(in fields: [String: String]) -> String? {
        guard let authorization = fields["authorization"], authorization.lowercased().hasPrefix("bearer ") else {
            return nil
        }
        return String(authorization.dropFirst(7)).trimmingCharacters(in: .whitespaces)
    }

    /// Whether two digests are the same. All bytes are looked at, whichever differ.
    static func areEqual(_ a: some Collection<UInt8>, _ b: some Collection<UInt8>) -> Bool {
        a.count == b.count && zip(a, b).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
