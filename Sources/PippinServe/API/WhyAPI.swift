import Hummingbird
import PippinCrawl
import PippinPage
import PippinStore

/// The API of what became of a URL: what `pippin why` says.
enum WhyAPI {
    static let routes: [WebRoute] = [
        .api(
            "/api/v1/why",
            APIOperation(
                id: "why",
                summary:
                    "What became of a URL in the crawl, and why: each decision about it, its visits, and its record or why it has none.",
                parameters: [
                    APIParameter(
                        name: "url", about: "The URL, spelled in any way that means the same.",
                        kind: .address(maximum: WebLimits.urlLength), isRequired: true)
                ],
                schema: APISchema.object([
                    "url": APISchema.text, "verdict": APISchema.text, "isKnown": APISchema.flag,
                    "decisions": APISchema.list(
                        APISchema.object(["name": APISchema.text, "sentence": APISchema.text])),
                    "settings": APISchema.list(["type": "object"]), "record?": APISchema.text,
                    "nextVisit?": APISchema.text, "visitCount?": APISchema.count,
                    "visits?": APISchema.list(APISchema.object(["at": APISchema.text, "outcome": APISchema.text])),
                    "deepLinkHistory?": APISchema.list(["type": "object"]),
                ]), refusals: [404], tool: APITool(title: "Why"))
        ) { request, context in
            let url = try PageAddress.asked(request.query)
            return .json(try await context.blocking { try answer(url, context).json() })
        }
    ]

    private static func answer(_ url: WebURL, _ context: WebContext) throws -> URLAnswer {
        let (settings, job) = (context.settings, try context.job)
        guard settings.hasConfiguration else { return try URLAnswer(of: url, in: job, configuration: nil, scope: nil) }
        let configuration = settings.configuration
        var scope: URLAnswer.KnownScope?
        do {
            scope = URLAnswer.KnownScope(configuration, seeds: try Seeds.read(contentsOf: configuration.seedsPath))
        } catch {
            // The job is elsewhere, or has no seeds any more. What has been visited is told even so.
            context.report(error)
        }
        return try URLAnswer(of: url, in: job, configuration: configuration, scope: scope)
    }
}
