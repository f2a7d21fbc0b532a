import Testing

@testable import PippinPage

@Suite struct UTF8ScanTests {
    /// Eight bytes go in one step: every length and place around the steps is compared with counting one by one.
    @Test func `line feeds and characters are counted as one by one`() {
        let text = Array("a\nbé\n\n漢字\r\n🍏\u{8A}\u{10A}\u{A0A}\n".utf8)
        for start in 0..<12 {
            for end in start...text.count {
                let slice = Array(text[start..<end])
                let counts = slice.withUnsafeBufferPointer {
                    (UTF8Scan.lineFeedCount(in: $0), UTF8Scan.characterCount(in: $0))
                }
                #expect(counts.0 == slice.count { $0 == 0x0A })
                #expect(counts.1 == slice.count { $0 & 0xC0 != 0x80 })
            }
        }
        let every = Array(UInt8.min...UInt8.max) + Array(repeating: 0x0A, count: 1_000)
        let counts = every.withUnsafeBufferPointer {
            (UTF8Scan.lineFeedCount(in: $0), UTF8Scan.characterCount(in: $0))
        }
        #expect(counts == (1_001, 1_256 - 64))
    }
}
