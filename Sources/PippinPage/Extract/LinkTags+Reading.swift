extension LinkTags {
    /// Links of a page that are kept: sites in 100 languages have some 200.
    static let maximumTags = 5_000

    /// - Parameters:
    ///   - pageURL: what the header's links are relative to.
    ///   - baseURL: what the elements' links are relative to; see `HTMLDocument.baseURL(pageURL:)`.
    public init(_ document: HTMLDocument, headers: HTTPHeaders = HTTPHeaders(), pageURL: WebURL, baseURL: WebURL) {
        var bytes = 0
        for value in headers.values("Link") {
            LinkHeader.read(value, pageURL: pageURL) { append($0, &bytes) }
        }
        let body = document.elements(named: .body).first
        for element in document.elements(named: .link) {
            guard let written = document.bytes(of: .href, on: element)?.trimmingHTMLSpace() else { continue }
            let unwrapped = WrittenAddress.unwrapped(written)
            let href = unwrapped?[...] ?? written
            let rel = document.bytes(of: .rel, on: element)
            let relations = LinkRelations(rel ?? [])
            if !relations.isKept {
                // Without rel it is a property's value where it says so, else an alternate whose author forgot.
                let isProperty =
                    rel == nil
                    && (document.bytes(of: .itemprop, on: element) ?? document.bytes(of: .property, on: element)) != nil
                guard AppAlternate.isAppAddress(href), !isProperty else { continue }
            }
            var tag = LinkTag(relations: relations, href: String(decoding: href, as: UTF8.self))
            tag.isWrapped = unwrapped != nil
            tag.url = tag.href.isEmpty ? nil : WebURL(tag.href, base: baseURL)
            tag.type = Self.text(.type, of: element, in: document)
            tag.title = Self.text(.title, of: element, in: document)
            tag.media = Self.text(.media, of: element, in: document)
            tag.hreflang = Self.text(.hreflang, of: element, in: document)
            if !relations.isDisjoint(with: [.icon, .appleTouchIcon, .maskIcon]) {
                tag.sizes = Self.text(.sizes, of: element, in: document)
                tag.color = Self.text(.color, of: element, in: document)
            }
            tag.isInBody = body.map { document.isElement(element, inside: $0) } ?? false
            tag.place = document.place(of: element)
            append(tag, &bytes)
        }
    }

    /// - Parameter bytes: of the addresses so far. The first canonical link is kept however many come before it.
    private mutating func append(_ tag: LinkTag, _ bytes: inout Int) {
        bytes += tag.url?.href.utf8.count ?? 0
        let fits =
            tags.count < Self.maximumTags && bytes <= ReadingLimits.standard.maximumOutlinkBytes
            || tag.relations.contains(.canonical) && !tags.contains { $0.relations.contains(.canonical) }
        if fits {
            tags.append(tag)
            if tag.isWrapped { notes.append(tag.wrappedNote) }
        } else if !isFull {
            isFull = true
            notes.append(
                tag.note(
                    .document(.tooManyLinks),
                    "The page has more than \(Self.maximumTags) link elements and headers, or longer ones than any page needs."
                ))
        }
    }

    private static func text(_ name: HTMLName, of element: HTMLDocument.Index, in document: HTMLDocument) -> String? {
        guard let bytes = document.bytes(of: name, on: element)?.trimmingHTMLSpace(), !bytes.isEmpty else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension LinkTag {
    /// Under the code of what the link is for.
    fileprivate var wrappedNote: ParseNote {
        let code: ParseNote.Code =
            relations.contains(.canonical)
            ? .canonical(.wrapped)
            : AppAlternate.isAppAddress(Array(href.utf8)[...]) ? .appAlternate(.wrapped) : .document(.linkURLWrapped)
        return note(code, "The address of a link is wrapped over lines; it is read as “\(href.prefix(200))”.")
    }
}

extension LinkRelations {
    /// The known words of a `rel` attribute.
    init(_ rel: ArraySlice<UInt8>) {
        self = []
        var start = rel.startIndex
        while start < rel.endIndex {
            if rel[start].isHTMLSpace {
                start += 1
                continue
            }
            var end = start + 1
            while end < rel.endIndex, !rel[end].isHTMLSpace { end += 1 }
            insert(Self.word(rel[start..<end]))
            start = end
        }
    }

    private static func word(_ word: ArraySlice<UInt8>) -> LinkRelations {
        switch word.count {
        case 3 where word.equalsIgnoringCase("ugc"): .ugc
        case 4 where word.equalsIgnoringCase("icon"): .icon
        case 4 where word.equalsIgnoringCase("next"): .next
        case 4 where word.equalsIgnoringCase("prev"): .previous
        case 6 where word.equalsIgnoringCase("search"): .search
        case 7 where word.equalsIgnoringCase("amphtml"): .amp
        case 7 where word.equalsIgnoringCase("sitemap"): .sitemap
        case 8 where word.equalsIgnoringCase("nofollow"): .nofollow
        case 8 where word.equalsIgnoringCase("manifest"): .manifest
        case 8 where word.equalsIgnoringCase("previous"): .previous
        case 9 where word.equalsIgnoringCase("alternate"): .alternate
        case 9 where word.equalsIgnoringCase("canonical"): .canonical
        case 9 where word.equalsIgnoringCase("image_src"): .imageSource
        case 9 where word.equalsIgnoringCase("mask-icon"): .maskIcon
        case 9 where word.equalsIgnoringCase("sponsored"): .sponsored
        case 10 where word.equalsIgnoringCase("stylesheet"): .stylesheet
        case 16 where word.equalsIgnoringCase("apple-touch-icon"): .appleTouchIcon
        case 28 where word.equalsIgnoringCase("apple-touch-icon-precomposed"): .appleTouchIcon
        default: []
        }
    }

    /// Whether an extractor asks for such links; `alternate stylesheet` is a style sheet.
    var isKept: Bool {
        !contains(.stylesheet) && !subtracting([.nofollow, .ugc, .sponsored]).isEmpty
    }

    /// What `rel` says of the author's trust in the target.
    var trust: LinkRelations { intersection([.nofollow, .ugc, .sponsored]) }

    /// Names of the trust words, in the order of the standard's list.
    var trustNames: [String] {
        var names: [String] = []
        if contains(.nofollow) { names.append("nofollow") }
        if contains(.sponsored) { names.append("sponsored") }
        if contains(.ugc) { names.append("ugc") }
        return names
    }
}
