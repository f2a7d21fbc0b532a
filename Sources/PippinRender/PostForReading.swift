import Foundation
import PippinCrawl
import PippinPage

/// Decides which POST requests of a page's scripts are made: those that ask for something, as GraphQL and searches do. None of them has
/// anybody's credentials, and none is made twice.
enum PostForReading {
    enum Verdict: Equatable {
        case asks([UInt8])
        case mayChange
        /// A hash names what it asks for. Apps send the text when they hear that hashes are not supported.
        case isHidden
    }

    /// Real queries take a few kilobytes.
    private static let maximumBytes = 64 << 10
    /// Such requests of one page. Real pages make up to twenty.
    static let maximumCount = 50

    /// The media types that count as JSON here.
    private static let types: Set = ["application/json", "application/graphql+json"]
    /// Fields and parameters of the URL by which servers take another method.
    private static let methodNames = ScriptFields.methodOverrides.union(["_method"])

    /// - Parameters:
    ///   - request: as the browser tells of it.
    ///   - fields: its header fields; names are compared without regard to letter case.
    static func verdict(_ request: JSONValue?, _ fields: HTTPHeaders, to url: WebURL) -> Verdict {
        guard fields.mediaType.map({ types.contains($0) }) ?? false,
            !fields.fields.contains(where: { methodNames.contains($0.name.lowercased()) }),
            let body = body(request), let json = json(body), urlOnlyReads(url)
        else { return .mayChange }
        return switch GraphQLRequest.effect(of: json) {
        case .reads: .asks(body)
        case .isHidden: .isHidden
        case .mayChange: .mayChange
        }
    }

    /// The bytes of the body. Parts that are files are not among them.
    private static func body(_ request: JSONValue?) -> [UInt8]? {
        guard let entries = request?["postDataEntries"]?.array, !entries.isEmpty, entries.count <= 16 else {
            return nil
        }
        var body: [UInt8] = []
        for entry in entries {
            guard let text = entry["bytes"]?.string, text.utf8.count <= 2 * maximumBytes,
                let bytes = Data(base64Encoded: text), body.count + bytes.count <= maximumBytes
            else { return nil }
            body += bytes
        }
        return body
    }

    /// The JSON of a body that all parsers read in the same way: with a key that stands twice, they do not.
    private static func json(_ body: [UInt8]) -> JSONValue? {
        var parser = JSONParser()
        guard let json = try? parser.parse(body), parser.notes.isEmpty else { return nil }
        return json
    }

    /// Whether a URL has no document or method of its own, which servers may prefer to the body's.
    private static func urlOnlyReads(_ url: WebURL) -> Bool {
        guard let parameters = URLComponents(string: url.href)?.queryItems else { return url.query == nil }
        return parameters.allSatisfy { parameter in
            let name = parameter.name.lowercased()
            return !methodNames.contains(name)
                && (name != "query" || GraphQLRequest.onlyReads(parameter.value ?? ""))
        }
    }
}
