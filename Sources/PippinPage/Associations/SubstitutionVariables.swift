import Foundation

/// The values behind `$(name)` in the patterns of an association file: the file's own, and Apple's predefined ones.
///
/// Values are read once and shared by all patterns, so that a pattern costs its own length and not that of its variables.
struct SubstitutionVariables: Sendable {
    /// The characters of a predefined variable that stands for one character.
    enum CharacterClass: Sendable, Equatable {
        case alpha, upper, lower, alnum, digit, xdigit

        func contains(_ scalar: UInt32, caseSensitive: Bool) -> Bool {
            guard let byte = UInt8(exactly: scalar), byte < 0x80 else { return false }
            return switch self {
            case .alpha: byte.isASCIILetter
            case .upper: caseSensitive ? byte.isASCIIUppercase : byte.isASCIILetter
            case .lower: caseSensitive ? byte.isASCIILetter && !byte.isASCIIUppercase : byte.isASCIILetter
            case .alnum: byte.isASCIILetter || byte.isASCIIDigit
            case .digit: byte.isASCIIDigit
            case .xdigit: byte.hexDigitValue != nil
            }
        }
    }

    /// All values of one variable in one array, each ended by `.end`.
    struct Alternatives: Sendable {
        fileprivate(set) var elements: [AssociationPattern.Element] = []
        /// Where each value begins.
        fileprivate(set) var starts: [Int32] = []

        init(_ values: some Sequence<String>) {
            for value in values { append(value) }
        }

        fileprivate mutating func append(_ value: String) {
            starts.append(Int32(truncatingIfNeeded: elements.count))
            elements += AssociationPattern.wildcards(value.unicodeScalars)
            elements.append(.end)
        }
    }

    enum Meaning {
        case characters(CharacterClass)
        case alternatives(Int)
    }

    private var own: [String: Int] = [:]
    private(set) var tables: [Alternatives] = [Self.regions, Self.languages]

    init() {}

    /// The last definition of a name counts; the file's own come before Apple's.
    mutating func define(_ name: String, _ values: [String]) {
        own[name] = tables.count
        tables.append(Alternatives(values))
    }

    func meaning(of name: String) -> Meaning? {
        if let table = own[name] { return .alternatives(table) }
        switch name {
        case "alpha": return .characters(.alpha)
        case "upper": return .characters(.upper)
        case "lower": return .characters(.lower)
        case "alnum": return .characters(.alnum)
        case "digit": return .characters(.digit)
        case "xdigit": return .characters(.xdigit)
        case "region": return .alternatives(0)
        case "lang": return .alternatives(1)
        default: return nil
        }
    }

    static let predefinedNames: Set<String> = ["alpha", "upper", "lower", "alnum", "digit", "xdigit", "region", "lang"]

    /// Apple: "every ISO region code", that is Foundation's list. It has GB and no UK.
    private static let regions = Alternatives(
        Locale.Region.isoRegions.map(\.identifier).filter { $0.utf8.count == 2 }.sorted())
    /// Foundation's ISO language codes, of two letters and of three.
    private static let languages = Alternatives(Locale.LanguageCode.isoLanguageCodes.map(\.identifier).sorted())
}
