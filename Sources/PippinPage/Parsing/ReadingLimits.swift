import Synchronization

/// The limits for reading hostile input. Every limit that is reached leaves a note on the result.
public struct ReadingLimits: Sendable {
    /// The number of bytes of a page, association file or sitemap that are read. 10 MB: the 229 real pages of our corpus have
    /// less than 3 MB each.
    public var maximumBodyBytes = 10_000_000
    /// Elements and texts of a document. 1 million nodes take 32 MB of arena; the largest real page seen has 40,000.
    var maximumNodes = 1_000_000
    /// Attributes of a document, for all elements together.
    var maximumAttributes = 2_000_000
    /// Attributes of one element. libxml2 compares each with all others of its tag. Real elements have fewer than 100.
    var maximumAttributesPerElement = 500
    /// Different names of elements and attributes. Real pages have fewer than 300. libxml2 finds a name by walking lists whose
    /// length grows with their number.
    var maximumNames = 20_000
    /// Words of one attribute with a list (`itemprop`, `itemtype`, `itemref`, `property`, `typeof`, `rel`). Real ones have
    /// fewer than 20.
    var maximumTokens = 1_000
    /// Depth of the element tree; deeper elements become siblings. Browsers stop at 512 (Blink, WebKit).
    public var maximumDepth = 512
    /// Bytes of a `base` element's address. It is written before every relative address of the page, so a long one could make a
    /// small page arbitrarily large. Servers refuse addresses of more than about 8,000 bytes.
    var maximumBaseBytes = 2_000
    /// Structured items (microdata, RDFa, JSON-LD nodes) of a page.
    public var maximumItems = 10_000
    /// Nesting of JSON values. schema.org data has fewer than 15 levels.
    public var maximumJSONDepth = 64
    /// Values of one JSON document. `facts.md` §9.3 suggests 10,000 nodes; each node has about 10 values.
    public var maximumJSONValues = 100_000
    /// The work that the contexts of one JSON-LD document may cause: bytes of identifiers written out, plus 64 per term. Real
    /// documents stay below 2 million.
    public var maximumJSONLDWork = 10_000_000
    /// The number of outlinks that are kept per page.
    var maximumOutlinks = 10_000
    /// The length of all outlink addresses of a page. A link of one byte becomes as long as the page's base; 10,000 real links
    /// have about 80 bytes each.
    var maximumOutlinkBytes = 1_000_000
    /// The number of notes that are kept per page: enough to repair the page, few enough to read.
    public var maximumNotes = 200

    /// Values of one property of an item. Real lists of products, reviews or parts have a few hundred.
    var maximumValuesPerProperty = 1_000
    /// Types of an item. Real items have one or two.
    var maximumTypesPerItem = 20

    /// Checked during all longer readings, by every walk over the document, between the parts of a record and the checks of a
    /// report card, and wherever they ask structured data. If nil, they cannot be interrupted.
    public var interruption: Interruption?

    /// The limits for ordinary use.
    public static let standard = ReadingLimits()

    /// The limits for JSON that Pippin or its driver has written. Such a text has any number of values: a limit would make a large
    /// crawl unreadable. Its memory is bounded by the length of the text.
    public static let ownText: ReadingLimits = {
        var limits = ReadingLimits()
        limits.maximumJSONValues = .max
        return limits
    }()

    /// Creates the standard limits.
    ///
    /// - Parameter interruption: can be set by a caller that no longer waits for the result.
    public init(interruption: Interruption? = nil) {
        self.interruption = interruption
    }

    /// Whether the reading should stop now.
    public var isInterrupted: Bool { interruption?.isSet ?? false }

    /// Whether the reading should stop after a number of steps.
    func isInterrupted(after steps: Int) -> Bool { interruption?.isSet(after: steps) ?? false }
}

/// Asks for an interruption every few hundred steps of a loop over elements, blocks or statements, so that the question costs
/// nothing beside the step.
struct InterruptibleSteps {
    private let limits: ReadingLimits
    private var count = 0

    init(_ limits: ReadingLimits) { self.limits = limits }

    /// Whether the loop should end before its next step.
    @inline(__always)
    mutating func isInterrupted() -> Bool {
        count &+= 1
        return count & 0xFF == 0 && limits.isInterrupted(after: 0x100)
    }
}

/// Lets a caller stop a reading on another thread. Code that reads foreign bytes, draws conclusions from them or judges them
/// checks it every few hundred steps, and returns early with its partial result. The caller discards the result of an
/// interrupted reading, so no note mentions the interruption.
///
/// Once set, it stays set.
public final class Interruption: Sendable {
    private let flag = Atomic(false)
    private let counted = Atomic(0)
    private let counts: Bool

    /// Creates an interruption that is not set.
    ///
    /// - Parameter countsSteps: whether `steps` counts how often it is checked. A test needs that, to compare what two pages
    ///   cost without a clock.
    public init(countsSteps: Bool = false) { counts = countsSteps }

    /// Whether the reading should stop. The check costs as much as reading a variable. It does not guarantee that writes made
    /// before `set()` are visible.
    public var isSet: Bool { isSet(after: 1) }

    /// Whether the reading should stop after a number of steps: values or elements that were looked at, or bytes that were read.
    func isSet(after steps: Int) -> Bool {
        if counts { counted.add(steps, ordering: .relaxed) }
        return flag.load(ordering: .relaxed)
    }

    /// The steps so far; 0 if they are not counted.
    public var steps: Int { counted.load(ordering: .relaxed) }

    /// Asks the reading to stop.
    public func set() { flag.store(true, ordering: .relaxed) }
}
