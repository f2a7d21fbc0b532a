import Foundation
import PippinPage
import PippinTestSupport
import Testing

@testable import PippinCrawl

/// Signatures byte for byte as in the standards' examples. Ed25519 makes the same signature each time (RFC 8032 §5.1.6).
@Suite struct SignatureVectorTests {
    /// The key `test-key-ed25519` of RFC 9421 §B.1.4.
    static let jwk = """
        {"kty": "OKP", "crv": "Ed25519", "kid": "test-key-ed25519",
         "d": "n4Ni-HpISpVObnQMW0wOhCKROaIKqKtW_2ZYb2p9KcU", "x": "JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs"}
        """
    static let pem = """
        -----BEGIN PRIVATE KEY-----
        MC4CAQAwBQYDK2VwBCIEIJ+DYvh6SEqVTm50DFtMDoQikTmiCqirVv9mWG9qfSnF
        -----END PRIVATE KEY-----
        """
    static let thumbprint = "poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U"

    private func key() throws -> SigningKey { try SigningKey(text: Self.jwk, file: "key.json") }

    private func input(_ text: String) throws -> StructuredField.InnerList {
        try #require(StructuredField.Dictionary("l=" + text)?["l"]?.innerList)
    }

    /// Signs, compares, and checks the signature with the public part.
    private func expect(
        _ message: SignedMessage, _ inputText: String, bytes: Int, signature expected: String
    ) throws {
        let key = try key()
        let input = try input(inputText)
        #expect(input.serialized == inputText)
        #expect(MessageSignature.base(of: message, input: input)?.count == bytes)
        let signature = try MessageSignature(of: message, label: "sig2", input: input, key: key)
        #expect(signature.fieldValues.input == "sig2=" + inputText)
        #expect(signature.fieldValues.signature == "sig2=:\(expected):")
        var fields = message.fields
        fields.append(name: "Signature-Input", value: signature.fieldValues.input)
        fields.append(name: "Signature", value: signature.fieldValues.signature)
        let read = try #require(MessageSignature.all(of: fields))
        #expect(read.map(\.label) == ["sig2"])
        #expect(try read[0].isMade(by: key.publicKey, of: message))
        let other = try SigningKey.generated()
        #expect(try !read[0].isMade(by: other.publicKey, of: message))
    }

    @Test func `a key has its thumbprint in both forms of file`() throws {
        let (jwk, pem) = (try key(), try SigningKey(text: Self.pem, file: "key.pem"))
        #expect(jwk.publicKey.thumbprint == Self.thumbprint)
        #expect(jwk.publicKey == pem.publicKey)
        #expect(jwk.publicKey == VerificationKey.ofStandard)
        #expect(String(decoding: try jwk.pem(), as: UTF8.self) == Self.pem + "\n")
    }

