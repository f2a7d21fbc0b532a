import PippinPage

/// The scripts, styles, pictures, media and frames that a page's markup names.
struct PageResources: Sendable {
    enum Kind: String, Sendable {
        case script, style, picture, audio, video, frame, object
    }

    /// A resource, and the line of the markup that names it.
    struct Resource: Sendable {
        let kind: Kind
        let url: WebURL
        let element: HTMLDocument.Index
        let place: SourcePlace

        fileprivate func being(_ kind: Kind) -> Resource {
            Resource(kind: kind, url: url, element: element, place: place)
        }
    }

    /// What the page is rendered with, in this order: scripts, style sheets, pictures.
    private(set) var resources: [Resource] = []
    /// What is shown in the page besides: audio, video, frames, objects, other sizes of pictures.
    private(set) var embedded: [Resource] = []

    /// The most resources of each kind. Pages have a few dozen.
    private static let maximumOfKind = 200

    private static let rendering: [(HTMLName, HTMLName, Kind)] = [
        (.script, .src, .script), (.link, .href, .style), (.img, .src, .picture),
    ]
    private static let shown: [(HTMLName, HTMLName, Kind)] = [
        (.audio, .src, .audio), (.video, .src, .video), (.video, .poster, .picture), (.iframe, .src, .frame),
        (.frame, .src, .frame), (.embed, .src, .object), (.object, .data, .object),
    ]

    init(_ facts: PageFacts) {
        for (element, attribute, kind) in Self.rendering { resources += Self.all(element, attribute, kind, facts) }
        for (element, attribute, kind) in Self.shown { embedded += Self.all(element, attribute, kind, facts) }
        let document = facts.document
        // A source belongs to what it is in: audio or video.
        for resource in Self.all(.source, .src, .video, facts) {
            let parent = document.parent(of: resource.element).map { document.elements[$0].name }
            embedded.append(parent == .audio ? resource.being(.audio) : resource)
        }
        for element in [HTMLName.img, .source] {
            embedded += Self.all(element, .srcset, .picture, facts) { ImageSet.best(of: $0)?.address }
        }
    }

    private static func all(
        _ element: HTMLName, _ attribute: HTMLName, _ kind: Kind, _ facts: PageFacts,
        _ address: (String) -> String? = { $0 }
    ) -> [Resource] {
        let document = facts.document
        return document.elements(named: element).prefix(maximumOfKind).compactMap { index in
            if kind == .style, document.value(of: .rel, on: index)?.asciiLowercased.contains("stylesheet") != true {
                return nil
            }
            guard let written = document.value(of: attribute, on: index).flatMap(address), !written.isEmpty,
                let url = WebURL(written: written, base: facts.baseURL), url.isHTTP
            else { return nil }
            return Resource(kind: kind, url: url, element: index, place: document.place(of: index))
        }
    }

    /// Origins other than the page's, those with the most resources first.
    func otherOrigins(than page: WebURL) -> [WebURL] {
        var counts: [String: (count: Int, first: WebURL)] = [:]
        for resource in resources {
            guard let origin = resource.url.origin, origin != page.origin else { continue }
            counts[origin, default: (0, resource.url)].count += 1
        }
        return counts.sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }.map(\.value.first)
    }
}
