import Foundation
import PippinCrawl
import PippinPage

/// The settings of `pippin validate`, from a file beside the site, `pippin.yaml`:
///
///     validate:
///       url_base: https://example.org/
///       root: dist
///       fail_on: warning
///       ignore: [S15, T10]
///       severities: { S14: info }
///       checks:
///         price-shown: { selector: .price, matches: "^[0-9]+", message: "Each product shows its price." }
///       rules:
///         - { paths: ["/blog/**"], ignore: [deep-links] }
public struct ValidateConfiguration: Sendable, Equatable {
    /// What makes the exit status 1.
    public enum Threshold: String, Sendable, CaseIterable {
        case error, warning

        /// The mildest outcome that does.
        public var outcome: Finding.Outcome { self == .error ? .error : .warning }
    }

    /// The name of the file where none is given.
    public static let fileName = "pippin.yaml"

    /// What the site changes about the judgement.
    public var tuning = CardTuning()
    /// How much may be found.
    public private(set) var budgets = FindingBudgets()
    /// The operator's own checks.
    public private(set) var ownChecks: [OwnCheck] = []
    /// nil for the default.
    public var failsOn: Threshold?
    /// The URL of the folder with the site's files.
    public var base: WebURL?
    /// The path of that folder: as the file says, or else the file's own folder if it gives the URL.
    public private(set) var rootPath: String?
    /// Whether the file names the folder.
    public private(set) var namesRoot = false

    /// Changes nothing.
    public init() {}

    /// Reads a file. A relative `root` is relative to the file's folder.
    ///
    /// - Throws: `ConfigurationError` with file, line, column, key and what to do.
    public init(contentsOf path: String) throws {
        try self.init(yaml: InputFile.text(at: path), file: path)
    }

    /// Reads the text of a file.
    init(yaml: String, file: String) throws {
        let root = try ConfigurationSection(yaml: yaml, file: file, known: ["validate"])
        let section = try root.section(
            "validate",
            known: [
                "ignore", "only", "severities", "fail_on", "url_base", "root", "rules", "docs_url", "max_errors",
                "max_warnings", "checks",
            ])
        // What follows may name them.
        ownChecks = try OwnCheck.list(section)
        try take(section)
        let folder = URL(filePath: file).deletingLastPathComponent()
        if let name = try section.string("root") {
            rootPath = URL(filePath: name, relativeTo: folder).path
            namesRoot = true
        } else if base != nil {
            rootPath = folder.path
        }
        if let text = try section.string("docs_url") {
            guard let url = WebURL(text), url.isHTTP, url.fragment == nil else {
                throw section.invalid("docs_url", "expected an http or https URL without #, found \"\(text)\"")
            }
            tuning.docs = url
        }
        budgets = try FindingBudgets(section, of: checks)
        tuning.severities = try severities(section)
        tuning.rules = try section.list("rules", known: ["paths", "ignore", "severities"]).map { rule in
            guard
                let paths = try rule.names(
                    "paths", separator: nil, { PathGlob($0) },
                    unknown: {
                        "\"\($0.prefix(200))\" is no pattern; close each brace, and let them stand for 256 texts at most"
                    }), !paths.isEmpty
            else { throw rule.misnamed("needs paths, a list of patterns like [\"/blog/**\"]") }
            return CardTuning.Rule(
                paths: paths, ignored: try checks("ignore", rule) ?? [], severities: try severities(rule))
        }
    }

    private mutating func take(_ section: ConfigurationSection) throws {
        tuning.ignored.formUnion(try checks("ignore", section) ?? [])
        if let only = try checks("only", section) {
            guard !only.isEmpty else { throw section.invalid("only", "no check is named; leave it out for all") }
            tuning.only = only
        }
        failsOn = try section.choice("fail_on", Threshold.self) ?? failsOn
        if let text = try section.string("url_base") {
            guard let url = WebURL(text), url.isHTTP, url.query == nil, url.fragment == nil else {
                throw section.invalid("url_base", "expected an http or https URL without ? and #, found \"\(text)\"")
            }
            // The last part of the path is a folder, with or without its slash.
            base = url.path.hasSuffix("/") ? url : WebURL(url.href + "/")
        }
    }

    /// Takes the value of a flag by the same rules. `ignore` adds to the file's; the others replace them.
    ///
    /// - Parameters:
    ///   - key: `ignore`, `only`, `url_base`, `max_errors` or `max_warnings`.
    ///   - flag: the flag as written, for messages: `--ignore`.
    public mutating func take(_ value: String?, key: String, flag: String) throws {
        guard let value else { return }
        if ["max_errors", "max_warnings"].contains(key) {
            let section = try ConfigurationSection(flag: flag, path: key, value: value, known: [key])
            return budgets.take(try FindingBudgets(section, of: checks))
        }
        // Another URL stands for another folder.
        if key == "url_base", !namesRoot { rootPath = nil }
        try take(ConfigurationSection(flag: flag, path: key, value: value, known: [key]))
    }

    /// All checks, ours and the operator's.
    private var checks: [Check] { Check.all + ownChecks.map(\.check) }

    private func checks(_ key: String, _ section: ConfigurationSection) throws -> Set<Check.Code>? {
        let checks = checks
        return try section.names(key, checks.chosen, unknown: checks.unknownChoice).map {
            $0.reduce([]) { $0.union($1) }
        }
    }

    private func severities(_ section: ConfigurationSection) throws -> [Check.Code: Check.Severity] {
        let checks = checks
        let written = try section.section("severities", known: checks.choices)
        var severities: [Check.Code: Check.Severity] = [:]
        // Groups first, so that a check's own severity counts.
        for name in checks.groups.map(\.rawValue) + checks.map(\.id) {
            guard let severity = try written.choice(name, Check.Severity.self) else { continue }
            for code in checks.chosen(by: name) ?? [] { severities[code] = severity }
        }
        return severities
    }
}
