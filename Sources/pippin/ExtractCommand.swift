import ArgumentParser
import Foundation
import PippinCrawl
import PippinPage

struct ExtractCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "extract",
        abstract: "Prints everything that one page says.",
        discussion: """
            Examples:
              pippin extract page.html --url https://example.org/page
              pippin extract --url https://example.org/page --syntax rdfa --as nquads - < page.html
              pippin extract https://example.org/page --contact you@example.org
              pippin extract https://example.org/app --contact you@example.org --render

            Exit status: 0 done, 1 robots.txt forbids the page, 2 usage, 3 the page could not be fetched.
            """)

    enum Syntax: String, CaseIterable, ExpressibleByArgument {
        case smartAppBanner = "smart-app-banner"
        case twitter
        case appLinks = "app-links"
        case openGraph = "open-graph"
        case microdata, rdfa
        case jsonLD = "json-ld"
        case metadata
    }

    enum Form: String, CaseIterable, ExpressibleByArgument {
        case json, nquads
    }

    @Argument(help: "The page: a file, - for standard input, or a URL.")
    var page: String

    @Option(help: "Where a file was found: what its relative addresses start from.")
    var url: String?

    @Option(help: "Only this syntax.")
    var syntax: Syntax?

    @Option(name: .customLong("as"), help: "One JSON object, or the RDF of microdata, rdfa, json-ld, or of all three.")
    var form = Form.json

    @OptionGroup(title: "With a URL")
    var fetching: FetchOptions

    @OptionGroup(title: "Scripts")
    var rendering: RenderOptions

    func validate() throws {
        guard form == .nquads, let syntax, ![.microdata, .rdfa, .jsonLD].contains(syntax) else { return }
        throw ValidationError("--as nquads goes with --syntax microdata, rdfa or json-ld.")
    }

    func run() async throws {
        var facts: PageFacts?
        var manifest: SiteFileOutcome?
        var rendered: Result<RenderedPage, RenderFailure>?
        let browser = try rendering.browser()
        let input = try await DocumentInput(
            page, location: url, purpose: .page, options: fetching, usesNetwork: browser != nil
        ) { document, single in
            var found = Self.facts(document)
            if let browser {
                let raw = document.response
                let result = await browser.render(raw, with: &single)
                rendered = result
                if case .success(let page) = result { found = PageFacts(page, of: raw, raw: found) }
                await browser.shutdown()
            }
            facts = found
            guard document.wasFetched, form == .json, syntax == nil, let link = found.metadata.manifest else { return }
            manifest = await single.siteFile(.manifest, at: link, of: found.source.url)
        }
        let read = facts ?? Self.facts(input)
        if case .failure(let failure)? = rendered {
            writeError("pippin: \(input.url.href) is read as it was fetched, because \(failure.sentence)")
        }
        switch form {
        case .nquads: try StandardOutput.write(nquads: nquads(read))
        case .json:
            var object = try json(read, manifest, wasFetched: input.wasFetched)
            if case .success(let page)? = rendered, syntax == nil, var members = object.object {
                members["rendering"] = page.json
                object = .object(members)
            }
            try StandardOutput.write(json: object.bytes(pretty: true) + [0x0A])
        }
    }

    private static func facts(_ document: DocumentInput) -> PageFacts {
        PageFacts(PageSource(url: document.url, headers: document.headers, bytes: document.bytes, fetchedAt: Date()))
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

    private func json(_ facts: PageFacts, _ manifest: SiteFileOutcome?, wasFetched: Bool) throws -> JSONValue {
        var object = JSONObject()
        func put(_ key: String, of wanted: Syntax?, _ value: @autoclosure () throws -> JSONValue?) rethrows {
            guard syntax == nil || syntax == wanted, let value = try value() else { return }
            object[key] = value
        }
        put("smartAppBanner", of: .smartAppBanner, facts.smartAppBanner?.json)
        put("twitterCard", of: .twitter, facts.twitterCard?.json)
        put("appLinks", of: .appLinks, facts.appLinks?.json)
        put("appAlternates", of: .appLinks, facts.appAlternates.json)
        put("openGraph", of: .openGraph, facts.openGraph?.json ?? [])
        put("microdata", of: .microdata, facts.microdata.json)
        put("rdfa", of: .rdfa, facts.rdfa.json)
        put("jsonLD", of: .jsonLD, facts.jsonLD.json)
        put("metadata", of: .metadata, facts.metadata.json(charset: facts.encoding.name))
        put("links", of: nil, facts.outlinks.json)
        put("webManifest", of: nil, manifest?.manifest?.json)
        let (record, conclusions) = record(facts, manifest?.manifest)
        put("record", of: nil, record)
        let missing = Self.manifestNote(facts, manifest, wasFetched: wasFetched)
        put("notes", of: nil, .array((facts.notes + [missing].compactMap(\.self) + conclusions).map(\.json)))
        return .object(object)
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
        return manifest?.failure.map {
            ParseNote(.manifest(.unavailable), "The web manifest \(address) was not read: \($0.reason(at: link)).")
        }
    }

    /// The record and its notes, or the reason why there is no record.
    private func record(_ facts: PageFacts, _ manifest: WebAppManifest?) -> (JSONValue, [ParseNote]) {
        switch RecordBuilder.conclusion(from: facts, manifest: manifest, now: facts.source.fetchedAt) {
        case .record(let record, let notes):
            return (record.json, notes)
        case .refused(let refusal):
            return (["refused": .string(refusal.rawValue)], [])
        }
    }
}
