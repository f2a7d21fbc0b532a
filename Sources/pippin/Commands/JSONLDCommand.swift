import ArgumentParser
import Foundation
import PippinCrawl
import PippinPage

struct JSONLDCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "json-ld",
        abstract: "Runs the algorithms of JSON-LD 1.1 on a document.",
        subcommands: [Expand.self, ToRDF.self])

    struct Expand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "expand",
            abstract: "Prints a document in expanded form.",
            discussion: """
                Of an HTML file the first JSON-LD script is read, or the one whose id is the fragment of --url. \
                schema.org's context is built in; other remote contexts come from --documents.

                Examples:
                  pippin json-ld expand page.html --url https://example.org/page
                  pippin json-ld expand a.jsonld --url https://example.org/a --documents c.json

                Exit status: 0 done, 1 not JSON-LD (the error code comes first on standard error), 2 usage.
                """)

        @OptionGroup var document: JSONLDArguments

        func run() throws {
            let expanded = try document.reporting {
                try document.conversion(extractsAllScripts: false).expanded()
            }
            try StandardOutput.write(json: JSONValue.array(expanded).bytes(pretty: true) + [0x0A])
        }
    }

    struct ToRDF: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "to-rdf",
            abstract: "Prints the RDF dataset of a document as N-Quads.",
            discussion: """
                Of an HTML file all JSON-LD scripts are read, or the one whose id is the fragment of --url.
                schema.org's context is built in; other remote contexts come from --documents.

                Examples:
                  pippin json-ld to-rdf page.html --url https://example.org/page
                  pippin json-ld to-rdf a.jsonld --url https://example.org/a \\
                      --rdf-direction i18n-datatype

                Exit status: 0 done, 1 not JSON-LD (the error code comes first on standard error), 2 usage.
                """)

        @OptionGroup var document: JSONLDArguments

        @Option(help: "How base directions are written (default: not at all).")
        var rdfDirection: JSONLDToRDF.Direction?

        func run() throws {
            let dataset = try document.reporting {
                try document.conversion(extractsAllScripts: true, direction: rdfDirection).dataset()
            }
            try StandardOutput.write(nquads: dataset.nquads)
        }
    }
}

extension JSONLDToRDF.Direction: ExpressibleByArgument {}

/// The arguments of both subcommands.
struct JSONLDArguments: ParsableArguments {
    enum ProcessingMode: String, CaseIterable, ExpressibleByArgument {
        case version10 = "json-ld-1.0"
        case version11 = "json-ld-1.1"
    }

    @Argument(help: "The document, JSON or HTML: a file, or - for standard input.")
    var file: String

    @Option(name: .url, help: "Where the document was found: its base. A fragment picks a script of HTML by its id.")
    var url: String

    @Option(help: ArgumentHelp("JSON object of addresses and files: all that may be loaded.", valueName: "map.json"))
    var documents: String?

    @Option(help: ArgumentHelp("Context that is applied before the document's own.", valueName: "file"))
    var expandContext: String?

    @Option(help: "Version of the standard.")
    var processingMode = ProcessingMode.version11

    @Option(help: "Whether all scripts of HTML are read, not only the first.")
    var extractAllScripts: Bool?

    func validate() throws {
        guard url.utf8.contains(UInt8(ascii: ":")) else {
            throw ValidationError("--url must be absolute, not “\(url)”.")
        }
    }

    /// - Parameter extractsAllScripts: used if the operator has not decided.
    func conversion(
        extractsAllScripts: Bool, direction: JSONLDToRDF.Direction? = nil
    ) throws -> JSONLDConversion {
        // These are the operator's own files, which may be deeper and larger than pages of the web.
        var limits = ReadingLimits()
        limits.maximumJSONDepth = 256
        limits.maximumJSONValues = 10_000_000
        limits.maximumJSONLDWork = 1_000_000_000
        limits.maximumBodyBytes = 100_000_000
        var options = JSONLDConversion.Options()
        options.isVersion10 = processingMode == .version10
        options.rdfDirection = direction
        options.extractsAllScripts = extractAllScripts ?? extractsAllScripts
        if let expandContext { options.expandContext = try json(at: expandContext, limits) }
        return JSONLDConversion(
            bytes: try InputFile.bytes(at: file), address: url, name: file,
            documents: try loadableDocuments(limits), options: options, limits: limits)
    }

    private func loadableDocuments(_ limits: ReadingLimits) throws -> JSONLDDocuments {
        var result = JSONLDDocuments(limits: limits)
        guard let documents else { return result }
        guard let map = try json(at: documents, limits).object else {
            throw ConfigurationError(
                file: documents,
                problem: "must be a JSON object of addresses and files, like {\"https://example.org/c\": \"c.jsonld\"}")
        }
        for member in map {
            guard let path = member.value.string else {
                throw ConfigurationError(
                    file: documents, key: member.key, problem: "must be the path of a file, in quotes")
            }
            result.add(member.key) { try InputFile.bytes(at: path) }
        }
        return result
    }

    private func json(at path: String, _ limits: ReadingLimits) throws -> JSONValue {
        var parser = JSONParser(limits: limits)
        let bytes = try InputFile.bytes(at: path)
        do throws(JSONSyntaxError) {
            return try parser.parse(bytes)
        } catch {
            throw ConfigurationError(
                file: path, line: error.line, column: error.column, problem: "is not JSON: \(error.message)")
        }
    }

    /// Calls `body`. Its error is written to standard error, the standard's error code first.
    func reporting<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as JSONLDError {
            writeError("\(error.description) [\(file)]")
            throw ExitCode(1)
        }
    }
}
