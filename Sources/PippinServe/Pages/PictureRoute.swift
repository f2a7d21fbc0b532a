import Hummingbird
import PippinPage
import PippinStore

/// The pictures of records: fetched by the server, never by the reader's browser from where the record says.
enum PictureRoute {
    static let routes: [WebRoute] = [
        .page("/picture") { request, context in try await picture(request, context) }.endingWithClient
    ]

    /// What of a record is shown.
    enum Kind: String, Sendable {
        case thumbnail, icon

        var field: String {
            switch self {
            case .thumbnail: "thumbnailURL"
            case .icon: "iconURL"
            }
        }

        /// Pixels of the square that shows it: twice the largest one of our pages, for screens with that many.
        var side: Int {
            switch self {
            case .thumbnail: 240
            case .icon: 36
            }
        }
    }

    /// The address of a record's picture on this server. It names the record, never where the picture is: so nobody has the server
    /// fetch anything else.
    static func link(_ kind: Kind, of identifier: String) -> LocalLink {
        LocalLink("/picture", ["record": identifier, "kind": kind.rawValue])
    }

    private static func picture(_ request: WebRequest, _ context: WebContext) async throws -> WebAnswer {
        guard let desk = context.pictures else { throw WebRefusal(.notFound, "This server shows no pictures.") }
        // A page of another site could have many pictures fetched.
        if let site = request.fields["sec-fetch-site"], site != "same-origin", site != "none" {
            throw WebRefusal(.forbidden, "A page of another site asks for this picture.")
        }
        let identifier = try request.query.text("record", minimum: 1, maximum: WebLimits.urlLength)
        let nothing = WebRefusal(.notFound, "There is no such picture.")
        guard let kind = Kind(rawValue: request.query["kind"] ?? Kind.thumbnail.rawValue) else { throw nothing }
        let record = try await context.blocking { try context.storage(of: identifier)?.record(at: identifier) }
        guard let address = SafeLink.page(record?[kind.field]?.string), let url = WebURL(address),
            let picture = try await desk.picture(at: url, side: kind.side)
        else { throw nothing }
        var answer = WebAnswer(type: picture.mediaType, body: picture.bytes)
        // Somebody may open the picture by itself, as a page of this server.
        answer.fields = [
            (.cacheControl, "private, max-age=3600"), (.contentSecurityPolicy, SecurityFields.policy + "; sandbox"),
        ]
        return answer
    }
}
