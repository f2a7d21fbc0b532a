import Testing

@testable import PippinPage

@Suite struct ForeignContentTests {
    @Test(arguments: [
        ("%PDF-1.4", "application/pdf"), ("GIF89a...", "image/gif"), (" {\"a\": [1]}\n", "application/json"),
        ("[]", "application/json"), ("RIFF....WEBPVP8 ", "image/webp"), ("....ftypavif", "image/avif"),
        ("....ftypisom", "video/mp4"), ("\u{FEFF}{}", "application/json"),
    ])
    func `files that are no pages are known by their bytes`(text: String, type: String) {
        #expect(ForeignContent.type(of: Array(text.utf8)) == type)
    }

    @Test(arguments: [
        "", " ", "<!doctype html>", "A mug.", "{{ mug }} <p>A page of a template.", "[draft] <p>Mugs", "{", "RIFF",
        "%PD",
    ])
    func `what may be a page is none of them`(text: String) {
        #expect(ForeignContent.type(of: Array(text.utf8)) == nil)
    }
}
