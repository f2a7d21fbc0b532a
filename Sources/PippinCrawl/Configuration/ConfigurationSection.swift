import PippinPage
import Yams

/// One mapping of the configuration file, read strictly: unknown keys, values of a wrong type, and numbers without a unit are
/// errors with their place. A key without a value (`null`) keeps its default.
///
/// A flag of the command line is a section with one key. Its value is read by the same rules, but it is not YAML: it has no
/// quotes, comments or `null`.
public struct ConfigurationSection {
    /// The name of the file, or the flag.
    let file: String
    private let isFlag: Bool
    /// Whether values are secret. Then errors tell their place only.
    private let hidesValues: Bool
    /// The path of the section, `politeness`; empty for the whole file.
    let path: String
    private let mark: Mark?
    private var values: [String: Node] = [:]
    private var keys: [String] = []

    /// Reads a mapping.
    ///
    /// - Parameter known: the allowed keys; nil if the operator chooses the keys.
    init(
        _ node: Node?, file: String, path: String, known: [String]?, isFlag: Bool = false, hidesValues: Bool = false
    ) throws {
        self.file = file
        self.path = path
        self.isFlag = isFlag
        self.hidesValues = hidesValues
        mark = node?.mark
        guard let node, !isNull(node) else { return }
        guard case .mapping(let mapping) = node else {
            throw ConfigurationError(
                file: file, line: node.mark?.line, column: node.mark?.column, key: path.isEmpty ? nil : path,
                problem: "expected keys and values here, found \(describe(node))")
        }
        for (keyNode, value) in mapping {
            guard case .scalar(let key) = keyNode else {
                throw ConfigurationError(
                    file: file, line: keyNode.mark?.line, column: keyNode.mark?.column,
                    key: path.isEmpty ? nil : path, problem: "a key must be a plain word")
            }
            keys.append(key.string)
            guard let known, !known.contains(key.string) else {
                values[key.string] = value
                continue
            }
            let place = path.isEmpty ? "" : " in \(path)"
            let advice =
                NearestName.of(key.string, in: known).map { "did you mean \"\($0)\"?" }
                ?? "known keys: " + known.joined(separator: ", ")
            throw ConfigurationError(
                file: file, line: key.mark?.line, column: key.mark?.column,
                problem: "unknown key\(hidesValues ? "" : " \"\(key.string)\"")\(place); \(advice)")
        }
    }

    /// Reads the text of a file.
    ///
    /// - Parameters:
    ///   - known: the allowed keys.
    ///   - hidesValues: whether errors must not quote the text.
    public init(yaml: String, file: String, known: [String], hidesValues: Bool = false) throws {
        try self.init(
            Self.compose(yaml, file: file, hidesValues: hidesValues), file: file, path: "", known: known,
            hidesValues: hidesValues)
    }

    private static func compose(_ yaml: String, file: String, hidesValues: Bool) throws -> Node? {
        do {
            return try Yams.compose(yaml: yaml)
        } catch let error as YamlError {
            switch error {
            case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
                .composer(_, let problem, let mark, _):
                throw ConfigurationError(
                    file: file, line: mark.line, column: mark.column, problem: "not valid YAML: \(problem)")
            case .duplicatedKeysInMapping(let duplicates, let context):
                let names = duplicates.map { "\"\($0)\"" }.joined(separator: ", ")
                throw ConfigurationError(
                    file: file, line: context.mark.line, column: context.mark.column,
                    problem: "\(names) is written more than once in this group; keep one")
            default:
                throw ConfigurationError(file: file, problem: "not valid YAML\(hidesValues ? "" : ": \(error)")")
            }
        }
    }

