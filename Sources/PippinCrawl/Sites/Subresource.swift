import PippinPage

/// What a page's scripts ask for.
public struct Subresource: Sendable, Hashable {
    /// The kinds that are asked for. Pictures, styles, fonts, films and frames never are: they add no text.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        case script, data
    }

    public let url: WebURL
    public let kind: Kind
    /// The page's origin, if the request goes to another: its server decides by it who may read the answer (CORS).
    public let origin: String?

    public init(url: WebURL, kind: Kind, origin: String? = nil) {
        self.url = url
        self.kind = kind
        self.origin = origin
    }
}
