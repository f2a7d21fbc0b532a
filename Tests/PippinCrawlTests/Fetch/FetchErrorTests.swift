import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage

@Suite struct FetchErrorTests {
    @Test func `a host that cannot be reached rests, a page that is too large is never asked again`() {
        #expect(FetchError.timedOut("no answer within 30 s").retry == .restHost)
        #expect(FetchError.bodyTooLarge(limit: 1).retry == .never)
        #expect(FetchError.truncatedBody.retry == .later)
    }

    private static let url = "https://shop.example:8443/a"
    private static let selfSigned = "SSL certificate problem: self-signed certificate"

    private static let words: [(error: FetchError, clause: String, remedy: String?)] = [
        (.unsupportedScheme("ftp"), "https is neither http nor https", nil),
        (
            .notAllowed(.excluded), "https://shop.example:8443/a is not asked for: it matches one of scope.exclude", nil
        ),
        (.hostNotFound, "no address was found for the name shop.example", "Check the spelling"),
        (
            .lookUpFailed("temporary failure"),
            "no name server could say where shop.example is (temporary failure)", "Check the name servers"
        ),
        (
            .addressRefused("10.0.0.1"), "10.0.0.1, the address of shop.example, is a private address",
            "Allow private addresses with --allow-private-networks"
        ),
        (
            .addressRefused("fd00::1"), "fd00::1, the address of shop.example, is a private address",
            "--allow-private-networks"
        ),
        (
            .addressRefused("203.0.113.9"), "203.0.113.9, the address of shop.example, is not a public address",
            "--allow"
        ),
        (.connectionFailed("connection refused"), "nothing listens at shop.example:8443", "Check the port"),
        (.connectionFailed("reset"), "the connection to shop.example:8443 failed (reset)", nil),
        (.timedOut("no answer within 30 s"), "shop.example took too long: no answer within 30 s", "fetch.timeout"),
        (
            .tls(.untrusted, reason: selfSigned),
            "the certificate of shop.example is not trusted (self-signed certificate)", "with --ca-file, or fix"
        ),
        (
            .tls(.expired, reason: "SSL certificate problem: certificate has expired"),
            "the certificate of shop.example has expired", "Fix the server's certificate"
        ),
        (.tls(.notYetValid, reason: "x"), "the certificate of shop.example is not valid yet (x)", "Fix"),
        (
            .tls(.wrongHost, reason: "SSL: no alternative certificate subject name matches"),
            "the certificate of shop.example is for another host (no alternative certificate subject name matches)",
            "Fix"
        ),
        (
            .tls(.handshake, reason: "wrong version number"),
            "no TLS connection to shop.example could be agreed on (wrong version number)", nil
        ),
        (.bodyTooLarge(limit: 9), "the answer is too large (more than 9 bytes)", "fetch.max_body"),
        (.headersTooLarge, "the header of the answer is too large", nil),
        (.truncatedBody, "the connection ended in the middle of the answer", nil),
        (.endUncertain, "its answer over HTTP/2 has no length, and may have been cut short", nil),
        (.signatureWanted(status: 403), "shop.example wants signed requests (status 403)", nil),
        (.badContentEncoding("x"), "the body of the answer cannot be decoded (x)", nil),
        (.protocolError("x"), "what shop.example answered is not HTTP (x)", nil),
        (.tooCostly("0 bytes came"), "shop.example keeps us busy without answering (0 bytes came)", nil),
        (.cancelled, "the run ended before the answer came", nil),
    ]

    @Test(arguments: words)
    func `a failure says what happened, where, and which option changes it`(
        error: FetchError, clause: String, remedy: String?
    ) throws {
        let url = try #require(WebURL(Self.url))
        #expect(error.clause(asking: url).hasPrefix(clause), "\(error.clause(asking: url))")
        #expect(
            remedy.map { error.remedy(.flag)?.contains($0) == true } ?? (error.remedy(.flag) == nil),
            "\(error.remedy(.flag) ?? "nothing")")
        // What is kept of it says the same.
        #expect(FetchError(code: error.code, detail: error.detail) == error)
        let kept = CodeSentences.sentence(
            ofOutcome: VisitOutcome.failed(error).code, detail: VisitOutcome.failed(error).detail, at: url, .flag)
        #expect(kept == "It could not be fetched: \(error.explanation(asking: url, .flag)).")
        let robots = RequestFailure(.failed(error), asking: url)
        let outcome = VisitOutcome.robotsUnreachable(robots)
        #expect(outcome.code == "robots-unreachable")
        let sentence = CodeSentences.sentence(ofOutcome: outcome.code, detail: outcome.detail, at: url, .flag)
        #expect(sentence?.hasSuffix(": \(robots.explanation(.flag)).") == true)
        #expect(robots.explanation(.flag).hasPrefix("\(Self.url) cannot be fetched: \(clause)"))
    }

    @Test func `no failure is without words`() {
        #expect(Set(Self.words.map(\.error.kind)) == Set(FetchError.Kind.allCases))
        let faults = Self.words.compactMap { word -> FetchError.TLSFault? in
            if case .tls(let fault, _) = word.error { fault } else { nil }
        }
        #expect(Set(faults) == Set(FetchError.TLSFault.allCases))
    }

    @Test func `an address that is asked for by itself is named once`() throws {
        for (host, name) in [("10.0.0.1", "10.0.0.1"), ("[::1]", "::1")] {
            let url = try #require(WebURL("http://\(host)/"))
            #expect(FetchError.addressRefused(name).clause(asking: url) == "\(name) is a private address")
        }
    }

    // MARK: Settings

    @Test func `every setting that messages name is a key of the configuration`() {
        for setting in Setting.all {
            let parts = setting.key.split(separator: ".")
            // A key that is known and has a wrong value is not called unknown.
            do {
                _ = try CrawlConfiguration(yaml: "\(parts[0]):\n  \(parts[1]): {}\n", file: "f")
                Issue.record("\(setting.key) takes anything")
            } catch {
                #expect(!"\(error)".contains("unknown"), "\(error)")
            }
        }
    }

    @Test func `a setting is spelled as its reader can set it`() {
        #expect(Setting.certificateAuthority.spelled(.key) == "fetch.ca_file")
        #expect(Setting.certificateAuthority.spelled(.flag) == "--ca-file")
        #expect(Setting.certificateAuthority.spelled(.both) == "fetch.ca_file (--ca-file)")
        #expect(Setting.timeout.spelled(.flag) == "fetch.timeout (configuration file)")
    }
}
