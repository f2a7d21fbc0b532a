import Foundation
import PippinCrawl
import Synchronization

/// The browsers that have signed in. Each has a random identifier in a cookie; the server remembers its digest only, in memory, so
/// that a restart signs everyone out.
final class BrowserSessions: Sendable {
    static let cookieName = "pippin-session"
    /// After so many days a browser has to sign in again.
    static let days = 30
    /// The oldest ends when there are more.
    static let maximum = 1_000

    private let ends = Mutex<[[UInt8]: ContinuousClock.Instant]>([:])

    /// Begins a session.
    ///
    /// - Returns: its identifier: 256 bits of the system's random numbers, in hexadecimal digits.
    func begin(now: ContinuousClock.Instant = .now) -> String {
        var generator = SystemRandomNumberGenerator()
        let identifier = (0..<4).map { _ in
            let digits = String(generator.next() as UInt64, radix: 16)
            return String(repeating: "0", count: 16 - digits.utf8.count) + digits
        }.joined()
        ends.withLock { ends in
            ends = ends.filter { $0.value > now }
            if ends.count >= Self.maximum, let oldest = ends.min(by: { $0.value < $1.value }) { ends[oldest.key] = nil }
            ends[Self.digest(of: identifier)] = now + .seconds(Self.days * 86_400)
        }
        return identifier
    }

    /// Whether a session has the identifier. How long it takes tells nothing of identifiers: their digests are looked up.
    func contains(_ identifier: String, now: ContinuousClock.Instant = .now) -> Bool {
        let digest = Self.digest(of: identifier)
        return ends.withLock { $0[digest].map { $0 > now } ?? false }
    }

    func end(_ identifier: String) {
        let digest = Self.digest(of: identifier)
        ends.withLock { _ = $0.removeValue(forKey: digest) }
    }

    private static func digest(of identifier: String) -> [UInt8] { Digest.sha256(Array(identifier.utf8)) }

    /// The identifier that the cookies of a request have; nil without one.
    static func identifier(in fields: [String: String]) -> String? {
        for cookie in fields["cookie"]?.split(separator: ";") ?? [] {
            let sides = cookie.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            if sides.count == 2, sides[0] == cookieName, !sides[1].isEmpty { return sides[1] }
        }
        return nil
    }
}
