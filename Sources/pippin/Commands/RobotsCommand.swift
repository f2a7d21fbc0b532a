import ArgumentParser
import Foundation
import PippinCrawl
import PippinPage

struct RobotsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "robots",
        abstract: "Tells whether a robots.txt allows a URL, and which line decides.",
        discussion: """
            The first word is "allowed" or "disallowed". The first agent that the file names decides, then "*".

            Of a page, the robots.txt of its host is fetched, as a crawl does. With --url, a file is read instead.

            --explain adds what the page may be used for: to be found, for answers of AI, for training. Each use is \
            allowed, refused or unknown, with the line that decides (Docs/Access.md).

            Examples:
              pippin robots --agent Applebot --agent Googlebot https://example.org/page
              pippin robots --agent Pippin --url https://example.org/page robots.txt
              pippin robots --explain --agent Pippin https://example.org/page

            Exit status: 0 allowed, 1 disallowed, 2 usage, 3 the file could not be fetched.
            """)

    @Option(name: .customLong("agent"), help: "Product token, as in a user-agent line; repeat it for a chain.")
    var agents: [String]

    @Option(name: .url, help: "The URL that is asked about, if a file is read.")
    var url: String?

    @Flag(help: "Tell what the page may be used for, and by which lines.")
    var explain = false

    @Argument(
        help: ArgumentHelp(
            "The page. With --url, the robots.txt: a file, - for standard input, or a URL.", valueName: "page-or-file"))
    var place: String

    @OptionGroup(title: "With a URL")
    var fetching: FetchOptions

    func run() async throws {
        guard !agents.contains(where: { $0.allSatisfy(\.isWhitespace) }) else {
            throw ConfigurationError(file: "--agent", problem: "must be a product token, like Applebot")
        }
        guard let url else { return try await judgePage() }
        guard let target = WebURL(url), target.isHTTP else {
            throw ConfigurationError(file: "--url", problem: "\"\(url)\" must be an http or https URL")
        }
        let location = WebURL("/robots.txt", base: target) ?? target
        let input = try await DocumentInput(place, location: location.href, purpose: .robots, options: fetching)
        try answer(RobotsFile(bytes: input.bytes, url: location), target)
    }

    /// Of a page whose robots.txt is looked for.
    private func judgePage() async throws {
        guard let page = WebURL(place), page.isHTTP else {
            throw ConfigurationError(
                file: "command line",
                problem: "\"\(place)\" must be the http or https URL of a page; a file needs --url")
        }
        let found = try await fetching.fetching(signingFor: NamedSites([page])) { (single: inout SingleFetch) in
            try await single.robots(of: page)
        }
        if let failure = found.failure(asking: page) { throw failure }
        try answer(found.result.get(), page, found)
    }

    private func answer(_ file: RobotsFile, _ target: WebURL, _ found: RobotsLookUp? = nil) throws {
        let decision = file.decision(for: target, agents: agents)
        var text = Self.answer(decision, file, agents: agents, found: found)
        if explain { text += Self.usage(of: target, file, agents: agents).map { "\n" + $0 }.joined() }
        try StandardOutput.write(text + "\n")
        if !decision.isAllowed { throw ExitCode(1) }
    }

    /// What the file says about each use of a page, for us and for the tokens that it names, and its licences.
    static func usage(of page: WebURL, _ robots: RobotsFile, agents: [String]) -> [String] {
        var lines: [String] = []
        if robots.decision(for: page, agents: agents).isAllowed {
            let preferences = UsagePreferences(robots.usage(of: page, agents: agents))
            for use in ContentUse.allCases where use != .aiTrainImages {
                lines.append("use \(use.rawValue): \(words(preferences[use]))")
            }
        } else {
            lines.append("use: nothing applies to a page that may not be fetched")
        }
        for token in robots.usageTokens {
            for use in token.uses {
                let statement = robots.preference(use, of: page, token: token.name)
                lines.append("token \(token.name) (\(token.owner)), \(use.rawValue): \(words(statement))")
            }
        }
        return lines + robots.licenses.map { "license: \($0.url.href) (line \($0.line))" }
    }

    private static func words(_ statement: UsageStatement?) -> String {
        statement.map { "\($0.isAllowed ? "allowed" : "refused")  \($0.sentence)" } ?? "unknown  The file does not say."
    }

    /// The verdict and what decided it, then where the file was found, the crawl delay, the sitemaps, and notes about mistakes in
    /// the file.
    static func answer(
        _ decision: RobotsDecision, _ robots: RobotsFile, agents: [String], found: RobotsLookUp? = nil
    ) -> String {
        var lines = ["\(decision.isAllowed ? "allowed" : "disallowed")  \(decision.sentence)"]
        if let found { lines.append("robots.txt: \(found.words)") }
        if let delay = robots.crawlDelay(agents: agents) {
            lines.append("crawl delay: \(delay)")
        }
        lines += robots.sitemaps.map { "sitemap: \($0.href)" }
        lines += robots.notes.map { note in
            "note: " + (note.line.map { "line \($0): " } ?? "") + "\(note.message) [\(note.code.rawValue)]"
        }
        return lines.joined(separator: "\n")
    }
}
