import Testing

@testable import PippinServe

/// Who is signed in, and how secrets are compared.
@Suite struct BrowserSessionsTests {
    @Test func `identifiers are random, end, and are bounded in number`() {
        let sessions = BrowserSessions()
        let now = ContinuousClock.now
        let first = sessions.begin(now: now)
        let second = sessions.begin(now: now + .seconds(1))
        #expect(first != second && first.utf8.count == 64 && first.allSatisfy(\.isHexDigit))
        #expect(sessions.contains(first, now: now) && sessions.contains(second, now: now))
        #expect(!sessions.contains("", now: now) && !sessions.contains(String(first.dropLast()), now: now))
        let last = now + .seconds(BrowserSessions.days * 86_400)
        #expect(!sessions.contains(first, now: last) && sessions.contains(second, now: last))
        sessions.end(second)
        #expect(!sessions.contains(second, now: now) && sessions.contains(first, now: now))
        for number in 0..<BrowserSessions.maximum { _ = sessions.begin(now: now + .seconds(number + 1)) }
        #expect(!sessions.contains(first, now: now), "The oldest ends when there are too many.")
    }

    @Test(
        arguments: [
            ("pippin-session=a1", "a1"), ("x=1; pippin-session=a1; y=2", "a1"), (" pippin-session = a1 ", "a1"),
            ("pippin-session=", nil), ("pippin-session", nil), ("other=1", nil), ("", nil),
        ] as [(String, String?)])
    func `the cookie of a session is found among others`(cookies: String, identifier: String?) {
        #expect(BrowserSessions.identifier(in: ["cookie": cookies]) == identifier)
    }

    /// Bytes that count how many of them are read.
    private final class CountedBytes: Collection {
        let bytes: [UInt8]
        var reads = 0
        init(_ bytes: [UInt8]) { self.bytes = bytes }
        var startIndex: Int { 0 }
        var endIndex: Int { bytes.count }
        func index(after index: Int) -> Int { index + 1 }
        subscript(index: Int) -> UInt8 {
            reads += 1
            return bytes[index]
        }
    }

    @Test func `a comparison of secrets reads as much, wherever they differ`() {
        let secret = (0..<32).map { UInt8($0) }
        for place in -1..<32 {
            var guess = secret
            if place >= 0 { guess[place] ^= 0x80 }
            let counted = CountedBytes(guess)
            #expect(AccessToken.areEqual(counted, secret) == (place < 0))
            #expect(counted.reads == 32, "differs at \(place)")
        }
    }
}
