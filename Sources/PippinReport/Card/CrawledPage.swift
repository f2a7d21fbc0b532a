import Foundation
import PippinCrawl
import PippinPage

/// The part of a page that checks across a whole crawl need. It is small enough to be kept for every page until the crawl has
/// ended and the links and repetitions among pages are known (`CrawlEvidence`).
struct CrawledPage: Sendable {
    /// What the address answered.
    enum Answer: Sendable, Hashable {
        /// A page or an error page was read.
        case read(status: Int)
        case redirected(to: String)
        /// There was no answer, or none that is a page. The text is a clause that says why.
        case failed(String)
        /// robots.txt forbids fetching it.
        case closed
    }

    let url: WebURL
    /// What the address answered.
    let answer: Answer
    /// The address that markup for this page should name: the canonical one, if there is any.
    let address: String
    /// Whether the page asks not to be indexed.
    var isRefused = false
    /// The canonical URL that the page names.
    var canonical: WebURL?
    var title: String?
    var description: String?
    /// The keys of the addresses that the page lists as its versions in other languages (`hreflang`); nil if that is not
    /// known, or if there are too many to compare.
    var versions: [String]?
    /// Hash of the visible text; nil if there is too little text to distinguish pages.
    var contentHash: String?
    /// The address of the page's first picture.
    var image: String?
    /// The app-argument of the page's Smart App Banner.
    var appArgument: String?
    /// Whether that argument is the address of this page.
    var argumentIsPage = false
    /// Whether neither the page nor its host's association file, which was seen, names an app.
    var knowsNoApp = false
    var titlePlace: Finding.Place?
    var descriptionPlace: Finding.Place?
    var imagePlace: Finding.Place?
    var bannerPlace: Finding.Place?

    /// - Parameter address: nil for an address that gave no page.
    init(url: WebURL, answer: Answer, address: String? = nil) {
        self.url = url
        self.answer = answer
        self.address = address ?? URLKey(url).string
    }

    var isCanonicalElsewhere: Bool { canonical.map { URLKey($0) != URLKey(url) } ?? false }

    /// Whether the page belongs in an index, and so should be linked and listed in sitemaps.
    var standsForItself: Bool { answer == .read(status: 200) && !isRefused && !isCanonicalElsewhere }
}

/// The form in which a job stores it.
extension CrawledPage: Codable {
    private enum CodingKeys: String, CodingKey {
        case url = "u"
        /// The status of a page that was read. Otherwise `target` or `failure` is present, or none of the three for a closed
        /// address.
        case status = "a"
        case target = "r"
        case failure = "f"
        case isRefused = "x"
        case canonical = "c"
        case title = "t"
        case description = "d"
        case contentHash = "h"
        case image = "i"
        case appArgument = "g"
        case argumentIsPage = "p"
        case knowsNoApp = "n"
        case versions = "l"
        case places = "w"
    }

    /// Longer texts are stored and compared only up to this length.
    private static let maximumText = 500

    func encode(to encoder: any Encoder) throws {
        var form = encoder.container(keyedBy: CodingKeys.self)
        func put(_ isSet: Bool, _ key: CodingKeys) throws { if isSet { try form.encode(true, forKey: key) } }
        try form.encode(url.href, forKey: .url)
        switch answer {
        case .read(let status): try form.encode(status, forKey: .status)
        case .redirected(let target): try form.encode(target, forKey: .target)
        case .failed(let why): try form.encode(why, forKey: .failure)
        case .closed: break
        }
        try put(isRefused, .isRefused)
        try form.encodeIfPresent(canonical?.href, forKey: .canonical)
        try form.encodeIfPresent(title?.prefix(Self.maximumText).description, forKey: .title)
        try form.encodeIfPresent(description?.prefix(Self.maximumText).description, forKey: .description)
        try form.encodeIfPresent(contentHash, forKey: .contentHash)
        try form.encodeIfPresent(image, forKey: .image)
        try form.encodeIfPresent(appArgument, forKey: .appArgument)
        try put(argumentIsPage, .argumentIsPage)
        try put(knowsNoApp, .knowsNoApp)
        try form.encodeIfPresent(versions, forKey: .versions)
        let places = ["t": titlePlace, "d": descriptionPlace, "i": imagePlace, "b": bannerPlace].compactMapValues { $0 }
        if !places.isEmpty { try form.encode(places, forKey: .places) }
    }

    init(from decoder: any Decoder) throws {
        let form = try decoder.container(keyedBy: CodingKeys.self)
        func text(_ key: CodingKeys) throws -> String? { try form.decodeIfPresent(String.self, forKey: key) }
        func flag(_ key: CodingKeys) throws -> Bool { try form.decodeIfPresent(Bool.self, forKey: key) ?? false }
        guard let url = WebURL(try form.decode(String.self, forKey: .url)) else { throw PackedJSON.FormError() }
        let answer: Answer
        if let status = try form.decodeIfPresent(Int.self, forKey: .status) {
            answer = .read(status: status)
        } else if let target = try text(.target) {
            answer = .redirected(to: target)
        } else if let failure = try text(.failure) {
            answer = .failed(failure)
        } else {
            answer = .closed
        }
        self.init(url: url, answer: answer)
        isRefused = try flag(.isRefused)
        canonical = try text(.canonical).flatMap { WebURL($0) }
        title = try text(.title)
        description = try text(.description)
        contentHash = try text(.contentHash)
        image = try text(.image)
        appArgument = try text(.appArgument)
        argumentIsPage = try flag(.argumentIsPage)
        knowsNoApp = try flag(.knowsNoApp)
        versions = try form.decodeIfPresent([String].self, forKey: .versions)
        let places = try form.decodeIfPresent([String: Finding.Place].self, forKey: .places) ?? [:]
        titlePlace = places["t"]
        descriptionPlace = places["d"]
        imagePlace = places["i"]
        bannerPlace = places["b"]
    }
}

/// Packs values as deflated JSON.
enum PackedJSON {
    /// Thrown for a form that cannot be read. Its page is judged again when it is visited next.
    struct FormError: Error {}

    static func pack(_ value: some Encodable) throws -> [UInt8] {
        var writer = JSONWriter()
        try writer.encoded(value)
        guard let packed = DeflatedBytes.pack(writer.bytes) else { throw FormError() }
        return packed
    }

    static func unpack<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value {
        guard let json = DeflatedBytes.unpack(bytes) else { throw FormError() }
        return try JSONDecoder().decode(type, from: Data(json))
    }
}
