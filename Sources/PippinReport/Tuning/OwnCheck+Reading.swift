import PippinCrawl
import PippinPage

extension OwnCheck {
    private static let keys =
        PageQuery.keys + [
            "exists", "absent", "min_count", "max_count", "equals", "one_of", "matches",
            "min_length",
            "max_length", "at_least", "at_most", "is", "severity", "message", "fix", "only", "except", "types",
        ]

    /// Reads `checks`.
    static func list(_ section: ConfigurationSection) throws -> [OwnCheck] {
        let written = try section.sections("checks", known: keys)
        guard written.count <= maximumCount else {
            throw section.invalid("checks", "has \(written.count) checks; \(maximumCount) are possible")
        }
        return try written.map { try OwnCheck($0.name, $0.section) }
    }

    private init(_ name: String, _ section: ConfigurationSection) throws {
        guard Self.isName(name) else {
            throw section.misnamed(
                "\"\(name.prefix(100))\" is no name; write small letters, digits and hyphens, like price-shown")
        }
        guard Check.all.chosen(by: name) == nil, Check.Group(rawValue: name) == nil else {
            throw section.misnamed("\"\(name)\" is one of Pippin's own names; choose another, like own-\(name)")
        }
        self.name = name
        query = try PageQuery(section)
        let conditions = try Self.conditions(section)
        count = try Self.count(section, hasConditions: !conditions.isEmpty)
        self.conditions = conditions
        severity = try section.choice("severity", Check.Severity.self) ?? .warning
        message = try Self.sentence("message", section)
        fix = try Self.sentence("fix", section)
        only = try section.stringOrStrings("only")?.map { URLGlob($0) } ?? []
        except = try section.stringOrStrings("except")?.map { URLGlob($0) } ?? []
        types = try section.names("types", Self.type, unknown: Self.unknownType) ?? []
    }

    private static func type(_ name: String) -> String? {
        SchemaOrg.type(name).flatMap { SchemaOrg.isKnownType($0) ? $0 : nil }
    }

    private static func unknownType(_ name: String) -> String {
        let advice = NearestName.of(name, in: Array(SchemaOrg.knownTypes)).map { "; did you mean \"\($0)\"?" } ?? ""
        return "\"\(name.prefix(100))\" is no type of schema.org\(advice)"
    }

    private static func isName(_ name: String) -> Bool {
        let bytes = Array(name.utf8)
        return (1...50).contains(bytes.count) && (0x61...0x7A).contains(bytes[0])
            && bytes.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D }
    }

    private static func sentence(_ key: String, _ section: ConfigurationSection) throws -> String? {
        guard let text = try section.string(key)?.collapsingHTMLSpace() else { return nil }
        guard (1...300).contains(text.count) else {
            throw section.invalid(key, "expected a sentence of at most 300 characters")
        }
        return text
    }

    /// How many values there may be.
    private static func count(_ section: ConfigurationSection, hasConditions: Bool) throws -> Count {
        for (key, other) in [("exists", "absent"), ("absent", "exists")] where try section.boolean(key) == false {
            throw section.invalid(key, "is only ever true; write \(other): true for the opposite")
        }
        let exists = try section.boolean("exists") != nil
        let minimum = try section.integer("min_count", in: 0...1_000)
        let maximum = try section.integer("max_count", in: 1...1_000)
        if try section.boolean("absent") != nil {
            guard !exists, minimum == nil, maximum == nil, !hasConditions else {
                throw section.invalid(
                    "absent", "contradicts the other conditions: what is not there cannot be anything; keep one")
            }
            return Count(minimum: 0, maximum: 0)
        }
        if exists, minimum == 0 { throw section.invalid("min_count", "0 contradicts exists; keep one") }
        guard minimum != nil || maximum != nil || exists || hasConditions else {
            throw section.misnamed(
                "needs a condition: exists, absent, min_count, max_count, equals, one_of, matches, min_length, max_length, "
                    + "at_least, at_most or is")
        }
        // A limit above says nothing about whether there must be one.
        let count = Count(minimum: minimum ?? (exists || hasConditions ? 1 : 0), maximum: maximum ?? .max)
        guard count.minimum <= count.maximum else {
            throw section.invalid("max_count", "\(count.maximum) is less than min_count, \(count.minimum)")
        }
        return count
    }

    /// What is asked of each value.
    private static func conditions(_ section: ConfigurationSection) throws -> [Condition] {
        var conditions: [Condition] = []
        let lengths = (
            try section.integer("min_length", in: 0...10_000), try section.integer("max_length", in: 0...10_000)
        )
        if let minimum = lengths.0, let maximum = lengths.1, minimum > maximum {
            throw section.invalid("max_length", "\(maximum) is less than min_length, \(minimum)")
        }
        let range = -1e300...1e300
        let numbers = (try section.number("at_least", in: range), try section.number("at_most", in: range))
        if let least = numbers.0, let most = numbers.1, least > most {
            throw section.invalid("at_most", "is less than at_least")
        }
        let kind = try section.choice("is", Kind.self)
        if let kind, kind != .number, numbers.0 != nil || numbers.1 != nil {
            throw section.invalid(
                "is", "\(kind.rawValue) contradicts at_least and at_most, which are for numbers; keep one")
        }
        if let kind { conditions.append(.kind(kind)) }
        if let count = lengths.0 { conditions.append(.minimumLength(count)) }
        if let count = lengths.1 { conditions.append(.maximumLength(count)) }
        if let number = numbers.0 { conditions.append(.atLeast(number)) }
        if let number = numbers.1 { conditions.append(.atMost(number)) }
        if let text = try section.string("matches") {
            do throws(RegularExpression.SyntaxError) {
                conditions.append(.matches(try RegularExpression(text)))
            } catch {
                throw section.invalid("matches", "\(error.problem) (character \(error.offset + 1))")
            }
        }
        let equals = try section.string("equals")
        let choices = try section.strings("one_of")
        guard equals == nil || choices == nil else { throw section.invalid("one_of", "contradicts equals; keep one") }
        guard let texts = choices ?? equals.map({ [$0] }) else { return conditions }
        guard (1...1_000).contains(texts.count) else { throw section.invalid("one_of", "expected 1 to 1,000 texts") }
        for text in texts {
            var steps = 1_000_000
            if let condition = conditions.first(where: { $0.holds(for: text, &steps) == false }) {
                throw section.invalid(
                    equals == nil ? "one_of" : "equals",
                    "\"\(text.prefix(100))\" contradicts another condition: \(condition.words)")
            }
        }
        return [.oneOf(texts)] + conditions
    }
}
