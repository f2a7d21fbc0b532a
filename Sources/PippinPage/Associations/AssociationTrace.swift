/// What an association file says of one URL, and how it came to that: entry by entry, component by component, part by part.
public struct AssociationTrace: Sendable, Hashable {
    public enum Outcome: String, Sendable, CaseIterable {
        /// An app opens the URL.
        case match
        /// A component says that no app opens it.
        case block
        /// Nothing in the file says anything of it.
        case unset
    }

    /// What the file decides for one app.
    public struct AppVerdict: Sendable, Hashable {
        public let appID: String
        /// `match` or `block`.
        public let outcome: Outcome
        /// Indices of the entry that decided, and of its component.
        public let entry: Int
        public let component: Int
        /// The component in one line.
        public let pattern: String
        public let place: TextPlace
        /// What it took beyond the letter of Apple's documentation, with a code of its own.
        public let remarks: [String]
    }

    public struct Entry: Sendable, Hashable {
        public let appIDs: [String]
        public let outcome: Outcome
        public let place: TextPlace
        public let components: [Component]
        /// Why it was passed over: it names no app, no pattern, or not the app that was asked for.
        public let reason: String?
    }

    public struct Component: Sendable, Hashable {
        public enum Outcome: String, Sendable {
            case matched, excluded
            case notMatched = "not-matched"
            /// An earlier component decided.
            case notTried = "not-tried"
        }

        public let pattern: String
        public let outcome: Outcome
        public let parts: [Part]
        public let comment: String?
        public let place: TextPlace
        /// Why it cannot match, where that is no question of the URL.
        public let reason: String?
    }

    /// One comparison.
    public struct Part: Sendable, Hashable {
        /// `/`, `?`, `#`, or the name of a query item behind a question mark: `?articleNumber`.
        public let name: String
        public let pattern: String
        /// What of the URL was compared with it; nil where the URL has no such part, which counts as empty.
        public let value: String?
        public let isMatched: Bool
        /// What to know of the comparison: why it failed, or what it took to succeed.
        public let remark: String?

        /// The remark on a pattern that matches because its missing first slash was added.
        static let missingSlashRemark =
            "The pattern has no slash at its beginning; it was compared as if it had."
        /// The remark on a pattern that matches only by the rule for slashes (`AssociationPathPattern`).
        static let slashRuleRemark =
            "Only the rule for slashes decides: those at a path's end do not count, and “/x/*” covers “/x”. macOS 27 was seen to match so; Apple's reference does not say it."
        /// The remark on a pattern that the rule for slashes keeps from matching.
        static let slashRuleFailureRemark =
            "Only the rule for slashes decides: slashes at a path's end do not count, so the pattern finds no character there."
        /// The remark on a comparison that letter case alone fails.
        static let caseRemark = "It differs in upper and lower case only (“caseSensitive”)."
        /// The remark on a comparison that percent-encoding alone fails.
        static let encodingRemark = "It differs in percent-encoding only (“percentEncoded”)."
    }

    public let url: WebURL
    /// `match` if any app opens it, else `block` if any app is kept from it.
    public let outcome: Outcome
    /// Apps the file decides for, in the order of the entries.
    public let apps: [AppVerdict]
    /// Empty unless a trace was asked for.
    public let entries: [Entry]
    /// Why nothing was compared: another scheme, a file with trouble.
    public let reason: String?

    /// The verdict for an app.
    public func verdict(for appID: String) -> AppVerdict? {
        apps.first { $0.appID == appID }
    }

    /// The verdict that speaks for all: the first app that matches, else the first that is blocked.
    public var decisive: AppVerdict? {
        apps.first { $0.outcome == outcome }
    }
}
