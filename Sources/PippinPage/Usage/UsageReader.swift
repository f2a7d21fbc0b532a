import Foundation

/// Who reads words about use: by which names pages address it, and which words it honors, as far as its owner documents them.
///
/// | word | Pippin | Applebot | Googlebot | Bingbot | OAI-SearchBot |
/// | --- | --- | --- | --- | --- | --- |
/// | `noindex` | not found | not found | not found | not found | not found |
/// | `nosnippet` | no text, no answers | no text, no answers | no text, no answers | no text | – |
/// | `max-snippet` | so much text; 0 as nosnippet | – | so much text; 0 as nosnippet | so much text | – |
/// | `unavailable_after` | not found afterwards | – | not found afterwards | – | – |
/// | `noarchive`, `nocache` | – | – | – | no answers and no training, with its text | – |
/// | `noai` | no answers, no training | – | – | – | – |
/// | `noimageai` | no training with pictures | – | – | – | – |
/// | `isAccessibleForFree` false | no answers from its text | no answers from its text | – | – | – |
///
/// Sources: "About Applebot" (Apple); "Robots meta tag, data-nosnippet, and X-Robots-Tag specifications" (Google); "Announcing new
/// options for webmasters to control usage of their content in Bing Chat" (Bing, September 2023); "Publishers and Developers - FAQ"
/// (OpenAI); DeviantArt's `noai` of 2022, which no large crawler documents.
public struct UsageReader: Sendable, Hashable {
    /// What a word does to a reader that honors it.
    struct Effect {
        var refused: [ContentUse] = []
        var extent = UsageStatement.Extent.page
        /// The longest text that may be shown, in characters.
        var snippet: Int?
    }

    /// The name in words for people.
    public let name: String
    /// The names of its page-level directives; nil for those that the page was read with.
    let agents: [String]?
    /// Whether it reads what no large crawler documents to read: AIPREF, Content-Signal, TDMRep, RSL.
    let readsPreferences: Bool
    /// Whether it leaves text that costs money out of answers.
    let honorsPaywalls: Bool
    private let words: Set<RobotsDirectives.Directive>
    /// Whether a page without a snippet is left out of answers.
    private let answersFromSnippets: Bool

    /// Pippin, under whatever names it reads pages. It honors every word.
    public static let own = UsageReader(
        name: "Pippin", agents: nil, readsPreferences: true, honorsPaywalls: true,
        words: [.noindex, .nosnippet, .maxSnippet, .unavailableAfter, .noai, .noimageai], answersFromSnippets: true)
    /// Apple's.
    public static let applebot = UsageReader(
        name: "Applebot", agents: ["applebot"], readsPreferences: false, honorsPaywalls: true,
        words: [.noindex, .nosnippet], answersFromSnippets: true)
    /// Google's.
    public static let googlebot = UsageReader(
        name: "Googlebot", agents: ["googlebot"], readsPreferences: false, honorsPaywalls: false,
        words: [.noindex, .nosnippet, .maxSnippet, .unavailableAfter], answersFromSnippets: true)
    /// Microsoft's.
    public static let bingbot = UsageReader(
        name: "Bingbot", agents: ["bingbot"], readsPreferences: false, honorsPaywalls: false,
        words: [.noindex, .nosnippet, .maxSnippet, .noarchive, .nocache], answersFromSnippets: false)
    /// OpenAI's for search.
    public static let openAI = UsageReader(
        name: "OAI-SearchBot", agents: ["oai-searchbot"], readsPreferences: false, honorsPaywalls: false,
        words: [.noindex], answersFromSnippets: false)

    /// All readers whose words are documented.
    public static let all = [own, applebot, googlebot, bingbot, openAI]

    /// The same reader of pages that address it by these names.
    func reading(_ agents: [String]) -> UsageReader {
        UsageReader(
            name: name, agents: agents, readsPreferences: readsPreferences, honorsPaywalls: honorsPaywalls,
            words: words,
            answersFromSnippets: answersFromSnippets)
    }

    /// A reader of what pages say to everybody, and to a reader by its names, in words that no large crawler documents to follow.
    static func everybody(_ reader: UsageReader) -> UsageReader {
        UsageReader(
            name: reader.name, agents: reader.agents, readsPreferences: true, honorsPaywalls: false,
            words: [.noai, .noimageai], answersFromSnippets: false)
    }

    /// What a directive means to the reader; nil if nothing.
    func effect(of statement: RobotsDirectives.Statement, now: Date) -> Effect? {
        guard words.contains(statement.directive) else { return nil }
        switch statement.directive {
        case .noindex: return Effect(refused: [.search])
        case .nosnippet: return Effect(refused: answersFromSnippets ? [.aiInput] : [], extent: .text, snippet: 0)
        case .maxSnippet:
            guard let limit = statement.value.flatMap(RobotsDirectives.limit) else { return nil }
            return Effect(
                refused: limit == 0 && answersFromSnippets ? [.aiInput] : [], extent: .text, snippet: limit)
        case .unavailableAfter:
            guard let moment = statement.moment, moment <= now else { return nil }
            return Effect(refused: [.search])
        case .noarchive, .nocache: return Effect(refused: [.aiInput, .aiTrain], extent: .text)
        case .noai: return Effect(refused: [.aiInput, .aiTrain, .aiTrainImages])
        case .noimageai: return Effect(refused: [.aiTrainImages])
        default: return nil
        }
    }
}
