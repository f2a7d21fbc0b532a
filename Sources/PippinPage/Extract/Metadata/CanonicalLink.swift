extension HTMLMetadata {
    /// A canonical link in the page or header (RFC 6596).
    public struct CanonicalLink: Sendable {
        /// The canonical address, resolved.
        public let url: WebURL
        /// Whether it is in a header of the response, not in the page.
        public let isFromHeader: Bool
        /// Whether the link is in the body. Google ignores such links.
        public let isInBody: Bool
        /// The place of the element; nil for a header.
        public let place: SourcePlace?

        /// The line in the page, 1-based; nil if unknown.
        public var line: Int? { place?.line }

        /// All canonical links, and the canonical URL: none if several links differ. Links in the body count only if there are no
        /// others, because parsers disagree about where a broken head ends.
        static func read(
            _ links: LinkTags, _ notes: inout [ParseNote]
        ) -> (all: [CanonicalLink], canonical: WebURL?) {
            var candidates: [(tag: LinkTag, url: WebURL)] = []
            for tag in links.tags where tag.relations.contains(.canonical) {
                if let url = address(of: tag, &notes) { candidates.append((tag, url)) }
            }
            let all = candidates.map { tag, url in
                CanonicalLink(url: url, isFromHeader: tag.isFromHeader, isInBody: tag.isInBody, place: tag.place)
            }
            if candidates.contains(where: { !$0.tag.isInBody }) { candidates.removeAll(where: \.tag.isInBody) }
            guard let first = candidates.first else { return (all, nil) }
            guard let other = candidates.first(where: { $0.url.href != first.url.href }) else {
                return (all, first.url)
            }
            let addresses = Wording.quoted(apart: [first.url.href, other.url.href], to: 200).joined(separator: " and ")
            notes.append(other.tag.note(.canonical(.conflict), "Canonical links differ, so none counts: \(addresses)."))
            return (all, nil)
        }

        private static func address(of tag: LinkTag, _ notes: inout [ParseNote]) -> WebURL? {
            guard !tag.href.isEmpty else {
                notes.append(tag.note(.canonical(.empty), "The canonical link has no address."))
                return nil
            }
            guard let url = tag.url, url.isHTTP else {
                notes.append(
                    tag.note(.canonical(.malformed), "The canonical link is no web address: “\(tag.href.prefix(200))”.")
                )
                return nil
            }
            if ASCIIText.scheme(of: tag.href.utf8) == nil {
                notes.append(
                    tag.note(
                        .canonical(.relative),
                        "The canonical link is relative: “\(tag.href.prefix(200))”. It is another address wherever the page is copied to."
                    ))
            }
            if tag.isInBody { notes.append(tag.note(.canonical(.inBody), "The canonical link stands in the body.")) }
            return url
        }

        var json: JSONValue {
            JSONObject.with {
                $0.put("url", url)
                $0.putFlag("isFromHeader", isFromHeader)
                $0.putFlag("isInBody", isInBody)
                $0.put("line", line)
            }
        }
    }
}
