import Hummingbird
import PippinCrawl
import PippinPage

/// The API of what sites say now of their pages: robots.txt and association files. Both ask the page's host.
enum SiteAPI {
    static let routes: [WebRoute] = [
        .api(
            "/api/v1/robots",
            APIOperation(
                id: "robots",
                summary:
                    "Whether the robots.txt of a page's host allows the page, and which line decides. The file is fetched now.",
                parameters: [
                    url("The page, as an http or https URL."),
                    APIParameter(
                        name: "agents",
                        about:
                            "Product tokens, as in user-agent lines. The first that the file names decides, then *. Without them, those of the job.",
                        kind: .words(maximum: 10)),
                ],
                schema: APISchema.object([
                    "url": APISchema.text, "isAllowed": APISchema.flag, "sentence": APISchema.text,
                    "agent?": APISchema.text,
                    "line?": APISchema.count,
                    "robots": APISchema.object([
                        "url": APISchema.text, "redirects": APISchema.list(APISchema.text), "status?": APISchema.count,
                    ]),
                    "agents": APISchema.list(APISchema.text), "crawlDelay?": APISchema.number,
                    "sitemaps": APISchema.list(APISchema.text),
                    "notes": APISchema.list(
                        APISchema.object(["code": APISchema.text, "message": APISchema.text, "line?": APISchema.count])),
                ]), refusals: [404, 429, 501, 502, 504],
                tool: APITool(title: "robots.txt", asksOthers: true)), method: .post
        ) { request, context in try await robots(request, context) }.endingWithClient,
        .api(
            "/api/v1/association",
            APIOperation(
                id: "association",
                summary:
                    "The association files of a page's host, what is wrong with them, and which apps open the page. The files are fetched now.",
                parameters: [
                    url("The page, as an http or https URL."),
                    APIParameter(
                        name: "app", about: "Only this app: TEAMID.bundle.id or package.name.",
                        kind: .text(1...WebLimits.queryLength)),
                ],
                schema: APISchema.object([
                    "url": APISchema.text, "outcome": ["type": "string", "enum": ["match", "block", "unset"]],
                    "apps?": APISchema.list(["type": "object"]), "packages?": APISchema.list(["type": "object"]),
                    "reason?": APISchema.text,
                    "files": APISchema.list(
                        APISchema.object([
                            "url": APISchema.text, "standing": APISchema.text, "inForce": APISchema.flag,
                            "reason?": APISchema.text, "file?": ["type": "object"],
                            "notes?": APISchema.list(["type": "object"]),
                        ])),
                    "notes?": APISchema.list(["type": "object"]),
                ]), refusals: [404, 429, 501, 504],
                tool: APITool(
                    title: "Association files",
                    advice: ["They are apple-app-site-association and assetlinks.json."], asksOthers: true)),
            method: .post
        ) { request, context in try await association(request, context) }.endingWithClient,
    ]

    private static func url(_ about: String) -> APIParameter {
        APIParameter(name: "url", about: about, kind: .address(maximum: WebLimits.urlLength), isRequired: true)
    }

    /// Fetches with one of the operator's functions, in its turn.
    private static func fetched<Answer: Sendable>(
        _ url: WebURL, _ fetch: (@Sendable (WebURL) async throws -> Answer)?, _ context: WebContext
    ) async throws -> Answer {
        guard let fetch else { throw WebRefusal(.notImplemented, "This server asks no hosts.") }
        try context.siteFiles.pass("Requests to hosts of others")
        return try await context.fetches.run { try await fetch(url) }
    }

    private static func robots(_ request: WebRequest, _ context: WebContext) async throws -> WebAnswer {
        let form = try request.form()
        let url = try PageAddress.asked(form)
        let agents =
            form["agents"].map { $0.split(separator: ",").map(String.init) }
            ?? context.settings.configuration.agent.robotsAgents
        let found = try await fetched(url, context.settings.fetchRobots, context)
        if let failure = found.failure(asking: url) {
            throw WebRefusal(
                .badGateway, "\(failure.explanation(context.settings.configuration.messages.settings)).")
        }
        return .json(UserInformation.hidden(in: try found.json(of: url, agents: agents).bytes()))
    }

    private static func association(_ request: WebRequest, _ context: WebContext) async throws -> WebAnswer {
        let form = try request.form()
        let url = try PageAddress.asked(form)
        let found = try await fetched(url, context.settings.fetchAssociations, context)
        // Comparing patterns computes.
        let app = form["app"]
        return .json(
            try await context.blocking {
                var object = found.json.object ?? JSONObject()
                let answer = AssociationAnswer(
                    url, apple: found.apple?.file, android: found.android, app: app, tracing: false)
                for member in answer.json.object?.members ?? [] where object[member.key] == nil {
                    object[member.key] = member.value
                }
                object["url"] = .string(url.href)
                return UserInformation.hidden(in: JSONValue.object(object).bytes())
            })
    }
}
