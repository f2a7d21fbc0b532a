import ArgumentParser
import Foundation
import PippinCrawl
import PippinPage
import PippinRender
import PippinReport

struct ValidateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "validate",
        abstract: "Tells what is right and wrong with pages, why, and how to fix it.",
        discussion: """
            Pages are judged as Applebot would read them, or as the crawler of --profile. A file is judged without network. \
            Its folder stands for the site's root (--root names another): association files (.well-known), robots.txt and \
            sitemaps are read from it. Of a URL robots.txt is asked first, and what it forbids is not fetched. The \
            association files of the page's host and of the hosts that its deep links lead to are fetched with it. \
            --checks lists every check; Docs/ReportCard.md says more.

            One file or URL gives its report card. Several, a folder, a pattern, --stdin or --sitemap give one report of \
            all, in their order. Settings of the site stand in pippin.yaml.

            Examples:
              pippin validate page.html --url https://example.org/page
              pippin validate page.html --format html --out report.html
              pippin validate https://example.org/page --app ABCDE12345.org.example.app
              pippin validate dist --url-base https://example.org/ --format junit
              pippin validate 'dist/**/*.html' --only deep-links,S01 --brief
              pippin validate --sitemap https://example.org/sitemap.xml -f html -o report
              pippin validate dist --baseline baseline.json --update-baseline
              pippin validate dist --compare last-week.json
              pippin validate dist --format github --markdown summary.md
              pippin validate page.html --association apple-app-site-association
              pippin validate https://example.org/page --apple-cdn --storage crawl-data
              pippin validate https://example.org/app --render
              pippin validate https://example.org/app --job crawl-config.yaml
              pippin validate --checks --types --profile google

            Exit status: 0 nothing as grave as --fail-on, 1 a finding is, or a budget of pippin.yaml is exceeded, 2 usage, \
            3 a page could not be fetched and no other has such a finding (the report says why), 5 interrupted, 6 the report could not be written.
            """)

    enum Format: String, CaseIterable, ExpressibleByArgument {
        case text, json, junit, sarif, github, html
    }

    @Argument(help: "Files, folders, patterns such as 'dist/**/*.html', URLs, or - for a page on standard input.")
    var pages: [String] = []

    @Flag(name: .customLong("stdin"), help: "Standard input names more of them, one a line.")
    var takesLines = false

    @Option(name: .customLong("sitemap"), help: "Also the pages of this sitemap; may be an index, and packed.")
    var sitemaps: [String] = []

    @Option(name: .maximumPages, help: "The most pages of sitemaps.")
    var maximumPages = 1000

    @Option(name: .url, help: "Where a file was found; without it, what its canonical link or og:url says.")
    var url: String?

    @Option(name: .customLong("url-base"), help: "The URL of the folder with the files.")
    var base: String?

    @Option(
        name: .customLong("root"),
        help: "That folder: without it the folder that is judged, or the one that all named files share.")
    var rootPath: String?

    @Option(name: .format, help: "The form of the report.")
    var format = Format.text

    @Option(
        name: .out,
        help: "Write the report to this file instead of standard output; of many pages in HTML, into this folder.")
    var outputPath: String?

    @Option(
        name: .customLong("markdown"),
        help: ArgumentHelp(
            "Append a summary in Markdown to this file: what is new, the gravest first.", valueName: "file"))
    var markdownPath: String?

    @Flag(name: .customLong("brief"), help: "One line a page.")
    var isBrief = false

    @Flag(name: .quiet, help: "Only what makes the exit status 1.")
    var isQuiet = false

    @Flag(name: .customLong("verbose"), help: "Also list what the baseline knows.")
    var isVerbose = false

    @OptionGroup(title: "What counts")
    var tuning: TuningOptions

    @Option(help: "The app that should open the page: TEAMID.bundle.")
    var app: String?

    @Option(name: .customLong("app-store-id"), help: "The app's number in the App Store.")
    var appStoreID: String?

    @OptionGroup(title: "Apps and association files")
    var association: AssociationOptions

    @OptionGroup(title: "Compared with")
    var comparison: ComparisonOptions

    @Flag(help: "Judge as a phone would.")
    var mobile = false

    @Option(help: "Whose crawler reads the page, and whose checks and requirements of types count.")
    var profile = ReportCard.Profile.all

    @OptionGroup(title: "Only list, for the profile")
    var listing: ListingOptions

    @OptionGroup(title: "With a URL")
    var fetching: FetchOptions

    @Option(
        name: .customLong("job"),
        help: "Configuration file of a crawl: pages are fetched and rendered as there. Other options go first.")
    var jobPath: String?

    @OptionGroup(title: "Scripts")
    var rendering: RenderOptions

    @Flag(
        name: .customLong("screenshots"),
        help: "Show in HTML what a phone shows of the page without its scripts and with them. Styles are fetched, too.")
    var takesScreenshots = false

    @Option(
        name: .customLong("screenshot-out"),
        help: ArgumentHelp("Write what a phone shows of the rendered page to this file, as JPEG.", valueName: "file"))
    var screenshotPath: String?

    func validate() throws {
        if listing.isWanted {
            guard pages.isEmpty, !takesLines, sitemaps.isEmpty, [.text, .json].contains(format), !isBrief, !isQuiet,
                markdownPath == nil
            else {
                throw ValidationError(
                    "--checks, --types and --previews judge no page, and are for --format text or json.")
            }
            return
        }
        guard !pages.isEmpty || takesLines || !sitemaps.isEmpty else {
            throw ValidationError("Name a file, a folder, a pattern or a URL, or use --stdin or --sitemap.")
        }
        if let app {
            let parts = app.split(separator: ".", maxSplits: 1)
            guard parts.count == 2, parts[0].utf8.count == 10, parts[1].contains(".") else {
                throw ValidationError(
                    "--app must be a team and a bundle ID, like ABCDE12345.org.example.app, not “\(app)”.")
            }
        }
        if let appStoreID {
            guard !appStoreID.isEmpty, appStoreID.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
                throw ValidationError("--app-store-id must be a number, not “\(appStoreID)”.")
            }
        }
        if takesLines, pages.contains("-") {
            throw ValidationError("Standard input is a page (-) or a list (--stdin).")
        }
        if isBrief || isQuiet, format != .text { throw ValidationError("--brief and --quiet are for --format text.") }
        if tuning.updatesBaseline, tuning.baselinePath == nil {
            throw ValidationError("--update-baseline needs --baseline FILE.")
        }
        if tuning.earlierPath != nil, tuning.baselinePath != nil {
            throw ValidationError("--compare and --baseline both say what is known; use one of them.")
        }
        if takesScreenshots, format != .html { throw ValidationError("--screenshots is for --format html.") }
        if takesScreenshots || screenshotPath != nil, !rendering.isOn, jobPath == nil {
            throw ValidationError("--screenshots and --screenshot-out go with --render or --job.")
        }
        guard (1...ValidateInputs.maximumPages).contains(maximumPages) else {
            throw ValidationError("--max-pages must lie between 1 and \(ValidateInputs.maximumPages).")
        }
    }

    func run() async throws {
        if listing.isWanted {
            let settings = try listing.showsChecks ? tuning.settings(near: nil, base: nil) : ValidateConfiguration()
            let rules = listing.rules(for: profile, ownChecks: settings.ownChecks)
            return try write(Data(format == .json ? rules.json + [0x0A] : Array(rules.text.utf8)))
        }
        var inputs = try ValidateInputs(pages, takesLines: takesLines)
        let settings = try tuning.settings(near: inputs.firstFile, base: base)
        let named = named(by: inputs)
        let earlier = sitemaps.isEmpty ? nil : try await addSitemaps(to: &inputs)
        try check(inputs)
        let threshold = (settings.failsOn ?? .error).outcome
        var judge = try judge(of: inputs, settings)
        let browser = try await inputs.files.count < inputs.inputs.count ? browser() : nil
        judge.browser = browser
        do {
            try await judgeAll(inputs, judge, signingFor: named, after: earlier, failingFrom: threshold)
        } catch {
            await browser?.shutdown()
            throw error
        }
        await browser?.shutdown()
    }

    private func browser() async throws -> Chromium? {
        try await rendering.browser(job(), takesScreenshots: takesScreenshots || screenshotPath != nil)
    }

    /// How pages are fetched and rendered.
    private func job() throws -> CrawlConfiguration {
        var job = try fetching.configuration(over: jobPath.map { try CrawlConfiguration(contentsOf: $0) })
        rendering.lay(over: &job)
        return job
    }

    /// The sites of the arguments: of the pages, as far as they are no sitemap's, and of the sitemaps.
    private func named(by inputs: ValidateInputs) -> NamedSites {
        NamedSites(inputs.urls + sitemaps.compactMap { WebURL($0) })
    }

    private func judgeAll(
        _ inputs: ValidateInputs, _ judge: PageJudge, signingFor named: NamedSites, after earlier: SingleFetch?,
        failingFrom threshold: Finding.Outcome
    ) async throws {
        if inputs.isMany || isBrief || isQuiet {
            guard url == nil || !inputs.isMany else {
                throw ConfigurationError(file: "--url", problem: "is for one page; --url-base is for many")
            }
            return try await judgeMany(inputs, judge, signingFor: named, after: earlier, failingFrom: threshold)
        }
        guard let input = inputs.inputs.first else { return }
        try await judgeOne(input, judge, failingFrom: threshold)
    }

    /// What is asked of files must not be asked of URLs, and the other way round.
    private func check(_ inputs: ValidateInputs) throws {
        guard !inputs.inputs.isEmpty else {
            throw ConfigurationError(file: "--stdin", problem: "no page is named; give a file or a URL on each line")
        }
        if association.hasFiles, inputs.files.count < inputs.inputs.count {
            throw ConfigurationError(
                file: "--association", problem: "is for pages that are read from files; leave the URLs out")
        }
        if comparison.asksAppleCDN, !inputs.files.isEmpty {
            throw ConfigurationError(
                file: "--apple-cdn", problem: "is for pages that are fetched; give URLs, and leave the files out")
        }
        if screenshotPath != nil, inputs.isMany {
            throw ConfigurationError(file: "--screenshot-out", problem: "is for one page")
        }
        if rendering.isOn, !inputs.files.isEmpty {
            throw ConfigurationError(
                file: "--render", problem: "is for pages that are fetched; give URLs, and leave the files out")
        }
    }

    private func judge(of inputs: ValidateInputs, _ settings: ValidateConfiguration) throws -> PageJudge {
        var location: WebURL?
        if let url {
            guard let address = WebURL(url), address.isHTTP else {
                throw ConfigurationError(file: "--url", problem: "\"\(url)\" must be an http or https URL")
            }
            location = address
        }
        let apps =
            appStoreID.map {
                [
                    RecordBuilder.AppIdentity(
                        storeIdentifier: $0, bundleIdentifier: app.map { String($0.drop { $0 != "." }.dropFirst()) })
                ]
            } ?? []
        let paths = SitePaths(root: rootPath ?? settings.rootPath ?? inputs.root, base: settings.base)
        if let base = paths.base, rootPath == nil, !settings.namesRoot, let root = paths.root {
            writeError("pippin: \(root)/ is taken for \(base.href) (--root names another folder)")
        }
        // A file outside of the site's folder is a mistake in the command, and known before anything is judged.
        if location == nil { for file in inputs.files { _ = try paths.url(ofFile: file) } }
        let folder = try siteFolder(of: inputs, paths)
        var judge = PageJudge(
            agent: try job().agent, paths: paths,
            associations: GivenAssociations(
                apple: association.applePath, assetLinks: association.assetLinksPath, folder: folder))
        judge.options = ReportCard.Options(
            appIdentifier: app, appStoreIdentifier: appStoreID, isMobile: mobile, profile: profile,
            ownChecks: settings.ownChecks)
        (judge.apps, judge.lookup) = (apps, try association.lookup())
        judge.budgets = settings.budgets
        (judge.tuning, judge.baseline) = (settings.tuning, try tuning.baseline())
        judge.earlier = try tuning.earlier()
        judge.baselineFolder = tuning.baselineFolder
        (judge.folder, judge.location) = (folder, location)
        (judge.asksAppleCDN, judge.storage) = (comparison.asksAppleCDN, comparison.storage)
        return judge
    }

    /// The folder that stands for the site, if there are pages from files. Its files are those of the site's root, so a folder
    /// with another URL than the root has none.
    private func siteFolder(of inputs: ValidateInputs, _ paths: SitePaths) throws -> SiteFolder? {
        guard !inputs.files.isEmpty, let root = paths.root, paths.base.map({ $0.path == "/" }) ?? true else {
            return nil
        }
        let folder = try SiteFolder(SitePaths.shown(root), base: paths.base)
        let announcement = folder.announcement(
            isAppleGiven: association.applePath != nil, areAssetLinksGiven: association.assetLinksPath != nil)
        if let announcement { writeError("pippin: \(announcement)") }
        return folder
    }

    // MARK: One page

    private func judgeOne(
        _ input: ValidateInputs.Input, _ judge: PageJudge, failingFrom threshold: Finding.Outcome
    ) async throws {
        let judged = try await card(of: input, judge)
        let page = judge.finished(judged, of: input)
        let card = page.card ?? judged
        let index = CardIndex(of: page, failingFrom: threshold, after: judge.earlier)
        try write(report(page, card, of: input, failingFrom: threshold, budgets: index.json(of: judge.budgets)))
        try summarize(index)
        if let screenshotPath {
            if let picture = card.screenshot {
                try WholeFile.write(picture, to: screenshotPath, what: "the screenshot")
            } else {
                writeError("pippin: there is no screenshot of \(card.url.href)")
            }
        }
        if page.staleCount > 0 {
            writeError("pippin: \(Wording.count(page.staleCount, "entry", "entries")) of the baseline found no more")
        }
        if page.trouble == nil {
            try tuning.update(judge.baseline) { $0.accept(card, page: judge.baselineName(of: input)) }
        }
        let fails = fails(index, judge.budgets)
        // `PageJudge.trouble` alone decides what could not be fetched.
        if let trouble = page.trouble {
            writeError("pippin: \(card.url.href): \(trouble)")
            throw ExitCode(.unavailable)
        }
        if fails { throw ExitCode(.findings) }
    }

    private func card(of input: ValidateInputs.Input, _ judge: PageJudge) async throws -> ReportCard {
        switch input {
        case .url(let target):
            var session = VisitSession(signingFor: NamedSites([target]))
            return try await judge.card(
                of: target, job(), in: &session, announce: FetchOptions.announce)
        case .file(let path): return try judge.card(ofFile: path, InputFile.bytes(at: path))
        }
    }

    /// The card of the only page, before tuning.
    func reportCard() async throws -> ReportCard {
        let inputs = try ValidateInputs(pages, takesLines: takesLines)
        guard let input = inputs.inputs.first, !inputs.isMany else {
            throw ConfigurationError(file: "command line", problem: "one page is needed")
        }
        return try await card(of: input, judge(of: inputs, ValidateConfiguration()))
    }

    private func report(
        _ page: NamedCard, _ card: ReportCard, of input: ValidateInputs.Input, failingFrom threshold: Finding.Outcome,
        budgets: JSONValue?
    ) -> Data {
        let version = CrawlConfiguration.Agent.programVersion
        switch format {
        case .text: return Data(card.text(color: showsColors, listsKnown: isVerbose).utf8)
        case .json:
            var json = card.json
            if let budgets, var object = json.object {
                object["budgets"] = budgets
                json = .object(object)
            }
            return Data(json.bytes(pretty: true) + [0x0A])
        case .junit: return Data(card.junit(failingFrom: threshold).utf8)
        case .github: return Data(page.workflowCommands.utf8)
        case .sarif:
            // What was judged is a file where it was not fetched.
            let artifact = input.name == "-" || card.wasFetched ? nil : input.name
            return Data(card.sarifWithBaseline(artifact: artifact, version: version).bytes(pretty: true) + [0x0A])
        case .html: return Data(card.html.utf8)
        }
    }

    /// Whether the run fails. Which budgets are exceeded stands on standard error.
    private func fails(_ index: CardIndex, _ budgets: FindingBudgets) -> Bool {
        guard !tuning.updatesBaseline else { return false }
        for excess in index.excesses(of: budgets) { writeError("pippin: \(excess)") }
        return index.fails(within: budgets)
    }

    /// Appends the summary to its file, if one is named.
    private func summarize(_ index: CardIndex) throws {
        guard let markdownPath else { return }
        try WholeFile.append(Array(index.markdown.utf8), to: markdownPath, what: "the summary")
    }

    private var showsColors: Bool {
        let isTerminal = outputPath == nil && isatty(STDOUT_FILENO) == 1
        let isPlain = ProcessInfo.processInfo.environment["NO_COLOR"].map { !$0.isEmpty } ?? false
        return isTerminal && !isPlain
    }

    private func write(_ report: Data) throws {
        if let outputPath {
            return try WholeFile.write(UserInformation.hidden(in: [UInt8](report)), to: outputPath, what: "the report")
        }
        switch format {
        case .json, .sarif: try StandardOutput.write(tellingJSON: [UInt8](report))
        case .text, .junit, .github, .html:
            try StandardOutput.write(String(decoding: report, as: UTF8.self), keepsColors: true)
        }
    }

    // MARK: Many pages

    private func judgeMany(
        _ inputs: ValidateInputs, _ judge: PageJudge, signingFor named: NamedSites, after earlier: SingleFetch?,
        failingFrom threshold: Finding.Outcome
    ) async throws {
        var series: CardSeries?
        let output: PageCollector.Output
        if let form = seriesForm(judge) {
            let made = CardSeries(form, failingFrom: threshold, within: judge.budgets)
            series = made
            output =
                try outputPath.map { .file(made, try GrowingFile($0, what: "the report")) }
                ?? .stream(made) { [format] text in
                    switch format {
                    case .json, .sarif: try StandardOutput.write(tellingJSON: Array(text.utf8))
                    case .text, .junit, .github, .html: try StandardOutput.write(text, keepsColors: true)
                    }
                }
        } else {
            guard let outputPath else {
                throw ConfigurationError(
                    file: "--format html", problem: "many pages need a folder for their cards: --out DIR")
            }
            output = .folder(try SiteReportFolder(path: outputPath))
        }
        let collector = PageCollector(
            output, failingFrom: threshold, accepting: tuning.updatesBaseline ? judge.baseline : nil,
            after: judge.earlier)
        if let baseline = judge.baseline {
            let gone = tuning.pagesGone(from: baseline)
            await collector.take(
                stalePages: gone, count: gone.reduce(0) { $0 + baseline.count(ofPage: $1) })
        }
        let run = ManyPages(
            inputs.inputs, judge: judge, series: series, configuration: try job(),
            collector: collector, signingFor: named, after: earlier)
        let interrupt = Interrupt()
        let signals = InterruptSignals(
            first: {
                run.stop()
                writeError("\npippin: finishing what is in flight; once more to stop at once")
            }, later: { interrupt.come() })
        defer { signals.end() }
        let count = inputs.inputs.count
        try await interrupt.cancels { try await run.run { await Self.showProgress(of: collector, count) } }
        let index = await collector.index
        try summarize(index)
        if format != .text || outputPath != nil { writeError("pippin: \(index.headline)") }
        if run.wasStopped {
            writeError("pippin: stopped after \(index.count) of \(count) pages")
            throw ExitCode(.interrupted)
        }
        if let accepted = await collector.accepted { try tuning.update(judge.baseline) { $0 = accepted } }
        if fails(index, judge.budgets) { throw ExitCode(.findings) }
        if index.missingCount > 0 { throw ExitCode(.unavailable) }
    }

    /// Shows how many pages are judged: one line that is refreshed on a terminal, or a line every ten seconds elsewhere.
    private static func showProgress(of collector: PageCollector, _ all: Int) async {
        let isTerminal = isatty(STDERR_FILENO) == 1
        defer { if isTerminal { StandardError.refresh("") } }
        while true {
            do {
                try await Task.sleep(for: isTerminal ? .milliseconds(200) : .seconds(10))
            } catch {
                return
            }
            let count = await collector.index.count
            let line = "\(count) of \(all) pages judged"
            if isTerminal { StandardError.refresh(line) } else { StandardError.write(line + "\n", mayBeLost: true) }
        }
    }

    /// nil for HTML, which is a folder.
    private func seriesForm(_ judge: PageJudge) -> CardSeries.Form? {
        switch format {
        case .text:
            .text(
                extent: CardSeries.TextExtent(isBrief: isBrief, isQuiet: isQuiet, listsKnown: isVerbose),
                color: showsColors)
        case .json: .json
        case .junit: .junit
        case .github: .github
        case .sarif:
            .sarif(
                version: CrawlConfiguration.Agent.programVersion, docs: judge.tuning.docs,
                ownChecks: judge.options.ownChecks)
        case .html: nil
        }
    }

    /// Reads the sitemaps and adds their pages.
    ///
    /// - Returns: what has fetched them, so that its pauses count for the pages.
    private func addSitemaps(to inputs: inout ValidateInputs) async throws -> SingleFetch {
        var found: [WebURL] = []
        let fetched = try await fetching.fetching(job(), signingFor: named(by: inputs)) { (single: inout SingleFetch) in
            for address in sitemaps {
                guard let url = WebURL(address), url.isHTTP else {
                    throw ConfigurationError(file: "--sitemap", problem: "\"\(address)\" is not an http or https URL")
                }
                let pages = try await single.sitemapPages(at: url, maximum: maximumPages - found.count)
                found += pages.pages
                for trouble in pages.troubles { writeError("pippin: \(trouble)") }
                if pages.foreignCount > 0 {
                    writeError(
                        "pippin: \(Wording.count(pages.foreignCount, "entry", "entries")) of \(url.href) left out, "
                            + "because another host's sitemap must name them")
                }
                if pages.hasMore {
                    writeError("pippin: \(url.href) has more pages than --max-pages \(maximumPages) takes")
                }
            }
            return single
        }
        guard !found.isEmpty || !inputs.inputs.isEmpty else {
            throw ConfigurationError(file: "--sitemap", problem: "no page is named")
        }
        try inputs.add(pages: found)
        return fetched
    }
}

extension ValidateConfiguration.Threshold: ExpressibleByArgument {}

extension ReportCard.Profile: ExpressibleByArgument {}
