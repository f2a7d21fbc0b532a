/// The document type declaration of a sitemap, and the entities that it declares. It is read here and removed from the text for
/// libxml2, which would keep every declaration, add default attributes to every element, compare the names of a list with each
/// other, and expand parameter entities. A sitemap can only use internal general entities.
struct SitemapDocumentType {
    /// The range from `<!DOCTYPE` to its `>`, or to the end of the file.
    let range: Range<Int>
    /// The texts of the entities by name. Character references in them are decoded (XML §4.4.5 and §4.4.7).
    private(set) var entities: [String: [UInt8]] = [:]

    private static let maximumEntities = 1_000
    /// The limit of one entity's text, in octets. A longer one could not be part of an address.
    private static let maximumEntityBytes = 65_536
    private static let maximumNameBytes = 1_000

    /// Nil if the prolog has no document type.
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

    /// Reads the internal subset, up to its closing bracket.
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
                // White space and references to parameter entities are skipped.
                scan.position += 1
            }
        }
    }

    /// Reads `name "text"`. Declarations of external and parameter entities have a different form and are skipped.
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

    /// The character of the text between `&` and `;`: `#38`, `#x26`. Nil if it is not a character of XML.
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

    /// A position in the octets that only moves forward.
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

        /// Moves after the next occurrence of a mark; to the end, and false, if there is none.
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

        /// Moves to the next of the given octets outside quotation marks; to the end, and false, if there is none.
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

/// Expands the entities that a document itself declares, as text and within a budget, so that ten lines of DTD cannot become a
/// gigabyte.
///
/// Reading an octet of an entity costs as much as writing one, so both are counted. This also limits references that produce no
/// text. The budget grows with the document, so the cost stays proportional to its size.
struct SitemapEntities {
    enum Expansion: Equatable {
        case text([UInt8])
        /// The entity is not declared, or contains markup, itself, or an unknown entity.
        case ignored
        /// The budget is spent; the document is not read any further.
        case spent
    }

    private struct Replacement {
        let text: [UInt8]
        let hasMarkup: Bool
    }

    private var budget: Int
    private let replacements: [String: Replacement]

    /// The smallest budget, in octets. An address has fewer than 2,048, so this is enough for some dozens in any document.
    private static let leastBudget = 65_536
    private static let maximumDepth = 4

    init(_ entities: [String: [UInt8]], octetsOfDocument: Int) {
        replacements = entities.mapValues { Replacement(text: $0, hasMarkup: $0.contains(UInt8(ascii: "<"))) }
        budget = Self.leastBudget + octetsOfDocument
    }

    /// The text of an entity, cut after `room` octets.
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
