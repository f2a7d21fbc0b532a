import Synchronization

/// How much of hostile input we look at. Every limit that bites leaves a note on the result.
public struct ReadingLimits: Sendable {
    /// Bytes of a page, association file or sitemap that are read. 10 MB: the 229 real pages of our corpus stay below 3 MB.
    public var maximumBodyBytes = 10_000_000
    /// Elements and texts of a document. 1 million nodes are 32 MB of arena; the largest real page seen has 40,000.
    var maximumNodes = 1_000_000
    /// Attributes of a document, all elements together.
    var maximumAttributes = 2_000_000
    /// Attributes of one element. libxml2 compares each with all others of its tag; real elements have below 100.
    var maximumAttributesPerElement = 500
    /// Different names of elements and attributes; real pages have below 300. libxml2 finds a name by walking lists that grow
    /// with their number.
    var maximumNames = 20_000
    /// Words of one attribute that is a list (`itemprop`, `itemtype`, `itemref`, `property`, `typeof`, `rel`); real ones have
    /// below 20.
    var maximumTokens = 1_000
    /// Depth of the element tree; deeper elements become siblings. Browsers stop at 512 (Blink, WebKit).
    public var maximumDepth = 512
    /// Bytes of a `base` element's address. It stands before every relative address of the page, so that a long one would make
    /// a page of any size; servers refuse addresses of more than some 8,000.
    var maximumBaseBytes = 2_000
    /// Structured items (microdata, RDFa, JSON-LD nodes) of a page.
    public var maximumItems = 10_000
    /// Nesting of JSON values; schema.org data nests below 15.
    public var maximumJSONDepth = 64
    /// Values of one JSON document. `facts.md` §9.3 suggests 10,000 nodes; each node has some 10 values.
    public var maximumJSONValues = 100_000
    /// Work that the contexts of one JSON-LD document may cause: bytes of identifiers written out, 64 for a term. Real
    /// documents stay below 2 million.
    public var maximumJSONLDWork = 10_000_000
    /// Outlinks of a page that are kept.
    var maximumOutlinks = 10_000
    /// Bytes of their addresses together. A link of one byte becomes as long as the
    /// page's base; 10,000 real links have some 80 bytes each.
    var maximumOutlinkBytes = 1_000_000
    /// Notes kept of one page: enough to mend it, not enough to drown in.
    public var maximumNotes = 200

    /// Looked at by everything that reads for longer; nil: nobody ends the reading early.
    public var interruption: Interruption?

    public static let standard = ReadingLimits()

    /// - Parameter interruption: set by whoever no longer waits for the reading.
    public init(interruption: Interruption? = nil) {
        self.interruption = interruption
    }

    /// Whether a reading within these limits should return.
    public var isInterrupted: Bool { interruption?.isSet ?? false }
}

/// Lets somebody else end a reading: whoever reads foreign bytes looks at it every few hundred steps, and returns early with
/// what it has. The result of an interrupted reading is worthless, and its caller throws it away; so no note says it.
///
/// It only ever goes from not set to set.
public final class Interruption: Sendable {
    private let flag = Atomic(false)

    public init() {}

    /// Whether the reading should return. Looking costs as much as reading a variable; what was written before the flag was
    /// set is not promised to be seen.
    public var isSet: Bool { flag.load(ordering: .relaxed) }

    public func set() { flag.store(true, ordering: .relaxed) }
}
