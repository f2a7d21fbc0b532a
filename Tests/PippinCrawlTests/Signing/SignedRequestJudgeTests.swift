import Foundation
import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage

/// Signed requests verified by http-message-signatures of PyPI, which shares no code with us: as a real server received them, and as
/// they would go to hosts that no test can be.
@Suite(.slow) struct SignedRequestJudgeTests {
    /// Reads requests of eight lines each, and prints what the library says of each.
    private static let script = """
        import base64, datetime, sys
        import http_message_signatures as hms
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
        name, x = sys.argv[1:]
        class Message: pass
        class Keys(hms.HTTPSignatureKeyResolver):
            def resolve_public_key(self, key_id):
                return Ed25519PublicKey.from_public_bytes(base64.urlsafe_b64decode(x + "=")) if key_id == name else None
        lines = sys.stdin.read().split("\\n")[:-1]
        assert lines and len(lines) % 8 == 0, lines
        for at in range(0, len(lines), 8):
            protocol, scheme, method, host, target, agent, signed, signature = lines[at:at + 8]
            message = Message()
            message.method, message.url = method, scheme + "://" + host + target
            message.headers = {"Signature-Agent": agent, "Signature-Input": signed, "Signature": signature}
            verifier = hms.HTTPMessageVerifier(signature_algorithm=hms.algorithms.ED25519, key_resolver=Keys())
            try:
                result = verifier.verify(message, max_age=datetime.timedelta(minutes=1), expect_tag="web-bot-auth")[0]
                print("ok", protocol, message.url, *result.covered_components)
            except hms.HTTPMessageSignaturesException as error:
                print("failed", protocol, message.url, error)
        """

    /// Answers with the request as it was received.
    private static let mirror = """
        location / {
            return 200 '$server_protocol
        $scheme
        $request_method
        $http_host
        $request_uri
        $http_signature_agent
        $http_signature_input
        $http_signature
        ';
        }
        location = /moved { return 302 https://b.\(TestCertificates.domain):$server_port/there?page=2; }
        location = /left { return 302 https://localhost:$server_port/stranger; }
        """

    private func verdicts(_ requests: String, _ key: SigningKey) throws -> [String] {
        let verdict = try PythonJudge(importing: "http_message_signatures").run(
            Self.script, [key.publicKey.thumbprint, key.publicKey.x], input: Array(requests.utf8))
        #expect(verdict.status == 0, "\(verdict.output)")
        return verdict.output.split(separator: "\n").map(String.init)
    }

