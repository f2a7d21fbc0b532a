import Foundation

/// A crawler, or those of one company, by what decides whether a page is found, answered from and trained on with it.
///
/// | agent | found | answered from | trained on |
/// | --- | --- | --- | --- |
/// | Applebot | robots.txt for Applebot, else Googlebot; `noindex` | `nosnippet`, `isAccessibleForFree` | `Applebot-Extended` |
/// | Googlebot | robots.txt for Googlebot; `noindex` | found, `nosnippet`, `Google-Extended` | `Google-Extended` |
/// | Bingbot | robots.txt for bingbot; `noindex` | found, `noarchive`, `nocache` | `noarchive`, `nocache` |
/// | GPTBot | robots.txt for OAI-SearchBot; `noindex` | robots.txt for OAI-SearchBot | robots.txt for GPTBot |
/// | the operator's | robots.txt for its names, and every word that Pippin knows | the same | the same |
///
/// What robots.txt closes to a crawler is neither found, answered from nor trained on with it.
public struct UsageAgent: Sendable, Hashable {
    /// The name in words for people: of the crawler that sites know best.
    public let name: String
    /// The page of its owner that documents the rest; nil for the operator's own.
    public let documentation: String?
    private let reader: UsageReader
    /// The names in robots.txt of the crawler that fetches pages to find them and to answer from them, in order; and of the one that
    /// fetches them to train.
    private let crawlers: [String]
    private let trainingCrawlers: [String]
    /// The product tokens of the owner that stand for uses (`UsageToken`).
    private let tokens: [String]
    /// Whether answers are made of what was found only.
    private let answersFromIndex: Bool

    /// Those whose owners document what decides.
    public static let known: [UsageAgent] = [
        // "About Applebot": without rules for Applebot those for Googlebot count; Applebot-Extended decides on training.
        UsageAgent(
            name: "Applebot", documentation: "https://support.apple.com/119829", reader: .applebot,
            crawlers: ["Applebot", "Googlebot"], tokens: ["Applebot-Extended"], answersFromIndex: false),
        // "Google's common crawlers": Google-Extended is for training and grounding of Gemini, without effect on Search. "AI
        // features and your website": a page must be indexed and may have a snippet.
        UsageAgent(
            name: "Googlebot",
            documentation: "https://developers.google.com/search/docs/appearance/ai-features", reader: .googlebot,
            crawlers: ["Googlebot"], tokens: ["Google-Extended"], answersFromIndex: true),
        // "Announcing new options for webmasters to control usage of their content in Bing Chat" (September 2023): chat answers
        // from the index of Bing.
        UsageAgent(
            name: "Bingbot",
            documentation:
                "https://blogs.bing.com/webmaster/september-2023/Announcing-new-options-for-webmasters-to-control-usage-of-their-content-in-Bing-Chat",
            reader: .bingbot, crawlers: ["bingbot"], answersFromIndex: true),
        // "Overview of OpenAI Crawlers": OAI-SearchBot is for search and its answers, GPTBot for training, each independent of
        // the other.
        UsageAgent(
            name: "GPTBot", documentation: "https://platform.openai.com/docs/bots", reader: .openAI,
            crawlers: ["OAI-SearchBot"], trainingCrawlers: ["GPTBot"], tokens: ["OAI-SearchBot", "GPTBot"],
            answersFromIndex: false),
    ]

    /// The operator's own, which follows every word that Pippin knows.
    ///
    /// - Parameters:
    ///   - robotsAgents: its names in robots.txt, in order.
    ///   - directiveAgents: the names whose directives on pages it follows.
    public static func own(_ name: String, robotsAgents: [String], directiveAgents: [String]) -> UsageAgent {
        UsageAgent(
            name: name, documentation: nil, reader: .own.reading(directiveAgents), crawlers: robotsAgents,
            answersFromIndex: false)
    }

    /// - Parameters:
    ///   - crawlers: that fetch pages to find them, and for all else.
    ///   - trainingCrawlers: that fetch them to train, if these are others.
    private init(
        name: String, documentation: String?, reader: UsageReader, crawlers: [String],
        trainingCrawlers: [String]? = nil, tokens: [String] = [], answersFromIndex: Bool
    ) {
        (self.name, self.documentation, self.reader) = (name, documentation, reader)
        (self.crawlers, self.trainingCrawlers) = (crawlers, trainingCrawlers ?? crawlers)
        (self.tokens, self.answersFromIndex) = (tokens, answersFromIndex)
    }

    /// Those that fetch pages for a use.
    private func crawlers(for use: ContentUse) -> [String] {
        switch use {
        case .search, .aiInput: crawlers
        case .aiTrain, .aiTrainImages: trainingCrawlers
        }
    }

    // MARK: Verdicts

