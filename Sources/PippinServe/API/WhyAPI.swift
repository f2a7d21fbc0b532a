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
            let configuration = context.settings.hasConfiguration ? context.settings.configuration : nil
            let scope = try await knownScope(context)
            // Links of thousands of pages may be searched.
            return .json(
                try await context.searching {
                    try Task.checkCancellation()
                    return try URLAnswer(of: url, in: context.job, configuration: configuration, scope: scope).json()
                })
        }.endingWithClient
    ]

    /// What the job takes; nil if that is not known.
    private static func knownScope(_ context: WebContext) async throws -> URLAnswer.KnownScope? {
        guard context.settings.hasConfiguration else { return nil }
        do {
            return try await context.knownScope.current(context)
        } catch let error as ConfigurationError {
            // The job is elsewhere, or has no seeds any more. What has been visited is told even so.
            context.report(error)
            return nil
        }
    }
}
