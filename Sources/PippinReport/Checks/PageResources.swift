import PippinPage

/// The scripts, styles and pictures that a page's markup names.
public struct PageResources: Sendable {
    /// A resource, and the line of the markup that names it.
    public struct Resource: Sendable {
        public let url: WebURL
        let place: SourcePlace
        public var line: Int { place.line }
    }

    /// The resources: scripts, then style sheets, then pictures.
    public private(set) var resources: [Resource] = []

    /// The most resources of each kind. Pages have a few dozen.
    private static let maximumOfKind = 200

    public init(_ facts: PageFacts) {
        let document = facts.document
        for (element, attribute) in [(HTMLName.script, HTMLName.src), (.link, .href), (.img, .src)] {
            for index in document.elements(named: element).prefix(Self.maximumOfKind) {
                if element == .link, document.value(of: .rel, on: index)?.asciiLowercased.contains("stylesheet") != true
                {
                    continue
                }
                guard let written = document.value(of: attribute, on: index), !written.isEmpty,
                    let url = WebURL(written: written, base: facts.baseURL), url.isHTTP
                else { continue }
                resources.append(Resource(url: url, place: document.place(of: index)))
            }
        }
    }

    /// Origins other than the page's, those with the most resources first.
    public func otherOrigins(than page: WebURL) -> [WebURL] {
        var counts: [String: (count: Int, first: WebURL)] = [:]
        for resource in resources {
            guard let origin = resource.url.origin, origin != page.origin else { continue }
            counts[origin, default: (0, resource.url)].count += 1
        }
        return counts.sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }.map(\.value.first)
    }
}
