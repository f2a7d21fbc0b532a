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
            """)

    enum Syntax: String, CaseIterable, ExpressibleByArgument {
        case microdata, rdfa
        case jsonLD = "json-ld"
    }

    enum Form: String, CaseIterable, ExpressibleByArgument {
        case json, nquads
    }

    @Argument(help: "The page; - reads standard input.")
    var file: String

    @Option(help: "Where the page was found: what its relative addresses start from.")
    var url: String

    @Option(help: "Only this syntax.")
    var syntax: Syntax?

    @Option(name: .customLong("as"), help: "One JSON object, or the RDF of the chosen syntax.")
    var form = Form.json

    func run() async throws {
        guard let pageURL = WebURL(url) else { throw ValidationError("--url must be a URL, not “\(url)”.") }
        let bytes = try LocalFile.bytes(at: file)
        let document = HTMLDocument(utf8: Array(String(decoding: bytes, as: UTF8.self).utf8))
        let baseURL = document.baseURL(pageURL: pageURL)
        let wanted = syntax.map { [$0] } ?? Syntax.allCases
        switch form {
        case .nquads:
            for syntax in wanted { FileHandle.standardOutput.write(Data(nquads(syntax, document, baseURL))) }
        case .json:
            var writer = JSONWriter(pretty: true)
            writer.beginObject()
            for syntax in wanted { write(syntax, document, baseURL, to: &writer) }
            writer.endObject()
            writer.endLine()
            FileHandle.standardOutput.write(Data(writer.bytes))
        }
    }

    private func nquads(_ syntax: Syntax, _ document: HTMLDocument, _ baseURL: WebURL) -> [UInt8] {
        switch syntax {
        case .microdata: Microdata(document, baseURL: baseURL).nquads
        case .rdfa: RDFa(document, baseURL: baseURL).nquads
        case .jsonLD: []
        }
    }

    private func write(
        _ syntax: Syntax, _ document: HTMLDocument, _ baseURL: WebURL, to writer: inout JSONWriter
    ) {
        switch syntax {
        case .microdata: writer.member("microdata", Microdata(document, baseURL: baseURL).json)
        case .rdfa: writer.member("rdfa", RDFa(document, baseURL: baseURL).json)
        case .jsonLD: writer.member("jsonLD", JSONLD(document, baseURL: baseURL).json)
        }
    }
}
