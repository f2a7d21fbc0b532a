import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage

@Suite struct RequestFailureTests {
    /// A cause with all that is made of it. What is nil there is none.
    struct Row: Sendable {
        let cause: RequestFailure.Cause
        /// In stored texts.
        let code: String
        /// In counters and log lines of files of sites.
        let fileCode: String
        /// In the JSON of a rendering.
        var refusalCode: String?
        let clause: String
        var remedy: String?
        var exitStatus = ExitStatus.unavailable
        var mayPass = false
        var isOwnDoing = false
    }

    private static let url = "https://shop.example/robots.txt"
    private static let cannot = "\(url) cannot be fetched: "
    private static let notAsked = "\(url) is not asked for: "
    private static let wrongAnswer = "A server that has no robots.txt must answer with 404"

    private static func rules(_ cause: RequestFailure.Cause) -> RequestFailure.Cause {
        guard let url = WebURL("https://www.shop.example/robots.txt") else { preconditionFailure("this is a URL") }
        return .robotsUnreachable(RequestFailure(cause, asking: url))
    }

    private static let rows = [
        Row(
            cause: .failed(.hostNotFound), code: "failed-host-not-found", fileCode: "failed",
            clause: cannot + "no address was found for the name shop.example", remedy: "Check the spelling",
            mayPass: true),
        Row(
            cause: .failed(.addressRefused("10.0.0.1")), code: "failed-address-refused", fileCode: "failed",
            refusalCode: "not_allowed",
            clause: cannot + "10.0.0.1, the address of shop.example, is a private address",
            remedy: "Allow private addresses with --allow-private-networks", mayPass: true, isOwnDoing: true),
        Row(
            cause: .failed(.notAllowed(.excluded)), code: "failed-not-allowed", fileCode: "failed",
            refusalCode: "not_allowed", clause: cannot + notAsked + "it matches one of scope.exclude",
            isOwnDoing: true),
        Row(
            cause: .status(503), code: "status-503", fileCode: "status", clause: cannot + "it answers with status 503",
            remedy: wrongAnswer, mayPass: true),
        Row(
            cause: .status(410), code: "status-410", fileCode: "status", clause: cannot + "it answers with status 410",
            remedy: wrongAnswer),
        Row(
            cause: .badRedirect("mailto:x y"), code: "redirect-broken", fileCode: "redirect-refused",
            clause: cannot + "it redirects to \"mailto:x y\", which is no page", remedy: wrongAnswer),
        Row(
            cause: .badRedirect(""), code: "redirect-broken", fileCode: "redirect-refused",
            clause: cannot + "it redirects without saying where to", remedy: wrongAnswer),
        Row(
            cause: .redirectRefused(to: "https://a.test/x"), code: "redirect-refused", fileCode: "redirect-refused",
            clause: cannot + "it redirects to https://a.test/x"),
        Row(
            cause: .redirectLoop, code: "redirect-loop", fileCode: "redirect-loop",
            clause: cannot + "its redirects come back to where they were"),
        Row(
            cause: .tooManyRedirects, code: "too-many-redirects", fileCode: "too-many-redirects",
            clause: cannot + "its redirects do not end"),
        Row(
            cause: .readingTimedOut, code: "reading-timed-out", fileCode: "reading-timed-out",
            clause: cannot + "reading it took longer than fetch.reading_timeout allows"),
        Row(
            cause: .disallowed("Line 2, Disallow: /, in the rules for *."), code: "disallowed", fileCode: "disallowed",
            refusalCode: "disallowed",
            clause: "robots.txt does not allow \(url): Line 2, Disallow: /, in the rules for *", exitStatus: .findings),
        Row(
            cause: rules(.status(500)), code: "robots-unreachable", fileCode: "robots-unreachable",
            refusalCode: "robots_unreachable",
            clause: "\(url) may not be fetched, because https://www.shop.example/robots.txt cannot be fetched: "
                + "it answers with status 500",
            remedy: wrongAnswer, mayPass: true),
        Row(
            cause: rules(.hostRests(for: .seconds(70))), code: "robots-unreachable", fileCode: "robots-unreachable",
            refusalCode: "robots_unreachable",
            clause: "\(url) may not be fetched, because https://www.shop.example/robots.txt cannot be fetched: "
                + "www.shop.example wants no request for 70 s more",
            remedy: "Try again then", mayPass: true, isOwnDoing: true),
        Row(
            cause: .notHTTP, code: "not-http", fileCode: "out-of-scope", refusalCode: "not_allowed",
            clause: notAsked + "it is neither http nor https", exitStatus: .usage, isOwnDoing: true),
        Row(
            cause: .contactMissing, code: "contact-missing", fileCode: "contact-missing", refusalCode: "not_allowed",
            clause: notAsked + "its host is public, and no contact is configured", remedy: "Give --contact a URL",
            exitStatus: .usage, isOwnDoing: true),
        Row(
            cause: .contactIsPlaceholder, code: "contact-is-placeholder", fileCode: "contact-missing",
            refusalCode: "not_allowed",
            clause: notAsked + "its host is public, and the contact is an example that reaches nobody",
            remedy: "Give --contact a URL", exitStatus: .usage, isOwnDoing: true),
        Row(
            cause: .outOfScope, code: "out-of-scope", fileCode: "out-of-scope", refusalCode: "not_allowed",
            clause: cannot + "it lies on another site", isOwnDoing: true),
        Row(
            cause: .notOverHTTPS, code: "not-over-https", fileCode: "not-over-https", refusalCode: "not_allowed",
            clause: cannot + "its host was only met over http", isOwnDoing: true),
        Row(
            cause: .otherShard, code: "other-shard", fileCode: "other-shard", refusalCode: "not_allowed",
            clause: cannot + "another shard of the job asks its host", mayPass: true, isOwnDoing: true),
        Row(
            cause: .addressNotNamed, code: "address-not-named", fileCode: "address-not-named", refusalCode: "host_left",
            clause: cannot + "the address of shop.example is new, and the next turn asks it", mayPass: true,
            isOwnDoing: true),
        Row(
            cause: .hostLeft, code: "host-left", fileCode: "host-left", refusalCode: "host_left",
            clause: cannot + "shop.example wants more rest than the run waits", mayPass: true, isOwnDoing: true),
        Row(
            cause: .hostRests(for: .seconds(70)), code: "host-rests", fileCode: "host-left", refusalCode: "host_left",
            clause: cannot + "shop.example wants no request for 70 s more", remedy: "Try again then",
            mayPass: true, isOwnDoing: true),
        Row(
            cause: .addressRests("9.9.9.9", failures: 5), code: "address-rests", fileCode: "host-left",
            refusalCode: "host_left",
            clause: cannot + "the last 5 requests to hosts on its address, 9.9.9.9, failed", mayPass: true,
            isOwnDoing: true),
        Row(
            cause: .namesMissing("shop.example", count: 20), code: "names-missing", fileCode: "host-left",
            refusalCode: "host_left", clause: cannot + "20 names under shop.example have no address", mayPass: true,
            isOwnDoing: true),
        Row(
            cause: .method("POST"), code: "method", fileCode: "method", refusalCode: "method",
            clause: cannot + "a POST request may change something", isOwnDoing: true),
        Row(
            cause: .tooManyFiles(limit: 20), code: "too-many-files", fileCode: "too-many-files",
            refusalCode: "too_many", clause: cannot + "the page asks for more than 20 files", isOwnDoing: true),
        Row(
            cause: .filesTooLarge, code: "files-too-large", fileCode: "files-too-large", refusalCode: "too_many",
            clause: cannot + "the page's files are too large", isOwnDoing: true),
    ]

