/// A product token by which sites address what a company does with their pages, beside or instead of fetching them.
///
/// What the tokens stand for is what their owners document (`Docs/Access.md` has the table). Some are sent by no crawler at all.
public struct UsageToken: Sendable, Hashable {
    /// The token of user-agent lines.
    public let name: String
    /// Whose it is.
    public let owner: String
    /// What a `Disallow` for it refuses.
    public let uses: [ContentUse]

    /// The known tokens, those of one owner together.
    public static let all: [UsageToken] = [
        UsageToken(name: "Applebot-Extended", owner: "Apple", uses: [.aiTrain]),
        UsageToken(name: "Google-Extended", owner: "Google", uses: [.aiInput, .aiTrain]),
        UsageToken(name: "GPTBot", owner: "OpenAI", uses: [.aiTrain]),
        UsageToken(name: "OAI-SearchBot", owner: "OpenAI", uses: [.search]),
        UsageToken(name: "ClaudeBot", owner: "Anthropic", uses: [.aiTrain]),
        UsageToken(name: "Claude-SearchBot", owner: "Anthropic", uses: [.search]),
        UsageToken(name: "Claude-User", owner: "Anthropic", uses: [.aiInput]),
        UsageToken(name: "PerplexityBot", owner: "Perplexity", uses: [.search]),
        UsageToken(name: "meta-externalagent", owner: "Meta", uses: [.search, .aiTrain]),
        UsageToken(name: "Amazonbot", owner: "Amazon", uses: [.aiTrain]),
        UsageToken(name: "Amzn-SearchBot", owner: "Amazon", uses: [.search]),
        UsageToken(name: "CCBot", owner: "Common Crawl", uses: [.aiTrain]),
    ]
}

extension RobotsFile {
    /// The known tokens that the file has rules for.
    public var usageTokens: [UsageToken] {
        UsageToken.all.filter { agents[$0.name.asciiLowercased] != nil }
    }
}
