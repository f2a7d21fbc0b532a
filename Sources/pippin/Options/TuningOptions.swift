import ArgumentParser
import Foundation
import PippinCrawl
import PippinPage
import PippinReport

/// What the operator says of findings: flags, the site's `pippin.yaml`, and a baseline.
struct TuningOptions: ParsableArguments {
    @Option(help: "What makes the exit status 1. (default: error)")
    var failOn: ValidateConfiguration.Threshold?

    @Option(help: "Checks and groups that do not count: S14,T10.")
    var ignore: String?

    @Option(help: "Only these checks and groups count: deep-links,S01.")
    var only: String?

    @Option(help: ArgumentHelp("The most errors of all pages; more make the exit status 1.", valueName: "number"))
    var maxErrors: String?

    @Option(help: ArgumentHelp("The most warnings of all pages; more make the exit status 1.", valueName: "number"))
    var maxWarnings: String?

    @Option(
        name: .config,
        help: "The settings' file, instead of a pippin.yaml here, beside the pages or above them.")
    var configPath: String?

    @Option(name: .customLong("baseline"), help: "A file of findings that are known and fail nothing.")
    var baselinePath: String?

    @Flag(name: .customLong("update-baseline"), help: "Write the findings of this run into the baseline.")
    var updatesBaseline = false

    @Option(
        name: .customLong("compare"),
        help: ArgumentHelp(
            "An earlier report in JSON: what it has is known, and what is worse, better, new and gone is listed.",
            valueName: "file"))
    var earlierPath: String?

    /// The settings of the site, with the flags over them. Which file is used stands on standard error.
    func settings(near file: String?, base: String?) throws -> ValidateConfiguration {
        var settings = ValidateConfiguration()
        if let path = configPath ?? Self.configuration(near: file) {
            settings = try ValidateConfiguration(contentsOf: path)
            writeError("pippin: settings from \(path)")
        }
        try settings.take(ignore, key: "ignore", flag: "--ignore")
        try settings.take(only, key: "only", flag: "--only")
        try settings.take(base, key: "url_base", flag: "--url-base")
        try settings.take(maxErrors, key: "max_errors", flag: "--max-errors")
        try settings.take(maxWarnings, key: "max_warnings", flag: "--max-warnings")
        settings.failsOn = failOn ?? settings.failsOn
        return settings
    }

    /// The `pippin.yaml` of the current folder, or else the one nearest to the pages, in their folder or above.
    private static func configuration(near file: String?) -> String? {
        let name = ValidateConfiguration.fileName
        if FileManager.default.fileExists(atPath: name) { return name }
        guard let file, file != "-" else { return nil }
        var folder = SitePaths.absolute(file)
        while true {
            let path = folder + "/" + name
            if FileManager.default.fileExists(atPath: path) { return path }
            guard let slash = folder.lastIndex(of: "/") else { return nil }
            folder = String(folder[..<slash])
        }
    }

    // MARK: Baseline

    /// The folder from which the baseline names files.
    var baselineFolder: String {
        baselinePath.map { (SitePaths.absolute($0) as NSString).deletingLastPathComponent } ?? "/"
    }

    /// nil without `--baseline`.
    func baseline() throws -> FindingBaseline? {
        guard let baselinePath else { return nil }
        if !FileManager.default.fileExists(atPath: baselinePath) {
            guard updatesBaseline else {
                throw ConfigurationError(
                    file: baselinePath, problem: "there is no such baseline; write it with --update-baseline")
            }
            return FindingBaseline()
        }
        let bytes = try InputFile.bytes(at: baselinePath)
        guard !bytes.isEmpty || updatesBaseline else {
            throw ConfigurationError(file: baselinePath, problem: "is empty; write it with --update-baseline")
        }
        do throws(FindingBaseline.Fault) {
            return try FindingBaseline(bytes: bytes)
        } catch {
            throw ConfigurationError(
                file: baselinePath, line: error.line, column: error.column, problem: error.problem)
        }
    }

    /// nil without `--compare`.
    func earlier() throws -> EarlierResult? {
        guard let earlierPath else { return nil }
        let bytes = try InputFile.bytes(at: earlierPath)
        do throws(EarlierResult.Fault) {
            return try EarlierResult(bytes: bytes)
        } catch {
            throw ConfigurationError(file: earlierPath, problem: error.problem)
        }
    }

    /// The pages of a baseline whose files do not exist any more.
    func pagesGone(from baseline: FindingBaseline) -> [String] {
        baseline.pageNames.filter { name in
            name != "-" && !name.contains("://")
                && !FileManager.default.fileExists(atPath: baselineFolder + "/" + name)
        }
    }

    /// Writes the baseline as it is after a change, if the operator wants it.
    func update(_ baseline: FindingBaseline?, _ change: (inout FindingBaseline) -> Void) throws {
        guard updatesBaseline, let baselinePath, var baseline else { return }
        change(&baseline)
        try WholeFile.write(baseline.bytes, to: baselinePath, what: "the baseline")
        writeError("pippin: \(baselinePath) knows \(Wording.count(baseline.count, "finding")) now")
    }
}
