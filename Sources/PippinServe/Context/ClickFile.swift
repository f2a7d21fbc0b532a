import Foundation
import Glibc
import PippinCrawl
import PippinPage
import PippinStore
import Synchronization

/// The file of clicks that the operator asked for: what was shown for a query, and what was opened. `ClickLog` reads it.
final class ClickFile: Sendable {
    private let path: String
    private let descriptor: Int32
    /// One line at a time; its value is unused.
    private let writing = Mutex(())

    /// - Throws: `OutputError` if the file cannot be opened.
    init(_ url: URL) throws {
        path = url.path
        descriptor = OutputFile.open(path, flags: O_WRONLY | O_CREAT | O_APPEND)
        guard descriptor >= 0 else { throw OutputError(path: path, what: "the file of clicks", errorNumber: errno) }
    }

    deinit { close(descriptor) }

    /// Notes the list that was shown.
    func shown(_ identifiers: [String], query: String) throws {
        try write { writer in
            writer.member("query", query)
            writer.member("shown", identifiers)
        }
    }

    /// Notes that a hit was opened.
    ///
    /// - Parameter position: its place in the list, from 1.
    func opened(_ identifier: String, query: String, position: Int) throws {
        try write { writer in
            writer.member("query", query)
            writer.member("identifier", identifier)
            writer.member("position", position)
        }
    }

    private func write(_ members: (inout JSONWriter) -> Void) throws {
        var writer = JSONWriter()
        writer.object { writer in
            members(&writer)
            writer.member("at", InternetTime.text(Date()))
        }
        writer.endLine()
        let line = writer.bytes
        try writing.withLock { _ in try NDJSONSink.write(line, to: descriptor, path: path) }
    }
}

/// Where the script tells of opened hits. Without a file of clicks there is no such address.
enum ClickRoute {
    static let routes: [WebRoute] = [
        .page("/click", .post) { request, context in try await click(request, context) }
    ]

    private static func click(_ request: WebRequest, _ context: WebContext) async throws -> WebAnswer {
        guard let clicks = context.clicks else { throw WebRefusal(.notFound, "This server keeps no clicks.") }
        try context.clickLimit.pass("Clicks")
        let form = try request.form()
        try form.allowing(["query", "url", "position"])
        let query = try form.text("query", minimum: 1, maximum: WebLimits.queryLength)
        let identifier = try form.text("url", minimum: 1, maximum: WebLimits.urlLength)
        let position = try form.number("position", in: 1...1_000, default: 1)
        try await context.blocking {
            // Only what can be found can be opened.
            guard let record = try context.storage(of: identifier)?.record(at: identifier),
                record["uniqueIdentifier"]?.string == identifier
            else { throw WebRefusal(.unprocessableContent, "There is no such record.") }
            try clicks.opened(identifier, query: query, position: position)
        }
        return WebAnswer(status: .noContent)
    }
}
