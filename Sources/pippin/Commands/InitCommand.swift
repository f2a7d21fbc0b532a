import ArgumentParser
import Foundation
import PippinCrawl

struct InitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Writes a job to begin with: crawl-config.yaml and seeds.txt, commented.",
        discussion: """
            Files that exist are not replaced. Put your contact into crawl-config.yaml and your pages into seeds.txt; then \
            pippin crawl --check says what a run would do, and pippin crawl does it.

            Examples:
              pippin init
              pippin init jobs/news

            Exit status: 0 done, 2 a file exists, 6 a file could not be written.
            """)

    @Argument(help: "The folder of the job. It is created if it does not exist.")
    var folder = "."

    /// The files of a new job: those of the repository.
    static let files = [
        (name: "crawl-config.yaml", bytes: PackageResources.crawl_config_yaml),
        (name: "seeds.txt", bytes: PackageResources.seeds_txt),
    ]

    func run() throws {
        let folder = URL(filePath: folder, directoryHint: .isDirectory)
        for file in Self.files {
            let path = folder.appending(path: file.name).path
            if FileManager.default.fileExists(atPath: path) {
                throw ConfigurationError(file: path, problem: "exists; nothing was written")
            }
        }
        for file in Self.files {
            let path = folder.appending(path: file.name).path
            try WholeFile.write(file.bytes, to: path, what: "the job")
            try StandardOutput.write("wrote \(path)\n")
        }
        writeError(
            "Put your contact into crawl-config.yaml and your pages into seeds.txt, then run: pippin crawl --check")
    }
}
