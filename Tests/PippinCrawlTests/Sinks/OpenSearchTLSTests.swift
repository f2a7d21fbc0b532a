import Foundation
import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage

/// The sink and an index behind HTTPS: a real nginx stands before it, with good and bad certificates.
@Suite struct OpenSearchTLSTests {
    private let index: BulkIndexServer
    private let nginx: NginxServer

    init() throws {
        index = try BulkIndexServer()
        // nginx takes bodies of 1 MB and answers 413 to larger ones.
        nginx = try NginxServer(locations: "location / { proxy_pass \(index.url); proxy_http_version 1.1; }")
    }

    private func deliver(
        _ count: Int = 1, to kind: TestCertificates.Kind, bytesEach: Int = 10,
        environment: [String: String] = [:], change: (inout OpenSearchSettings) -> Void = { _ in }
    ) async throws -> OpenSearchSink.Counts {
        var settings = OpenSearchSettings(url: try #require(WebURL(nginx.url(kind, "/"))), index: "pages")
        settings.certificateAuthorityPath = nginx.certificates.authorityPath
        change(&settings)
        let sink = try OpenSearchSink(settings, linger: .seconds(86_400), environment: environment) { _ in }
        for number in 0..<count {
            let record =
                "{\"uniqueIdentifier\":\"\(number)\",\"title\":\"\(String(repeating: "x", count: bytesEach))\"}"
            try await sink.write(recordIdentifier: "\(number)", document: Array(record.utf8))
        }
        try await sink.flush()
        return await sink.counts
    }

    @Test func `records arrive over HTTPS with an authority of one's own, however large together`() async throws {
        let counts = try await deliver(30, to: .valid, bytesEach: 100_000)
        #expect(counts.indexed == 30 && counts.rejected == 0)
        #expect(index.documents.count == 30 && index.faults == [])
    }

    @Test func `credentials are sent, those of a file and those of the environment`() async throws {
        let netrc = nginx.certificates.folder.appending(path: "netrc")
        try Data("machine localhost login pippin password secret\n".utf8).write(to: netrc)
        _ = try await deliver(to: .valid) { $0.credentialsPath = netrc.path }
        for (name, value) in [("PIPPIN_TEST_BASIC", "pippin:secret"), ("PIPPIN_TEST_KEY", "ApiKey abc==")] {
            _ = try await deliver(to: .valid, environment: [name: value]) { $0.credentialsVariable = name }
        }
        let basic = "Basic cGlwcGluOnNlY3JldA=="
        #expect(index.withState { $0.authorizations } == [basic, basic, "ApiKey abc=="])
    }

    @Test(arguments: [
        (
            TestCertificates.Kind.wrongName,
            "no alternative certificate subject name matches target host name 'localhost'"
        ),
        (.selfSigned, "self-signed certificate"), (.expired, "certificate has expired"),
    ])
    func `a certificate that proves nothing ends the delivery at once, and the error says what is wrong with it`(
        kind: TestCertificates.Kind, reason: String
    ) async throws {
        let error = await #expect(throws: OpenSearchSink.Failure.self) { try await deliver(to: kind) }
        let text = error?.description ?? ""
        #expect(text.contains(reason) && text.contains(nginx.url(kind, "/")), "\(text)")
        #expect(index.requests.isEmpty)
    }

    @Test func `without the authority, and with a file that holds none, the certificate is not trusted`() async throws {
        let error = await #expect(throws: OpenSearchSink.Failure.self) {
            try await deliver(to: .valid) { $0.certificateAuthorityPath = nil }
        }
        #expect(
            error?.description.contains("unable to get local issuer certificate") == true, "\(error?.description ?? "")"
        )
        let missing = await #expect(throws: OpenSearchSink.Failure.self) {
            try await deliver(to: .valid) { $0.certificateAuthorityPath = "/nowhere/ca.pem" }
        }
        #expect(missing?.description.contains("/nowhere/ca.pem") == true, "\(missing?.description ?? "")")
        #expect(index.requests.isEmpty)
    }
}
