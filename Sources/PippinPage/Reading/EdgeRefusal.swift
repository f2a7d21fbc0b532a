/// An answer of what stands between a site and its readers: a network that asks for a signature, a price, or a proof that the
/// reader is a person. The site's robots.txt may allow what it refuses.
///
/// It is told by its marks, header fields first, and never evaded. That an answer came through such a network (`cf-ray`, `Server:
/// cloudflare`) is no mark of a refusal.
///
/// Sources: Cloudflare, "Detect a Challenge Page response" and "Pay Per Crawl FAQ"; AWS WAF, "CAPTCHA and Challenge in AWS WAF";
/// RFC 9421 §5.1 (`Accept-Signature`); RFC 9110 §11.6.1 (`WWW-Authenticate`). The marks of DataDome, HUMAN and Akamai are from pages
/// as they are seen.
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

    /// A server that names a way to sign in (`WWW-Authenticate`) is the site's own. Fields and cookies that such networks also set
    /// on pages that they let through need a mark in the page beside them.
    private static func wall(_ status: Int, _ headers: HTTPHeaders, _ body: [UInt8]) -> EdgeRefusal? {
        guard [401, 403, 429, 503].contains(status), headers["WWW-Authenticate"] == nil else { return nil }
        if status != 503, let server = headers["Server"], server.asciiLowercased.hasPrefix("akamaighost") {
            return EdgeRefusal("Akamai", .denied, "Server: \(server)")
        }
        guard !body.isEmpty else { return nil }
        let cookies = headers.values("Set-Cookie").prefix(50).map { cookie in
            String(cookie.prefix { $0 != "=" }.prefix(40)).trimmingHTMLSpace()
        }
        let page = RefusalPage(Array(body.prefix(maximumBytes)), headers)
        let dataDome = "captcha-delivery.com"
        if page.loadsOrRuns(dataDome) { return EdgeRefusal("DataDome", .challenge, dataDome) }
        if let field = headers["x-datadome"] != nil ? "x-datadome" : cookies.contains("datadome") ? "datadome" : nil,
            page.names(dataDome)
        {
            return EdgeRefusal("DataDome", .challenge, "\(field), \(dataDome)")
        }
        if let mark = page.mark(ofHUMAN: "px-captcha", orVariable: "_pxUuid") {
            return EdgeRefusal("HUMAN", .challenge, mark)
        }
        guard status == 403, page.shows("Reference #") else { return nil }
        if page.shows("Access Denied") { return EdgeRefusal("Akamai", .denied, "Access Denied … Reference #") }
        return cookies.first { $0 == "_abck" || $0 == "bm_sz" }.map { cookie in
            EdgeRefusal("Akamai", .denied, "Set-Cookie: \(cookie), Reference #")
        }
    }

    private static func value(_ name: String, _ headers: HTTPHeaders) -> String? {
        headers[name]?.trimmingHTMLSpace().asciiLowercased
    }

    private static func shortened(_ text: String) -> String {
        text.count > 40 ? text.prefix(40) + "…" : text
    }
}

/// The page that came with a refusal. A mark counts where a browser would act on it; a page that writes about it does not have it.
private struct RefusalPage {
    private let bytes: [UInt8]
    private let document: HTMLDocument

    init(_ bytes: [UInt8], _ headers: HTTPHeaders) {
        self.bytes = bytes
        document = DecodedDocument(bytes: bytes, headers: headers).document
    }

    /// Whether a text is anywhere in the answer, be it a page or JSON.
    func names(_ text: String) -> Bool { bytes.position(of: Array(text.utf8)) != nil }

    /// Whether a text is in what a reader sees.
    func shows(_ text: String) -> Bool {
        !document.elements.isEmpty && Array(document.visibleText(of: 0).utf8).position(of: Array(text.utf8)) != nil
    }

    /// Whether a text is in a script, or in the address of something that the page loads.
    func loadsOrRuns(_ text: String) -> Bool {
        runs(text) || document.elements.indices.contains { has(text, inAddressOf: $0) }
    }

    /// The mark of HUMAN's challenge: the element that it fills, its script, or the variable that only the challenge sets. The
    /// script that watches all pages of a site sets others (`_pxAppId`).
    func mark(ofHUMAN name: String, orVariable variable: String) -> String? {
        let isThere = document.elements.indices.contains { element in
            document.bytes(of: .id, on: element)?.elementsEqual(name.utf8) == true
                || document.elements[element].name == .script && has(name, inAddressOf: element)
        }
        return isThere ? name : runs(variable) ? variable : nil
    }

    private func runs(_ text: String) -> Bool {
        let text = Array(text.utf8)
        return document.elements(named: .script).contains { script in
            ScriptData.hasProgramType(script, in: document)
                && Array(document.textBytes(of: script)).position(of: text) != nil
        }
    }

    private func has(_ text: String, inAddressOf element: HTMLDocument.Index) -> Bool {
        document.bytes(of: .src, on: element).map { Array($0).position(of: Array(text.utf8)) != nil } ?? false
    }
}
