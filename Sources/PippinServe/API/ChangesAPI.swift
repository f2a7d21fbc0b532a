import Hummingbird
import PippinPage
import PippinStore

/// The API of the change feed: what `pippin export` writes.
enum ChangesAPI {
    static let routes: [WebRoute] = [
        .api(
            "/api/v1/changes",
            APIOperation(
                id: "changes",
                summary:
                    "Records that were written or deleted since a cursor, each once, as it is now, in the order of its change.",
                parameters: [
                    APIParameter(
                        name: "after",
                        about: "The next of the last answer; without it, everything comes from the first change on.",
                        kind: .cursor(pattern: "^[0-9A-Za-z]+-[0-9]+(-[0-9]+-[0-9]+)?$", maximum: 100)),
                    APIParameter(
                        name: "limit", about: "How many changes to give at most; fewer if they are large.",
                        kind: .number(1...1_000, usual: 100)),
                    .fields("uniqueIdentifier always comes, and deletions are whole."),
                ],
                schema: APISchema.object([
                    "changes": APISchema.list([
                        "anyOf": [
                            APISchema.reference("Record"), APISchema.reference("RecordDeletion"),
                            APISchema.reference("RecordPopularity"), APISchema.reference("SelectedRecord"),
                        ]
                    ]), "next": APISchema.text, "isAtEnd": APISchema.flag,
                ]), refusals: [410, 501])
        ) { request, context in try await changes(request.query, context) }
    ]

    private static func changes(_ query: WebQuery, _ context: WebContext) async throws -> WebAnswer {
        let limit = try query.number("limit", in: 1...1_000, default: 100)
        let fields = try query["fields"].map { try RecordFields("uniqueIdentifier," + $0) }
        let after = try query["after"].map { text in
            guard let cursor = ChangeFeed.Cursor(text) else {
                throw WebRefusal(.badRequest, "The parameter after is not the next of an answer.")
            }
            return cursor
        }
        let bytes = try await context.blocking { try read(after: after, limit: limit, fields, context) }
        return .json(bytes)
    }

    private static func read(
        after: ChangeFeed.Cursor?, limit: Int, _ fields: RecordFields?, _ context: WebContext
    ) throws -> [UInt8] {
        let job = try context.job
        guard job.shardCount == nil else {
            // Each shard counts for itself, and what counts is what the driver has committed.
            throw WebRefusal(
                .notImplemented,
                "A job in shards has no change feed here: its driver writes it, with pippin_spark changes.")
        }
        var bytes = Array("{\"changes\":[".utf8)
        var isFirst = true
        do {
            let next = try ChangeFeed(folder: job.parts[0].folder).read(
                since: after, limit: limit, maximumBytes: WebLimits.changesBytes
            ) { change in
                if !isFirst { bytes.append(UInt8(ascii: ",")) }
                isFirst = false
                guard let fields, change.isRecord else {
                    bytes += change.document
                    return
                }
                var parser = JSONParser(limits: .ownText)
                bytes += fields.selected(of: try parser.parse(change.document)).bytes()
            }
            var end = JSONWriter()
            end.object { writer in
                writer.member("next", next.description)
                writer.member("isAtEnd", next.isAtEnd)
            }
            return bytes + Array("],".utf8) + end.bytes.dropFirst()
        } catch StorageError.foreignCursor {
            throw WebRefusal(
                .gone, "The cursor is not of this storage. Empty what was taken in, and begin without after.")
        } catch StorageError.lostCursor {
            throw WebRefusal(
                .gone,
                "The storage was restored from a backup that is older than the cursor. Empty what was taken in, and begin without after."
            )
        }
    }
}
