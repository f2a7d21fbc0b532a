import ArgumentParser
import Foundation
import PippinCrawl
import PippinPage
import Synchronization

struct ExtractCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "extract",
        abstract: "Prints everything that one page says, or all pages of web archives.",
        discussion: """
            Examples:
              pippin extract page.html --url https://example.org/page
              pippin extract --url https://example.org/ --syntax rdfa -f nquads - < a.html
              pippin extract https://example.org/page
              pippin extract https://example.org/app --render
              pippin extract https://example.org/page --text markdown
              pippin extract https://example.org/page -c crawl-config.yaml --explain-fields
              pippin extract --warc archive/*.warc.gz > pages.ndjson
              pippin extract --warc --records-only - < crawl.warc.gz > records.ndjson
              pippin extract --cdxj --only-pages archive/*.cdxj > pages.ndjson
              pippin extract --cdxj --ranges -c job.yaml cdx-00000.gz > pages.ndjson

            With --warc, each line is a page of the archives, in their order: url, status, outcome, warc (where it is), and \
            record and facts if the outcome is "recorded". Nothing is fetched. Docs/Archive.md has the fields. With --cdxj, each \
            line is a page that an index names, in the index's order: its record is read from files, or with --ranges from the \
            host that extract.ranges_from of the configuration names, under the rules of a crawl.

            Exit status: 0 done, 1 robots.txt forbids the page, 2 usage, 3 the page could not be fetched or is no page, or a \
            part of an archive could not be read.
            """)

    enum Syntax: String, CaseIterable, ExpressibleByArgument {
        case smartAppBanner = "smart-app-banner"
        case twitter
        case appLinks = "app-links"
        case openGraph = "open-graph"
        case microdata, rdfa
        case jsonLD = "json-ld"
        case microformats
        case dublinCore = "dublin-core"
        case metadata

        /// The members of `PageFacts.json` that say it.
        var members: Set<String> {
            switch self {
            case .smartAppBanner: ["smartAppBanner"]
            case .twitter: ["twitterCard"]
            case .appLinks: ["appLinks", "appAlternates"]
            case .openGraph: ["openGraph"]
            case .microdata: ["microdata"]
            case .rdfa: ["rdfa"]
            case .jsonLD: ["jsonLD"]
            case .microformats: ["microformats"]
            case .dublinCore: ["dublinCore"]
            case .metadata: ["metadata"]
            }
        }
    }

    enum Form: String, CaseIterable, ExpressibleByArgument {
        case json, nquads
    }

    @Argument(
        help: ArgumentHelp(
            "The page: a file, - for standard input, or a URL. With --warc or --cdxj, any number of files.",
            valueName: "page"))
    var inputs: [String] = []

    @Flag(help: "The files are web archives (WARC 1.0 or 1.1, plain or gzip).")
    var warc = false

    @Flag(help: "The files are indexes of web archives (CDXJ, plain or gzip).")
    var cdxj = false

    @Option(
        help: ArgumentHelp(
            "With --cdxj: folder of the archives that an index names. Without it, the folder of the index.",
            valueName: "folder"))
    var archives: String?

    @Flag(help: "With --cdxj: fetch the records as parts of files, from extract.ranges_from of --config.")
    var ranges = false

    @Flag(name: .customLong("only-pages"), help: "With --cdxj: only lines that say status 200 and HTML.")
    var onlyPages = false

    @Flag(name: .customLong("records-only"), help: "With --warc or --cdxj: lines are records, as of a crawl.")
    var recordsOnly = false

    @Flag(name: .customLong("no-facts"), help: "With --warc or --cdxj: lines without facts.")
    var noFacts = false

    @Option(
        name: .config,
        help: "Configuration file of a crawl: its extract.fields are read, and pages are fetched as there.")
    var config: String?

    @Flag(
        name: .customLong("explain-fields"),
        help: "Only the configuration's extract.fields: what each finds, where, and why it finds no more.")
    var explainsFields = false

    @Flag(
        name: .customLong("only-stated"),
        help: "Leave guesses out of the record: values read from text or the address that no markup states.")
    var onlyStated = false

    @Option(name: .url, help: "Where a file was found; without it, what its canonical link or og:url says.")
    var url: String?

    @Option(help: "Only this syntax.")
    var syntax: Syntax?

    @Option(name: .format, help: "One JSON object, or the RDF of microdata, rdfa, json-ld, or of all three.")
    var form = Form.json

    @Option(help: "Only the page's text, with headings, lists, tables, code and quotes; links in markdown.")
    var text: TextForm?

    @OptionGroup(title: "With a URL")
    var fetching: FetchOptions

    @OptionGroup(title: "Scripts")
    var rendering: RenderOptions

    @Option(
        name: .customLong("rendered-out"),
        help: ArgumentHelp("Write the page there as its scripts have made it, as HTML.", valueName: "file"))
    var renderedPath: String?

    func validate() throws {
        if renderedPath != nil, !rendering.isOn { throw ValidationError("--rendered-out goes with --render.") }
        if form == .nquads, let syntax, ![.microdata, .rdfa, .jsonLD].contains(syntax) {
            throw ValidationError("--format nquads goes with --syntax microdata, rdfa or json-ld.")
        }
        if explainsFields {
            guard config != nil else {
                throw ValidationError("--explain-fields goes with --config, the file that has extract.fields.")
            }
            if readsArchives || syntax != nil || form != .json || text != nil {
                throw ValidationError("--explain-fields does not go with --warc, --cdxj, --syntax, --format or --text.")
            }
        }
        if onlyStated, syntax != nil || form != .json || explainsFields || text != nil {
            throw ValidationError(
                "--only-stated does not go with --syntax, --format, --explain-fields or --text: they show no record.")
        }
        if text != nil, readsArchives || syntax != nil || form != .json {
            throw ValidationError("--text does not go with --warc, --cdxj, --syntax or --format.")
        }
        if warc, cdxj { throw ValidationError("--warc reads archives, --cdxj their indexes: one of them.") }
        if !cdxj, archives != nil || ranges || onlyPages {
            throw ValidationError("--archives, --ranges and --only-pages go with --cdxj.")
        }
        if ranges {
            if archives != nil { throw ValidationError("--archives is a folder, and --ranges fetches: one of them.") }
            guard config != nil else {
                throw ValidationError("--ranges goes with --config, the file that has extract.ranges_from.")
            }
        }
        guard readsArchives else {
            if recordsOnly || noFacts {
                throw ValidationError("--records-only and --no-facts go with --warc or --cdxj.")
            }
            if inputs.isEmpty { throw ValidationError("Missing expected argument '<page>'") }
            if inputs.count > 1 {
                throw ValidationError("One page at a time; with --warc or --cdxj, any number of files.")
            }
            return
        }
        if inputs.isEmpty { throw ValidationError("Missing expected argument: the archives to read.") }
        if inputs.filter({ $0 == "-" }).count > 1 { throw ValidationError("Standard input can be read once.") }
        if form == .nquads { throw ValidationError("--format nquads does not go with --warc or --cdxj.") }
        if url != nil {
            throw ValidationError(
                "--url does not go with --warc or --cdxj: an archive knows where its pages were found.")
        }
        if recordsOnly, syntax != nil || noFacts {
            throw ValidationError("--records-only does not go with --syntax or --no-facts.")
        }
        if syntax != nil, noFacts { throw ValidationError("--syntax does not go with --no-facts.") }
    }

    private var readsArchives: Bool { warc || cdxj }

    func run() async throws {
        if readsArchives { return try await readArchives() }
        var configuration = try jobConfiguration()
        if explainsFields, configuration.fields.isEmpty {
            throw ConfigurationError(file: config ?? "", problem: "there are no extract.fields to explain")
        }
        rendering.lay(over: &configuration)
        let agents = configuration.agent.directiveAgents
        var reading: PageReading?
        var manifest: SiteFileOutcome?
        var site = SiteUsage()
        var rendered: RenderedReading?
        let browser = try await rendering.browser(configuration)
        let input = try await DocumentInput(
            inputs[0], location: url, purpose: .page, options: fetching, usesNetwork: browser != nil
        ) { document, single in
            guard document.kind.foreignType == nil else { return }
            var found = PageReading(document.response.source, agents: agents)
            if let browser {
                let read = RenderedReading(
                    of: found, document.response, await browser.render(document.response, with: &single),
                    agents: agents)
                (rendered, found) = (read, read.reading)
                await browser.shutdown()
            }
            reading = found
            if document.wasFetched { site = single.siteUsage(of: found.source.url) }
            guard document.wasFetched, form == .json, syntax == nil, text == nil,
                let link = found.facts.metadata.manifest
            else {
                return
            }
            manifest = await single.siteFile(.manifest, at: link, of: found.source.url)
        }
        if let type = input.kind.foreignType {
            throw ReportedFailure("\(inputs[0]) is \"\(type.prefix(200))\", which is no page", .unavailable)
        }
        let read = reading ?? PageReading(input.response.source, agents: agents)
        if let page = rendered?.rendering?.page, let renderedPath {
            try WholeFile.write(page.html, to: renderedPath, what: "the rendered page")
        }
        if let objection = rendered?.verdict.objection {
            writeError("pippin: \(input.url.href) is read as it was fetched: \(objection)")
        }
        if explainsFields {
            return try StandardOutput.write(FieldListing.text(of: read.readings(of: configuration.fields)))
        }
        if let text { return try StandardOutput.write(pageText: read.facts.text(text).string + "\n") }
        switch form {
        case .nquads: try StandardOutput.write(nquads: nquads(read.facts))
        case .json:
            var object = json(read, manifest, site, configuration.fields, wasFetched: input.wasFetched)
            if let rendered, let page = rendered.rendering?.page, syntax == nil, var members = object.object {
                members["rendering"] = page.json(rendered.verdict)
                object = .object(members)
            }
            try StandardOutput.write(json: object.bytes(pretty: true) + [0x0A])
        }
    }

    private func jobConfiguration() throws -> CrawlConfiguration {
        try fetching.configuration(over: config.map { try CrawlConfiguration(contentsOf: $0) })
    }

    private func nquads(_ facts: PageFacts) -> [UInt8] {
        switch syntax {
        case .microdata: facts.microdata.nquads
        case .rdfa: facts.rdfa.nquads
        case .jsonLD: facts.jsonLD.nquads
        case nil: facts.dataset.nquads
        default: preconditionFailure("validate() lets no other syntax pass")
        }
    }

    private func json(
        _ page: PageReading, _ manifest: SiteFileOutcome?, _ site: SiteUsage, _ fields: [CustomField],
        wasFetched: Bool
    ) -> JSONValue {
        let missing = Self.manifestNote(page.facts, manifest, wasFetched: wasFetched)
        return .object(
            Self.json(page.facts, syntax, manifest?.manifest, missing) {
                record(page, manifest?.manifest, site, fields)
            })
    }

    /// Everything that a page says, or what it says in one syntax.
    ///
    /// - Parameter record: the record or the reason why there is none, and the notes that were made of it. A nil value leaves
    ///   it out.
    private static func json(
        _ facts: PageFacts, _ syntax: Syntax?, _ manifest: WebAppManifest?, _ missing: ParseNote?,
        record: () -> (JSONValue?, [ParseNote])
    ) -> JSONObject {
        var object = facts.json(only: syntax?.members)
        guard syntax == nil else { return object }
        if let manifest { object["webManifest"] = manifest.json }
        let (record, conclusions) = record()
        if let record { object["record"] = record }
        object["notes"] = .array((facts.notes + [missing].compactMap(\.self) + conclusions).map(\.json))
        return object
    }

    /// A note that says why the page's web app manifest was not used; nil if it was, or if the page has none.
    private static func manifestNote(
        _ facts: PageFacts, _ manifest: SiteFileOutcome?, wasFetched: Bool
    ) -> ParseNote? {
        guard let link = facts.metadata.manifest else { return nil }
        let address = String(link.href.prefix(200))
        guard wasFetched else {
            return ParseNote(
                .manifest(.notFetched),
                "The page links to the web manifest \(address), which is read only when the page is fetched by its URL."
            )
        }
        return (manifest?.cause).map { cause in
            let reason = RequestFailure(cause, asking: link).reason
            return ParseNote(.manifest(.unavailable), "The web manifest \(address) was not read: \(reason).")
        }
    }

    /// The record and its notes, or the reason why there is no record.
    private func record(
        _ page: PageReading, _ manifest: WebAppManifest?, _ site: SiteUsage, _ fields: [CustomField]
    ) -> (JSONValue, [ParseNote]) {
        switch page.conclusion(manifest: manifest, site: site, fields: fields, onlyStated: onlyStated) {
        case .record(let record, let notes):
            return (record.json, notes)
        case .refused(let refusal):
            return (["refused": .string(refusal.rawValue)], [])
        }
    }

    // MARK: Archives

    private func readArchives() async throws {
        let (syntax, recordsOnly, noFacts) = (syntax, recordsOnly, noFacts)
        let configuration = try jobConfiguration()
        let reading = ArchiveReading(
            configuration: configuration, onlyStated: onlyStated, logger: Console().logger
        ) { page in
            recordsOnly ? Self.recordLine(of: page) : Self.line(of: page, syntax, noFacts: noFacts)
        }
        // A foreign file may have damage at every byte.
        let told = Mutex(0)
        let write = { @Sendable (lines: [UInt8]) throws in try StandardOutput.write(lines: lines) }
        let report = { @Sendable (trouble: ArchiveReading.Trouble) in
            let count = told.withLock { told in
                told += 1
                return told
            }
            if count <= Self.maximumTroubles { writeError("pippin: \(trouble)") }
            if count == Self.maximumTroubles { writeError("pippin: further damage is only counted") }
        }
        let tally: ArchiveReading.Tally
        if ranges {
            guard let base = configuration.rangesFrom else {
                throw ConfigurationError(
                    file: config ?? "",
                    problem: "--ranges needs extract.ranges_from, the host that has the archives of the index")
            }
            let fetcher = try CurlFetcher(configuration: CurlFetcher.Configuration(configuration))
            let single = SingleFetch(configuration: configuration, fetcher: fetcher) { writeError("pippin: \($0)") }
            do {
                tally = try await reading.run(
                    indexes: inputs, in: .host(base, single.exchanges), onlyPages: onlyPages, write: write,
                    report: report)
                await fetcher.shutdown()
            } catch {
                await fetcher.shutdown()
                throw error
            }
        } else if cdxj {
            tally = try await reading.run(
                indexes: inputs, in: .folder(archives), onlyPages: onlyPages, write: write, report: report)
        } else {
            tally = try await reading.run(inputs, write: write, report: report)
        }
        writeError("pippin: \(Self.summary(of: tally))")
        if tally.damages > 0 { throw ExitCode(.unavailable) }
    }

    private static let maximumTroubles = 100

    private static func summary(of tally: ArchiveReading.Tally) -> String {
        let outcomes = tally.outcomes.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            .map { "\($0.value) \($0.key)" }
        var parts = [
            Wording.count(tally.files, "file") + " with " + Wording.count(tally.records, "record")
                + ", \(tally.pages) of pages"
        ]
        if !outcomes.isEmpty { parts.append(outcomes.joined(separator: ", ")) }
        if tally.damages > 0 { parts.append(Wording.count(tally.damages, "damaged place")) }
        return parts.joined(separator: "; ")
    }

    private static func recordLine(of page: ArchivedPage) -> [UInt8] {
        guard case .recorded(let record, _, _) = page.outcome else { return [] }
        var line: [UInt8] = []
        record.appendLine(to: &line)
        return line
    }

    private static func line(of page: ArchivedPage, _ syntax: Syntax?, noFacts: Bool) -> [UInt8] {
        var writer = JSONWriter(reservingBytes: 8_192)
        writer.object { writer in
            writer.member("url", page.url.href)
            writer.member("status", page.status)
            writer.member("outcome", page.outcome.code)
            if case .none(let outcome) = page.outcome, let detail = outcome.detail { writer.member("detail", detail) }
            write(page.place, to: &writer)
            guard case .recorded(let record, let facts, let notes) = page.outcome else { return }
            if syntax == nil {
                writer.key("record")
                record.write(to: &writer)
            }
            guard !noFacts else { return }
            let missing = manifestNote(facts, nil, wasFetched: false)
            writer.key("facts")
            writer.value(.object(json(facts, syntax, nil, missing) { (nil, notes) }))
        }
        writer.endLine()
        return writer.bytes
    }

    private static func write(_ place: ArchivedPage.Place, to writer: inout JSONWriter) {
        writer.key("warc")
        writer.object { writer in
            writer.member("file", place.file)
            writer.member("offset", Int(clamping: place.offset))
            if let length = place.length { writer.member("length", Int(clamping: length)) }
            writer.member("type", place.kind)
            if let identifier = place.identifier { writer.member("id", identifier) }
            if let date = place.date { writer.member("date", date) }
            if let truncation = place.truncation { writer.member("truncated", truncation) }
            guard let refersTo = place.refersTo else { return }
            writer.key("refersTo")
            writer.object { writer in
                if let url = refersTo.url { writer.member("url", url) }
                if let date = refersTo.date { writer.member("date", date) }
            }
        }
    }
}

extension TextForm: ExpressibleByArgument {}
