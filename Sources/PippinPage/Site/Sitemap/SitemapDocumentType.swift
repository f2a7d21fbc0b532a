/// The document type declaration of a sitemap, and the entities it declares. Read here and taken out of what libxml2 is
/// given: it keeps every declaration, adds default attributes to every element, compares names of a list with each other, and
/// expands parameter entities. Of all that nothing but internal general entities is of use to a sitemap.
struct SitemapDocumentType {
    /// From `<!DOCTYPE` to its `>`, or to the end of the file.
    let range: Range<Int>
    /// Entities by name, as declared, character references in them decoded (XML §4.4.5 and §4.4.7).
    private(set) var entities: [String: [UInt8]] = [:]

    private static let maximumEntities = 1_000
    /// Octets of one entity's text. A longer one could not be part of an address.
    private static let maximumEntityBytes = 65_536
    private static let maximumNameBytes = 1_000

    /// Nil where the prolog has none.
    init?(of octets: [UInt8]) {
        var scan = Scan(octets: octets)
        while true {
            scan.skipSpace()
            if scan.at("<?") {
                guard scan.skip(past: "?>") else { return nil }
            } else if scan.at("<!--") {
                scan.position += 4
                guard scan.skip(past: "-->") else { return nil }
            } else {
                break
            }
        }
        guard scan.at("<!DOCTYPE") else { return nil }
        let start = scan.position
        scan.position += 9
        scan.skipQuoted(upTo: [UInt8(ascii: "["), UInt8(ascii: ">")])
        var entities: [String: [UInt8]] = [:]
        if scan.current == UInt8(ascii: "[") {
            scan.position += 1
            Self.readSubset(&scan, into: &entities)
            scan.skipQuoted(upTo: [UInt8(ascii: ">")])
        }
        range = start..<min(scan.position + 1, octets.count)
        self.entities = entities
    }

    /// Up to the bracket that closes it.
    private static func readSubset(_ scan: inout Scan, into entities: inout [String: [UInt8]]) {
        while let octet = scan.current, octet != UInt8(ascii: "]") {
            if scan.at("<!--") {
                scan.position += 4
                _ = scan.skip(past: "-->")
            } else if scan.at("<?") {
                _ = scan.skip(past: "?>")
            } else if scan.at("<!ENTITY") {
                scan.position += 8
                readEntity(&scan, into: &entities)
                scan.skipQuoted(upTo: [UInt8(ascii: ">")])
                scan.position += 1
            } else if octet == UInt8(ascii: "<") {
                scan.skipQuoted(upTo: [UInt8(ascii: ">")])
                scan.position += 1
            } else {
                // White space and references to parameter entities, which declare nothing.
                scan.position += 1
            }
        }
    }

    /// `name "text"`. External entities and parameter entities have something else there.
    private static func readEntity(_ scan: inout Scan, into entities: inout [String: [UInt8]]) {
        scan.skipSpace()
        let name = scan.word()
        scan.skipSpace()
        guard name.count <= maximumNameBytes, !name.elementsEqual([UInt8(ascii: "%")]),
            let quote = scan.current, quote == 0x22 || quote == 0x27
        else { return }
        let start = scan.position + 1
        let end = scan.octets[start...].firstIndex(of: quote) ?? scan.octets.count
        scan.position = end + 1
        let key = String(decoding: name, as: UTF8.self)
        // The first declaration counts (XML §4.2).
        guard entities.count < maximumEntities, entities[key] == nil, end - start <= maximumEntityBytes else { return }
        entities[key] = decodingCharacterReferences(scan.octets[start..<end])
    }

    static func decodingCharacterReferences(_ text: ArraySlice<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        var index = text.startIndex
        while index < text.endIndex {
            if text[index] == UInt8(ascii: "&"), let end = text[index...].prefix(16).firstIndex(of: UInt8(ascii: ";")),
                let octets = character(text[(index + 1)..<end])
            {
                result += octets
                index = end + 1
            } else {
                result.append(text[index])
                index += 1
            }
        }
        return result
    }

    /// What stands between `&` and `;` as a character: `#38`, `#x26`; nil for what is no character of XML.
    static func character(_ reference: ArraySlice<UInt8>) -> [UInt8]? {
        guard reference.first == UInt8(ascii: "#") else { return nil }
        let digits = reference.dropFirst()
        let isHexadecimal = digits.first == UInt8(ascii: "x")
        let number = UInt32(
            String(decoding: isHexadecimal ? digits.dropFirst() : digits, as: UTF8.self),
            radix: isHexadecimal ? 16 : 10)
        guard let scalar = number.flatMap(Unicode.Scalar.init),
            scalar.value >= 0x20 || [9, 10, 13].contains(scalar.value)
        else { return nil }
        return Array(String(Character(scalar)).utf8)
    }

