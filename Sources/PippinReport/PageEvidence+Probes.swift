// What is asked of the network for the report card's sake alone: pictures, and how the site answers other questions.

import PippinPage

/// What an image's address answered.
public struct ImageEvidence: Sendable {
    public var url: WebURL
    /// Nil when there was no answer.
    public var status: Int?
    /// Why there was none: a clause.
    public var trouble: String?
    /// What the server says it is.
    public var mediaType: String?
    /// What its first bytes say it is; nil for what is no picture.
    public var format: ImageHeader.Format?
    /// Pixels.
    public var width: Int?
    public var height: Int?
    public var byteCount: Int?
    /// Where redirects led, in order.
    public var redirects: [WebURL] = []
    /// Whether the rules of its host let Applebot fetch it.
    public var isAllowed: Bool?
    /// Small pictures may be shown in the report.
    public var bytes: [UInt8]?

    /// Bytes of a picture that a report carries inside: as base64 a third more.
    static let maximumShownBytes = 400_000

    public init(url: WebURL, status: Int? = nil) {
        self.url = url
        self.status = status
    }

    /// A picture as it came.
    public init(url: WebURL, status: Int, mediaType: String?, body: [UInt8]) {
        self.init(url: url, status: status)
        self.mediaType = mediaType
        byteCount = body.count
        guard let header = ImageHeader(body) else { return }
        format = header.format
        width = header.width
        height = header.height
        if header.format.isRaster, body.count <= Self.maximumShownBytes { bytes = body }
    }
}

extension ImageHeader.Format {
    /// Whether every browser shows it without running anything: an SVG may hold scripts.
    public var isRaster: Bool {
        switch self {
        case .png, .jpeg, .gif, .webp, .avif: true
        case .heic, .svg: false
        }
    }
}

/// What the page's address answers over http.
public struct PlainAddressEvidence: Sendable {
    public var url: WebURL
    /// Nil when nothing answers there.
    public var status: Int?
    /// Where a redirect leads.
    public var location: WebURL?

    public init(url: WebURL, status: Int?, location: WebURL? = nil) {
        self.url = url
        self.status = status
        self.location = location
    }
}

/// What the address that the page names as its canonical one answers.
public struct CanonicalEvidence: Sendable {
    public var url: WebURL
    public var status: Int
    /// Where a redirect leads.
    public var location: WebURL?
    /// What the page there names as its canonical address.
    public var canonical: WebURL?
    /// Whether it forbids indexing.
    public var isNoindex = false

    public init(url: WebURL, status: Int) {
        self.url = url
        self.status = status
    }
}

/// What the server answers to who has the page already.
public struct RevalidationEvidence: Sendable {
    public var status: Int
    /// The validators of the first answer, and of the second.
    public var entityTag: String?
    public var lastModified: String?
    public var newEntityTag: String?
    public var newLastModified: String?
    /// Whether the second answer has the same body.
    public var isSameBody: Bool

    public init(status: Int, isSameBody: Bool) {
        self.status = status
        self.isSameBody = isSameBody
    }
}

/// The robots.txt of another host that the page takes scripts, styles or pictures from.
public struct HostRules: Sendable {
    /// Scheme, host and port.
    public var origin: String
    /// Nil when it cannot be had.
    public var file: RobotsFile?

    public init(origin: String, file: RobotsFile?) {
        self.origin = origin
        self.file = file
    }
}
