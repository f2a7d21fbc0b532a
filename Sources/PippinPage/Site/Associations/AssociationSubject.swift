/// A URL as patterns see it: its parts as they are encoded or decoded, in their own case or in lower case.
struct AssociationSubject {
    let path: String
    let query: String?
    let fragment: String?
    private let variables: SubstitutionVariables
    var budget = MatchingBudget.standard
    /// Whether a pattern that fails is asked why, which takes further comparisons.
    private let isExplaining: Bool
    /// How the parts are compared from here on.
    var caseSensitive = true
    var percentEncoded = true

    /// Items are looked through once a pattern; a URL of real life has below thirty.
    private static let maximumItems = 1_000

    init(url: WebURL, variables: SubstitutionVariables, isExplaining: Bool) {
        path = url.path
        query = url.query
        fragment = url.fragment
        self.variables = variables
        self.isExplaining = isExplaining
    }

    // MARK: Parts

    mutating func comparePath(_ pattern: AssociationPattern) -> AssociationTrace.Part {
        var isMatched = matches(pattern, path)
        var remark: String?
        if !isMatched, !pattern.text.hasPrefix("/"), !pattern.text.hasPrefix("*"), !pattern.text.hasPrefix("$("),
            matches(pattern.prependingSlash(), path)
        {
            isMatched = true
            remark = "The pattern has no slash at its beginning; it was compared as if it had."
        } else if !isMatched {
            // TN3155 shows `/x/*` matching `/x`, which the meaning of `*` does not give.
            if isExplaining, pattern.text.hasSuffix("/*"), !path.hasSuffix("/"), matches(pattern, path + "/") {
                remark = "TN3155 suggests that devices may take the path without its last slash; list both to be sure."
            } else {
                remark = failure(pattern, path)
            }
        }
        return AssociationTrace.Part(
            name: "/", pattern: pattern.text, value: path, isMatched: isMatched, remark: remark)
    }

    mutating func compareQuery(_ pattern: AssociationPattern) -> AssociationTrace.Part {
        compare("?", pattern, query)
    }

    mutating func compareFragment(_ pattern: AssociationPattern) -> AssociationTrace.Part {
        compare("#", pattern, fragment)
    }

    /// An item that is missing counts as empty, and of several with the name every one must match.
    mutating func compareItem(_ name: String, _ pattern: AssociationPattern) -> AssociationTrace.Part {
        let wanted = key(name)
        guard budget.pay(query?.utf8.count ?? 0) else { return compare("?\(name)", pattern, nil) }
        var last: AssociationTrace.Part?
        for item in (query ?? "").split(separator: "&", maxSplits: Self.maximumItems, omittingEmptySubsequences: false)
        {
            let equals = item.firstIndex(of: "=") ?? item.endIndex
            guard key(percentEncoded ? String(item[..<equals]) : Self.decoded(item[..<equals])) == wanted else {
                continue
            }
            let value = equals < item.endIndex ? String(item[item.index(after: equals)...]) : ""
            let part = compare("?\(name)", pattern, value)
            if !part.isMatched { return part }
            last = part
        }
        return last ?? compare("?\(name)", pattern, nil)
    }

    // MARK: Comparing

    private mutating func compare(
        _ name: String, _ pattern: AssociationPattern, _ value: String?
    ) -> AssociationTrace.Part {
        let isMatched = matches(pattern, value ?? "")
        return AssociationTrace.Part(
            name: name, pattern: pattern.text, value: value, isMatched: isMatched,
            remark: isMatched ? nil : failure(pattern, value ?? ""))
    }

    private mutating func matches(_ pattern: AssociationPattern, _ value: String) -> Bool {
        guard budget.pay(value.utf8.count) else { return false }
        let text = percentEncoded ? value : Self.decoded(value)
        return pattern.matches(
            AssociationPattern.scalars(text, caseSensitive: caseSensitive), caseSensitive: caseSensitive,
            variables: variables, budget: &budget)
    }

    /// Why a pattern does not match, where more can be said than that it differs.
    private mutating func failure(_ pattern: AssociationPattern, _ value: String) -> String? {
        guard isExplaining else { return nil }
        if budget.isSpent { return "The pattern is too large to be compared." }
        if let name = pattern.undefined.first { return "The variable \(name.quotedBriefly) is not defined." }
        let (wasSensitive, wasEncoded) = (caseSensitive, percentEncoded)
        defer { (caseSensitive, percentEncoded) = (wasSensitive, wasEncoded) }
        if caseSensitive {
            caseSensitive = false
            if matches(pattern, value) { return AssociationTrace.Part.caseRemark }
            caseSensitive = true
        }
        if percentEncoded, value.contains("%") {
            percentEncoded = false
            if matches(pattern, value) { return AssociationTrace.Part.encodingRemark }
        }
        return nil
    }

    private func key(_ name: String) -> String {
        guard !caseSensitive else { return name }
        return String(
            String.UnicodeScalarView(
                name.unicodeScalars.compactMap { Unicode.Scalar(AssociationPattern.folded($0.value)) }))
    }

    static func decoded(_ text: some StringProtocol) -> String {
        var bytes: [UInt8] = []
        Array(text.utf8).withUnsafeBufferPointer { bytes.appendPercentDecoded($0) }
        return String(decoding: bytes, as: UTF8.self)
    }
}
