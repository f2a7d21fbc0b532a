import Foundation
import PippinTestSupport
import Testing

@testable import PippinPage

/// The signed form of iOS 8: a CMS envelope around the JSON (RFC 5652), as `openssl` writes it.
@Suite(.slow) struct AssociationEnvelopeTests {
    private static let json =
        #"{"applinks":{"details":[{"appID":"ABCDE12345.org.example","components":[{"/":"/a"}]}]}}"#

    /// Signs the file with a certificate made for it.
    private static func signed(_ arguments: [String]) throws -> [UInt8] {
        let folder = FileManager.default.temporaryDirectory.appending(path: "pippin-signing-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data(json.utf8).write(to: folder.appending(path: "in"))
        let openssl = try TestTool("openssl")
        try openssl.run(
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                "-keyout", "key", "-out", "certificate", "-subj", "/O=Example/CN=links.example.org",
            ], in: folder)
        try openssl.run(
            arguments + ["-sign", "-in", "in", "-out", "out", "-signer", "certificate", "-inkey", "key"], in: folder)
        return [UInt8](try Data(contentsOf: folder.appending(path: "out")))
    }

    private static func isMatched(_ file: AppleAppSiteAssociation) throws -> Bool {
        file.decision(for: try #require(WebURL("https://example.org/a"))).outcome == .match
    }

    @Test(arguments: [
        ["smime", "-nodetach", "-outform", "DER"], ["smime", "-nodetach", "-outform", "DER", "-noattr"],
        ["cms", "-nodetach", "-outform", "DER", "-binary"], ["cms", "-nodetach", "-outform", "DER", "-stream"],
    ])
    func `what is signed in DER is read, and said not to be verified`(arguments: [String]) throws {
        let file = AppleAppSiteAssociation(bytes: try Self.signed(arguments))
        #expect(file.trouble == nil)
        #expect(file.envelope?.form == .der && file.envelope?.signatureCount == 1)
        #expect(file.envelope?.signerNames == ["links.example.org"])
        #expect(file.notes.map(\.code.rawValue) == ["association-signed"])
        #expect(file.notes.first?.message.contains("was not verified") == true)
        #expect(file.notes.first?.associationSeverity == .info)
        #expect(try Self.isMatched(file))
    }

    @Test(arguments: [
        (["smime", "-nodetach", "-outform", "PEM"], SignedEnvelope.Form.pem, "PEM"),
        (["cms", "-nodetach", "-outform", "PEM"], .pem, "PEM"), (["smime", "-nodetach"], .mime, "MIME"),
        (["smime"], .mime, "MIME"),
    ])
    func `other forms are errors that name DER, and what is inside is shown`(
        arguments: [String], form: SignedEnvelope.Form, name: String
    ) throws {
        let file = AppleAppSiteAssociation(bytes: try Self.signed(arguments))
        #expect(file.envelope?.form == form)
        #expect(file.trouble?.sentence.contains(name) == true && file.trouble?.sentence.contains("DER") == true)
        #expect(
            file.notes.contains {
                $0.code.rawValue == "association-wrong-envelope-form" && $0.associationSeverity == .error
            })
        #expect(file.appLinks?.entries.count == 1)
        #expect(try !Self.isMatched(file), "devices refuse it")
    }

    @Test func `a detached signature has no JSON`() throws {
        let file = AppleAppSiteAssociation(bytes: try Self.signed(["cms", "-outform", "DER"]))
        #expect(file.trouble?.sentence.contains("-nodetach") == true)
        #expect(file.notes.map(\.code.rawValue) == ["association-bad-envelope"])
    }

    @Test func `an envelope cut off anywhere is an error`() throws {
        let whole = try Self.signed(["smime", "-nodetach", "-outform", "DER"])
        for count in stride(from: 1, to: whole.count, by: 7) {
            #expect(AppleAppSiteAssociation(bytes: Array(whole[..<count])).trouble?.remark == .badEnvelope)
        }
    }

    @Test(
        arguments: [
            [0x30], [0x30, 0x80], [0x30, 0x00], [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF],
            [0x30, 0x88, 1, 1, 1, 1, 1, 1, 1, 1],
            [0x30, 0x03, 0x02, 0x01, 0x00], [0x30, 0x05, 0x06, 0x03, 0x2A, 0x03, 0x04],
        ] as [[UInt8]])
    func `bytes that only begin like an envelope are an error`(bytes: [UInt8]) {
        #expect(AppleAppSiteAssociation(bytes: bytes).trouble?.remark == .badEnvelope)
    }

    @Test func `deep and long nests of elements end`() {
        let deep = Array(repeating: [0x30, 0x80] as [UInt8], count: 60_000).flatMap(\.self)
        #expect(AppleAppSiteAssociation(bytes: deep).trouble?.remark == .badEnvelope)
        let wide = [0x30, 0x80] + Array(repeating: [0x05, 0x00] as [UInt8], count: 60_000).flatMap(\.self) + [0, 0]
        #expect(AppleAppSiteAssociation(bytes: wide).trouble?.remark == .badEnvelope)
    }
}