    /// A place that only moves on.
    private struct Scan {
        let octets: [UInt8]
        var position = 0

        var current: UInt8? { position < octets.count ? octets[position] : nil }

        func at(_ mark: StaticString) -> Bool {
            guard position + mark.utf8CodeUnitCount <= octets.count else { return false }
            for offset in 0..<mark.utf8CodeUnitCount where octets[position + offset] != mark.utf8Start[offset] {
                return false
            }
            return true
        }

        mutating func skipSpace() {
            while let octet = current, octet <= 0x20 { position += 1 }
        }

        /// To past a mark, or to the end.
        mutating func skip(past mark: StaticString) -> Bool {
            while position < octets.count {
                if at(mark) {
                    position += mark.utf8CodeUnitCount
                    return true
                }
                position += 1
            }
            return false
        }

        /// To one of some octets outside quotation marks, or to the end.
        mutating func skipQuoted(upTo ends: [UInt8]) {
            while let octet = current, !ends.contains(octet) {
                position += 1
                if octet == 0x22 || octet == 0x27 {
                    position =
                        octets[min(position, octets.count)...].firstIndex(of: octet).map { $0 + 1 } ?? octets.count
                }
            }
        }

        mutating func word() -> ArraySlice<UInt8> {
            let start = position
            while let octet = current, octet > 0x20, octet != 0x22, octet != 0x27, octet != UInt8(ascii: ">") {
                position += 1
            }
            return octets[start..<position]
        }
    }
}

/// The entities that a document declares for itself, expanded as text within a budget, so that ten lines of DTD do not
/// become a gigabyte.
///
/// Looking at an octet of an entity costs as much as writing it, so both are paid for: a reference that yields nothing cannot
/// be had a million times either. The budget grows with the document, which keeps the cost of any in proportion to its size.
struct SitemapEntities {
    enum Expansion: Equatable {
        case text([UInt8])
        /// It is not declared, or holds markup, itself or something unknown.
        case ignored
        /// The document is not to be read on.
        case spent
    }

    private struct Replacement {
        let text: [UInt8]
        let hasMarkup: Bool
    }

    private var budget: Int
    private let replacements: [String: Replacement]

    /// An address of a page has below 2,048 octets, so this is enough for some dozens whatever the document's size.
    private static let leastBudget = 65_536
    private static let maximumDepth = 4

    init(_ entities: [String: [UInt8]], octetsOfDocument: Int) {
        replacements = entities.mapValues { Replacement(text: $0, hasMarkup: $0.contains(UInt8(ascii: "<"))) }
        budget = Self.leastBudget + octetsOfDocument
    }

    /// The text an entity stands for, as much of it as there is room for.
    mutating func expand(_ name: String, room: Int) -> Expansion {
        var result: [UInt8] = []
        return switch append(name, to: &result, room: room, depth: 0) {
        case .done: .text(result)
        case .unknown: .ignored
        case .spent: .spent
        }
    }

    private enum Step { case done, unknown, spent }

    private mutating func append(_ name: String, to result: inout [UInt8], room: Int, depth: Int) -> Step {
        guard depth < Self.maximumDepth, let replacement = replacements[name], !replacement.hasMarkup else {
            return .unknown
        }
        let text = replacement.text
        var index = 0
        while index < text.count, result.count < room {
            guard budget > 0 else { return .spent }
            budget -= 1
            guard text[index] == UInt8(ascii: "&"),
                let end = text[(index + 1)...].prefix(64).firstIndex(of: UInt8(ascii: ";"))
            else {
                result.append(text[index])
                index += 1
                continue
            }
            let reference = text[(index + 1)..<end]
            let inner = String(decoding: reference, as: UTF8.self)
            index = end + 1
            if let octets = Self.predefined[inner].map({ [$0] }) ?? SitemapDocumentType.character(reference) {
                result += octets
                continue
            }
            let step = append(inner, to: &result, room: room, depth: depth + 1)
            if step != .done { return step }
        }
        return .done
    }

    private static let predefined: [String: UInt8] = [
        "amp": 0x26, "lt": 0x3C, "gt": 0x3E, "quot": 0x22, "apos": 0x27,
    ]
}
