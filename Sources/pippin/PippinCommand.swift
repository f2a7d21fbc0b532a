import ArgumentParser

@main
struct PippinCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pippin",
        abstract: "Crawls the web from the pages of apps and writes deep-link records for a search index.",
        version: "0.1.0",
        subcommands: [
            ExtractCommand.self,
            RobotsCommand.self,
            SitemapCommand.self,
            URLCommand.self,
        ])
}
