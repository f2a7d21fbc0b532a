import ArgumentParser
import Foundation
import PippinCrawl
import PippinPage
import PippinStore

struct WhyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "why",
        abstract: "Says what became of a URL, and why.",
        discussion: """
            Every decision about the URL: whether the configuration takes it, how it was found, what robots.txt says, which \
            page stands for it, its last visits, when it is visited next, and its record with what became of its deep links, \
            or the reason why it has none. If the configuration has a sheet for its host, each setting that counts \
            there, with its place. The first line is the answer in a word. It only reads the storage, and may be asked while a run goes on.

            Examples:
              pippin why https://example.org/recipes/pie
              pippin why https://example.org/old --json | jq .visits
              pippin why https://example.org/old --storage JOB    # a job in shards

            Exit status: 0 the URL is known, 1 it is not, 2 usage or configuration, 6 there is no storage.
            """)

    @Argument(help: "The URL, spelled in any way that means the same.")
    var url: String

    @OptionGroup var place: StoragePlace

    @Option(help: "Seeds file, in place of the configuration's.")
    var seeds: String?

    @Flag(name: .json, help: "One JSON object instead of lines.")
    var json = false

    func run() async throws {
        guard let url = WebURL(url), url.isHTTP else {
            throw ConfigurationError(file: "command line", problem: "\"\(self.url)\" is not an http or https URL")
        }
        let configuration = try place.configuration()
        // A list of seeds alone says enough of the scope: the rest is as it is without a configuration.
        let scope = try (configuration ?? (seeds == nil ? nil : CrawlConfiguration())).map {
            URLAnswer.KnownScope($0, seeds: try Seeds.read(contentsOf: seeds ?? $0.seedsPath))
        }
        var answer = try URLAnswer(
            of: url, in: JobStorages(in: place.folder()), configuration: configuration, scope: scope)
        answer.spelling = try place.spelling()
        if json {
            try StandardOutput.write(tellingJSON: answer.json(pretty: true))
        } else {
            try StandardOutput.write(answer.text)
        }
        if answer.history == nil { throw ExitCode(1) }
    }
}
