import PippinCrawl
import PippinPage

/// The description of the API at `/openapi.json` (OpenAPI 3.1), made of the routes themselves.
enum APIDescription {
    static let routes: [WebRoute] = [
        .api(
            "/openapi.json",
            APIOperation(
                id: "description", summary: "This description.",
                schema: APISchema.object([
                    "openapi": APISchema.text, "info": ["type": "object"], "paths": ["type": "object"],
                ]))
        ) { _, context in
            .json(json(WebRoutes.all, needsToken: context.settings.token != nil).bytes())
        }
    ]

    /// What refusals mean, by status.
    private static let refusals: KeyValuePairs<Int, String> = [
        400: "A parameter is missing, unknown, repeated or out of bounds.",
        401: "The token is missing or wrong.",
        403: "A page of another site has sent the request, or the key or the operator does not allow it.",
        404: "There is no such thing: record, page, report or crawl.",
        405: "The method is not for this address. Allow has those that are.",
        410: "The cursor leads nowhere any more: begin again without one.",
        413: "The body is too large.",
        414: "The address is too long.",
        415: "The body has another type.",
        421: "The server does not have the name in Host.",
        422: "The request is well-formed, but cannot be fulfilled.",
        429: "Too many requests. Retry-After says when to come back.",
        431: "The header fields are too large.",
        500: "The server has met an error.",
        501: "The server was not started for this, or the job is not of a kind that has it.",
        502: "What the server asked for could not be fetched.",
        503: "The storage cannot be read now.",
        504: "What the server asked for took too long.",
    ]

    static func json(_ routes: [WebRoute], needsToken: Bool) -> JSONValue {
        var paths = JSONObject()
        for route in routes {
            guard let operation = route.operation else { continue }
            var path = paths[route.path]?.object ?? JSONObject()
            path[route.method.rawValue.lowercased()] = operation.json(
                route.method, needsToken: needsToken && !route.isOpen)
            paths[route.path] = .object(path)
        }
        var responses = JSONObject()
        for (status, meaning) in refusals {
            responses["\(status)"] = [
                "description": .string(meaning),
                "content": ["application/problem+json": ["schema": APISchema.reference("Problem")]],
            ]
        }
        var components: JSONObject = ["schemas": .object(APIComponents.schemas), "responses": .object(responses)]
        if needsToken { components["securitySchemes"] = ["token": ["type": "http", "scheme": "bearer"]] }
        return [
            "openapi": "3.1.0",
            "info": [
                "title": "Pippin", "version": .string(CrawlConfiguration.Agent.programVersion),
                "description":
                    "Search, records, changes and counters of one crawl job. Errors are problem objects (RFC 9457). Answers have an ETag.",
            ],
            "paths": .object(paths), "components": .object(components),
        ]
    }
}
