import PippinPage

/// One property that a reader requires or recommends of a type: a row of `TypeRequirements.all`.
struct TypeRequirement: Sendable {
    enum Level: Sendable { case required, recommended }

    /// Who asks for the property, and where that is written.
    struct Source: Sendable, Hashable {
        /// `all` for what only the vocabulary itself suggests.
        let profile: ReportCard.Profile
        let url: String

        /// A page of Google's structured data documentation.
        static func google(_ page: String) -> Source {
            Source(
                profile: .google,
                url: "https://developers.google.com/search/docs/appearance/structured-data/\(page)")
        }

        static func schemaOrg(_ type: String) -> Source { Source(profile: .all, url: "https://schema.org/\(type)") }

        /// App Search Programming Guide, “Mark Up Web Content”.
        static let apple = Source(
            profile: .apple,
            url:
                "https://developer.apple.com/library/archive/documentation/General/Conceptual/AppSearch/WebContent.html"
        )
    }

    /// Parts of an item that must have the property, each of them: its offers, the elements of its list.
    struct Holder: Sendable {
        /// Properties that lead to the parts.
        let path: [String]
        /// Only parts of this type, and parts without a type; nil for all.
        let type: String?
        /// Parts of these types are left out.
        let except: [String]
    }

    /// When the property is asked for; it always is without a condition.
    enum Condition: Sendable {
        /// If the item has a property, or a path of them.
        case has(String)
        /// If the item has any of these properties.
        case hasAny([String])
        /// If a property of the item is a member of an enumeration, or a text.
        case value(String, String)
        /// If the item says that it is not free (`isAccessibleForFree`).
        case paid
        /// Of parts that have a property.
        case partHas(String)
        /// Of parts that say that they are not free.
        case partPaid
        /// Of all parts but the last, by their `position` where they have one.
        case beforeLast
        /// Of parts whose price is not 0.
        case priced
    }

    /// What a value must be like. One value that meets it is enough; a value that cannot be measured meets it.
    enum Limit: Sendable {
        /// Width times height of a picture, at least.
        case pixels(Int)
        /// The length of a text.
        case characters(ClosedRange<Int>)

        var words: String {
            switch self {
            case .pixels(let least): "\(Wording.number(least)) pixels or more"
            case .characters(let range):
                "\(Wording.number(range.lowerBound)) to \(Wording.number(range.upperBound)) characters"
            }
        }
    }

    let level: Level
    let holder: Holder?
    /// Any of these is enough. Each is a list of spellings, the present one first. A spelling is a path of properties.
    let alternatives: [[[String]]]
    let condition: Condition?
    /// How many values are needed.
    let minimum: Int
    /// Only for properties of the item itself, without alternatives.
    let limit: Limit?
    /// A value of the first alternative, for markup to paste.
    let example: JSONValue
    let source: Source

    /// - Parameters:
    ///   - properties: `|` between alternatives, `/` before other spellings, `.` between properties of a path:
    ///     `offers|review/reviews`, `price|priceSpecification.price`. The first is no path.
    ///   - holder: the path to the parts that must have it: `mainEntity.acceptedAnswer`.
    init(
        _ level: Level, _ properties: String, in holder: String? = nil, of type: String? = nil, except: [String] = [],
        if condition: Condition? = nil, atLeast minimum: Int = 1, limit: Limit? = nil, _ example: JSONValue,
        _ source: Source
    ) {
        self.level = level
        self.limit = limit
        self.minimum = minimum
        self.holder = holder.map {
            Holder(path: $0.split(separator: ".").map(String.init), type: type, except: except)
        }
        alternatives = properties.split(separator: "|").map { alternative in
            alternative.split(separator: "/").map { $0.split(separator: ".").map(String.init) }
        }
        self.condition = condition
        self.example = example
        self.source = source
    }

    /// The property that a remedy adds.
    var name: String { alternatives[0][0][0] }

    /// The property as findings name it: `offers.price`, `offers, review or aggregateRating`.
    var label: String {
        let before = holder.map { $0.path.joined(separator: ".") + "." } ?? ""
        let names = alternatives.map {
            before + $0[0].joined(separator: ".") + (minimum > 1 ? " (at least \(minimum))" : "")
                + (limit.map { " (\($0.words))" } ?? "")
        }
        return names.count == 1 ? names[0] : names.dropLast().joined(separator: ", ") + " or " + names[names.count - 1]
    }

    /// Whether the rest of the requirement is said by another one, which is not met either.
    func isPart(of other: TypeRequirement) -> Bool {
        holder?.path == other.holder?.path && alternatives.allSatisfy { other.alternatives.contains($0) }
    }
}

extension ReportCard.Profile {
    /// Whether the reader asks for a property of a type.
    func asks(_ row: TypeRequirement) -> Bool { self == .all || row.source.profile == self }
}
