import Glibc

/// What the names in `class` and `id` say of each element of a document, for all that ask: read in one pass over its attributes. What
/// a value says is remembered, as the elements of a list have the same ones.
struct ElementNames: Sendable {
    /// An attribute, and the element that has it.
    struct Place: Sendable {
        let element: HTMLDocument.Index
        let attribute: Int
    }

    private let document: HTMLDocument
    /// By element; empty for those without text, which few ask of.
    private var hints: [NameHints]
    /// Elements with text that are named after what is beside it, in page order; none of those that hold a page.
    private(set) var besideText: [HTMLDocument.Index] = []
    /// Elements with text and a `style`, likewise.
    private(set) var styled: [HTMLDocument.Index] = []
    /// Where `class`, `id` or `aria-label` of an element with text may say that it is the path to the page, in page order.
    private(set) var possiblePaths: [Place] = []
    /// Whether a class name begins an item of microformats.
    private(set) var haveMicroformats = false

    /// How much of a value may name a path.
    static let maximumPathBytes = 200

    init(_ document: HTMLDocument, limits: ReadingLimits = .standard) {
        self.document = document
        hints = Array(repeating: [], count: document.elements.count)
        document.withArena { read($0, limits) }
    }

    /// What the names of an element say.
    func hints(of element: HTMLDocument.Index) -> NameHints {
        let isRead = document.elements[element].textStart < document.elements[element].textEnd
        return isRead ? hints[element] : NameHints.of(element, in: document)
    }

    private mutating func read(_ arena: HTMLDocument.Arena, _ limits: ReadingLimits) {
        var known = KnownValues()
        var steps = InterruptibleSteps(limits)
        for element in arena.elements.indices {
            let range = arena.attributeRange(of: element)
            if range.isEmpty { continue }
            if steps.isInterrupted() { return }
            if arena.elements[element].textStart == arena.elements[element].textEnd {
                readClasses(arena, range)
                continue
            }
            var own: NameHints = []
            var isStyled = false
            for index in range {
                let attribute = arena.attributes[index]
                switch attribute.nameNumber {
                case HTMLName.class.rawValue, HTMLName.id.rawValue:
                    let said = known.reading(of: arena.value(of: attribute))
                    own.formUnion(said.hints)
                    if said.mayNamePath { possiblePaths.append(Place(element: element, attribute: index)) }
                    if said.beginsItem, attribute.nameNumber == HTMLName.class.rawValue { haveMicroformats = true }
                case HTMLName.ariaLabel.rawValue:
                    if Self.mayNamePath(arena.value(of: attribute)) {
                        possiblePaths.append(Place(element: element, attribute: index))
                    }
                case HTMLName.style.rawValue: isStyled = true
                default: break
                }
            }
            hints[element] = own
            switch arena.elements[element].name {
            case .html, .body, .main, .article: break
            default:
                if own.contains(.besideText) { besideText.append(element) }
                if isStyled { styled.append(element) }
            }
        }
    }

    private mutating func readClasses(_ arena: HTMLDocument.Arena, _ attributes: Range<Int>) {
        for index in attributes where arena.attributes[index].nameNumber == HTMLName.class.rawValue {
            haveMicroformats = haveMicroformats || Microformats.beginsItem(arena.value(of: arena.attributes[index]))
        }
    }

    /// Whether a value holds the end of `breadcrumb` and `BreadCrumb`: those of few elements do.
    private static func mayNamePath(_ value: UnsafeBufferPointer<UInt8>) -> Bool {
        var i = 0
        while i + 4 <= min(value.count, maximumPathBytes) {
            if value[i] == UInt8(ascii: "r"), value[i + 1] == UInt8(ascii: "u"), value[i + 2] == UInt8(ascii: "m"),
                value[i + 3] == UInt8(ascii: "b")
            {
                return true
            }
            i += 1
        }
        return false
    }

    /// What the values read before say.
    private struct KnownValues {
        struct Reading {
            var value = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
            var hints: NameHints = []
            var mayNamePath = false
            var beginsItem = false
        }

        private var readings = [Reading](repeating: Reading(), count: 512)

        mutating func reading(of value: UnsafeBufferPointer<UInt8>) -> Reading {
            // Single letters are no words.
            guard let bytes = value.baseAddress, value.count >= 2 else { return Reading() }
            var (first, last) = (UInt64(0), UInt64(0))
            if value.count >= 8 {
                let raw = UnsafeRawPointer(bytes)
                first = raw.loadUnaligned(as: UInt64.self)
                last = raw.loadUnaligned(fromByteOffset: value.count - 8, as: UInt64.self)
            } else {
                for byte in value { first = first << 8 | UInt64(byte) }
            }
            let mixed = first ^ last &* 31 ^ UInt64(truncatingIfNeeded: value.count)
            let place = Int(truncatingIfNeeded: (mixed &* 0x9E37_79B9_7F4A_7C15) >> 55)
            let known = readings[place]
            if known.value.count == value.count, let other = known.value.baseAddress,
                memcmp(other, bytes, value.count) == 0
            {
                return known
            }
            let reading = Reading(
                value: value, hints: NameHints.of(value), mayNamePath: mayNamePath(value),
                beginsItem: Microformats.beginsItem(value))
            readings[place] = reading
            return reading
        }
    }
}

/// The parts of a page whose elements have a mark: each such element with all that is inside of it.
struct MarkedParts {
    /// In page order.
    private var runs: [Range<HTMLDocument.Index>] = []

    /// - Parameter candidates: the elements that may have the mark, in page order.
    init(
        of candidates: [HTMLDocument.Index], in document: HTMLDocument, limits: ReadingLimits,
        isMarked: (HTMLDocument.Index) -> Bool
    ) {
        var steps = InterruptibleSteps(limits)
        for element in candidates where element >= runs.last?.upperBound ?? 0 {
            if steps.isInterrupted() { return }
            if isMarked(element) { runs.append(element..<Int(document.elements[element].subtreeEnd)) }
        }
    }

    /// Whether the element or one around it has the mark.
    func contain(_ element: HTMLDocument.Index) -> Bool {
        var (low, high) = (0, runs.count)
        while low < high {
            let middle = (low + high) / 2
            if runs[middle].upperBound <= element { low = middle + 1 } else { high = middle }
        }
        return low < runs.count && runs[low].contains(element)
    }
}