    /// Whether a page is found, answered from and trained on, as far as the page and its site say.
    ///
    /// - Parameters:
    ///   - facts: the page; nil if it was not read. Then only robots.txt decides.
    ///   - robots: the file of its host; nil if it was not seen.
    ///   - more: what other files of the site say to everybody, such as licences.
    ///   - now: decides whether `unavailable_after` has passed.
    public func verdicts(
        on page: WebURL, _ facts: PageFacts?, robots: RobotsFile?, more: [UsageStatement] = [], now: Date
    ) -> AgentVerdicts {
        // What the page says to this agent, and what it says to everybody in words that the agent's owner does not document.
        var followed = UsagePreferences()
        var others = UsagePreferences(more)
        if let facts {
            // Whoever reads the page has its notes already.
            var notes: [ParseNote] = []
            followed = PageUsage(facts, reader: reader, now: now, notes: &notes).preferences
            if !reader.readsPreferences {
                others = PageUsage(facts, reader: .everybody(reader), now: now, notes: &notes).preferences
                for statement in more { others.add(statement) }
            }
        }
        let found = verdict(.search, page, followed, others, robots, isRead: facts != nil)
        var answered = verdict(.aiInput, page, followed, others, robots, isRead: facts != nil)
        if answersFromIndex, found.answer == .no, answered.answer != .no {
            answered = UsageVerdict(
                use: .aiInput, answer: .no, statement: found.statement, isDocumented: found.isDocumented)
        }
        return AgentVerdicts(
            agent: self, found: found, answered: answered,
            trained: verdict(.aiTrain, page, followed, others, robots, isRead: facts != nil))
    }

    private func verdict(
        _ use: ContentUse, _ page: WebURL, _ followed: UsagePreferences, _ others: UsagePreferences,
        _ robots: RobotsFile?, isRead: Bool
    ) -> UsageVerdict {
        var documented = UsagePreferences()
        var addressed = UsagePreferences()
        if let robots {
            let crawlers = crawlers(for: use)
            // Rules let a crawler fetch, which is what it takes to be found, and not more.
            let rule = robots.ruleStatement(use, of: page, agents: crawlers)
            let decision = use == .search || rule?.isAllowed == false ? rule : nil
            let known = UsageToken.all.filter { tokens.contains($0.name) && $0.uses.contains(use) }
            let spoken = known.compactMap { robots.preference(use, of: page, token: $0.name) }
            let lines = robots.usage(of: page, agents: crawlers).filter { $0.use == use }
            for var statement in [decision].compactMap(\.self) + spoken + lines {
                statement.source.url = WebURL("/robots.txt", base: page)?.href
                if statement.source.carrier == .robotsRule || reader.readsPreferences {
                    documented.add(statement)
                } else {
                    addressed.add(statement)
                }
            }
        }
        if let statement = followed[use] { documented.add(statement) }
        if let statement = others[use] {
            if reader.readsPreferences { documented.add(statement) } else { addressed.add(statement) }
        }
        let said = documented[use]
        let alsoSaid = addressed[use]
        // A refusal wins, and of two words alike the one that the owner documents tells more.
        let isOther = alsoSaid != nil && (said == nil || said?.isAllowed == true && alsoSaid?.isAllowed == false)
        guard let statement = isOther ? alsoSaid : said else {
            // A page may be found unless something is against it (RFC 9309 §2.2.2). The other uses nobody takes for granted.
            let isFree = use == .search && isRead && robots != nil
            return UsageVerdict(use: use, answer: isFree ? .yes : .unsaid, statement: nil, isDocumented: true)
        }
        return UsageVerdict(
            use: use, answer: statement.isAllowed ? .yes : .no, statement: statement, isDocumented: !isOther)
    }
}

/// Whether a page may be used in one way by one agent, and what decides.
public struct UsageVerdict: Sendable, Hashable {
    /// The answers.
    public enum Answer: String, Sendable, Hashable, CaseIterable {
        case yes
        case no
        /// Nothing is said, or it was not seen.
        case unsaid = "not-said"

        /// The answer in words for people.
        public var word: String { self == .unsaid ? "not said" : rawValue }
    }

    /// The use.
    public let use: ContentUse
    /// The answer.
    public let answer: Answer
    /// What says so; nil if nothing does. A page may be found although nothing says so.
    public let statement: UsageStatement?
    /// Whether the agent's owner documents that it follows such words.
    public let isDocumented: Bool
}

/// The three verdicts on a page for one agent.
public struct AgentVerdicts: Sendable, Hashable {
    /// The agent.
    public let agent: UsageAgent
    /// Whether the page is found.
    public let found: UsageVerdict
    /// Whether models answer from it.
    public let answered: UsageVerdict
    /// Whether models are trained with it.
    public let trained: UsageVerdict

    /// All three, in this order.
    public var all: [UsageVerdict] { [found, answered, trained] }
}
