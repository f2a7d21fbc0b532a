/// An answer of what stands between a site and its readers: a network that asks for a signature, a price, or a proof that the
/// reader is a person. The site's robots.txt may allow what it refuses.
///
/// It is told by its marks, header fields first, and never evaded. That an answer came through such a network (`cf-ray`, `Server:
/// cloudflare`) is no mark of a refusal.
///
/// Sources: Cloudflare, "Detect a Challenge Page response" and "Pay Per Crawl FAQ"; AWS WAF, "CAPTCHA and Challenge in AWS WAF";
/// RFC 9421 §5.1 (`Accept-Signature`). The marks of DataDome, HUMAN and Akamai are from pages as they are seen.
public struct EdgeRefusal: Sendable, Hashable {
    /// What is refused, and what would be wanted.
    public enum Kind: Sendable, Hashable {
        /// A proof that the reader is a person, or runs scripts as a browser does.
        case challenge
        /// A payment; with the price as written, if the answer names one.
        case payment(price: String?)
        /// A signature (Web Bot Auth).
        case signature
        /// Access as such.
        case denied
    }

    /// Who refuses; nil if the marks do not tell.
    public let edge: String?
    /// What is refused.
    public let kind: Kind
    /// The mark by which it was told, as written: `cf-mitigated: challenge`.
    public let mark: String

    /// The refusal in an answer; nil if it has no mark of one.
    ///
    /// - Parameter body: as far as it was read; its first `maximumBytes` are searched.
    public init?(status: Int, headers: HTTPHeaders, body: [UInt8] = []) {
        guard
            let found = Self.challenge(status, headers) ?? Self.payment(status, headers)
                ?? Self.signature(status, headers) ?? Self.wall(status, headers, body)
        else { return nil }
        self = found
    }

    private init(_ edge: String?, _ kind: Kind, _ mark: String) {
        self.edge = edge
        self.kind = kind
        self.mark = mark.count > Self.maximumCharacters ? mark.prefix(Self.maximumCharacters) + "…" : mark
    }

    /// The bytes of a body that are searched. Pages of this kind are small, and have their marks in the head.
    static let maximumBytes = 65_536
    private static let maximumCharacters = 100

    /// Both fields are the vendors' own word that the answer is not the page, whatever its status.
    private static func challenge(_ status: Int, _ headers: HTTPHeaders) -> EdgeRefusal? {
        if let word = value("cf-mitigated", headers), word == "challenge" {
            return EdgeRefusal("Cloudflare", .challenge, "cf-mitigated: \(word)")
        }
        if let word = value("x-amzn-waf-action", headers),
            word == "challenge" && status == 202 || word == "captcha" && status == 405
        {
            return EdgeRefusal("AWS WAF", .challenge, "x-amzn-waf-action: \(word)")
        }
        return nil
    }

    /// 402 is a price, whoever asks for it. `crawler-error` is Cloudflare's, also with other statuses.
    private static func payment(_ status: Int, _ headers: HTTPHeaders) -> EdgeRefusal? {
        let price = headers["crawler-price"]?.trimmingHTMLSpace()
        let error = headers["crawler-error"]?.trimmingHTMLSpace()
        let edge = price == nil && error == nil ? nil : "Cloudflare"
        if status == 402 {
            let mark = price.map { "crawler-price: \($0)" } ?? error.map { "crawler-error: \($0)" }
            return EdgeRefusal(edge, .payment(price: price.map(shortened)), mark ?? "status 402")
        }
        guard let error, !error.isEmpty, status >= 400 else { return nil }
        return EdgeRefusal(edge, .denied, "crawler-error: \(error)")
    }

    private static func signature(_ status: Int, _ headers: HTTPHeaders) -> EdgeRefusal? {
        guard [401, 403].contains(status), let field = headers["Accept-Signature"], field.has("web-bot-auth") else {
            return nil
        }
        return EdgeRefusal(nil, .signature, "Accept-Signature")
    }

    private static func wall(_ status: Int, _ headers: HTTPHeaders, _ body: [UInt8]) -> EdgeRefusal? {
        guard [401, 403, 429, 503].contains(status) else { return nil }
        let head = Array(body.prefix(maximumBytes))
        func has(_ text: String) -> Bool { head.position(of: Array(text.utf8)) != nil }
        let cookies = headers.values("Set-Cookie").prefix(50).map { cookie in
            String(cookie.prefix { $0 != "=" }.prefix(40)).trimmingHTMLSpace()
        }
        if headers["x-datadome"] != nil { return EdgeRefusal("DataDome", .challenge, "x-datadome") }
        if has("geo.captcha-delivery.com") {
            return EdgeRefusal("DataDome", .challenge, "geo.captcha-delivery.com")
        }
        if has("px-captcha") { return EdgeRefusal("HUMAN", .challenge, "px-captcha") }
        if has("_pxAppId") { return EdgeRefusal("HUMAN", .challenge, "_pxAppId") }
        if cookies.contains("datadome") { return EdgeRefusal("DataDome", .denied, "Set-Cookie: datadome") }
        if let server = headers["Server"], server.asciiLowercased.hasPrefix("akamaighost") {
            return EdgeRefusal("Akamai", .denied, "Server: \(server)")
        }
        if status == 403, has("Access Denied"), has("Reference #") || has("Reference&#32;&#35;") {
            return EdgeRefusal("Akamai", .denied, "Access Denied … Reference #")
        }
        if let cookie = cookies.first(where: { $0 == "_abck" || $0 == "bm_sz" }), status == 403 {
            return EdgeRefusal("Akamai", .denied, "Set-Cookie: \(cookie)")
        }
        return nil
    }

    private static func value(_ name: String, _ headers: HTTPHeaders) -> String? {
        headers[name]?.trimmingHTMLSpace().asciiLowercased
    }

    private static func shortened(_ text: String) -> String {
        text.count > 40 ? text.prefix(40) + "…" : text
    }
}
