import Foundation
import PippinCrawl

/// The secret that gives access to a server that is not only reachable from its own machine.
///
/// It comes in `Authorization: Bearer`, or in a cookie that the sign-in form sets. The cookie holds a digest, so that a stolen
/// cookie does not show the token.
public struct AccessToken: Sendable {
    /// Shorter tokens could be guessed.
    static let minimumLength = 16
    static let maximumLength = 512

    static let cookieName = "pippin-session"

    private let digest: [UInt8]
    /// What the cookie holds.
    let session: String

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
        session = Self.hexadecimal(Digest.sha256(Array("pippin-session:\(token)".utf8)))
    }

    private static func unusable(_ source: String, _ reason: String) -> ReportedFailure {
        ReportedFailure("the token of \(source) cannot be used: \(reason)", .usage)
    }

    /// Whether a text is the token. The time it takes does not depend on how much of it is right: digests are compared, and all
    /// of their bytes.
    func matches(_ text: String) -> Bool {
        Self.areEqual(Digest.sha256(Array(text.utf8)), digest)
    }

    /// Whether the header fields of a request give access.
    func admits(_ fields: [String: String]) -> Bool {
        if let authorization = fields["authorization"], authorization.lowercased().hasPrefix("bearer ") {
            return matches(String(authorization.dropFirst(7)).trimmingCharacters(in: .whitespaces))
        }
        for cookie in fields["cookie"]?.split(separator: ";") ?? [] {
            let sides = cookie.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            guard sides.count == 2, sides[0] == Self.cookieName else { continue }
            return Self.areEqual(Array(sides[1].utf8), Array(session.utf8))
        }
        return false
    }

    private static func areEqual(_ a: [UInt8], _ b: [UInt8]) -> Bool {
        guard a.count == b.count else { return false }
        return zip(a, b).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}
