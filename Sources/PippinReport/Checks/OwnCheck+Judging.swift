import PippinPage

extension OwnCheck {
    /// How many characters of the page's values regular expressions may look at, in steps (`RegularExpression.isFound`). The usual
    /// check takes a few hundred.
    private static let maximumSteps = 2_000_000

    /// The answers of a page.
    func verdicts(of page: PageExamination) -> [Verdict] {
        if !only.isEmpty || !except.isEmpty {
            guard page.hasAddress else {
                return [.unknown("The check is for some URLs, and that of the page is not known (--url, --url-base).")]
            }
            let target = page.url.href.utf8.prefix { $0 != 0x23 }
            if except.contains(where: { $0.matches(target) }) { return [] }
            if !only.isEmpty, !only.contains(where: { $0.matches(target) }) { return [] }
        }
        if !types.isEmpty, !page.isAbout(types) { return [] }
        // One more than is allowed shows that there are too many.
        let limit = count.maximum == .max ? 1_000 : max(1_000, min(count.maximum, 9_999) + 1)
        return verdicts(of: query.values(in: page.facts, limit: limit), in: page.facts.document)
    }

    /// The answers about what was found.
    ///
    /// - Parameter document: has the places of elements.
    func verdicts(of found: PageQuery.Result, in document: HTMLDocument?) -> [Verdict] {
        var found = found
        // JSON's null says that there is no value.
        found.values.removeAll { $0.content == .null }
        func place(_ element: HTMLDocument.Index?) -> Finding.Place? {
            guard let element, let document else { return nil }
            return .markup(query.words, document.place(of: element))
        }
        func verdict(_ sentence: String, at element: HTMLDocument.Index?) -> Verdict {
            Verdict(severity.outcome, sentence, at: place(element), fix.map { Finding.Remedy($0) })
        }
        // Elements are there without text too; attributes and paths are not there without value.
        let empty = query.attribute == nil && query.path == nil ? found.gaps : []
        let number = found.values.count + empty.count
        if number > count.maximum {
            let elements = (found.values.map(\.element) + empty.map { $0.element }).compactMap(\.self).sorted()
            let first = count.maximum < elements.count ? elements[count.maximum] : nil
            let allowed = count.maximum == 0 ? "should not be" : "at most \(count.maximum) are allowed"
            let times = (found.isCut ? "at least " : "") + Wording.count(number, "time")
            return [verdict("\(query.words) is there \(times), and \(allowed).", at: first)]
        }
        if number < count.minimum {
            if found.isCut { return [undecided("the page has too much to look for \(query.words)")] }
            let there = number == 0 ? "is not there" : "is there \(Wording.count(number, "time"))"
            let asked = count.minimum == 1 ? "" : ", and at least \(count.minimum) are asked for"
            let reason = number == 0 ? found.gaps.first.map { ": \($0.reason)" } ?? "" : ""
            return [verdict("\(query.words) \(there)\(asked)\(reason).", at: found.values.last?.element)]
        }
        let verdicts = failures(among: found, verdict)
        guard verdicts.isEmpty else { return verdicts }
        // More values could be too many, or wrong.
        if found.isCut, count.maximum < .max || !conditions.isEmpty {
            return [undecided("the page has too much of \(query.words)")]
        }
        if number == 0 { return [.pass("\(query.words) is not there.")] }
        guard let first = found.values.first else {
            return [.pass("\(query.words) is there.", at: place(empty.first?.element))]
        }
        let shown = Wording.quoted(first.text, to: 60)
        return [
            .pass(
                number == 1
                    ? "\(query.words) is \(shown)." : "\(query.words) is there \(number) times, first as \(shown).",
                at: place(first.element))
        ]
    }