    @Test(arguments: rows)
    func `a cause has its codes, its words and its consequences, and is read back as it was stored`(row: Row) throws {
        let failure = RequestFailure(row.cause, asking: try #require(WebURL(Self.url)))
        #expect(failure.code == row.code)
        #expect(row.cause.kind.fileCode == row.fileCode)
        #expect(failure.refusalCode == row.refusalCode)
        #expect(failure.detail.hasPrefix("\(row.code) \(Self.url)"))
        #expect(RequestFailure(detail: failure.detail) == failure)
        #expect(failure.clause.hasPrefix(row.clause), "\(failure.clause)")
        let remedy = failure.remedy(.flag)
        #expect(row.remedy.map { remedy?.hasPrefix($0) == true } ?? (remedy == nil), "\(remedy ?? "nothing")")
        #expect(failure.description == failure.clause + (remedy.map { ". \($0)" } ?? ""))
        #expect(failure.exitStatus == row.exitStatus)
        #expect(row.cause.mayPass == row.mayPass)
        #expect(failure.isOwnDoing == row.isOwnDoing)
    }

    @Test func `no cause is without a row`() {
        #expect(Set(Self.rows.map(\.cause.kind)) == Set(RequestFailure.Kind.allCases))
    }

    @Test(arguments: ["", "status-503", "failed-tls nowhere", "unheard-of https://a.test/", "status-x https://a.test/"])
    func `a text that is no stored failure is none`(text: String) {
        #expect(RequestFailure(detail: text) == nil)
    }
}
