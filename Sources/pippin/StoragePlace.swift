import ArgumentParser
import Foundation
import PippinCrawl

/// Which storage a command reads: the one it is told, or the configuration's.
struct StoragePlace: ParsableArguments {
    @Option(help: "Folder of the job, in place of the configuration's.")
    var storage: String?

    @Option(help: "Configuration file that names the storage (crawl-config.yaml).")
    var config: String?

    func configuration() throws -> CrawlConfiguration? { try CrawlConfiguration.ofJob(config) }

    /// How settings are named: the reader has a file when the command has one.
    func spelling() throws -> Setting.Spelling { try configuration() == nil ? .both : .key }

    func folder() throws -> URL {
        if let storage { return URL(filePath: storage) }
        if let configuration = try configuration() { return URL(filePath: configuration.storagePath) }
        // Without a configuration a storage is where one that says nothing has it.
        let usual = CrawlConfiguration().storagePath
        guard FileManager.default.fileExists(atPath: usual) else {
            throw CrawlConfiguration.missing(
                ", and neither is a storage named \(usual); give --storage or --config")
        }
        return URL(filePath: usual)
    }
}

extension CrawlConfiguration {
    private static let usualFile = "crawl-config.yaml"

    /// The configuration of the job that a command is about; nil where there is none. Only a file that was named must be there.
    static func ofJob(_ named: String?) throws -> CrawlConfiguration? {
        if let named { return try CrawlConfiguration(contentsOf: named) }
        guard FileManager.default.fileExists(atPath: usualFile) else { return nil }
        return try CrawlConfiguration(contentsOf: usualFile)
    }

    static func missing(_ advice: String) -> ConfigurationError {
        ConfigurationError(
            file: usualFile, problem: "is not in \(FileManager.default.currentDirectoryPath)\(advice)")
    }
}
