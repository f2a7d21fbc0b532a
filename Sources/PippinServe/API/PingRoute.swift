import Foundation
import PippinPage

/// Where sites tell of pages that have changed, as indexnow.org says: one by GET, many by POST.
enum PingRoute {
    static let routes: [WebRoute] = [
        WebRoute(method: .get, path: "/indexnow", form: .protocolOfItsOwn, isOpen: true) { request, context in
            try await answer(context) {
                try request.query.allowing(["url", "key", "keyLocation"])
                guard let url = request.query["url"], let key = request.query["key"] else {
                    throw WebRefusal(.badRequest, "url and key must be given.")
                }
                return try ping { () throws(IndexNowPing.Problem) in
                    try IndexNowPing(url: url, key: key, keyLocation: request.query["keyLocation"])
                }
            }
        },
        WebRoute(
            method: .post, path: "/indexnow", form: .protocolOfItsOwn, isOpen: true,
            maximumBodyBytes: WebLimits.pingBytes
        ) { request, context in
            try await answer(context) {
                let json = try request.json()
                return try ping { () throws(IndexNowPing.Problem) in try IndexNowPing(json: json) }
            }
        },
    ]

    private static func answer(
        _ context: WebContext, _ read: () throws -> IndexNowPing
    ) async throws -> WebAnswer {
        guard let desk = context.pings else { throw WebRefusal(.notFound, "This server receives no pings.") }
        try await desk.admit(WebContext.client)
        let receipt = try await desk.receive(try read(), from: WebContext.client, context)
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("accepted", receipt.accepted)
            if receipt.refused > 0 { writer.member("refused", receipt.refused) }
            if receipt.isPending { writer.member("key", "pending") }
        }
        return .json(writer.bytes, status: receipt.isPending ? .accepted : .ok)
    }

    private static func ping(
        _ read: () throws(IndexNowPing.Problem) -> IndexNowPing
    ) throws(WebRefusal) -> IndexNowPing {
        do {
            return try read()
        } catch {
            switch error {
            case .malformed(let sentence): throw WebRefusal(.badRequest, sentence)
            case .unfit(let sentence): throw WebRefusal(.unprocessableContent, sentence)
            }
        }
    }
}
