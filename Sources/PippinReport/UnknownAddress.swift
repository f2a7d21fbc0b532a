import PippinPage

/// The address of a page that was read from a file and does not say where it is published.
///
/// Reading needs a base for relative addresses, so there is one under a reserved name; a report shows words in its place
/// that nobody takes for an address.
public enum UnknownAddress {
    /// RFC 2606 §2: a name that nobody has.
    private static let host = "page.invalid"
    private static let shownHost = "YOUR-SITE"

    /// What the page is read under.
    public static let url: WebURL = {
        guard let url = WebURL("https://\(host)/PATH/THIS-PAGE") else { preconditionFailure("this is a URL") }
        return url
    }()

    /// What a report shows for it.
    static let placeholder = shown(url.href)

    static func isHost(of url: WebURL) -> Bool { url.host == host }

    /// A text in which addresses under the reserved name are placeholders: `https://YOUR-SITE/picture.png`.
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

    /// Where the page itself says that it is: its canonical link, else its `og:url`, if one is a whole web address.
    public static func resolved(by facts: PageFacts) -> WebURL? {
        [facts.metadata.canonical, facts.openGraph?.url].compactMap { $0 }.first { $0.isHTTP && !isHost(of: $0) }
    }
}

extension ReportCard {
    /// Whether it is known where the page is published.
    var isAddressKnown: Bool { !UnknownAddress.isHost(of: url) }

    /// The page in a heading.
    var name: String { isAddressKnown ? url.href : "a page whose address is not known" }

    static let unknownAddressNote =
        "\(UnknownAddress.placeholder) stands for the page's address: give it with --url."

    /// What leaves the card goes through one of these, so that no form shows the reserved name.
    func shown(_ text: String) -> String { isAddressKnown ? text : UnknownAddress.shown(text) }
    func shown(_ value: JSONValue) -> JSONValue { isAddressKnown ? value : UnknownAddress.shown(value) }
}
