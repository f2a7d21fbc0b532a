import PippinPage
import PippinReport
import PippinStore

/// A record as a search result.
struct ResultMarkup {
    let record: JSONValue
    /// Whether the server fetches the pictures that the record names.
    let showsPictures: Bool
    let facts: ResultFacts

    init(_ record: JSONValue, showsPictures: Bool) {
        self.record = record
        self.showsPictures = showsPictures
        facts = ResultFacts(record)
    }

    var identifier: String { record["uniqueIdentifier"]?.string ?? "" }

    var name: String { record["title"]?.string ?? record["url"]?.string ?? "A page without a title" }

    /// The language of the record's texts as an attribute, so that they are spoken and hyphenated in it; none if it is not known.
    var language: HTML? {
        guard let tag = record["languages"]?.array?.first?.string, Self.isLanguageTag(tag) else { return nil }
        return " lang=\"\(tag)\""
    }

    /// Whether a text has the form of a language tag (RFC 5646 §2.1).
    private static func isLanguageTag(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        return parts.count <= 8 && (2...8).contains(parts[0].count)
            && parts.allSatisfy { part in
                (1...8).contains(part.count)
                    && part.allSatisfy {
                        (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
                    }
            }
    }

    /// The address of the record's own page.
    private var details: String { LocalLink("/record", ["url": identifier]).description }

    /// - Parameters:
    ///   - hit: the words that match.
    ///   - click: attributes of the link, by which the page's script reports a click.
    ///   - more: a search for further hits of the same host.
    ///   - explanation: why it stands here.
    func article(
        of hit: SearchHit, click: HTML?, more: (label: String, href: String)? = nil, explanation: HTML?
    ) -> HTML {
        func marked(_ text: HighlightedText) -> [HTML]? {
            text.text.isEmpty ? nil : text.pieces.map { $0.isMatch ? "<mark>\($0.text)</mark>" : "\($0.text)" }
        }
        let icon = picture(.icon)
        let isVerified = (record["deepLinks"]?.array ?? []).contains {
            $0["platform"]?.string != "web" && Self.isVerified($0)
        }
        let snippet = marked(hit.snippet) ?? record["snippet"]?.string.map { ["\($0)"] }
        // A record without a page that can be linked leads to its own page here.
        let link = SafeLink.page(record["url"]?.string) ?? details
        return """
            <article class="result hit">
            <div class="row">
            \(thumbnail(size: 96))
            <div class="words">
            <p class="site">\(icon.map { """
                <img class="site-icon" src="\($0)" alt="" width="18" height="18" loading="lazy" \
                data-letter="">
                """ })<span dir="auto">\(facts.siteLine)</span>\("""
                <span class="sure" title="The site's association file confirms that its app opens this page">✓ Verified app</span>
                """, if: isVerified)</p>
            <h2\(language) dir="auto"><a href="\(link)" rel="noreferrer noopener"\(click)>\(marked(hit.title) ?? ["\(name)"])</a></h2>
            \(snippet.map { "<p class=\"snippet\"\(language) dir=\"auto\">\($0)</p>" })
            \(factLine)
            </div>
            </div>
            <div class="buttons">\(buttons.map { """
                <a class="button" href="\($0.href)" rel="noreferrer noopener">\($0.label)<span class="unseen">: \(name)</span></a>
                """ })\
            <a class="button quiet-button" href="\(details)">Details<span class="unseen"> of \(name)</span></a>\
            \(more.map { "<a class=\"button quiet-button\" href=\"\($0.href)\">\($0.label)</a>" })</div>
            \(explanation)
            </article>
            """
    }

    /// A small result, for a grid.
    var tile: HTML {
        """
        <a class="card tile-link" href="\(details)">\(thumbnail(in: "span", size: 56, alternative: ""))
        <span class="words"><b\(language) dir="auto">\(name)</b><small dir="auto">\(facts.siteLine)</small></span></a>
        """
    }

    /// The address of a picture on this server; nil if none is shown.
    private func picture(_ kind: PictureRoute.Kind) -> String? {
        guard showsPictures, SafeLink.page(record[kind.field]?.string) != nil else { return nil }
        return PictureRoute.link(kind, of: identifier).description
    }

    /// The record's picture, or a letter in its place.
    func thumbnail(
        in element: HTML = "div", size: Int, alternative: String? = nil, isLazy: Bool = true
    ) -> HTML {
        // A color for the letters of a host, always the same.
        var hash = FNV1a()
        hash.add((record["domainIdentifier"]?.string ?? "").utf8)
        let color = "c\((hash.value >> 24) % 6)"
        guard let picture = picture(.thumbnail) else {
            return "<\(element) class=\"thumb \(color)\" aria-hidden=\"true\">\(facts.letter)</\(element)>"
        }
        let text = alternative ?? record["images"]?.array?.first?["alt"]?.string ?? ""
        return """
            <img class="thumb \(color)" src="\(picture)" alt="\(text)" width="\(size)" height="\(size)"\
            \(" loading=\"lazy\" decoding=\"async\"", if: isLazy) data-letter="\(facts.letter)">
            """
    }

    var factLine: HTML? {
        let plain: [HTML] = [facts.event, facts.time, facts.date].compactMap { $0 }.map { "<span>\($0)</span>" }
        let line: HTML = """
            \(facts.stars.map { """
                <span><span class="stars" aria-hidden="true">★★★★★<span class="w\($0.percent)">★★★★★</span></span>\
                <span class="unseen">Rated </span>\($0.text)</span>
                """ })\
            \(facts.price.map { "<span class=\"price\">\($0)</span>" })\
            \(facts.availability.map { "<span class=\"\($0.canBeHad ? "pass" : "error")\">\($0.words)</span>" })\(plain)
            """
        return line.isEmpty ? nil : "<div class=\"facts\">\(line)</div>"
    }

    static func isVerified(_ link: JSONValue) -> Bool { link["verification"]?["status"]?.string == "verified" }

    // MARK: Buttons

    private var appLinks: [JSONValue] {
        (record["deepLinks"]?.array ?? []).filter { $0["platform"]?.string != "web" }
    }

    /// The address that opens the record in an app; nil if none does, or none is safe.
    var appLink: String? {
        let opening = appLinks.filter { DeepLinkRecord.DeepLink.opensInApp(json: $0) }
        // What the site confirms goes first.
        return (opening.filter(Self.isVerified) + opening.filter { !Self.isVerified($0) }).lazy
            .compactMap { SafeLink.app($0, of: record) }.first
    }

    /// What the result lets people do: links whose addresses are safe, each label once.
    var buttons: [(label: String, href: String)] {
        var buttons: [(label: String, href: String)] = []
        var labels: Set<String> = []
        func add(_ label: String, _ href: String?) {
            guard let href, labels.insert(label).inserted else { return }
            buttons.append((label, href))
        }
        add("Open in app", appLink)
        for link in appLinks { add("View in store", Self.storePage(of: link)) }
        for action in record["actions"]?.array ?? [] {
            switch action["type"]?.string {
            case "call":
                add("Call", SafeLink.call(action["phoneNumber"]?.string, extension: action["extension"]?.string))
            case "directions":
                add(
                    "Directions",
                    SafeLink.directions(
                        address: action["address"]?.string, latitude: action["latitude"]?.double,
                        longitude: action["longitude"]?.double))
            case "play":
                add(action["media"]?.string == "audio" ? "Listen" : "Play", SafeLink.page(action["url"]?.string))
            default: break
            }
        }
        return buttons
    }

    /// The page of a store about a deep link's app; nil without a well-formed identifier.
    static func storePage(of link: JSONValue) -> String? {
        func isPlain(_ text: String, _ more: String) -> Bool {
            (1...200).contains(text.utf8.count)
                && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || more.contains($0)) }
        }
        switch link["platform"]?.string {
        case "ios", "ipados":
            guard let id = link["storeIdentifier"]?.string, isPlain(id, ""), id.allSatisfy(\.isNumber) else {
                return nil
            }
            return "https://apps.apple.com/app/id\(id)"
        case "android":
            guard let package = link["packageName"]?.string, isPlain(package, "._") else { return nil }
            return "https://play.google.com/store/apps/details?id=\(package)"
        default: return nil
        }
    }
}
