import Foundation
import PippinPage

/// What RFC 9111 lets a private cache do with an answer.
struct CacheLifetime: Equatable {
    /// For how long it is fresh from its receipt; zero: it is validated before each use.
    let freshFor: Duration
    /// Whether pages of other origins may have it, too.
    let isForAllOrigins: Bool

    /// Statuses that may be kept by a rule of thumb (RFC 9110 §15.1), as far as they end a request.
    private static let keepable: Set = [200, 203, 204, 301, 308, 404, 410]
    /// The longest time by a rule of thumb (RFC 9111 §4.2.2), and the shortest for a script of which nothing is said.
    private static let longestGuess = Duration.seconds(86_400)
    private static let shortestOfScript = Duration.seconds(3600)
    /// The longest time of all.
    private static let longest = Duration.seconds(365 * 86_400)

    /// Nil if it may not be kept.
    init?(of response: FetchResponse, isScript: Bool) {
        let control = Self.directives(response.headers)
        let vary = response.headers.values("Vary").joined(separator: ",").lowercased().split(
            separator: ","
        )
        .map { $0.trimmingPrefix { $0 == " " } }
        // What else it may name is the same in all our requests, or is part of the key, as the origin is.
        guard Self.keepable.contains(response.status),
            control["no-store"] == nil || control["must-understand"] != nil,
            !vary.contains("*")
        else { return nil }
        isForAllOrigins =
            response.headers.values("Access-Control-Allow-Origin") == ["*"]
            && !vary.contains { $0.hasPrefix("origin") }
        let stated = control["no-cache"] != nil ? Duration.zero : Self.statedLifetime(response, control)
        let lifetime = stated ?? Self.guessedLifetime(response, isScript: isScript)
        freshFor = max(.zero, min(lifetime, Self.longest) - Self.age(of: response))
    }

    // MARK: Directives

    /// Directives of `Cache-Control` by name; of repeated ones the first counts (§4.2.1).
    private static func directives(_ headers: HTTPHeaders) -> [String: String] {
        var found: [String: String] = [:]
        var (text, isQuoted) = ("", false)
        func end() {
            let parts = text.split(separator: "=", maxSplits: 1).map { $0.trimmingPrefix { $0 == " " } }
            let name = String(parts.first ?? "").lowercased().filter { $0 != " " && $0 != "\t" }
            if !name.isEmpty, found[name] == nil {
                found[name] = parts.count > 1 ? parts[1].filter { $0 != "\"" && $0 != " " } : ""
            }
            text = ""
        }
        for character in headers.values("Cache-Control").joined(separator: ",") {
            if character == "\"" { isQuoted.toggle() }
            if character == ",", !isQuoted { end() } else { text.append(character) }
        }
        end()
        return found
    }

    /// §4.2.1: `max-age`, else `Expires`. What cannot be read is stale. `s-maxage` is for shared caches.
    private static func statedLifetime(_ response: FetchResponse, _ control: [String: String])
        -> Duration?
    {
        if let text = control["max-age"] { return seconds(text) ?? .zero }
        guard let text = response.headers["Expires"] else { return nil }
        guard let expires = HTTPDate.date(from: text) else { return .zero }
        return duration(expires.timeIntervalSince(date(of: response)))
    }

    /// §4.2.2: a tenth of the time for which it has not changed.
    private static func guessedLifetime(_ response: FetchResponse, isScript: Bool) -> Duration {
        let changed = response.headers["Last-Modified"].flatMap { HTTPDate.date(from: $0) }
        let guess = changed.map { duration(date(of: response).timeIntervalSince($0)) / 10 } ?? .zero
        return min(max(guess, isScript ? shortestOfScript : .zero), longestGuess)
    }

    /// §4.2.3: its age when it was received.
    fileprivate static func age(of response: FetchResponse) -> Duration {
        let apparent = duration(response.fetchedAt.timeIntervalSince(date(of: response)))
        let stated =
            response.headers["Age"].flatMap { seconds($0) }.map { $0 + response.totalTime } ?? .zero
        return max(apparent, stated)
    }

    private static func date(of response: FetchResponse) -> Date {
        response.headers["Date"].flatMap { HTTPDate.date(from: $0) } ?? response.fetchedAt
    }

    private static func seconds(_ text: String) -> Duration? {
        let digits = text.filter { $0 != " " }
        guard !digits.isEmpty, digits.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
        // §1.2.2: what is too large for a number counts as very long.
        return Int64(digits).map { min(.seconds($0), longest) } ?? longest
    }

    private static func duration(_ seconds: TimeInterval) -> Duration {
        .milliseconds(Int64(min(max(seconds, 0), 1e9) * 1000))
    }
}

extension FetchResponse {
    /// Whether a server can say that it has not changed.
    var hasValidators: Bool { headers["ETag"] != nil || headers["Last-Modified"] != nil }

    /// The kept answer after a 304 (RFC 9111 §4.3.4): its fields are renewed, except those that describe its bytes.
    func validated(by answer: FetchResponse) -> FetchResponse {
        let ofBytes: Set = [
            "content-length", "content-encoding", "content-type", "content-range", "transfer-encoding",
            "connection",
        ]
        let new = answer.headers.fields.filter { !ofBytes.contains($0.name.asciiLowercased) }
        let names = Set(new.map { $0.name.asciiLowercased })
        let old = headers.fields.filter { !names.contains($0.name.asciiLowercased) }
        var response = self
        response.headers = HTTPHeaders((old + new).map { ($0.name, $0.value) })
        (response.fetchedAt, response.totalTime) = (answer.fetchedAt, answer.totalTime)
        return response
    }
}

extension FetchResponse {
    /// How old the answer was when it was received (RFC 9111 §4.2.3).
    public var age: Duration { CacheLifetime.age(of: self) }
}
