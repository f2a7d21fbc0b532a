import ArgumentParser
import Foundation
import PippinPage

struct URLCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "url",
        abstract: "Writes URLs as the WHATWG URL Standard normalizes them, or 'invalid'.",
        discussion: """
            EXAMPLES
              pippin url 'HTTPS://Example.ORG:443/a/../b c'
                  https://example.org/b%20c
              pippin url --base https://example.org/a/ ../b#top
                  https://example.org/b#top
              pippin url --key 'https://example.org/?utm_source=x'
                  https://example.org/

            With --stdin, every line is a JSON object {"input": "…", "base": "…"} (base may be missing or null) and is \
            answered, in order, by {"href": "…"} or {"failure": true}.

            Exit status: 0 done, 1 a reference or line is invalid (with --stdin: no such object), 2 usage.
            """)

    @Option(help: ArgumentHelp("The URL that relative references are resolved against.", valueName: "url"))
    var base: String?

    @Flag(help: "Read references as NDJSON from standard input.")
    var stdin = false

    @Flag(help: "Write the form that decides whether a URL was seen before.")
    var key = false

    @Argument(help: "URLs, or references relative to --base; after '--' they may begin with a hyphen.")
    var references: [String] = []

    func validate() throws {
        if stdin != references.isEmpty {
            throw ValidationError("Give either references or --stdin.")
        }
        if stdin, base != nil {
            throw ValidationError("With --stdin, each line has its own base.")
        }
    }

    func run() throws {
        var answers = Answers()
        let hasFailed = try stdin ? answerLines(&answers) : answerArguments(&answers)
        try answers.flush()
        if hasFailed { throw ExitCode(.findings) }
    }

    /// Whether a reference or the base is no URL.
    private func answerArguments(_ answers: inout Answers) throws -> Bool {
        let baseURL = base.flatMap { WebURL($0) }
        if let base, baseURL == nil { complain("The base '\(base)' is not a URL.") }
        var hasFailed = false
        for reference in references {
            let url = base != nil && baseURL == nil ? nil : WebURL(reference, base: baseURL)
            try answers.add(url.map(text) ?? "invalid")
            hasFailed = hasFailed || url == nil
        }
        return hasFailed
    }

    /// Whether a line is none that can be answered. A URL that is invalid has its answer.
    private func answerLines(_ answers: inout Answers) throws -> Bool {
        // A page's many links have the same base.
        var lastBase: (text: String, url: WebURL?)?
        var number = 0
        var hasFailed = false
        while let line = readLine() {
            number += 1
            var parser = JSONParser()
            guard let members = try? parser.parse(line), let input = members["input"]?.string else {
                hasFailed = true
                complain("Line \(number) is not a JSON object with a string 'input'.")
                try answers.add(#"{"failure":true}"#)
                continue
            }
            var url: WebURL?
            if let base = members["base"]?.string {
                if lastBase?.text != base { lastBase = (base, WebURL(base)) }
                if let base = lastBase?.url { url = WebURL(input, base: base) }
            } else {
                url = WebURL(input)
            }
            try answers.add(url.map { #"{"href":""# + escaped(text($0)) + #""}"# } ?? #"{"failure":true}"#)
        }
        return hasFailed
    }

    private func text(_ url: WebURL) -> String {
        key ? URLKey(url).string : url.href
    }

    /// A serialized URL is printable ASCII. Only two of its characters must be escaped in JSON.
    private func escaped(_ href: String) -> String {
        guard href.utf8.contains(where: { $0 == 0x22 || $0 == 0x5C }) else { return href }
        return href.replacing(#"\"#, with: #"\\"#).replacing(#"""#, with: #"\""#)
    }

    /// Collects lines for standard output, to write less often.
    private struct Answers {
        private var bytes: [UInt8] = []

        mutating func add(_ line: String) throws {
            bytes += line.utf8
            bytes.append(0x0A)
            if bytes.count >= 64 * 1024 { try flush() }
        }

        mutating func flush() throws {
            try StandardOutput.write(addresses: bytes)
            bytes.removeAll(keepingCapacity: true)
        }
    }

    private func complain(_ message: String) {
        writeError(message)
    }
}
