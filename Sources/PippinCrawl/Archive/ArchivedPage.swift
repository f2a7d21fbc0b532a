import Foundation
import PippinPage

/// One capture of a page in an archive: where it is, how a visit would have ended, and what the page says.
public struct ArchivedPage: Sendable {
    /// Where a capture is in an archive.
    public struct Place: Sendable {
        /// The file as it was named; `-` for standard input.
        public let file: String
        public let offset: UInt64
        /// Nil if the record shares its gzip member with others.
        public let length: UInt64?
        /// The `WARC-Record-ID` as written, in angle brackets.
        public let identifier: String?
        /// The `WARC-Date` as written.
        public let date: String?
        /// The kind of record: `response`, `resource`, `revisit`.
        public let kind: String
        /// The reason for which the archive has only the beginning of the body: `length`, `time` …
        public let truncation: String?
        /// Of a revisit: the URL and time of the capture that has the body.
        public let refersTo: (url: String?, date: String?)?

        init(_ record: ArchivedRecord, file: String) {
            self.file = file
            offset = record.offset
            length = record.length
            identifier = record.fields["WARC-Record-ID"]
            date = record.fields["WARC-Date"]
            kind = record.kind?.rawValue ?? ""
            truncation = record.fields["WARC-Truncated"]
            let url = record.fields["WARC-Refers-To-Target-URI"]
            let date = record.fields["WARC-Refers-To-Date"]
            refersTo = record.kind == .revisit && (url != nil || date != nil) ? (url, date) : nil
        }
    }

    /// What became of the capture.
    public enum Outcome: Sendable {
        case recorded(DeepLinkRecord, facts: PageFacts, notes: [ParseNote])
        /// There is no record; the reason is that of a visit with this end.
        case none(VisitOutcome)
        /// The archive has no body here.
        case revisit

        /// The stable name of the outcome.
        public var code: String {
            switch self {
            case .recorded: VisitOutcome.recorded.code
            case .none(let outcome): outcome.code
            case .revisit: "revisit"
            }
        }
    }

    public let url: WebURL
    public let status: Int
    public let place: Place
    public let outcome: Outcome

    /// Reads a page whose codings are removed.
    ///
    /// - Returns: nil if the response turns out to be no page, or the reading was interrupted.
    static func outcome(
        of response: FetchResponse, agent: CrawlConfiguration.Agent, fields: [CustomField] = [],
        onlyStated: Bool = false, limits: ReadingLimits
    ) -> Outcome? {
        switch response.kind(within: limits) {
        case .page: break
        // What never said that it is a page is no capture of one. Of a file without a type there may be no bytes.
        case .empty where AnswerKind.saysPage(response.headers): return Outcome.none(.empty)
        case .other(let type) where AnswerKind.saysPage(response.headers): return Outcome.none(.notAPage(type))
        case .empty, .feed, .other: return nil
        }
        let page = PageReading(response.source, agents: agent.directiveAgents, limits: limits)
        if limits.isInterrupted { return nil }
        if let redirect = page.facts.redirect { return Outcome.none(VisitOutcome(redirect)) }
        switch page.conclusion(fields: fields, onlyStated: onlyStated) {
        case .refused: return Outcome.none(.noindex)
        case .record(let record, let notes):
            // No file was asked for, and every deep link says so.
            let verification = AssociationVerification(of: record, associations: SiteAssociations())
            return .recorded(verification.record, facts: page.facts, notes: notes)
        }
    }
}
