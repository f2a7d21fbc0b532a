import Hummingbird
import PippinPage

typealias HTTPStatus = HTTPResponse.Status
typealias HTTPField = HTTPFields.Element

/// What a handler answers: a status, a body, and its media type.
struct WebAnswer: Sendable {
    var status = HTTPResponse.Status.ok
    /// The media type of the body; nil without a body.
    var type: String?
    var body: [UInt8] = []
    /// More header fields.
    var fields: [(name: HTTPField.Name, value: String)] = []
    /// Whether it may be sent compressed. The length of compressed bytes tells how much of them is repeated. If a text has both a secret
    /// and what a stranger wrote, that gives the secret away (BREACH).
    var mayBeCompressed = true

    static func html(_ text: String, status: HTTPResponse.Status = .ok) -> WebAnswer {
        WebAnswer(status: status, type: "text/html; charset=utf-8", body: Array(text.utf8))
    }

    static func json(_ bytes: [UInt8], status: HTTPResponse.Status = .ok) -> WebAnswer {
        WebAnswer(status: status, type: "application/json", body: bytes)
    }

    static func text(_ text: String, type: String = "text/plain; charset=utf-8") -> WebAnswer {
        WebAnswer(type: type, body: Array(text.utf8))
    }

    /// Leads the browser to another page of this server.
    static func redirect(to link: LocalLink) -> WebAnswer {
        WebAnswer(status: .seeOther, fields: [(.location, link.description)])
    }
}

/// A request that is not fulfilled, with a sentence for whoever made it. It becomes a page or a JSON object, as its route
/// answers.
struct WebRefusal: Error, Sendable {
    let status: HTTPResponse.Status
    /// What was wrong, and what to do.
    let sentence: String
    var fields: [(name: HTTPField.Name, value: String)] = []
    /// The page that was asked for, if it is shown after the sign-in.
    var wanted: String?

    init(
        _ status: HTTPResponse.Status, _ sentence: String, fields: [(name: HTTPField.Name, value: String)] = [],
        wanted: String? = nil
    ) {
        self.status = status
        self.sentence = sentence
        self.fields = fields
        self.wanted = wanted
    }

    /// The refusal as a problem object (RFC 9457).
    var problem: WebAnswer {
        var writer = JSONWriter()
        writer.object { writer in
            // There is no more to it than the status says.
            writer.member("type", "about:blank")
            writer.member("title", status.reasonPhrase)
            writer.member("status", status.code)
            writer.member("detail", sentence)
        }
        return WebAnswer(status: status, type: "application/problem+json", body: writer.bytes, fields: fields)
    }
}

/// The header fields that every answer carries.
enum SecurityFields {
    /// Pictures are from this server (`PictureRoute`), or in the page.
    static let policy = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "img-src 'self' data:",
        "form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'",
    ].joined(separator: "; ")

    static let all: [(name: HTTPField.Name, value: String)] = {
        let names: [(String, String)] = [
            ("Content-Security-Policy", policy),
            ("X-Content-Type-Options", "nosniff"),
            ("Referrer-Policy", "no-referrer"),
            ("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
            ("Cross-Origin-Opener-Policy", "same-origin"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
            ("X-Frame-Options", "DENY"),
            ("X-Robots-Tag", "noindex"),
        ]
        return names.compactMap { name, value in HTTPField.Name(name).map { ($0, value) } }
    }()
}
