import Hummingbird
import PippinPage
import PippinStore

/// The API of search and suggestions.
enum SearchAPI {
    static let routes: [WebRoute] = [
        .api(
            "/api/v1/search",
            APIOperation(
                id: "search", summary: "Records that match a query, best first.",
                parameters: [
                    .query,
                    APIParameter(
                        name: "offset", about: "How many hits to leave out.", kind: .number(0...990, usual: 0)),
                    APIParameter(
                        name: "cursor",
                        about:
                            "The next of an answer to the same query: goes on behind its hits, as far as there are any. Not with offset.",
                        kind: .cursor(
                            pattern: "^[0-9A-Za-z_-]{\(SearchCursor.characters)}$", maximum: SearchCursor.characters)),
                    APIParameter(
                        name: "limit", about: "How many hits to give at most.", kind: .number(1...100, usual: 10)),
                    APIParameter(
                        name: "exact",
                        about: "Whether words are searched for as they are written, and none is corrected.",
                        kind: .flag),
                    APIParameter(
                        name: "facets",
                        about:
                            "Whether it is counted which values of filters the hits have; at least, if isCountExact is false.",
                        kind: .flag),
                    APIParameter(
                        name: "sort", about: "What hits are ordered by.",
                        kind: .choice(SearchOrder.allCases.map(\.rawValue))),
                    APIParameter(name: "explain", about: "Whether each hit has the parts of its score.", kind: .flag),
                ],
                schema: APISchema.object([
                    "query": APISchema.text, "count": APISchema.count, "isCountExact": APISchema.flag,
                    "isIndexComplete": APISchema.flag, "offset": APISchema.count, "correctedQuery?": APISchema.text,
                    "didYouMean?": APISchema.text,
                    "notes": APISchema.list(APISchema.text), "next?": APISchema.text,
                    "isOrderChanged?": APISchema.flag, "facets?": facets,
                    "hits": APISchema.list(APISchema.reference("Hit")),
                ]))
        ) { request, context in try await search(request.query, context) },
        .api(
            "/api/v1/suggest",
            APIOperation(
                id: "suggest", summary: "Completions of a query that is being typed.",
                parameters: [
                    .query,
                    APIParameter(name: "limit", about: "How many to give at most.", kind: .number(1...20, usual: 8)),
                ],
                schema: APISchema.object([
                    "query": APISchema.text, "suggestions": APISchema.list(APISchema.text),
                    "records": APISchema.list(
                        APISchema.object([
                            "suggestion": APISchema.text, "identifier": APISchema.text, "title": APISchema.text,
                            "thumbnailURL?": APISchema.text, "deepLink?": APISchema.text,
                        ])),
                ]))
        ) { request, context in
            let text = try request.query.text("q", maximum: WebLimits.queryLength)
            let limit = try request.query.number("limit", in: 1...20, default: 8)
            let suggestions = try await context.blocking { try context.index.suggestions(for: text, limit: limit) }
            var writer = JSONWriter()
            writer.object { writer in
                writer.member("query", text)
                writer.member("suggestions", JSONValue.array(suggestions.map { .string($0.text) }))
                // Only of suggestions that find one record.
                let meant = suggestions.compactMap { suggestion in suggestion.record.map { (suggestion.text, $0) } }
                writer.objects("records", meant) { writer, meant in
                    let (text, record) = meant
                    writer.member("suggestion", text)
                    writer.member("identifier", record.identifier)
                    writer.member("title", record.title)
                    writer.optional("thumbnailURL", record.picture)
                    writer.optional("deepLink", record.deepLink)
                }
            }
            return .json(writer.bytes)
        },
    ]

    private static let facets: JSONValue = {
        let values = APISchema.list(APISchema.object(["value": APISchema.text, "count": APISchema.count]))
        return APISchema.object([
            "type?": values, "site?": values, "app?": values, "lang?": values, "has?": values, "rating?": values,
            "after?": values,
        ])
    }()

    private static func search(_ parameters: WebQuery, _ context: WebContext) async throws -> WebAnswer {
        let query = SearchQuery(
            try parameters.text("q", maximum: WebLimits.queryLength), isExact: try parameters.flag("exact"),
            order: try parameters.order("sort"))
        let cursor = try parameters["cursor"].map { text in
            guard parameters["offset"] == nil else {
                throw WebRefusal(.badRequest, "The parameters cursor and offset do not go together.")
            }
            guard let cursor = SearchCursor(text), cursor.continues(query) else {
                throw WebRefusal(.badRequest, "The parameter cursor is not the next of an answer to this query.")
            }
            return cursor
        }
        let offset = try cursor?.offset ?? parameters.number("offset", in: 0...990, default: 0)
        let limit = try parameters.number("limit", in: 1...100, default: 10)
        let isExplained = try parameters.flag("explain")
        let countsFacets = try parameters.flag("facets")
        let (results, _) = try await context.search { index in
            try index.search(
                query, offset: offset, limit: limit, isExplained: isExplained, countsFacets: countsFacets,
                cursor: cursor)
        }
        var writer = JSONWriter()
        results.write(to: &writer, query: query, offset: offset)
        return .json(writer.bytes)
    }
}

extension WebQuery {
    /// What hits are to be ordered by; relevance if it is missing.
    ///
    /// - Throws: `WebRefusal` if it is something else.
    func order(_ name: String) throws(WebRefusal) -> SearchOrder {
        SearchOrder(rawValue: try choice(name, of: SearchOrder.allCases.map(\.rawValue))) ?? .relevance
    }
}
