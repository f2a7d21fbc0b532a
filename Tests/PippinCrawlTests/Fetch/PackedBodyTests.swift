import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage

/// Bodies whose codings are removed after the exchange, in one step or step by step.
@Suite struct PackedBodyTests {
    private static let page = Array(String(repeating: "<p>hello</p>", count: 5000).utf8)
    private static let forms: [(coding: String, body: [UInt8])] = [
        ("gzip", PackedBytes.deflate(page, .gzip)), ("deflate", PackedBytes.deflate(page, .zlib)),
        ("gzip, gzip", PackedBytes.deflate(PackedBytes.deflate(page, .gzip), .gzip)),
    ]

    private func unpack(
        _ bytes: [UInt8], _ codings: String = "gzip", maximumBytes: Int = 10_000_000, memory: Holding? = nil
    ) async -> Result<[UInt8], FetchError> {
        await PackedBody(
            bytes: bytes, codings: codings.split(separator: ", ").map(String.init), maximumBytes: maximumBytes,
            memory: memory
        ).unpacked()
    }

    @Test(arguments: forms.indices)
    func `a body of exactly the limit is whole, one byte more is too large`(_ index: Int) async throws {
        let (coding, body) = Self.forms[index]
        let count = Self.page.count
        #expect(try await unpack(body, coding, maximumBytes: count).get() == Self.page)
        #expect(
            await unpack(body, coding, maximumBytes: count - 1) == .failure(.bodyTooLarge(limit: count - 1)))
    }

    @Test(arguments: [-1, 1, 1_000_000, 1 << 31])
    func `gzip whose end has a false length is an error of the coding`(_ error: Int) async throws {
        var body = PackedBytes.deflate(Self.page, .gzip)
        let length = UInt32(truncatingIfNeeded: Self.page.count + error)
        body.replaceSubrange((body.count - 4)..., with: withUnsafeBytes(of: length.littleEndian) { Array($0) })
        #expect(await unpack(body) == .failure(.badContentEncoding("gzip")))
    }

    @Test func `gzip with a wrong checksum is an error of the coding`() async throws {
        var body = PackedBytes.deflate(Self.page, .gzip)
        body[body.count - 8] ^= 1
        #expect(await unpack(body) == .failure(.badContentEncoding("gzip")))
    }

    @Test func `what follows the end of gzip is left out, unless it is another member`() async throws {
        let member = PackedBytes.deflate(Self.page, .gzip)
        #expect(try await unpack(member + Array("garbage".utf8)).get() == Self.page)
        // The length at the end, of which it would have two copies, is that of the last member.
        #expect(try await unpack(member + member).get() == Self.page + Self.page)
        #expect(try await unpack(PackedBytes.deflate([], .gzip) + member).get() == Self.page)
        #expect(try await unpack(PackedBytes.deflate([], .gzip)).get().isEmpty)
    }

    @Test func `gzip of more bytes than a step takes is read step by step`() async throws {
        var random = SystemRandomNumberGenerator()
        let noise = (0..<1_100_000).map { _ in UInt8.random(in: 0...255, using: &random) }
        #expect(try await unpack(PackedBytes.deflate(noise, .gzip)).get() == noise)
    }

    @Test func `bytes cut short anywhere are no whole body`() async throws {
        for (coding, body) in Self.forms.dropLast() {
            for count in stride(from: 1, to: body.count, by: 7) {
                #expect(
                    await unpack(Array(body.prefix(count)), coding) == .failure(.truncatedBody), "\(coding) \(count)")
            }
        }
    }

    @Test func `a coding within a coding that unpacks to more than the limit is an error`() async throws {
        // Blocks of no bytes in gzip, in gzip: the body is empty, and its outer form is far longer than it may be.
        let head: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]
        let nothing = head + (0..<100_000).flatMap { _ -> [UInt8] in [0x00, 0x00, 0x00, 0xFF, 0xFF] }
        let body = PackedBytes.deflate(nothing, .gzip)
        #expect(
            await unpack(body, "gzip, gzip", maximumBytes: 100_000) == .failure(.badContentEncoding("gzip, gzip")))
    }

    @Test func `the decoded bytes are counted in the crawl's memory before they are there`() async throws {
        let noise = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) }
        for coding in [("gzip", PackedBytes.Wrapping.gzip), ("deflate", .zlib)] {
            let budget = MemoryBudget(limit: 1 << 20)
            let holding = budget.begin()
            #expect(budget.inUse < noise.count)
            #expect(try await unpack(PackedBytes.deflate(noise, coding.1), coding.0, memory: holding).get() == noise)
            #expect(budget.inUse > noise.count)
        }
    }
}
