import Foundation
import PippinTestSupport
import Testing

@testable import PippinPage

/// Answers by which networks in front of sites refuse, by the marks that they have.
@Suite struct EdgeRefusalTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let status: Int
        var headers: [(name: String, value: String)] = []
        var body = ""
        let edge: String?
        let kind: EdgeRefusal.Kind?
        var mark: String?

        var testDescription: String { "\(status) \(headers.map { "\($0.name): \($0.value)" }) \(body.prefix(40))" }
    }

    private static let cases = [
        Case(
            status: 402, headers: [("crawler-price", "USD 0.01")], edge: "Cloudflare",
            kind: .payment(price: "USD 0.01"), mark: "crawler-price: USD 0.01"),
        Case(
            status: 402, headers: [("Crawler-Error", "MissingCrawlerPrice")], edge: "Cloudflare",
            kind: .payment(price: nil), mark: "crawler-error: MissingCrawlerPrice"),
        Case(status: 402, edge: nil, kind: .payment(price: nil), mark: "status 402"),
        Case(status: 403, headers: [("crawler-error", "CrawlerForbidden")], edge: "Cloudflare", kind: .denied),
        Case(status: 400, headers: [("crawler-error", "InvalidSignature")], edge: "Cloudflare", kind: .denied),
        Case(status: 403, headers: [("CF-Mitigated", " challenge ")], edge: "Cloudflare", kind: .challenge),
        Case(status: 429, headers: [("cf-mitigated", "challenge")], edge: "Cloudflare", kind: .challenge),
        Case(status: 200, headers: [("cf-mitigated", "challenge")], edge: "Cloudflare", kind: .challenge),
        Case(status: 202, headers: [("x-amzn-waf-action", "challenge")], edge: "AWS WAF", kind: .challenge),
        Case(status: 405, headers: [("x-amzn-waf-action", "captcha")], edge: "AWS WAF", kind: .challenge),
        Case(
            status: 401, headers: [("Accept-Signature", "sig1=(\"@authority\");tag=\"web-bot-auth\"")], edge: nil,
            kind: .signature, mark: "Accept-Signature"),
        Case(
            status: 403, body: "<script src=\"https://geo.captcha-delivery.com/c.js\"></script>", edge: "DataDome",
            kind: .challenge, mark: "captcha-delivery.com"),
        Case(
            status: 403, body: "<script>var dd={'cid':'a','host':'geo.captcha-delivery.com'}</script>",
            edge: "DataDome", kind: .challenge),
        Case(
            status: 403, headers: [("X-DataDome", "protected"), ("Content-Type", "application/json")],
            body: "{\"url\":\"https://geo.captcha-delivery.com/captcha/\"}", edge: "DataDome", kind: .challenge,
            mark: "x-datadome, captcha-delivery.com"),
        Case(
            status: 403, headers: [("Set-Cookie", "datadome=abc; Path=/")],
            body: "{\"url\":\"https://geo.captcha-delivery.com/captcha/\"}", edge: "DataDome", kind: .challenge,
            mark: "datadome, captcha-delivery.com"),
        Case(status: 403, body: "<div id=\"px-captcha\"></div>", edge: "HUMAN", kind: .challenge, mark: "px-captcha"),
        Case(status: 403, body: "<DIV ID=px-captcha>", edge: "HUMAN", kind: .challenge),
        Case(
            status: 403, body: "<script src='https://a.test/px-captcha.js'></script>", edge: "HUMAN", kind: .challenge),
        Case(
            status: 429, body: "<script>window._pxAppId = 'PXa'; window._pxUuid = 'b'</script>", edge: "HUMAN",
            kind: .challenge, mark: "_pxUuid"),
        Case(status: 403, headers: [("Server", "AkamaiGHost")], edge: "Akamai", kind: .denied),
        Case(status: 403, body: "<h1>Access Denied</h1> Reference #18.4", edge: "Akamai", kind: .denied),
        Case(
            status: 403, body: "<h1>Access Denied</h1><p>Reference&#32;&#35;18&#46;4", edge: "Akamai", kind: .denied),
        Case(
            status: 403, headers: [("Set-Cookie", "a=b"), ("Set-Cookie", "bm_sz=1~2; Path=/")],
            body: "<p>Not now. Reference #18.4", edge: "Akamai", kind: .denied, mark: "Set-Cookie: bm_sz, Reference #"),
    ]

    @Test(arguments: cases) func `a refusal is told by its mark`(wanted: Case) throws {
        let found = try #require(
            EdgeRefusal(status: wanted.status, headers: HTTPHeaders(wanted.headers), body: Array(wanted.body.utf8)))
        #expect(found.edge == wanted.edge && found.kind == wanted.kind)
        if let mark = wanted.mark { #expect(found.mark == mark) }
    }

    private static let others = [
        Case(status: 200, edge: nil, kind: nil), Case(status: 403, edge: nil, kind: nil),
        Case(status: 403, headers: [("Server", "cloudflare"), ("cf-ray", "8a")], edge: nil, kind: nil),
        Case(status: 403, headers: [("cf-mitigated", "block")], edge: nil, kind: nil),
        Case(status: 200, headers: [("x-amzn-waf-action", "challenge")], edge: nil, kind: nil),
        Case(
            status: 200, headers: [("crawler-charged", "USD 0.01"), ("crawler-price", "USD 0.01")], edge: nil, kind: nil
        ),
        Case(status: 200, headers: [("Set-Cookie", "datadome=a")], edge: nil, kind: nil),
        Case(status: 200, headers: [("x-datadome", "protected")], edge: nil, kind: nil),
        Case(status: 404, body: "px-captcha", edge: nil, kind: nil),
        Case(status: 200, body: "An article about px-captcha and geo.captcha-delivery.com", edge: nil, kind: nil),
        Case(status: 401, headers: [("WWW-Authenticate", "Basic realm=\"x\"")], edge: nil, kind: nil),
        Case(status: 401, headers: [("Accept-Signature", "sig1=(\"date\")")], edge: nil, kind: nil),
        Case(status: 403, body: "Access Denied", edge: nil, kind: nil),
        Case(status: 503, headers: [("Retry-After", "120")], edge: nil, kind: nil),
        // The site's own server asks for a password, and its network adds a field to every answer.
        Case(
            status: 401, headers: [("WWW-Authenticate", "Basic realm=\"staff\""), ("x-datadome", "protected")],
            body: "<script src=\"https://ct.captcha-delivery.com/c.js\"></script>", edge: nil, kind: nil),
        Case(
            status: 401, headers: [("WWW-Authenticate", "Bearer"), ("Server", "AkamaiGHost")], edge: nil, kind: nil),
        // The site's own pause, which its network passes on.
        Case(status: 503, headers: [("Server", "AkamaiGHost"), ("Retry-After", "120")], edge: nil, kind: nil),
        Case(status: 403, headers: [("x-datadome", "protected")], body: "members only", edge: nil, kind: nil),
        Case(status: 403, headers: [("Set-Cookie", "datadome=a")], body: "members only", edge: nil, kind: nil),
        Case(status: 403, headers: [("Set-Cookie", "bm_sz=1~2")], body: "<h1>members only</h1>", edge: nil, kind: nil),
        Case(status: 403, headers: [("Set-Cookie", "_abck=1")], body: "<h1>Access Denied</h1>", edge: nil, kind: nil),
        // Pages that write about the marks, and a script that watches all pages of a site.
        Case(status: 403, body: "<p>How we use px-captcha and _pxUuid: members only</p>", edge: nil, kind: nil),
        Case(status: 403, body: "<pre>&lt;div id=\"px-captcha\"&gt;</pre>", edge: nil, kind: nil),
        Case(status: 403, body: "<!-- <div id=\"px-captcha\"> --><h1>members only</h1>", edge: nil, kind: nil),
        Case(
            status: 403, body: "<a href=\"https://captcha-delivery.com/\">captcha-delivery.com</a>", edge: nil,
            kind: nil),
        Case(
            status: 403, body: "<script type=\"application/ld+json\">{\"text\": \"captcha-delivery.com\"}</script>",
            edge: nil, kind: nil),
        Case(status: 403, body: "<script>window._pxAppId = 'PXa'</script>", edge: nil, kind: nil),
        Case(
            status: 403, body: "<p>members only</p><!-- Access Denied Reference #18.4 -->", edge: nil, kind: nil),
    ]

    @Test(arguments: others) func `what has no mark is the site's own word`(wanted: Case) {
        #expect(
            EdgeRefusal(status: wanted.status, headers: HTTPHeaders(wanted.headers), body: Array(wanted.body.utf8))
                == nil)
    }

    @Test func `marks beyond the limit are not looked for, and long ones are shortened`() throws {
        let mark = Array("<p id=px-captcha>".utf8)
        for (filler, isFound) in [(EdgeRefusal.maximumBytes - mark.count, true), (EdgeRefusal.maximumBytes, false)] {
            let body = [UInt8](repeating: 0x70, count: filler) + mark
            #expect((EdgeRefusal(status: 403, headers: HTTPHeaders([]), body: body) != nil) == isFound)
        }
        let long = String(repeating: "€", count: 10_000)
        let found = try #require(EdgeRefusal(status: 402, headers: HTTPHeaders([("crawler-price", long)])))
        guard case .payment(let price) = found.kind else {
            Issue.record("no price")
            return
        }
        #expect(price?.count == 41 && found.mark.count <= 101)
    }
}
