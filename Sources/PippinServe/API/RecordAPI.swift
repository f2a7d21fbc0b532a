import Hummingbird
import PippinPage
import PippinStore

/// A record, and what the storage knows of its page: for the page and for the API.
struct FoundRecord: Sendable {
    let record: JSONValue
    let history: URLHistory?
    let linking: PagesLinkingHere

    /// - Parameter address: the record's identifier, or any URL of its page.
    /// - Throws: `WebRefusal` if there is no such record.
    static func at(_ address: String, _ context: WebContext) async throws -> FoundRecord {
        let found = try await context.blocking { () -> FoundRecord? in
            guard let storage = try context.storage(of: address), let record = try storage.record(at: address) else {
                return nil
            }
            let url = WebURL(record["uniqueIdentifier"]?.string ?? address)
            return FoundRecord(
                record: record, history: try url.flatMap { try storage.history(of: $0) },
                linking: try url.map { try storage.pagesLinking(to: $0) } ?? .none)
        }
        guard let found else { throw WebRefusal(.notFound, "There is no record of \(Wording.quoted(address)).") }
        return found
    }
}

/// The API of records.
enum RecordAPI {
    static let routes: [WebRoute] = [
        .api(
            "/api/v1/record",
            APIOperation(
                id: "record", summary: "A record, what became of its deep links, and what links to it.",
                parameters: [
                    APIParameter(
                        name: "url", about: "The record's identifier, or any URL of its page.",
                        kind: .address(maximum: WebLimits.urlLength), isRequired: true),
                    .fields(),
                ],
                schema: APISchema.object([
                    "record": ["anyOf": [APISchema.reference("Record"), APISchema.reference("SelectedRecord")]],
                    "deepLinkHistory": APISchema.list(["type": "object"]),
                    "linkedFrom": APISchema.object([
                        "count": APISchema.count, "isComplete": APISchema.flag,
                        "pages": APISchema.list(APISchema.object(["url": APISchema.text, "title?": APISchema.text])),
                    ]),
                ]), refusals: [404], tool: APITool(title: "Record"))
        ) { request, context in try await record(request.query, context) }
    ]

    private static func record(_ query: WebQuery, _ context: WebContext) async throws -> WebAnswer {
        let address = try query.text("url", minimum: 1, maximum: WebLimits.urlLength)
        let fields = try query["fields"].map { try RecordFields($0) }
        let found = try await FoundRecord.at(address, context)
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("record", fields?.selected(of: found.record) ?? found.record)
            writer.key("deepLinkHistory")
            writer.beginArray()
            for change in found.history?.deepLinks ?? [] { change.write(to: &writer) }
            writer.endArray()
            writer.object("linkedFrom") { writer in
                writer.member("count", found.linking.count)
                writer.member("isComplete", found.linking.isComplete)
                writer.objects("pages", found.linking.pages) { writer, page in
                    writer.member("url", page.url)
                    writer.optional("title", page.title)
                }
            }
        }
        return .json(writer.bytes)
    }
}
