import PippinPage

/// A check that the operator has written: where a value stands in a page, and what must be true of it.
///
///     price-shown: { selector: .price, matches: "^[0-9]+", severity: error, message: "Each product shows its price." }
///
/// `OwnCheck+Reading` reads it from `validate.checks`, `OwnCheck+Judging` judges a page by it.
public struct OwnCheck: Sendable, Hashable {
    /// What must be true of the number of values.
    struct Count: Sendable, Hashable {
        var minimum = 1
        var maximum = Int.max
    }

    /// What must be true of each value.
    enum Condition: Sendable, Hashable {
        case oneOf([String])
        case matches(RegularExpression)
        case minimumLength(Int)
        case maximumLength(Int)
        case atLeast(Double)
        case atMost(Double)
        case kind(Kind)
    }

    /// What a text can stand for.
    enum Kind: String, Sendable, CaseIterable {
        case url, date, number
    }

    /// What the check is called in reports; its identifier.
    let name: String
    let query: PageQuery
    let count: Count
    let conditions: [Condition]
    let severity: Check.Severity
    /// What should be true of the page, as the operator says it; nil if the conditions say it.
    let message: String?
    /// What to do; nil if the operator does not say it.
    let fix: String?
    /// The only pages that are judged; empty for all.
    let only: [URLGlob]
    /// Pages that are not judged.
    let except: [URLGlob]
    /// The types of which the topic of a page must have one; empty for all pages.
    let types: [String]

    /// How many there may be.
    static let maximumCount = 100

    /// The check as reports list it.
    var check: Check {
        let sentence = message ?? wanted.sentenceStart
        let title = sentence.last == "." ? String(sentence.dropLast()) : sentence
        return Check(
            Check.Code(name), .custom, severity, title, problem: "Not so: \(title)",
            why: "The settings ask for it (validate.checks.\(name)).",
            ownFix: fix ?? "Make it so: \(wanted).")
    }

    /// The conditions as a clause: `.price matches ^[0-9]+ €$`.
    private var wanted: String {
        if count.maximum == 0 { return "nothing is at \(query.words)" }
        var parts: [String] = []
        if count.maximum < .max {
            parts.append(
                count.minimum == count.maximum
                    ? "is there \(Wording.count(count.minimum, "time"))"
                    : "is there \(count.minimum) to \(count.maximum) times")
        } else if count.minimum != 1 || conditions.isEmpty {
            parts.append(
                count.minimum > 1
                    ? "is there at least \(count.minimum) times" : count.minimum == 1 ? "is there" : "may be missing")
        }
        return "\(query.words) " + (parts + conditions.map(\.words)).joined(separator: ", ")
    }
}

extension OwnCheck.Condition {
    /// The condition as a clause about a value: `is at least 3`.
    var words: String {
        switch self {
        case .oneOf(let texts):
            texts.count == 1
                ? "is \(Wording.quoted(texts[0]))"
                : "is one of \(Wording.list(texts.map { Wording.quoted($0) }, shown: 10))"
        case .matches(let expression): "matches \(expression.text)"
        case .minimumLength(let count): "has at least \(Wording.count(count, "character"))"
        case .maximumLength(let count): "has at most \(Wording.count(count, "character"))"
        case .atLeast(let number): "is at least \(Self.text(number))"
        case .atMost(let number): "is at most \(Self.text(number))"
        case .kind(.url): "is an http or https URL"
        case .kind(.date): "is a date"
        case .kind(.number): "is a number"
        }
    }

    private static func text(_ number: Double) -> String { JSONValue.double(number).text() }
}

extension PageQuery {
    /// The query in words: `$.props.build in script#__NEXT_DATA__`, `src of figure img`.
    var words: String {
        let elements = selector.map { selector in (attribute.map { "\($0) of " } ?? "") + selector.text }
        return [path?.text, elements].compactMap(\.self).joined(separator: " in ")
    }
}
