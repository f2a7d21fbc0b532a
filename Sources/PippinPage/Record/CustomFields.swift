/// A field of the record's `custom`, as an operator describes it (`extract.fields` in the configuration).
public struct CustomField: Sendable, Hashable {
    /// What a value is read as.
    public enum Kind: String, Sendable, CaseIterable {
        case text, number, integer, boolean, url, date
    }

    public let name: String
    public let query: PageQuery
    public let kind: Kind
    /// Whether all values are taken, as a list, and not only the first.
    public let isList: Bool

    public init(name: String, query: PageQuery, kind: Kind = .text, isList: Bool = false) {
        self.name = name
        self.query = query
        self.kind = kind
        self.isList = isList
    }

    /// Whether a text is a name: a letter, then letters, digits, `_` and `-`.
    public static func isName(_ text: String) -> Bool {
        text.utf8.count <= 64 && text.utf8.first?.isASCIILetter == true
            && text.utf8.allSatisfy { $0.isASCIIAlphanumeric || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-") }
    }

    /// More would be a second record.
    public static let maximumFields = 50
    /// Values of a list.
    static let maximumValues = 100
    /// Characters of a value.
    static let maximumCharacters = 2_000
    /// Bytes of all values of a record, names included.
    static let maximumRecordBytes = 16_000
}

/// What a page says in a field, and why it says no more: for the record, and for who writes the configuration.
public struct FieldReading: Sendable {
    /// One place that the field's query found.
    public struct Place: Sendable {
        /// The line of the element; nil for what a path found in the whole page.
        public let line: Int?
        /// What is written there, shortened; nil for an element without a value.
        public let written: String?
        /// What was taken; nil if it was not.
        public let value: JSONValue?
        /// Why it was not taken, as a clause.
        public let reason: String?
    }

    public let field: CustomField
    public let places: [Place]
    /// The field's value in the record; nil if there is none.
    public let value: JSONValue?
    /// Whether the search was ended by a limit.
    public let isCut: Bool

    /// Why there is no value, as a sentence; nil if there is one.
    public var problem: String? {
        guard value == nil else { return nil }
        if let reason = places.lazy.compactMap(\.reason).first {
            let line = places.first { $0.reason != nil }?.line
            return "No value: \(reason)\(line.map { " (line \($0))" } ?? "")."
        }
        if isCut { return "No value: the search took too many steps." }
        return field.query.selector == nil
            ? "No value: the path finds nothing in what the page says." : "No value: no element of the page matches."
    }

    /// Reads fields of a page, in their order.
    ///
    /// - Parameter record: the page's record, whose language says how days and numbers are written.
    static func all(of fields: [CustomField], in facts: PageFacts, record: DeepLinkRecord) -> [FieldReading] {
        var room = CustomField.maximumRecordBytes
        return fields.map { FieldReading($0, in: facts, record: record, room: &room) }
    }

    private init(_ field: CustomField, in facts: PageFacts, record: DeepLinkRecord, room: inout Int) {
        self.field = field
        guard !facts.limits.isInterrupted else {
            (places, value, isCut) = ([], nil, true)
            return
        }
        // Some more than are taken, as not all can be read.
        let found = field.query.values(in: facts, limit: field.isList ? 2 * CustomField.maximumValues : 20)
        let reader = FieldValueReader(facts: facts, record: record, kind: field.kind)
        var taken: [JSONValue] = []
        var places: [Place] = []
        room -= field.name.utf8.count + 4
        for value in found.values {
            let written = value.content.string.map(Self.shortened) ?? Self.kind(of: value.content)
            func leave(_ reason: String) {
                places.append(Place(line: value.line, written: written, value: nil, reason: reason))
            }
            if !field.isList, !taken.isEmpty {
                leave("the first value counts; all: true takes a list")
                continue
            }
            if taken.count == CustomField.maximumValues {
                leave("a field has \(CustomField.maximumValues) values at most")
                continue
            }
            switch reader.read(value.content) {
            case .failure(let failure): leave(failure.reason)
            case .success(let read):
                let bytes = read.bytes().count + 1
                guard bytes <= room else {
                    leave("the fields of a record have \(CustomField.maximumRecordBytes) bytes at most")
                    continue
                }
                room -= bytes
                taken.append(read)
                places.append(Place(line: value.line, written: written, value: read, reason: nil))
            }
        }
        for gap in found.gaps {
            places.append(Place(line: gap.line, written: nil, value: nil, reason: gap.reason))
        }
        self.places = places
        isCut = found.isCut
        value = taken.isEmpty ? nil : field.isList ? .array(taken) : taken.first
    }

