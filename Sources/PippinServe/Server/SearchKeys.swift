import Foundation
import PippinCrawl
import PippinPage
import PippinStore

/// What somebody may do.
enum WebAccess: Sendable {
    case everything
    /// Search and suggestions, within a restriction if there is one.
    case search(SearchRestriction?)

    /// What to say to whoever wants more.
    static let searchOnly = "This key may only search."
}

/// Keys that may only search, for programs whose users can read them: a page, an app.
///
/// A file has one a line, then what limits it:
///
///     # the search field of the shop
///     3f9c…e1a7 expires=2027-01-01 filter=site:shop.example type:product
public struct SearchKeys: Sendable {
    struct Key: Sendable {
        fileprivate let token: AccessToken
        /// Its first second that does not count any more.
        let expires: Date?
        let restriction: SearchRestriction?
    }

    static let maximum = 1_000

    /// What counts while the file cannot be used.
    public static let none = SearchKeys()

    private var keys: [Key] = []

    private init() {}

    /// - Parameters:
    ///   - text: what the file has.
    ///   - source: names the file, for the error.
    public init(_ text: String, source: String) throws(ReportedFailure) {
        var lines: [Substring: Int] = [:]
        for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let line = line.trimmingCharacters(in: .whitespaces)
            guard !line.isEmpty, !line.hasPrefix("#") else { continue }
            let place = "\(source), line \(number + 1)"
            guard keys.count < Self.maximum else {
                throw ReportedFailure("\(place): there are more than \(Self.maximum) keys", .usage)
            }
            // Of two lines for one key, one would not hold, perhaps the one with the filter.
            let token = line.prefix { !$0.isWhitespace }
            if let first = lines.updateValue(number + 1, forKey: token) {
                throw ReportedFailure("\(place): this key is in line \(first) already; a key has one line", .usage)
            }
            keys.append(try Self.key(line, place))
        }
        guard !keys.isEmpty else { throw ReportedFailure("\(source): there is no key in it", .usage) }
    }

    private static func key(_ line: String, _ place: String) throws(ReportedFailure) -> Key {
        let parts = line.split(maxSplits: 1, whereSeparator: \.isWhitespace)
        let token = try AccessToken(String(parts[0]), source: place)
        var rest = parts.count > 1 ? parts[1].drop(while: \.isWhitespace) : ""
        var (expires, restriction): (Date?, SearchRestriction?)
        while !rest.isEmpty {
            if rest.hasPrefix("expires=") {
                let day = rest.dropFirst("expires=".count).prefix { !$0.isWhitespace }
                guard day.utf8.count == 10, let date = W3CDateTime.date(from: day) else {
                    throw ReportedFailure("\(place): expires needs a day, such as expires=2027-01-01", .usage)
                }
                expires = date
                rest = rest.dropFirst("expires=".count + day.count).drop(while: \.isWhitespace)
            } else if rest.hasPrefix("filter=") {
                // Filters have spaces between them, so they are the last.
                guard !rest.split(whereSeparator: \.isWhitespace).contains(where: { $0.hasPrefix("expires=") }) else {
                    throw ReportedFailure(
                        "\(place): expires= must come before filter=, which takes the rest of the line", .usage)
                }
                do throws(SearchRestriction.Unusable) {
                    restriction = try SearchRestriction(String(rest.dropFirst("filter=".count)))
                } catch {
                    throw ReportedFailure("\(place): the filter cannot be used: \(error.reason)", .usage)
                }
                rest = ""
            } else {
                throw ReportedFailure(
                    "\(place): after the key come expires=DAY and filter=FILTERS, not \(Wording.quoted(String(rest), to: 40))",
                    .usage)
            }
        }
        return Key(token: token, expires: expires, restriction: restriction)
    }

    /// The key that a text is; nil if it is none. All keys are compared, whichever it is.
    func key(matching text: String) -> Key? {
        var found: Key?
        for key in keys where key.token.matches(text) { found = key }
        return found
    }
}
