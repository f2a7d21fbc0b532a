import Foundation
import Testing

@testable import PippinPage

@Suite struct TerminalTextTests {
    /// Every character beyond the surrogates, so that both descriptions of the marks, by bytes and by numbers, say the same.
    @Test func `what is replaced and what is escaped are the same characters`() {
        for value in [0...0x3000, 0xFE00...0x1_0000, 0xE_0000...0xE_1000].joined() {
            guard let scalar = Unicode.Scalar(UInt32(value)) else { continue }
            let bytes = Array(String(scalar).utf8)
            let isEscaped = TerminalText.escaped(bytes) != bytes
            let isReplaced = TerminalText.shown(String(scalar)) != String(scalar)
            #expect(isEscaped == isReplaced, "U+\(String(value, radix: 16))")
            var writer = JSONWriter()
            writer.string("a\(scalar)b")
            #expect(TerminalText.escaped(writer.bytes) == writer.bytes)
            var parser = JSONParser()
            #expect(
                (try? parser.parse(writer.bytes))?.string?.unicodeScalars.elementsEqual("a\(scalar)b".unicodeScalars)
                    == true)
        }
    }

    @Test func `lines and tabs stay, colors only where a report is painted`() {
        #expect(TerminalText.shown("a\tb\nc\r\n") == "a\tb\nc\u{FFFD}\n")
        #expect(
            TerminalText.shown("\u{1B}[31mx\u{1B}[0m\u{1B}[2J", keepsColors: true) == "\u{1B}[31mx\u{1B}[0m\u{FFFD}[2J")
        #expect(TerminalText.shown("\u{1B}[31mx") == "\u{FFFD}[31mx")
        #expect("a\nb".safeForTerminal == "a\u{FFFD}b")
    }

    @Test func `a tag is two units in JSON and one number in N-Quads`() {
        let tag = Array("\"\u{E0041}\"".utf8)
        #expect(String(decoding: TerminalText.escaped(tag), as: UTF8.self) == #""\udb40\udc41""#)
        #expect(String(decoding: TerminalText.escaped(tag, isNQuads: true), as: UTF8.self) == #""\U000e0041""#)
    }

    @Test(arguments: [
        ("https://me:pw@a.test/x", "https://***@a.test/x"),
        ("see https://me@a.test, https://a.test/@b", "see https://***@a.test, https://a.test/@b"),
        (#"{"url":"http://u:p@ss@h/","x":"//u:p@h"}"#, #"{"url":"http://***@h/","x":"//***@h"}"#),
        (#"http:\\u:p@h\x"#, #"http:\\***@h\x"#), ("http:///u:p@h", "http:///***@h"),
        ("https://a.test/?next=https://u:p@h/", "https://a.test/?next=https://***@h/"),
        ("mailto:me@a.test", "mailto:me@a.test"), ("https://a.test//@user/x", "https://a.test//@user/x"),
        ("https://a.test/a//b@2x.png", "https://a.test/a//b@2x.png"), ("@ // @", "@ // @"), ("", ""),
    ])
    func `a user name or password in an address is not shown`(text: String, shown: String) {
        #expect(UserInformation.hidden(in: text) == shown)
        #expect(UserInformation.hidden(in: shown) == shown)
    }
}
