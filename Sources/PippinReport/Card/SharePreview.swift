import PippinPage

/// How a page looks where it is shared or found: title, description, picture and site as one network reads them from the
/// markup, with what it cuts and what it lacks.
struct SharePreview: Sendable {
    /// Where the page is shown.
    enum Network: String, Sendable, CaseIterable {
        case messages, x, facebook, slack, linkedin, whatsapp, discord, spotlight

        /// The name for people.
        var name: String {
            switch self {
            case .messages: "Messages"
            case .x: "X"
            case .facebook: "Facebook"
            case .slack: "Slack"
            case .linkedin: "LinkedIn"
            case .whatsapp: "WhatsApp"
            case .discord: "Discord"
            case .spotlight: "Spotlight"
            }
        }
    }

    /// How the parts are arranged.
    enum Layout: String, Sendable {
        /// A wide picture with the words below or upon it.
        case large
        /// A small picture beside the words.
        case small
        /// Words alone.
        case text
        /// No card: the bare address.
        case link
    }

    /// A text as it is shown, and where it comes from.
    struct Part: Sendable, Hashable {
        /// The text, cut where the network cuts it.
        let text: String
        /// The tag: `og:title`, `title`.
        let source: String
        /// The characters of the whole text, if it is cut; otherwise nil.
        let wholeLength: Int?
    }

    /// The picture that the network takes.
    struct Picture: Sendable, Hashable {
        let url: WebURL
        let source: String
        let alt: String?
    }

    let network: Network
    var layout = Layout.text
    var title: Part?
    var description: Part?
    var picture: Picture?
    /// The name of the site, where the network shows it.
    var siteName: String?
    /// The domain as the network shows it.
    let domain: String
    /// What is cut, missing, or taken from elsewhere, as sentences.
    var notes: [String] = []

    init(network: Network, domain: String) {
        self.network = network
        self.domain = domain
    }
}

extension SharePreview {
    var json: JSONValue {
        func part(_ part: Part) -> JSONValue {
            JSONObject.with {
                $0.put("text", part.text)
                $0.put("source", part.source)
                $0.put("wholeLength", part.wholeLength)
            }
        }
        return JSONObject.with {
            $0.put("network", network.rawValue)
            $0.put("layout", layout.rawValue)
            if let title { $0["title"] = part(title) }
            if let description { $0["description"] = part(description) }
            if let picture {
                $0["picture"] = JSONObject.with {
                    $0.put("url", picture.url.href)
                    $0.put("source", picture.source)
                    $0.put("alt", picture.alt)
                }
            }
            $0.put("siteName", siteName)
            $0.put("domain", domain)
            $0["notes"] = .array(notes.map { .string($0) })
        }
    }
}
