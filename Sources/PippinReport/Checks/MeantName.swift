import PippinPage

/// The name of schema.org that was meant by a name that is none, if that is clear.
struct MeantName {
    let name: String
    /// What is between the two, as the end of a sentence.
    let difference: Difference

    enum Difference: Sendable {
        /// Spaces or characters that are not seen.
        case unseen(Unicode.Scalar)
        /// Letter case alone.
        case letterCase
        /// Another character that may look the same, or a slip.
        case slip
    }

    /// The property that was meant on an item of these types.
    ///
    /// The same letters in other case or with other separators win. Then come properties of the types, and then all others: by
    /// singular and plural, the same words in another order, the fewest slips. Last is the end of a longer name of the types
    /// (`ingredient` for `recipeIngredient`).
    static func property(_ written: String, on types: [String]) -> MeantName? {
        func isExpected(_ name: String) -> Bool { SchemaOrg.isExpected(name, on: types) }
        let letters = folded(seen(written))
        guard !letters.isEmpty else { return nil }
        if let same = properties.byLetters[letters] {
            return sameLetters(written, same.first(where: isExpected) ?? same[0])
        }
        let alike = (properties.bySingular[singular(letters)] ?? []) + (properties.byWords[words(of: written)] ?? [])
        // A type's name is no slip of a property's: `Game` is not `name`.
        let slip =
            SchemaOrg.isKnownType(written)
            ? nil
            : NearestName.of(
                written, in: SchemaOrg.knownProperties, atMost: forgiven(in: written), preferring: isExpected)
        let nearest =
            alike.first(where: isExpected) ?? slip.flatMap { isExpected($0) ? $0 : nil } ?? alike.first ?? slip
            ?? endsWith(letters, where: isExpected)
        return nearest.map { MeantName(name: $0, difference: .slip) }
    }

    static func type(_ written: String) -> MeantName? {
        let letters = folded(seen(written))
        guard !letters.isEmpty else { return nil }
        if let same = types.byLetters[letters]?.first { return sameLetters(written, same) }
        if let spelled = SchemaOrg.type(written), SchemaOrg.isKnownType(spelled) {
            return MeantName(name: spelled, difference: .slip)
        }
        if let alike = types.bySingular[singular(letters)]?.first { return MeantName(name: alike, difference: .slip) }
        // `name` is no slip of `Game`: who writes a property's name means the property.
        if SchemaOrg.knownProperties.contains(written) { return nil }
        return NearestName.of(written, in: SchemaOrg.knownTypes, atMost: forgiven(in: written))
            .map { MeantName(name: $0, difference: .slip) }
    }

    // MARK: Kinds of nearness

    /// The names of the vocabulary by what makes them alike. A hostile page has hundreds of unknown names, so this is made once.
    private struct Vocabulary: Sendable {
        var byLetters: [String: [String]] = [:]
        var bySingular: [String: [String]] = [:]
        /// Names of two words or more.
        var byWords: [[String]: [String]] = [:]

        init(_ names: some Sequence<String>) {
            for name in names.sorted() {
                let letters = MeantName.folded(name)
                byLetters[letters, default: []].append(name)
                bySingular[MeantName.singular(letters), default: []].append(name)
                let words = MeantName.words(of: name)
                if words.count > 1 { byWords[words, default: []].append(name) }
            }
        }
    }

    private static let properties = Vocabulary(SchemaOrg.knownProperties)
    private static let types = Vocabulary(SchemaOrg.knownTypes)

    private static func sameLetters(_ written: String, _ name: String) -> MeantName {
        if let unseen = written.unicodeScalars.first(where: isUnseen) {
            return MeantName(name: name, difference: .unseen(unseen))
        }
        let isCase = written.asciiLowercased == name.asciiLowercased
        return MeantName(name: name, difference: isCase ? .letterCase : .slip)
    }

    /// The only expected property that ends with these letters: many properties end with `name`.
    private static func endsWith(_ letters: String, where isExpected: (String) -> Bool) -> String? {
        guard letters.utf8.count >= 5 else { return nil }
        var found: String?
        for (whole, names) in properties.byLetters
        where whole.utf8.count > letters.utf8.count && (whole.hasSuffix(letters) || whole.hasSuffix(letters + "s")) {
            for name in names where isExpected(name) {
                guard found == nil else { return nil }
                found = name
            }
        }
        return found
    }

    private static func seen(_ written: String) -> String {
        String(String.UnicodeScalarView(written.unicodeScalars.filter { !isUnseen($0) }))
    }

    /// White space, and characters without a look.
    private static func isUnseen(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isWhitespace || scalar.properties.isDefaultIgnorableCodePoint
            || scalar.properties.generalCategory == .control || scalar.properties.generalCategory == .format
    }

    /// In small letters, without `-` and `_`.
    private static func folded(_ name: String) -> String { name.asciiLowercased.filter { $0 != "-" && $0 != "_" } }

    private static func singular(_ name: String) -> String {
        if name.hasSuffix("ies") { return name.dropLast(3) + "y" }
        return name.hasSuffix("s") && !name.hasSuffix("ss") ? String(name.dropLast()) : name
    }

    /// The words of a name in small letters, sorted: `publishedDate` and `datePublished` have the same.
    private static func words(of name: String) -> [String] {
        var words: [String] = [""]
        for character in name {
            if character.isUppercase || character == "_" || character == "-" { words.append("") }
            if character != "_", character != "-" { words[words.count - 1] += character.lowercased() }
        }
        return words.filter { !$0.isEmpty }.sorted()
    }

    /// How many letters of a name may differ for it to count as misspelled. Short names are similar to many others.
    private static func forgiven(in name: String) -> Int { name.utf8.count < 8 ? 1 : 2 }

    // MARK: Words

    /// What follows “… is no property of schema.org; ” in a sentence.
    var clause: String {
        switch difference {
        case .letterCase: "\(name) is."
        case .slip: "did you mean \(name)?"
        case .unseen(let scalar):
            scalar == " "
                ? "it is \(name) with a space." : "it is \(name) with the invisible character \(Self.code(of: scalar))."
        }
    }

    private static func code(of scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
    }
}