    private static func shortened(_ text: String) -> String {
        text.prefix(201).count > 200 ? "\(text.prefix(199))\u{2026}" : text
    }

    /// A value that is no text, in few characters whatever it holds.
    private static func kind(of value: JSONValue) -> String {
        switch value.content {
        case .array: "[…]"
        case .object: "{…}"
        case .null, .bool, .number, .string: shortened(value.text())
        }
    }
}

/// Reads what a query found as the kind of a field, by the readers of the record's own fields. What is something else is left out.
private struct FieldValueReader {
    struct Failure: Error { let reason: String }

    let facts: PageFacts
    let record: DeepLinkRecord
    let kind: CustomField.Kind

    func read(_ value: JSONValue) -> Result<JSONValue, Failure> {
        let text: String
        switch value.content {
        case .null: return .failure(Failure(reason: "the value is null"))
        case .array:
            return .failure(Failure(reason: "the value is a list; write [*] at the end of the path for its values"))
        case .object: return .failure(Failure(reason: "the value is an object; name one of its members in the path"))
        case .bool(let flag):
            if kind == .boolean { return .success(value) }
            text = flag ? "true" : "false"
        case .number(let number): text = number
        case .string(let string):
            guard let line = CleanText.line(string) else { return .failure(Failure(reason: "the text is empty")) }
            text = line
        }
        guard let read = read(text, isJSONNumber: value.double != nil) else {
            return .failure(Failure(reason: "it is not \(Self.names[kind] ?? kind.rawValue)"))
        }
        return .success(read)
    }

    private static let names: [CustomField.Kind: String] = [
        .text: "a text", .number: "a number", .integer: "a whole number", .boolean: "true or false",
        .url: "a URL of at most \(CustomField.maximumCharacters) characters", .date: "a date",
    ]

    private func read(_ text: String, isJSONNumber: Bool) -> JSONValue? {
        switch kind {
        case .text: return .string(String(text.prefix(CustomField.maximumCharacters)))
        case .number:
            guard let number = number(text, isJSONNumber: isJSONNumber) else { return nil }
            return .double(number)
        case .integer:
            guard let number = number(text, isJSONNumber: isJSONNumber), number == number.rounded(),
                number.magnitude < 9_007_199_254_740_992
            else { return nil }
            return .integer(Int(number))
        case .boolean: return SchemaOrg.boolean(text).map { .bool($0) }
        case .url:
            guard text.utf8.count <= CustomField.maximumCharacters,
                let url = WebURL(written: text, base: facts.baseURL),
                url.href.utf8.count <= CustomField.maximumCharacters
            else { return nil }
            return .string(url.href)
        case .date:
            let date = StatedDate(
                text, as: record.dayStyle(on: facts.source.url), now: facts.source.fetchedAt,
                mayBeFuture: true)
            if case .moment(let moment) = date { return .string(moment.text) }
            return nil
        }
    }

    /// The first number of a text. `1.234` is 1234, as in prices and counts; on a page in English it is a fraction.
    private func number(_ text: String, isJSONNumber: Bool) -> Double? {
        guard !isJSONNumber else { return Double(text).flatMap { $0.isFinite ? $0 : nil } }
        let isEnglish = record.languages.first?.hasPrefix("en") ?? false
        let isFraction = kind == .number && isEnglish && !text.utf8.has(UInt8(ascii: ","))
        return SchemaOrg.number(in: Array(text.utf8), singleMark: isFraction ? .decimal : .thousands)?.value
    }
}