    /// A text as a value in YAML, in double quotes: whatever it has in it, it is read back as it is (YAML 1.2.2 §7.3.1).
    public static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted += "\\\(scalar)"
            case " "..."~",
                "\u{A0}"..."\u{D7FF}" where !["\u{2028}", "\u{2029}"].contains(scalar):
                quoted.unicodeScalars.append(scalar)
            // Controls, line ends, and what not every reader takes as it is.
            default:
                let digits = String(scalar.value, radix: 16, uppercase: true)
                quoted += "\\U" + String(repeating: "0", count: 8 - digits.count) + digits
            }
        }
        return quoted + "\""
    }

    /// The value of a flag, as a section with only this key.
    ///
    /// - Parameter path: the path of the key: `politeness.delay`.
    public init(flag: String, path: String, value: String, known: [String]) throws {
        var node = Node.scalar(Node.Scalar(value, .implicit, .plain))
        for key in path.split(separator: ".").reversed() { node = .mapping([.scalar(Node.Scalar(String(key))): node]) }
        try self.init(node, file: flag, path: "", known: known, isFlag: true)
    }

    var isEmpty: Bool { keys.isEmpty }

    /// The keys in written order.
    var names: [String] { keys }

    /// Whether the value is a group of keys.
    public func isGroup(_ key: String) -> Bool {
        if case .mapping? = present(key) { true } else { false }
    }

    public func section(_ key: String, known: [String]) throws -> ConfigurationSection {
        try ConfigurationSection(
            values[key], file: file, path: name(key), known: known, isFlag: isFlag, hidesValues: hidesValues)
    }

    /// A section whose keys the operator chooses.
    func sectionOfAnyKeys(_ key: String) throws -> ConfigurationSection {
        try ConfigurationSection(values[key], file: file, path: name(key), known: nil, hidesValues: hidesValues)
    }

    /// The sections inside a section whose keys the operator chooses.
    public func sections(_ key: String, known: [String]) throws -> [(name: String, section: ConfigurationSection)] {
        let outer = try sectionOfAnyKeys(key)
        return try outer.keys.map { ($0, try outer.section($0, known: known)) }
    }

    /// The sections of a list.
    public func list(_ key: String, known: [String]) throws -> [ConfigurationSection] {
        guard let node = present(key) else { return [] }
        guard case .sequence(let sequence) = node else {
            throw error(key, node, "expected a list of keys and values, found \(describe(node))")
        }
        return try sequence.enumerated().map { index, node in
            try ConfigurationSection(node, file: file, path: "\(name(key))[\(index + 1)]", known: known)
        }
    }

    /// A list of names, or one text with names between commas. Errors have the place of the name.
    ///
    /// - Parameters:
    ///   - separator: nil if the names may contain commas.
    ///   - value: the meaning of a name; nil for an unknown one.
    ///   - problem: what to say of an unknown name.
    public func names<Value>(
        _ key: String, separator: Character? = ",", _ value: (String) -> Value?, unknown problem: (String) -> String
    ) throws -> [Value]? {
        guard let node = present(key) else { return nil }
        let nodes: [Node] = if case .sequence(let sequence) = node { Array(sequence) } else { [node] }
        return try nodes.flatMap { node in
            let text = try string(in: node, key: key)
            let names = separator.map { text.split(separator: $0) } ?? [text[...]]
            return try names.map { name in
                let name = name.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()
                guard let value = value(String(name)) else { throw error(key, node, problem(String(name))) }
                return value
            }
        }
    }

    /// An error about the name of this section.
    public func misnamed(_ problem: String) -> ConfigurationError {
        ConfigurationError(
            file: file, line: mark?.line, column: mark?.column, key: isFlag ? nil : path, problem: problem)
    }

    /// A value that is one text or a list of texts.
    public func stringOrStrings(_ key: String) throws -> [String]? {
        if case .sequence? = present(key) { return try strings(key) }
        return try string(key).map { [$0] }
    }

    /// - Parameter expected: names the value, for the error.
    public func string(_ key: String, expected: String = "text") throws -> String? {
        guard let node = present(key) else { return nil }
        return try string(in: node, key: key, expected: expected)
    }

    public func strings(_ key: String) throws -> [String]? {
        guard let node = present(key) else { return nil }
        guard case .sequence(let sequence) = node else {
            throw error(key, node, "expected a list like [a, b], found \(describe(node))")
        }
        return try sequence.map { try string(in: $0, key: key) }
    }

    public func boolean(_ key: String) throws -> Bool? {
        guard let node = present(key) else { return nil }
        if case .scalar(let scalar) = node, scalar.style == .plain {
            switch scalar.string.lowercased() {
            case "true", "yes", "on": return true
            case "false", "no", "off": return false
            default: break
            }
        }
        throw error(key, node, "expected true or false, found \(describe(node))")
    }

    public func integer(_ key: String, in range: ClosedRange<Int>) throws -> Int? {
        guard let node = present(key) else { return nil }
        guard case .scalar(let scalar) = node, scalar.style == .plain,
            let number = Int(scalar.string.replacing("_", with: ""))
        else { throw error(key, node, "expected a whole number, found \(describe(node))") }
        guard range.contains(number) else {
            throw error(key, node, "\(number) is not between \(range.lowerBound) and \(range.upperBound)")
        }
        return number
    }

    public func number(_ key: String, in range: ClosedRange<Double>) throws -> Double? {
        guard let node = present(key) else { return nil }
        guard case .scalar(let scalar) = node, scalar.style == .plain, let number = Double(scalar.string) else {
            throw error(key, node, "expected a number, found \(describe(node))")
        }
        guard range.contains(number) else {
            throw error(key, node, "\(scalar.string) is not between \(range.lowerBound) and \(range.upperBound)")
        }
        return number
    }

    /// A duration with its unit: `500ms 10s 5m 24h 30d`.
    func duration(_ key: String, in range: ClosedRange<Duration>) throws -> Duration? {
        guard let node = present(key) else { return nil }
        guard case .scalar(let scalar) = node else {
            throw error(key, node, "expected a duration like 10s, found \(describe(node))")
        }
        switch DurationText.parse(scalar.string) {
        case .value(let duration):
            guard range.contains(duration) else {
                throw error(
                    key, node,
                    "\(scalar.string) is not between \(DurationText.describe(range.lowerBound)) "
                        + "and \(DurationText.describe(range.upperBound))")
            }
            return duration
        case .unitMissing:
            throw error(
                key, node, "\(scalar.string) has no unit; write \(scalar.string)s, or another of ms, s, m, h and d")
        case .malformed:
            throw error(
                key, node, "expected a duration like 500ms, 10s, 5m, 24h or 30d, found \(describe(node))")
        }
    }

    /// A size in bytes, with decimal units: `200K 10M`.
    func bytes(_ key: String, in range: ClosedRange<Int>) throws -> Int? {
        guard let node = present(key) else { return nil }
        guard case .scalar(let scalar) = node else {
            throw error(key, node, "expected a size like 10M, found \(describe(node))")
        }
        let text = scalar.string
        if Int(text) != nil {
            throw error(key, node, "\(text) has no unit; write a size like 200K, 10M or 1G")
        }
        let factors: [Character: Int] = ["K": 1000, "M": 1_000_000, "G": 1_000_000_000]
        guard let unit = text.last, let factor = factors[unit], let number = Int(text.dropLast()), number >= 0 else {
            throw error(key, node, "expected a size like 200K, 10M or 1G, found \(describe(node))")
        }
        let (size, overflows) = number.multipliedReportingOverflow(by: factor)
        guard !overflows, range.contains(size) else {
            throw error(key, node, "\(text) is not between \(range.lowerBound) and \(range.upperBound) bytes")
        }
        return size
    }

    public func choice<Value: RawRepresentable<String> & CaseIterable>(_ key: String, _: Value.Type) throws -> Value? {
        guard let node = present(key) else { return nil }
        if case .scalar(let scalar) = node, let value = Value(rawValue: scalar.string) { return value }
        let names = Value.allCases.map(\.rawValue)
        var problem = "expected one of \(names.joined(separator: ", ")), found \(describe(node))"
        if case .scalar(let scalar) = node, let near = NearestName.of(scalar.string, in: names) {
            problem += "; did you mean \"\(near)\"?"
        }
        throw error(key, node, problem)
    }

    /// An error about the value of a key, for checks by the reader of that key.
    ///
    /// - Parameter namesKey: whether the key is written; without it only the place is.
    public func invalid(_ key: String, _ problem: String, namesKey: Bool = true) -> ConfigurationError {
        ConfigurationError(
            file: file, line: values[key]?.mark?.line, column: values[key]?.mark?.column,
            key: isFlag ? nil : namesKey ? name(key) : path, problem: problem)
    }

    private func present(_ key: String) -> Node? {
        values[key].flatMap { isNull($0) ? nil : $0 }
    }

    private func string(in node: Node, key: String, expected: String = "text") throws -> String {
        guard case .scalar(let scalar) = node else {
            throw error(key, node, "expected \(expected), found \(describe(node))")
        }
        if !isFlag, scalar.style == .plain,
            Double(scalar.string) != nil || scalar.string == "true" || scalar.string == "false"
        {
            throw error(key, node, "expected text, found \(describe(node)); put it in quotes if it is meant")
        }
        return scalar.string
    }

    private func name(_ key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }

    private func error(_ key: String, _ node: Node, _ problem: String) -> ConfigurationError {
        let mark = node.mark ?? values[key]?.mark
        return ConfigurationError(
            file: file, line: mark?.line, column: mark?.column, key: isFlag ? nil : name(key), problem: problem)
    }

    private func isNull(_ node: Node) -> Bool {
        guard !isFlag, case .scalar(let scalar) = node, scalar.style == .plain else { return false }
        return ["", "~", "null", "Null", "NULL"].contains(scalar.string)
    }

    private func describe(_ node: Node) -> String {
        switch node {
        case .scalar(let scalar): isNull(node) ? "nothing" : hidesValues ? "a single value" : "\"\(scalar.string)\""
        case .sequence: "a list"
        case .mapping: "a group of keys"
        case .alias: "an alias"
        }
    }
}