    @Test func `the example of RFC 9421 B.2.6 has its signature`() throws {
        let message = SignedMessage(
            url: try #require(WebURL("https://example.com/foo?param=Value&Pet=dog")), method: "POST",
            fields: HTTPHeaders([
                ("Host", "example.com"), ("Date", "Tue, 20 Apr 2021 02:07:55 GMT"),
                ("Content-Type", "application/json"),
                ("Content-Length", "18"),
            ]))
        let key = try key()
        let input = try input(
            #"("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;keyid="test-key-ed25519""#
        )
        let signature = try MessageSignature(of: message, label: "sig-b26", input: input, key: key)
        #expect(
            signature.fieldValues.signature
                == "sig-b26=:wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==:")
    }

    @Test func `the draft's example with a dictionary has its signature`() throws {
        let message = SignedMessage(
            url: try #require(WebURL("https://example.com/path/to/resource")),
            fields: HTTPHeaders([("Signature-Agent", #"agent2="https://signature-agent.test""#)]))
        let input =
            #"("@authority" "signature-agent";key="agent2");created=1735689600;keyid="\#(Self.thumbprint)";alg="ed25519";expires=4889289600;nonce="n9p433xm+NJ3ph3upfBIGmsuwHw387YV7Q/F+6BSpGCVjYCqQw6rznNA8PVVLySrAWsv0hQtFioQb6E1YsauiA==";tag="web-bot-auth""#
        try expect(
            message, input, bytes: 375,
            signature: "RdNFx5Bj6au3YgAMQL/RzmUlZE8QZLIaXGRpw985hWnwPfMxT228NMk6ehRS1PSl4e8PhbNZACSanGdhEwYCCg==")
        let base = try #require(MessageSignature.base(of: message, input: self.input(input)))
        #expect(
            Digest.sha256(base).map { String(Int($0) + 0x100, radix: 16).dropFirst() }.joined()
                == "a070a4d3058965b0d5989d9d587f32c64eaaf4561f7f552ae9f741b99198d2e1")
    }

    @Test func `the draft's example with a string has its signature`() throws {
        let message = SignedMessage(
            url: try #require(WebURL("https://example.com/path/to/resource")),
            fields: HTTPHeaders([("Signature-Agent", #""https://signature-agent.test""#)]))
        try expect(
            message,
            #"("@authority" "signature-agent");created=1735689600;keyid="\#(Self.thumbprint)";alg="ed25519";expires=1735693200;nonce="e8N7S2MFd/qrd6T2R3tdfAuuANngKI7LFtKYI/vowzk4lAZYadIX6wW25MwG7DCT9RUKAJ0qVkU0mEeLElW1qg==";tag="web-bot-auth""#,
            bytes: 349,
            signature: "jdq0SqOwHdyHr9+r5jw3iYZH6aNGKijYp/EstF4RQTQdi5N5YYKrD+mCT1HA1nZDsi6nJKuHxUi/5Syp3rLWBA==")
    }

    @Test func `a request has the signature of the profile`() throws {
        let directory = try #require(
            WebURL("https://signature-agent.test/.well-known/http-message-signatures-directory"))
        let signer = RequestSigner(key: try key(), directory: directory)
        let fields = try signer.fields(
            url: #require(WebURL("https://example.com/path/to/resource")), method: "GET",
            at: Date(timeIntervalSince1970: 1_735_689_600.9))
        #expect(fields.map(\.name) == ["Signature-Agent", "Signature-Input", "Signature"])
        #expect(
            fields.map(\.value) == [
                #"sig1="https://signature-agent.test/.well-known/http-message-signatures-directory""#,
                #"sig1=("@authority" "@method" "@path" "signature-agent";key="sig1");created=1735689600;expires=1735689660;keyid="\#(Self.thumbprint)";alg="ed25519";tag="web-bot-auth""#,
                "sig1=:MurH3lN++IEREpUKT3W+tHbgaOpKZiAEhcOtC1OCeymSz0dOuuI5o4D9bO688Wf5tgl/lSlJ/TSN8GajO0E+DA==:",
            ])
    }

    @Test func `the request that the documentation shows is signed as shown`() throws {
        let directory = try #require(WebURL("https://bot.example.org/.well-known/http-message-signatures-directory"))
        let fields = try RequestSigner(key: key(), directory: directory).fields(
            url: #require(WebURL("https://example.com/path/to/resource")), method: "GET",
            at: Date(timeIntervalSince1970: 1_735_689_600))
        let page = try String(contentsOf: Repository.root.appending(path: "Docs/Access.md"), encoding: .utf8)
        #expect(page.contains(fields.map { "\($0.name): \($0.value)\n" }.joined()))
    }

    @Test func `the directory's answer has the draft's signature`() throws {
        let body =
            #"{"keys":[{"kty":"OKP","crv":"Ed25519","kid":"\#(Self.thumbprint)","x":"JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs","use":"sig"}]}"#
        #expect(body.utf8.count == 154)
        let digest = "sha-256=\(StructuredField.BareItem.bytes(Digest.sha256(Array(body.utf8))).serialized)"
        #expect(digest == "sha-256=:CADMT2aBdV/rqQr/NIru64ERQkCobVvllA4V0fLFDu0=:")
        let message = SignedMessage(
            url: try #require(WebURL("https://signature-agent.test/.well-known/http-message-signatures-directory")),
            fields: HTTPHeaders([("Content-Digest", digest)]), isAnswer: true)
        let input = try input(
            #"("@authority";req "content-digest");created=1735689600;expires=4889289600;keyid="\#(Self.thumbprint)";tag="http-message-signatures-directory""#
        )
        let signature = try MessageSignature(of: message, label: "sig1", input: input, key: key())
        #expect(
            signature.fieldValues.signature
                == "sig1=:l6P8R67tm3kujAxbHWio7ll01qrEZ0dKD/WWlGhNYEmTnFZM8Wt0VQ9zqGfvo7T/UMkBxsigzChM1Gpz7gOVBg==:")
    }
}
