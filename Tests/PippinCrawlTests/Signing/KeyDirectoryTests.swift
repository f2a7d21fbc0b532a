import Foundation
import PippinPage
import PippinTestSupport
import Testing

@testable import PippinCrawl

/// Directories as crawlers publish them, good and bad.
@Suite struct KeyDirectoryTests {
    private static let x = "JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs"
    /// The draft's example.
    private static let body =
        #"{"keys":[{"kty":"OKP","crv":"Ed25519","kid":"\#(SignatureVectorTests.thumbprint)","x":"\#(x)","use":"sig"}]}"#

    private func directory(_ text: String) throws -> KeyDirectory { try KeyDirectory(json: Array(text.utf8)) }

    @Test func `a directory is written as in the draft`() throws {
        let key = try #require(VerificationKey.ofStandard)
        #expect(String(decoding: KeyDirectory([.init(key)]).json(), as: UTF8.self) == Self.body)
        let read = try directory(Self.body)
        #expect(read.entries == [.init(key)] && read.faults.isEmpty)
        #expect(read.key(named: SignatureVectorTests.thumbprint, at: Date()) == key)
        #expect(read.key(named: "another", at: Date()) == nil)
    }

    @Test func `keys come and go at their times`() throws {
        let key = try #require(VerificationKey.ofStandard)
        let dates = (begins: Date(timeIntervalSince1970: 1_000_000), ends: Date(timeIntervalSince1970: 2_000_000))
        let entry = KeyDirectory.Entry(key, begins: dates.begins, ends: dates.ends)
        let read = try directory(String(decoding: KeyDirectory([entry]).json(), as: UTF8.self))
        #expect(read.entries == [entry])
        let moments: [TimeInterval] = [999_999, 1_000_000, 1_999_999, 2_000_000]
        #expect(
            moments.map { entry.counts(at: Date(timeIntervalSince1970: $0)) } == [false, true, true, false])
        // In milliseconds, as some are published.
        let other = try directory(
            #"{"keys": [{"kty": "OKP", "crv": "Ed25519", "x": "\#(Self.x)", "nbf": 1743465600000, "exp": 1e300}]}"#)
        #expect(other.entries.first?.begins == Date(timeIntervalSince1970: 1_743_465_600))
        #expect(other.entries.first?.ends == nil)
    }

    @Test(arguments: [
        ("", "not valid JSON"), ("[]", "no JWK Set"), ("{}", "no JWK Set"), (#"{"keys": {}}"#, "no JWK Set"),
        (#"{"keys": [}"#, "not valid JSON"), ("\u{FEFF}<html>", "not valid JSON"),
        (String(repeating: "[", count: 60_000), "not valid JSON"),
        (String(repeating: " ", count: 70_000), "65536 bytes"),
    ])
    func `what is no directory is an error`(text: String, says: String) {
        let error = #expect(throws: ReportedFailure.self) { try directory(text) }
        #expect(error?.description.contains(says) == true, "\(error?.description ?? "")")
    }

    @Test(arguments: [
        (#"{}"#, "of another type", false), (#"1"#, "of another type", false), (#"null"#, "of another type", false),
        (#"{"kty": "RSA", "n": "AQAB", "e": "AQAB"}"#, "of another type", false),
        (#"{"kty": "OKP", "crv": "Ed25519"}"#, "no \"x\"", false),
        (#"{"kty": "OKP", "crv": "Ed25519", "x": "AQAB"}"#, "no \"x\"", false),
        (#"{"kty": "OKP", "crv": "Ed25519", "x": "\#(x)", "use": "enc"}"#, "not for signatures", false),
        (#"{"kty": "OKP", "crv": "Ed25519", "x": "\#(x)", "d": "\#(x)"}"#, "everybody can sign", true),
    ])
    func `a key that cannot be used is left out`(key: String, says: String, isGrave: Bool) throws {
        let read = try directory(#"{"keys": [\#(key)]}"#)
        #expect(read.entries.isEmpty)
        #expect(read.faults.count == 1 && read.faults[0].text.contains(says) && read.faults[0].isGrave == isGrave)
    }

    @Test func `a wrong name is told, and a key counts once`() throws {
        let key = #"{"kty": "OKP", "crv": "Ed25519", "kid": "mine", "x": "\#(Self.x)"}"#
        let read = try directory(#"{"keys": [\#(key), \#(key)]}"#)
        #expect(read.entries.count == 1)
        #expect(read.faults.map(\.isGrave) == [true, true, false])
        let many = try directory(#"{"keys": [\#(Array(repeating: "{}", count: 500).joined(separator: ","))]}"#)
        #expect(many.entries.isEmpty && many.faults.count == KeyDirectory.maximumKeys + 1)
    }

    /// Hundreds of damaged directories: never a key that the directory does not have.
    @Test func `a damaged directory has no other key`() throws {
        var random = FixedRandom(seed: 381)
        let bytes = Array(Self.body.utf8)
        var found = 0
        for round in 0..<600 {
            var damaged = bytes
            switch round % 4 {
            case 0: damaged.removeLast(random.next(bytes.count))
            case 1: damaged.remove(at: random.next(damaged.count))
            case 2: damaged.insert(UInt8(random.next(256)), at: random.next(damaged.count))
            default: damaged[random.next(damaged.count)] = UInt8(random.next(256))
            }
            guard let read = try? KeyDirectory(json: damaged) else { continue }
            for entry in read.entries where entry.key != VerificationKey.ofStandard {
                // Another key has another name than the "kid" says.
                #expect(read.faults.contains { $0.isGrave }, "\(String(decoding: damaged, as: UTF8.self))")
            }
            found += read.entries.count
        }
        #expect(found > 50)
    }

    @Test func `a directory is signed by each of its keys`() throws {
        let keys = [try SigningKey.generated(), try SigningKey.generated()]
        let url = try #require(WebURL("https://bot.example:8443/keys"))
        let body = KeyDirectory(keys.map { .init($0.publicKey) }).json()
        let fields = try KeyDirectory.fields(
            of: body, at: url, keys: keys, created: Date(timeIntervalSince1970: 1000), life: .seconds(60))
        let message = SignedMessage(url: url, fields: HTTPHeaders(fields), isAnswer: true)
        let signatures = try #require(MessageSignature.all(of: message.fields))
        #expect(signatures.map(\.label) == ["sig1", "sig2"])
        for (signature, key) in zip(signatures, keys) {
            #expect(try signature.isMade(by: key.publicKey, of: message))
            #expect(signature.date("expires") == Date(timeIntervalSince1970: 1060))
            var elsewhere = message
            elsewhere.url = try #require(WebURL("https://bot.example/keys"))
            #expect(try !signature.isMade(by: key.publicKey, of: elsewhere))
        }
    }
}
