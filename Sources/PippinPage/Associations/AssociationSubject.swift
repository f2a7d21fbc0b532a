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

    mutating func comparePath(_ pattern: AssociationPathPattern) -> AssociationTrace.Part {
        let result = result(pattern)
        var isMatched = false
        var remark: String?
        switch result {
        case .matched: isMatched = true
        case .matchedBehindSlash: (isMatched, remark) = (true, AssociationTrace.Part.missingSlashRemark)
        case .matchedBySlashRule: (isMatched, remark) = (true, AssociationTrace.Part.slashRuleRemark)
        case .failed:
            remark = failure(pattern.written) {
                switch $0.result(pattern) {
                case .matched, .matchedBehindSlash, .matchedBySlashRule: true
                case .failed, .failedBySlashRule: false
                }
            }
        case .failedBySlashRule: remark = AssociationTrace.Part.slashRuleFailureRemark
        }
        return AssociationTrace.Part(
            name: "/", pattern: pattern.text, value: path, isMatched: isMatched, remark: remark)
    }

    private mutating func result(_ pattern: AssociationPathPattern) -> AssociationPathPattern.Result {
        guard budget.pay(path.utf8.count) else { return .failed }
        return pattern.result(
            scalars(path), caseSensitive: caseSensitive, variables: variables, isExplaining: isExplaining,
            budget: &budget)
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
            remark: isMatched ? nil : failure(pattern) { $0.matches(pattern, value ?? "") })
    }

    private mutating func matches(_ pattern: AssociationPattern, _ value: String) -> Bool {
        guard budget.pay(value.utf8.count) else { return false }
        return pattern.matches(
            scalars(value), caseSensitive: caseSensitive, variables: variables, budget: &budget)
    }

    /// What patterns are compared with.
    private func scalars(_ value: String) -> [UInt32] {
        AssociationPattern.scalars(percentEncoded ? value : Self.decoded(value), caseSensitive: caseSensitive)
    }

    /// Why a pattern does not match, where more can be said than that it differs.
    ///
    /// - Parameter matches: compares again, with other settings.
    private mutating func failure(
        _ pattern: AssociationPattern, _ matches: (inout AssociationSubject) -> Bool
    ) -> String? {
        guard isExplaining else { return nil }
        if budget.isSpent { return "The pattern is too large to be compared." }
        if let name = pattern.undefined.first { return "The variable \(name.quotedBriefly) is not defined." }
        let (wasSensitive, wasEncoded) = (caseSensitive, percentEncoded)
        defer { (caseSensitive, percentEncoded) = (wasSensitive, wasEncoded) }
        if caseSensitive {
            caseSensitive = false
            if matches(&self) { return AssociationTrace.Part.caseRemark }
            caseSensitive = true
        }
        if percentEncoded {
            percentEncoded = false
            if matches(&self) { return AssociationTrace.Part.encodingRemark }
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
