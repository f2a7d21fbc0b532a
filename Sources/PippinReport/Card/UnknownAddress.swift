import Foundation
import PippinPage

/// The address of a page that was read from a file and does not say where it is published.
///
/// Relative addresses need a base, so the page gets one with a reserved host name. Reports show words in its place that
/// nobody takes for an address.
public enum UnknownAddress {
    /// A name that can never exist (RFC 2606 §2).
    private static let host = "page.invalid"
    private static let shownHost = "YOUR-SITE"

    /// The URL under which the page is read.
    static let url: WebURL = {
        guard let url = WebURL("https://\(host)/PATH/THIS-PAGE") else { preconditionFailure("this is a URL") }
        return url
    }()

    /// What reports show instead of that URL.
    static let placeholder = shown(url.href)

    static func isHost(of url: WebURL) -> Bool { url.host == host }

    /// Replaces the reserved name in a text: `https://YOUR-SITE/picture.png`.
    static func shown(_ text: String) -> String { text.replacing(host, with: shownHost) }

    static func shown(_ value: JSONValue) -> JSONValue {
        switch value.content {
        case .string(let text): return .string(shown(text))
        case .array(let values): return .array(values.map(shown))
        case .object(let object):
            var changed = JSONObject()
            for member in object.members { changed[member.key] = shown(member.value) }
            return .object(changed)
        case .null, .bool, .number: return value
        }
    }

    /// The published address according to the page itself: its canonical link, or else its `og:url`. nil if neither is a
    /// complete web address.
    static func resolved(by facts: PageFacts) -> WebURL? {
        [facts.metadata.canonical, facts.openGraph?.url].compactMap { $0 }.first { $0.isHTTP && !isHost(of: $0) }
    }

    /// The same of a page that was not read yet.
    public static func resolved(byPage bytes: [UInt8]) -> WebURL? {
        resolved(by: PageReading(PageSource(url: url, bytes: bytes, fetchedAt: Date()), agents: []).facts)
    }
}

extension ReportCard {
    /// Whether it is known where the page is published.
    var isAddressKnown: Bool { !UnknownAddress.isHost(of: url) }

    /// The page's name in a heading.
    var name: String { isAddressKnown ? url.href : "a page whose address is not known" }

    static let unknownAddressNote =
        "\(UnknownAddress.placeholder) stands for the page's address: give it with --url."

    /// Every form of the card passes its texts through one of these, so that none shows the reserved name.
    func shown(_ text: String) -> String { isAddressKnown ? text : UnknownAddress.shown(text) }
    func shown(_ value: JSONValue) -> JSONValue { isAddressKnown ? value : UnknownAddress.shown(value) }
}
