import ArgumentParser
import Foundation
import PippinCrawl
import PippinPage
import PippinReport

struct ValidateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "validate",
        abstract: "Tells what is right and wrong with one page, why, and how to mend it.",
        discussion: """
            The page is judged as Applebot would read it. A file is judged without network; of a URL robots.txt is asked
            first, and what it forbids is not fetched. The association files of the page's host and of the hosts that its
            deep links lead to are fetched with it. Docs/ReportCard.md has every check.

            Examples:
              pippin validate page.html --url https://example.org/page
              pippin validate page.html --url https://example.org/page --format html --out report.html
              pippin validate https://example.org/page --contact you@example.org --app ABCDE12345.org.example.app
              pippin validate https://example.org/page --contact you@example.org --format junit --fail-on warning
              pippin validate page.html --association apple-app-site-association --app-lookup replies.json

            Exit status: 0 nothing as grave as --fail-on, 1 a finding is, 2 usage, 3 the page could not be fetched (the report
            says why), 6 the report could not be written.
            """)

    enum Format: String, CaseIterable, ExpressibleByArgument {
        case text, json, junit, sarif, html
    }

    enum Threshold: String, CaseIterable, ExpressibleByArgument {
        case error, warning

        var outcome: Finding.Outcome { self == .error ? .error : .warning }
    }

    @Argument(help: "The page: a file, - for standard input, or a URL.")
    var page: String

    @Option(help: "Where a file was found; without it, what its canonical link or og:url says.")
    var url: String?

    @Option(help: "The form of the report.")
    var format = Format.text

    @Option(name: .customLong("out"), help: "Write the report to this file instead of standard output.")
    var outputPath: String?

    @Option(help: "What makes the exit status 1.")
    var failOn = Threshold.error

    @Option(help: "The app that should open the page: TEAMID.bundle.")
    var app: String?

    @Option(name: .customLong("app-store-id"), help: "The app's number in the App Store.")
    var appStoreID: String?

    @OptionGroup(title: "Apps and association files")
    var association: AssociationOptions

    @Flag(help: "Judge as a phone would.")
    var mobile = false

    @Option(help: "Whose checks and requirements of types count.")
    var profile = ReportCard.Profile.all

    @OptionGroup(title: "With a URL")
    var fetching: FetchOptions

    func validate() throws {
        if let app {
            let parts = app.split(separator: ".", maxSplits: 1)
            guard parts.count == 2, parts[0].utf8.count == 10, parts[1].contains(".") else {
                throw ValidationError(
                    "--app must be a team and a bundle ID, like ABCDE12345.org.example.app, not “\(app)”.")
            }
        }
        if association.hasFiles, case .url = try InputPlace(page) {
            throw ValidationError("--association and --asset-links are for pages that are read from files.")
        }
        if let appStoreID {
            guard !appStoreID.isEmpty, appStoreID.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
                throw ValidationError("--app-store-id must be a number, not “\(appStoreID)”.")
            }
        }
    }

    func run() async throws {
        let card = try await reportCard()
        try write(report(card))
        let counts = card.counts()
        let hasFinding = counts.error > 0 || (failOn == .warning && counts.warning > 0)
        switch card.evidence.fetch.value?.ending {
        case .failed(let trouble):
            writeError("pippin: \(card.url.href): \(trouble.clause)\(trouble.remedy.map { ". \($0)" } ?? "")")
            throw ExitCode(3)
        case .endlessRedirects:
            writeError("pippin: \(card.url.href): the redirects do not end")
            throw ExitCode(3)
        case .rulesUnreachable:
            let robots = card.evidence.robots.value
            let cause =
                robots?.trouble ?? robots?.status.map { "it answers with status \($0)" } ?? "it gives no answer"
            writeError(
                "pippin: \(card.url.href): nothing may be fetched, because robots.txt cannot be: \(cause). "
                    + "A server that has none must answer with 404")
            throw ExitCode(3)
        // What robots.txt says to Applebot is a finding; where it forbids Pippin alone, nothing was found out.
        case .forbidden where !hasFinding: throw ExitCode(3)
        case .forbidden, .answered, nil: if hasFinding { throw ExitCode(1) }
        }
    }

    func reportCard() async throws -> ReportCard {
        let options = ReportCard.Options(
            appIdentifier: app, appStoreIdentifier: appStoreID, isMobile: mobile, profile: profile)
        let apps =
            appStoreID.map {
                [
                    RecordBuilder.AppIdentity(
                        storeIdentifier: $0, bundleIdentifier: app.map { String($0.drop { $0 != "." }.dropFirst()) })
                ]
            } ?? []
        let lookup = try association.lookup()
        if case .url(let target) = try InputPlace(page) {
            return try await ValidatedVisit(
                target, apps: apps, configuration: fetching.configuration(), announce: FetchOptions.announce
            ).card(options, lookup: lookup)
        }
        let facts = try facts(ofFile: InputFile.bytes(at: page))
        let page = ReadPage(facts, apps: apps)
        var evidence = PageEvidence(missing: "the page was read from a file, without network")
        evidence.foreignType = ForeignContent.type(of: facts.source.bytes)
        if let files = try association.files(for: facts.source.url) {
            evidence.association = .made(AssociationEvidence(files: files, apps: apps, wasFetched: false))
        }
        if let lookup { evidence.appStore = .made(lookup) }
        return ReportCard(facts: page.facts, conclusion: page.conclusion, evidence: evidence, options: options)
    }

    /// A file as it was found where the operator says, else where the page itself does.
    private func facts(ofFile bytes: [UInt8]) throws -> PageFacts {
        func facts(at address: WebURL) -> PageFacts {
            PageFacts(PageSource(url: address, bytes: bytes, fetchedAt: Date()))
        }
        if let url {
            guard let address = WebURL(url), address.isHTTP else {
                throw ConfigurationError(file: "--url", problem: "\"\(url)\" must be an http or https URL")
            }
            return facts(at: address)
        }
        let unplaced = facts(at: UnknownAddress.url)
        // Addresses on the page start from its own, so it is read again.
        return UnknownAddress.resolved(by: unplaced).map(facts) ?? unplaced
    }

    private func report(_ card: ReportCard) -> Data {
        let version = CrawlConfiguration.Agent.programVersion
        switch format {
        case .text:
            let isTerminal = outputPath == nil && isatty(STDOUT_FILENO) == 1
            let isPlain = ProcessInfo.processInfo.environment["NO_COLOR"].map { !$0.isEmpty } ?? false
            return Data(card.text(color: isTerminal && !isPlain).utf8)
        case .json: return Data(card.json.bytes(pretty: true) + [0x0A])
        case .junit: return Data(card.junit(failingFrom: failOn.outcome).utf8)
        case .sarif:
            // What was judged is a file where it was not fetched.
            let artifact = page == "-" || card.evidence.fetch.value != nil ? nil : page
            return Data(card.sarif(artifact: artifact, version: version).bytes(pretty: true) + [0x0A])
        case .html: return Data(card.html.utf8)
        }
    }

    private func write(_ report: Data) throws {
        if let outputPath {
            return try WholeFile.write(UserInformation.hidden(in: [UInt8](report)), to: outputPath, what: "the report")
        }
        switch format {
        case .json, .sarif: try StandardOutput.write(tellingJSON: [UInt8](report))
        case .text, .junit, .html: try StandardOutput.write(String(decoding: report, as: UTF8.self), keepsColors: true)
        }
    }
}

extension ReportCard.Profile: ExpressibleByArgument {}
