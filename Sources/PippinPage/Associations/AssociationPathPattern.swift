/// A pattern for paths in Apple's association file, with the rule for the slashes at its ends. No other place knows that rule.
///
/// The rule as `swcutil` of macOS 27.0 was seen to apply it to `components` (its output is published by the project
/// sergii-ziborov/blazingly-aasa, `conformance/oracle`, 2026-09); TN3155 and WWDC19 talk 717 agree where they speak:
///
/// - Slashes at the end do not count, neither in the pattern nor in the path: `/buy` and `/buy/` are one pattern and one path.
/// - A pattern that ends in `/*` also covers what is before it: `/buy/*` covers `/buy`, and not `/buyer`.
/// - The pattern's first slash may be missing or repeated: `abc` and `//abc` cover `/abc`.
///
/// No slash is ever added to a path, so `/id/????` does not cover `/id/481`. No output is known for `paths`; Pippin reads them
/// the same way.
struct AssociationPathPattern: Sendable {
    private static let slash = AssociationPattern.Element.scalar(0x2F)

    /// As Apple's reference describes it: the pattern covers the whole path, slashes and all.
    let written: AssociationPattern
    /// As the rule reads it, for paths without slashes at their end.
    private let settled: AssociationPattern

    init(_ written: AssociationPattern) {
        self.written = written
        settled = written.with(elements: Self.settled(written.elements.dropLast()))
    }

    var text: String { written.text }

    /// Whether every path matches.
    var matchesEverything: Bool {
        settled.matchesEverything || settled.elements == [.fork(2), Self.slash, .run, .end]
    }

    /// - Parameter elements: without the end.
    private static func settled(_ elements: ArraySlice<AssociationPattern.Element>) -> [AssociationPattern.Element] {
        var body = elements
        func dropFinalSlashes() { while body.last == slash { body.removeLast() } }
        dropFinalSlashes()
        let hasSlash = body.first == slash
        var tail: [AssociationPattern.Element] = []
        if body.last == .run, body.dropLast().last == slash {
            body.removeLast()
            let length = body.count
            dropFinalSlashes()
            // Only the first slash of a pattern may be repeated: `/a//*` does not cover `/a/b`.
            let slashes = body.isEmpty ? 1 : length - body.count
            // The pattern ends here, or goes on behind its slashes.
            tail = [.fork(Int32(slashes) + 1)] + Array(repeating: slash, count: slashes) + [.run]
        }
        body = body.drop { $0 == slash }
        let head: [AssociationPattern.Element] =
            if body.isEmpty || body.first == .run && !hasSlash { [] } else if hasSlash { [slash] } else {
                [.fork(1), slash]
            }
        return head + body + tail + [.end]
    }

    // MARK: Matching

    enum Result {
        /// As Apple's reference describes it.
        case matched
        /// Because the pattern's missing first slash was added, as Apple's reference does in one of its examples.
        case matchedBehindSlash
        /// Only because of the rule above.
        case matchedBySlashRule
        case failed
        /// Only because of the rule above, as for `/?*` and `/a//`.
        case failedBySlashRule
    }

    /// - Parameters:
    ///   - path: Unicode scalars of a path, already in lower case if `caseSensitive` is false.
    ///   - isExplaining: whether a failure is explained, which takes another comparison.
    func result(
        _ path: [UInt32], caseSensitive: Bool, variables: SubstitutionVariables, isExplaining: Bool,
        budget: inout MatchingBudget
    ) -> Result {
        func matches(_ pattern: AssociationPattern, _ path: [UInt32]) -> Bool {
            pattern.matches(path, caseSensitive: caseSensitive, variables: variables, budget: &budget)
        }
        let settledPath = Array(path[..<((path.lastIndex { $0 != 0x2F }).map { $0 + 1 } ?? 0)])
        guard matches(settled, settledPath) else {
            // The value of a variable may be empty or end in a slash, which only shows in the path.
            if written.hasVariable, matches(written, path) { return .matched }
            return isExplaining && settledPath.count < path.count && matches(written, path)
                ? .failedBySlashRule : .failed
        }
        if matches(written, path) { return .matched }
        guard written.elements.first != Self.slash else { return .matchedBySlashRule }
        return matches(written.with(elements: [Self.slash] + written.elements), path)
            ? .matchedBehindSlash : .matchedBySlashRule
    }
}
