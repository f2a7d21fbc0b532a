import PippinPage

/// A place in the hits of a query, from which a later request goes on. Clients get it as a text and give it back as it is.
///
/// Ranked hits come first, in their order. Then comes what matches and was not ranked, because a query looks at a bounded number
/// of documents: in the order of documents, which is that of their quality. As long as the index stays the same, each hit comes once.
public struct SearchCursor: Sendable, Hashable, CustomStringConvertible {
    enum Place: Sendable, Hashable {
        /// Behind so many ranked hits.
        case ranked(Int)
        /// Behind all ranked hits, and behind the document with this number; −1 is before the first.
        case further(Int64)
    }

    /// Which query it belongs to.
    let query: UInt64
    /// The hour in which the first page was given, in seconds since 1970. What is fresh is ranked by this moment, so that the order stays.
    let moment: Int64
    /// The order of the ranked hits then, and the state of the index (`SearchRun.state`).
    let state: UInt64
    let place: Place
    /// How many hits come before.
    public let offset: Int

    init(query: SearchQuery, moment: Int64, state: UInt64, place: Place, offset: Int) {
        self.query = Self.hash(of: query)
        (self.moment, self.state, self.place, self.offset) = (moment, state, place, offset)
    }

    /// Whether it continues the hits of this query.
    public func continues(_ query: SearchQuery) -> Bool { self.query == Self.hash(of: query) }

    private static func hash(of query: SearchQuery) -> UInt64 {
        var hash = FNV1a(seed: query.isExact ? 1 : 0)
        hash.add(query.order.rawValue.utf8)
        hash.add(query.text.utf8)
        hash.add(0)
        hash.add((query.restriction?.text ?? "").utf8)
        return hash.value
    }

    // MARK: As a text

    /// Six numbers of eight bytes, in base64url: a whole number of characters.
    public static let characters = 64
    /// No order has more ranked hits or earlier ones; a cursor that says so is none of ours.
    private static let maximumCount: Int64 = 1 << 48

    private var numbers: [UInt64] {
        let place: Int64 =
            switch place {
            case .ranked(let count): Int64(count)
            case .further(let number): -2 - number
            }
        return [query, UInt64(bitPattern: moment), state, UInt64(bitPattern: place), UInt64(offset)]
    }

    /// Over the other numbers, so that a cursor that was cut or changed is noticed. It is no secret: a made-up cursor finds nothing
    /// that its query does not find.
    private static func check(_ numbers: [UInt64]) -> UInt64 {
        var hash = FNV1a(seed: 0x5069_7070_696E)
        for number in numbers { hash.add(bytes(number)) }
        return hash.value
    }

    private static func bytes(_ number: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
    }

    public var description: String {
        let bytes = (numbers + [Self.check(numbers)]).flatMap(Self.bytes)
        return Base64URL.text(bytes)
    }

    /// Reads a cursor; nil if the text is none.
    public init?(_ text: String) {
        guard text.utf8.count == Self.characters, let bytes = Base64URL.bytes(text), bytes.count == 48
        else { return nil }
        let numbers = stride(from: 0, to: 48, by: 8).map { start in
            bytes[start..<start + 8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        }
        let (place, offset) = (Int64(bitPattern: numbers[3]), Int64(bitPattern: numbers[4]))
        guard Self.check(Array(numbers[..<5])) == numbers[5], place > .min + 2, place <= Self.maximumCount,
            (0...Self.maximumCount).contains(offset)
        else { return nil }
        query = numbers[0]
        moment = Int64(bitPattern: numbers[1])
        state = numbers[2]
        self.place = place >= 0 ? .ranked(Int(place)) : .further(-2 - place)
        self.offset = Int(offset)
        guard abs(Double(moment)) < Double(Self.maximumCount) else { return nil }
    }
}
