import Hummingbird
import PippinPage
import PippinStore

/// The API of search and suggestions.
enum SearchAPI {
    static let routes: [WebRoute] = [
        .api(
            "/api/v1/search",
            APIOperation(
                id: "search", summary: "Records that match a query, best first.", parameters: parameters,
                schema: APISchema.reference("SearchAnswer"),
                tool: APITool(
                    title: "Search",
                    advice: [
                        "Filters are words of the query: site:shop.example, type:Recipe, app:123, lang:en, has:deeplink, rating:4, after:2026-01-31; a minus before one excludes.",
                        "With few fields, such as title, url and deepLinks, an answer is short.",
                    ]))
        ) { request, context in
            let search = try Search(request.query, request.restriction)
            return .json(try await answer(search, context).bytes)
        }.forSearchKeys,
        .api(
            "/api/v1/search",
            APIOperation(
                id: "searches",
                summary:
                    "Several searches at once. Each has an answer in its place; one that is refused fails no other.",
                body: APISchema.object([
                    "queries": [
                        "type": "array", "minItems": 1, "maxItems": .integer(WebLimits.queriesAtOnce),
                        "items": APIParameter.object(parameters),
                    ]
                ]),
                schema: APISchema.object([
                    "results": APISchema.list([
                        "anyOf": [
                            APISchema.reference("SearchAnswer"),
                            APISchema.object(["problem": APISchema.reference("Problem")]),
                        ]
                    ])
                ])), method: .post
        ) { request, context in try await answers(request, context) }.forSearchKeys,
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
            let suggestions = try await context.searching {
                try context.index.suggestions(for: text, limit: limit, restriction: request.restriction)
            }
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
        }.forSearchKeys,
    ]

    private static let parameters: [APIParameter] = [
        .query,
        APIParameter(name: "offset", about: "How many hits to leave out.", kind: .number(0...990, usual: 0)),
        APIParameter(
            name: "cursor",
            about:
                "The next of an answer to the same query: goes on behind its hits, as far as there are any. Not with offset.",
            kind: .cursor(
                pattern: "^[0-9A-Za-z_-]{\(SearchCursor.characters)}$", maximum: SearchCursor.characters)),
        APIParameter(name: "limit", about: "How many hits to give at most.", kind: .number(1...100, usual: 10)),
        APIParameter(
            name: "exact", about: "Whether words are searched for as they are written, and none is corrected.",
            kind: .flag),
        APIParameter(
            name: "facets",
            about: "Whether it is counted which values of filters the hits have; at least, if isCountExact is false.",
            kind: .flag),
        APIParameter(
            name: "sort", about: "What hits are ordered by.", kind: .choice(SearchOrder.allCases.map(\.rawValue))),
        APIParameter(name: "explain", about: "Whether each hit has the parts of its score.", kind: .flag),
        .fields(),
    ]

    /// The components of the description that answers consist of.
    static let components: JSONObject = {
        let values = APISchema.list(APISchema.object(["value": APISchema.text, "count": APISchema.count]))
        return [
            "SearchAnswer": APISchema.object([
                "query": APISchema.text, "count": APISchema.count, "isCountExact": APISchema.flag,
                "isIndexComplete": APISchema.flag, "offset": APISchema.count, "correctedQuery?": APISchema.text,
                "didYouMean?": APISchema.text, "notes": APISchema.list(APISchema.text), "next?": APISchema.text,
                "isOrderChanged?": APISchema.flag,
                "facets?": APISchema.object([
                    "type?": values, "site?": values, "app?": values, "lang?": values, "has?": values,
                    "rating?": values,
                    "after?": values,
                ]),
                "hits": APISchema.list(APISchema.reference("Hit")),
            ]),
            "Hit": APISchema.object([
                "identifier": APISchema.text, "score": APISchema.number, "title": APISchema.reference("Marked"),
                "snippet": APISchema.reference("Marked"),
                "record": ["anyOf": [APISchema.reference("Record"), APISchema.reference("SelectedRecord")]],
                "parts?": APISchema.list(
                    APISchema.object(["name": APISchema.text, "value": APISchema.number, "detail?": APISchema.text])),
            ]),
            "Marked": APISchema.described(
                "A text in pieces, in order. Those with isMatch are words of the query.",
                APISchema.list(APISchema.object(["text": APISchema.text, "isMatch?": APISchema.flag]))),
        ]
    }()

    // MARK: One search

    private struct Search: Sendable {
        let query: SearchQuery
        let cursor: SearchCursor?
        let offset: Int
        let limit: Int
        let isExplained: Bool
        let countsFacets: Bool
        let fields: RecordFields?

        /// - Throws: `WebRefusal` if parameters do not go together.
        init(_ parameters: WebQuery, _ restriction: SearchRestriction?) throws(WebRefusal) {
            let query = SearchQuery(
                try parameters.text("q", maximum: WebLimits.queryLength), isExact: try parameters.flag("exact"),
                order: try parameters.order("sort"), restriction: restriction)
            if let text = parameters["cursor"] {
                guard parameters["offset"] == nil else {
                    throw WebRefusal(.badRequest, "The parameters cursor and offset do not go together.")
                }
                guard let cursor = SearchCursor(text), cursor.continues(query) else {
                    throw WebRefusal(.badRequest, "The parameter cursor is not the next of an answer to this query.")
                }
                self.cursor = cursor
                offset = cursor.offset
            } else {
                cursor = nil
                offset = try parameters.number("offset", in: 0...990, default: 0)
            }
            self.query = query
            limit = try parameters.number("limit", in: 1...100, default: 10)
            isExplained = try parameters.flag("explain")
            countsFacets = try parameters.flag("facets")
            if let names = parameters["fields"] { fields = try RecordFields(names) } else { fields = nil }
        }
    }

    private static func answer(_ search: Search, _ context: WebContext) async throws -> JSONWriter {
        let (results, _) = try await context.search { index in
            try index.search(
                search.query, offset: search.offset, limit: search.limit, isExplained: search.isExplained,
                countsFacets: search.countsFacets, cursor: search.cursor)
        }
        var writer = JSONWriter()
        results.write(to: &writer, query: search.query, offset: search.offset) { record in
            search.fields?.selected(of: record) ?? record
        }
        return writer
    }

    // MARK: Several searches

    private static func answers(_ request: WebRequest, _ context: WebContext) async throws -> WebAnswer {
        let body = try request.json().object
        guard let body, body.keys == ["queries"], let queries = body["queries"]?.array,
            (1...WebLimits.queriesAtOnce).contains(queries.count)
        else {
            throw WebRefusal(
                .badRequest,
                "The body must be an object with queries, a list of 1 to \(WebLimits.queriesAtOnce) objects.")
        }
        // What breaks the description is a mistake of the program that asks, which must not look like an answer.
        var asked: [WebQuery] = []
        for (number, query) in queries.enumerated() {
            do throws(WebRefusal) {
                asked.append(try WebQuery(members: query, of: parameters))
            } catch {
                throw WebRefusal(.badRequest, "In query \(number + 1): \(error.sentence)")
            }
        }
        let end = ContinuousClock.now + WebLimits.timeOfQueries
        var bytes = Array("{\"results\":[".utf8)
        for (number, query) in asked.enumerated() {
            if number > 0 { bytes.append(UInt8(ascii: ",")) }
            do {
                guard ContinuousClock.now < end, bytes.count < WebLimits.changesBytes else {
                    throw WebRefusal(
                        .serviceUnavailable, "The others have taken the time or the bytes of this request. Ask again.",
                        fields: [(.retryAfter, "1")])
                }
                bytes += try await answer(Search(query, request.restriction), context).bytes
            } catch let refusal as WebRefusal {
                bytes += Array("{\"problem\":".utf8) + refusal.problem.body + Array("}".utf8)
            }
        }
        return .json(bytes + Array("]}".utf8))
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
