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

            Examples:
              pippin robots --agent Pippin --url https://example.org/page robots.txt
              pippin robots --agent Applebot --agent Googlebot --url https://example.org/page robots.txt
              pippin robots --agent Applebot --url https://example.org/page https://example.org/robots.txt

            Exit status: 0 allowed, 1 disallowed, 2 usage, 3 the file could not be fetched.
            """)

    @Option(name: .customLong("agent"), help: "Product token, as in a user-agent line; repeat it for a chain.")
    var agents: [String]

    @Option(help: "The URL that is asked about.")
    var url: String

    @Argument(help: "The robots.txt: a file, - for standard input, or a URL.")
    var file: String

    @OptionGroup(title: "With a URL")
    var fetching: FetchOptions

    func run() async throws {
        guard let target = WebURL(url), target.isHTTP else {
            throw ConfigurationError(file: "--url", problem: "\"\(url)\" must be an http or https URL")
        }
        guard !agents.contains(where: { $0.allSatisfy(\.isWhitespace) }) else {
            throw ConfigurationError(file: "--agent", problem: "must be a product token, like Applebot")
        }
        let location = WebURL("/robots.txt", base: target) ?? target
        let input = try await DocumentInput(file, location: location.href, purpose: .robots, options: fetching)
        let robots = RobotsFile(bytes: input.bytes, url: location)
        let decision = robots.decision(for: target, agents: agents)
        try StandardOutput.write(Self.answer(decision, robots, agents: agents) + "\n")
        if !decision.isAllowed { throw ExitCode(1) }
    }

    /// The verdict and what decided it, then the crawl delay, the sitemaps, and notes about mistakes in the file.
    static func answer(_ decision: RobotsDecision, _ robots: RobotsFile, agents: [String]) -> String {
        var lines = ["\(decision.isAllowed ? "allowed" : "disallowed")  \(decision.sentence)"]
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