extension Duration {
    /// Reads a duration as in the configuration, `60s`; nil if the text is none.
    public init?(written text: String) {
        guard case .value(let duration) = DurationText.parse(text) else { return nil }
        self = duration
    }
}

/// Durations as people write them in the configuration: `500ms 10s 1.5s 5m 24h 30d`.
enum DurationText {
    enum Reading: Equatable, Sendable {
        case value(Duration)
        /// The number has no unit.
        case unitMissing
        case malformed
    }

    static func parse(_ text: String) -> Reading {
        let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        let unit = text.dropFirst(digits.count)
        guard let number = Double(digits), number.isFinite, digits.first != "." else { return .malformed }
        let milliseconds: Double
        switch unit {
        case "": return .unitMissing
        case "ms": milliseconds = number
        case "s": milliseconds = number * 1000
        case "m": milliseconds = number * 60_000
        case "h": milliseconds = number * 3_600_000
        case "d": milliseconds = number * 86_400_000
        default: return .malformed
        }
        // The limit is 100 years, so that later arithmetic cannot overflow. Nobody needs a longer duration.
        guard milliseconds <= 3.2e12 else { return .malformed }
        return .value(.milliseconds(Int64(milliseconds.rounded())))
    }

    /// The shortest exact form of a duration: `30d`, `90s`, `250ms`.
    static func describe(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let milliseconds = attoseconds / 1_000_000_000_000_000
        if milliseconds != 0 { return "\(seconds &* 1000 &+ milliseconds)ms" }
        if seconds == 0 { return "0s" }
        if seconds % 86_400 == 0 { return "\(seconds / 86_400)d" }
        if seconds % 3600 == 0 { return "\(seconds / 3600)h" }
        if seconds % 60 == 0 { return "\(seconds / 60)m" }
        return "\(seconds)s"
    }
}
