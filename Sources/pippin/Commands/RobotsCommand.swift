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

            Examples:
              pippin robots --agent Applebot --agent Googlebot https://example.org/page
              pippin robots --agent Pippin --url https://example.org/page robots.txt

            Exit status: 0 allowed, 1 disallowed, 2 usage, 3 the file could not be fetched.
            """)

    @Option(name: .customLong("agent"), help: "Product token, as in a user-agent line; repeat it for a chain.")
    var agents: [String]

    @Option(name: .url, help: "The URL that is asked about, if a file is read.")
    var url: String?

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
        let found = try await fetching.fetching { (single: inout SingleFetch) in try await single.robots(of: page) }
        if let failure = found.failure(asking: page) { throw failure }
        try answer(found.result.get(), page, found)
    }

    private func answer(_ file: RobotsFile, _ target: WebURL, _ found: RobotsLookUp? = nil) throws {
        let decision = file.decision(for: target, agents: agents)
        try StandardOutput.write(Self.answer(decision, file, agents: agents, found: found) + "\n")
        if !decision.isAllowed { throw ExitCode(1) }
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
