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