    /// The values that are not as they should be, in the order of the page.
    private func failures(
        among found: PageQuery.Result, _ verdict: (_ sentence: String, _ element: HTMLDocument.Index?) -> Verdict
    ) -> [Verdict] {
        guard !conditions.isEmpty else { return [] }
        var steps = Self.maximumSteps
        var failures = found.gaps.map { gap in
            (element: gap.element, verdict: verdict("\(query.words) has no value: \(gap.reason).", gap.element))
        }
        var undecided: [Verdict] = []
        values: for value in found.values {
            let text = value.text
            for condition in conditions {
                if value.isCut, condition.isOpen(behind: text) {
                    undecided = [self.undecided("\(query.words) is too long to compare")]
                    continue
                }
                guard let holds = condition.holds(for: text, &steps) else {
                    undecided = [self.undecided("\(query.words) takes too long to compare")]
                    break values
                }
                if holds { continue }
                let sentence = "\(query.words) is \(Wording.quoted(text)), \(condition.denial(of: text))."
                failures.append((value.element ?? 0, verdict(sentence, value.element)))
                // One reason is enough.
                break
            }
        }
        let ordered = failures.enumerated().sorted { ($0.element.element, $0.offset) < ($1.element.element, $1.offset) }
        return ordered.map(\.element.verdict) + undecided
    }

    /// Neither true nor false. It is no silence, and no failure of the page.
    private func undecided(_ reason: String) -> Verdict {
        Verdict(min(severity.outcome, .warning), "This could not be decided: \(reason).")
    }
}

extension OwnCheck.Condition {
    /// Whether a value is as it should be; nil if there are not enough steps to say so.
    func holds(for text: String, _ steps: inout Int) -> Bool? {
        switch self {
        case .oneOf(let texts): texts.contains(text)
        case .matches(let expression): expression.isFound(in: text, steps: &steps)
        case .minimumLength(let count): text.count >= count
        case .maximumLength(let count): text.count <= count
        case .atLeast(let number): SchemaOrg.decimal(text).map { $0 >= number } ?? false
        case .atMost(let number): SchemaOrg.decimal(text).map { $0 <= number } ?? false
        case .kind(.url): WebURL(text)?.isHTTP == true
        case .kind(.date): SchemaOrg.date(text) != nil
        case .kind(.number): Self.isNumber(text)
        }
    }

    /// Whether the answer for a text may be another one for a longer text that begins with it.
    func isOpen(behind text: String) -> Bool {
        switch self {
        case .minimumLength(let count): text.count < count
        case .maximumLength(let count): text.count <= count
        case .matches: true
        case .oneOf, .atLeast, .atMost, .kind: false
        }
    }

    /// Only one number, with any marks: `1,234.50`, `1 234`, `-3`, `1e6`.
    private static func isNumber(_ text: String) -> Bool {
        guard SchemaOrg.decimal(text) != nil else { return false }
        var before: Unicode.Scalar?
        for scalar in text.unicodeScalars {
            switch scalar {
            case "+", "-": guard before.map({ $0 == "e" || $0 == "E" }) ?? true else { return false }
            // A mark stands behind a digit: two in a row are between two numbers. `.5` and `-.5` have none before.
            case "." where before == nil || before == "-" || before == "+": break
            case ".", ",", "'", "e", "E", " ", "\u{A0}", "\u{202F}":
                guard before?.properties.numericType == .decimal else { return false }
            default: guard scalar.properties.numericType == .decimal else { return false }
            }
            before = scalar
        }
        return true
    }

    /// What is wrong with a value, as a clause: `which is less than 3`.
    func denial(of text: String) -> String {
        switch self {
        case .oneOf(let texts):
            texts.count == 1
                ? "not \(Wording.quoted(texts[0]))"
                : "which is none of \(Wording.list(texts.map { Wording.quoted($0) }, shown: 10))"
        case .matches(let expression): "which does not match \(expression.text)"
        case .minimumLength, .maximumLength:
            "which has \(Wording.count(text.count, "character")) and should have \(words.dropFirst(4))"
        case .atLeast, .atMost:
            SchemaOrg.decimal(text) == nil ? "which has no number" : "which should be \(words.dropFirst(3))"
        case .kind: "which is no\(words.dropFirst(words.hasPrefix("is an ") ? 5 : 4))"
        }
    }
}

extension PageExamination {
    /// Whether the page's topic is of one of these types, or of a subtype.
    fileprivate func isAbout(_ types: [String]) -> Bool {
        structured.main.contains { index in
            structured.items[index].types.contains { type in types.contains { SchemaOrg.isKind(type, of: $0) } }
        }
    }
}
