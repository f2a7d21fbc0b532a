import ArgumentParser
import Foundation
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

    @Option(name: .customLong("as"), help: "One JSON object, or the RDF of a syntax (microdata, rdfa, json-ld).")
    var form = Form.json

    @OptionGroup(title: "With a URL")
    var fetching: FetchOptions

    func run() async throws {
        let input = try await CrawlJob.reportingTrouble {
            try await DocumentInput(page, location: url, purpose: .page, options: fetching)
        }
        let facts = PageFacts(
            PageSource(url: input.url, headers: input.headers, bytes: input.bytes, fetchedAt: Date()))
        switch form {
        case .nquads: FileHandle.standardOutput.write(Data(try nquads(facts)))
        case .json: FileHandle.standardOutput.write(Data(try json(facts).bytes(pretty: true) + [0x0A]))
        }
    }

    private func nquads(_ facts: PageFacts) throws -> [UInt8] {
        switch syntax {
        case .microdata: facts.microdata.nquads
        case .rdfa: facts.rdfa.nquads
        case .jsonLD: facts.jsonLD.nquads
        case nil: facts.microdata.nquads + facts.rdfa.nquads
        default: throw ValidationError("--as nquads goes with --syntax microdata, rdfa or json-ld.")
        }
    }

    private func json(_ facts: PageFacts) throws -> JSONValue {
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
        try put("record", of: nil, try record(facts))
        put("notes", of: nil, .array(facts.notes.map(\.json)))
        return .object(object)
    }

    /// What Pippin concludes, or why there is no record.
    private func record(_ facts: PageFacts) throws -> JSONValue {
        switch RecordBuilder.conclusion(from: facts, now: facts.source.fetchedAt) {
        case .record(let record, _):
            // By way of its line of NDJSON, so that what is shown is what is written.
            var line: [UInt8] = []
            record.appendJSON(to: &line)
            var parser = JSONParser()
            return try parser.parse(line)
        case .refused(let refusal):
            return ["refused": .string(refusal.rawValue)]
        }
    }
}
