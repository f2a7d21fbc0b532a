import Foundation
import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage
@testable import PippinServe

@Suite struct ContentCodingTests {
    @Test(arguments: [
        ("gzip", true), ("gzip, deflate, br", true), ("br;q=1.0, gzip;q=0.8, *;q=0.1", true), ("GZIP", true),
        ("x-gzip", true), ("*", true), ("deflate, *;q=0.5", true), (nil, false), ("", false), ("identity", false),
        ("br", false),
        ("gzip;q=0", false), ("gzip; q=0.000", false), ("gzip;q=0, *", false), ("*;q=0", false), ("gzip;q=x", false),
        ("notgzip", false),
    ])
    func `gzip is for those that say so`(field: String?, isAccepted: Bool) {
        #expect(ContentCoding.acceptsGzip(field) == isAccepted)
    }

    @Test func `what becomes shorter is compressed: texts, and no pictures`() {
        for type in [
            "application/json", "application/problem+json", "text/html; charset=utf-8", "text/css; charset=utf-8",
            "image/svg+xml",
        ] { #expect(ContentCoding.compresses(type)) }
        for type in ["image/png", "image/webp", nil] { #expect(!ContentCoding.compresses(type)) }
    }

    @Test func `tags are compared as the standard says`() {
        let tag = "\"0123\""
        for field in [tag, "W/\(tag)", "\"a\", \(tag)", "\"a\",W/\(tag)", "*", " \(tag) "] {
            #expect(ContentCoding.matches(tag, field), "\(field)")
        }
        for field in [nil, "", "0123", "\"0123\"x", "\"012\"", "\"0123-gzip\"", "w/\(tag)"] {
            #expect(!ContentCoding.matches(tag, field), "\(field ?? "")")
        }
        #expect(ContentCoding.tag(of: [1], isGzip: false) != ContentCoding.tag(of: [2], isGzip: false))
        #expect(ContentCoding.tag(of: [1], isGzip: false) != ContentCoding.tag(of: [1], isGzip: true))
    }

    /// What the fetcher of pages reads of it.
    private static func unpacked(_ bytes: [UInt8]) throws -> [UInt8] {
        let decoder = try ContentDecoder(["gzip"], maximumBytes: 1 << 20)
        var (unpacked, room): ([UInt8], [UInt8]) = ([], Array(repeating: 0, count: 65_536))
        try bytes.withUnsafeBytes { bytes in
            var (input, count) = (bytes, 0)
            repeat {
                count = try room.withUnsafeMutableBytes { try decoder.read(&input, into: $0) }
                unpacked += room[..<count]
            } while count > 0
        }
        #expect(decoder.isComplete)
        return unpacked
    }

    private static let token = "0123456789abcdef0123456789abcdef"

    @Test func `an answer is sent compressed, and not again to those who have it`() async throws {
        let storage = try await ServedStorage([
            .titled("Apple pie " + String(repeating: "very ", count: 40), at: "https://kitchen.test/pie"),
            .titled("Pie chart", at: "https://kitchen.test/chart"),
        ])
        defer { storage.remove() }
        try await storage.served { client async throws in
            for target in [
                "/api/v1/search?q=pie", "/openapi.json", "/api/v1/changes",
                WebClient.target("/api/v1/record", "url", "https://kitchen.test/pie"), "/style.css",
            ] {
                let plain = try await client.get(target)
                let packed = try await client.bytes(of: target, ["Accept-Encoding: gzip"])
                #expect(plain.fields["vary"] == "Accept-Encoding" && packed.fields["vary"] == "Accept-Encoding")
                #expect(plain.fields["content-encoding"] == nil)
                let tag = try #require(plain.fields["etag"])
                if plain.body.utf8.count >= WebLimits.leastCompressedBytes {
                    #expect(packed.fields["content-encoding"] == "gzip", "\(target)")
                    #expect(packed.fields["content-length"] == "\(packed.body.count)", "\(target)")
                    #expect(packed.body.count < plain.body.utf8.count, "\(target)")
                    #expect(try Self.unpacked(packed.body) == Array(plain.body.utf8), "\(target)")
                    // Other bytes, another strong tag (RFC 9110 §8.8.3.3).
                    #expect(packed.fields["etag"] != tag, "\(target)")
                }
                for (tag, fields) in [(tag, []), (packed.fields["etag"] ?? "", ["Accept-Encoding: gzip"])] {
                    let again = try await client.get(target, fields + ["If-None-Match: \(tag)"])
                    #expect(again.status == 304 && again.body.isEmpty, "\(target)")
                    #expect(again.fields["etag"] == tag && again.fields["vary"] == "Accept-Encoding", "\(target)")
                    #expect(again.fields["content-encoding"] == nil && again.fields["content-type"] == nil)
                }
                #expect(try await client.get(target, ["If-None-Match: \"other\""]).status == 200)
                let head = try await client.send(
                    "HEAD \(target) HTTP/1.1", ["Host: 127.0.0.1:\(client.port)", "Accept-Encoding: gzip"])
                #expect(head.fields["etag"] == packed.fields["etag"] && head.body.isEmpty)
                #expect(head.fields["content-length"] == packed.fields["content-length"])
            }
            // What changes has another tag.
            let tags = try await [
                client.get("/api/v1/search?q=pie"), client.get("/api/v1/search?q=pie&limit=1"),
            ].map { $0.fields["etag"] }
            #expect(Set(tags).count == 2)
            // Errors have none, and nothing is not modified because of them.
            let missing = try await client.get("/api/v1/record?url=https://kitchen.test/none", ["If-None-Match: *"])
            #expect(missing.status == 404 && missing.fields["etag"] == nil)
        }
    }

    @Test func `pages around the token are never compressed`() async throws {
        let storage = try await ServedStorage()
        defer { storage.remove() }
        try await storage.served(token: Self.token) { client async throws in
            let page = try await client.get("/sign-in", ["Accept-Encoding: gzip"])
            #expect(page.body.utf8.count > WebLimits.leastCompressedBytes)
            #expect(page.fields["content-encoding"] == nil && page.fields["vary"] == nil)
            let wrong = try await client.post("/sign-in", "token=wrong", ["Accept-Encoding: gzip"])
            #expect(wrong.status == 403 && wrong.fields["content-encoding"] == nil)
        }
    }
}
