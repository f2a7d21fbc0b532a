import Testing

@testable import PippinPage

@Suite struct AnswerKindTests {
    @Test(arguments: [
        ("%PDF-1.4", "application/pdf"), ("GIF89a...", "image/gif"), (" {\"a\": [1]}\n", "application/json"),
        ("[]", "application/json"), ("RIFF....WEBPVP8 ", "image/webp"), ("....ftypavif", "image/avif"),
        ("....ftypisom", "video/mp4"), ("\u{FEFF}{}", "application/json"),
    ])
    func `files that are no pages are known by their bytes`(text: String, type: String) {
        #expect(AnswerKind(page: Array(text.utf8)) == .other(type))
    }

    @Test(arguments: [
        "", " ", "<!doctype html>", "A mug.", "{{ mug }} <p>A page of a template.", "[draft] <p>Mugs", "{", "RIFF",
        "%PD",
    ])
    func `what may be a page is none of them`(text: String) {
        #expect(AnswerKind(page: Array(text.utf8)).foreignType == nil)
    }

    @Test(
        arguments: [
            (200, nil, StatusMeaning.content), (203, nil, .content), (204, nil, .empty), (206, nil, .refused),
            (300, nil, .refused), (300, "/there", .redirect(isPermanent: false)),
            (301, nil, .redirect(isPermanent: true)), (302, "/there", .redirect(isPermanent: false)),
            (304, "/there", .notModified), (305, "/there", .refused), (308, "/there", .redirect(isPermanent: true)),
            (404, nil, .gone), (410, nil, .gone), (429, nil, .throttled), (503, nil, .throttled),
            (500, nil, .serverError), (451, nil, .refused), (999, nil, .refused),
        ] as [(Int, String?, StatusMeaning)])
    func `each status has one meaning`(status: Int, location: String?, meaning: StatusMeaning) {
        #expect(StatusMeaning(status, location: location) == meaning)
    }

    @Test(
        arguments: [
            ("/there", "https://a.test/there"), ("//b.test/", "https://b.test/"), ("pie://1", "pie://1"),
            ("javascript:void(0)", nil), ("mailto:me@a.test", nil), ("", nil), (nil, nil), ("http://[", nil),
        ] as [(String?, String?)])
    func `a redirect without an address that opens something leads nowhere`(
        location: String?, target: String?
    ) throws {
        let url = try #require(WebURL("https://a.test/here"))
        let redirect = try #require(Redirect(status: 302, location: location, from: url))
        #expect(redirect.address?.href == target && !redirect.isPermanent)
        #expect((redirect.target == .nowhere) == (target == nil))
    }
}