    @Test(arguments: [true, false]) func `a server can verify what it receives`(isPlain: Bool) async throws {
        let key = try SigningKey.generated()
        let file = try SecretFile(String(decoding: key.pem(), as: UTF8.self))
        let nginx = try NginxServer(
            locations: Self.mirror, sites: ["a": Self.mirror, "b": Self.mirror, "xn--bcher-kva": Self.mirror])
        var configuration = CrawlConfiguration()
        configuration.fetch.allowPrivateNetworks = true
        configuration.fetch.certificateAuthorityPath = nginx.certificates.authorityPath
        configuration.agent.signing = CrawlConfiguration.Agent.Signing(
            keyPath: file.path, directory: try #require(WebURL("https://bot.example.org/keys")))
        var settings = try CurlFetcher.Configuration(configuration)
        settings.keepsExchanges = isPlain
        let fetcher = try CurlFetcher(configuration: settings)
        let origin = nginx.origin(ofSite: "a")
        let named = NamedSites(try [origin, nginx.origin(ofSite: "xn--bcher-kva")].map { try #require(WebURL($0)) })
        var single = SingleFetch(configuration: configuration, fetcher: fetcher, signingFor: named)
        var received = ""
        let paths = [
            "/", "/a%20b/%C3%BC", "/path?query=1&b=%2F", "/?", "//double//", "/.well-known/x;y=1,2", "/a?b?c",
            "/%E2%98%83?\u{2603}=1#fragment", "/moved",
        ]
        for address in paths.map({ origin + $0 }) + [
            nginx.origin(ofSite: "xn--bcher-kva").replacing("xn--bcher-kva", with: "B\u{FC}cher") + "/idn",
            origin.replacing("a.", with: "A.") + "/upper",
        ] {
            let response = try await single.fetch(try #require(WebURL(address)), purpose: .page).get()
            #expect(response.httpVersion == (isPlain ? "1.1" : "2"))
            received += String(decoding: response.body, as: UTF8.self)
            let sent = response.exchange.map { String(decoding: $0.requestHead, as: UTF8.self) } ?? ""
            if isPlain {
                #expect(sent.contains("Signature-Input: ") && !sent.contains("Signature: "), "\(sent)")
            }
        }
        let verdicts = try verdicts(received, key)
        #expect(verdicts.count == paths.count + 2)
        #expect(verdicts.allSatisfy { $0.hasPrefix("ok ") }, "\(verdicts.joined(separator: "\n"))")
        #expect(verdicts.count { $0.contains("\"@query\"") } == 5)
        #expect(
            verdicts.contains { $0.contains("https://b.\(TestCertificates.domain)") && $0.contains("/there?page=2") })
        // Only a redirect leads there.
        let stranger = try await single.fetch(try #require(WebURL(origin + "/left")), purpose: .page).get()
        #expect(stranger.url.path == "/stranger")
        #expect(!String(decoding: stranger.body, as: UTF8.self).contains("sig1"))
        await fetcher.shutdown()
    }

    @Test(arguments: CrawlConfiguration.Agent.Signing.Form.allCases)
    func `requests to any host can be verified`(form: CrawlConfiguration.Agent.Signing.Form) throws {
        let key = try SigningKey.generated()
        let directory = try #require(
            WebURL("https://b\u{FC}cher.example" + CrawlConfiguration.Agent.Signing.directoryPath))
        let signer = RequestSigner(key: key, directory: directory, form: form)
        // The URL of the link, and what a server sees as its host and target.
        let urls = [
            ("https://Example.COM:443", "example.com", "/"), ("https://example.com:80/", "example.com:80", "/"),
            ("https://[2001:DB8::1]:8443/x", "[2001:db8::1]:8443", "/x"), ("https://192.0.2.1/x?", "192.0.2.1", "/x?"),
            ("https://user:secret@example.com/#a", "example.com", "/"),
            ("https://b\u{FC}cher.example/\u{FC}?\u{FC}", "xn--bcher-kva.example", "/%C3%BC?%C3%BC"),
            ("https://example.com./", "example.com.", "/"), ("https://example.com/../a/./b", "example.com", "/a/b"),
        ]
        let asked = try #require(
            SignatureRequest(
                HTTPHeaders([
                    (
                        "Accept-Signature",
                        #"their-1=("@target-uri" "@scheme" "@query" "signature-agent");created;expires;nonce="a\"b\\";tag="web-bot-auth""#
                    )
                ])))
        var requests = ""
        for (address, host, target) in urls {
            for request in [SignatureRequest.usual, asked] {
                let fields = try signer.fields(
                    url: try #require(WebURL(address)), method: "GET", at: Date(), as: request)
                requests += (["-", "https", "GET", host, target] + fields.map(\.value)).joined(separator: "\n") + "\n"
            }
        }
        let verdicts = try verdicts(requests, key)
        #expect(verdicts.count == 2 * urls.count)
        #expect(verdicts.allSatisfy { $0.hasPrefix("ok ") }, "\(verdicts.joined(separator: "\n"))")
        #expect(verdicts.count { $0.contains("\"@target-uri\"") } == urls.count)
        // The judge sees what is wrong.
        let changed = try self.verdicts(requests.replacing("\n/", with: "\n/x"), key)
        #expect(changed.allSatisfy { $0.hasPrefix("failed ") })
    }
}
