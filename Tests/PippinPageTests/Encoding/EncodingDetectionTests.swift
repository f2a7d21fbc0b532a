import Testing

@testable import PippinPage

private func detect(_ text: String, header: String...) -> CharacterEncoding.Detection {
    CharacterEncoding.detect(
        bytes: Array(text.utf8), headers: HTTPHeaders(header.map { (name: "Content-Type", value: $0) }))
}

/// The order of WHATWG HTML, "determining the character encoding", and its prescan.
@Suite struct EncodingDetectionStandardTests {
    @Test func `a byte order mark beats everything`() {
        for (mark, name) in [
            ([0xEF, 0xBB, 0xBF], "utf-8"), ([0xFE, 0xFF], "utf-16be"), ([0xFF, 0xFE], "utf-16le"),
        ] as [([UInt8], String)] {
            let found = CharacterEncoding.detect(
                bytes: mark + Array("<meta charset=koi8-r>".utf8),
                headers: HTTPHeaders([("Content-Type", "text/html; charset=big5")]))
            #expect(found.encoding.name == name)
            #expect(found.source == .byteOrderMark)
            #expect(!found.isTentative)
        }
    }

    @Test func `the header beats meta, and an unknown label there counts as none`() {
        let found = detect("<meta charset=koi8-r>", header: "text/html; charset=\"ISO-8859-2\"")
        #expect(found.encoding.name == "iso-8859-2")
        #expect(found.source == .contentType)
        #expect(!found.isTentative)
        #expect(found.notes.map(\.code.rawValue) == ["charset-conflict"])
        let unknown = detect("<meta charset=koi8-r>", header: "text/html; charset=nonsense")
        #expect(unknown.encoding.name == "koi8-r")
        #expect(unknown.notes.map(\.code.rawValue) == ["charset-unknown"])
    }

    @Test(
        arguments: [
            ("text/html;charset=utf-8", "utf-8"), ("text/html ; Charset=UTF-8 ; x=y", "UTF-8"),
            ("text/html; x=\"; charset=big5\"; charset=koi8-r", "koi8-r"),
            ("text/html; charset=big5; charset=utf-8", "big5"),
            ("text/html;;charset=big5;", "big5"), ("text/html; charset=\"bi\\g5\"", "big5"),
            ("text/html; charset", nil), ("text/html; charset=", nil), ("charset=big5", nil),
            ("text html; charset=big5", nil),
            ("text/html; charset =big5", nil), ("text/html; charset=big5, text/html", "big5"),
            ("text/html; charset=big5, text/plain", nil), ("text/html;charset=big5, text/html;charset=utf-8", "utf-8"),
        ] as [(String, String?)])
    func `charset of a Content-Type`(value: String, label: String?) {
        #expect(MediaType(headers: HTTPHeaders([("Content-Type", value)]))?.charset == label)
    }

    @Test func `the last of several Content-Type headers counts`() {
        let found = detect("", header: "text/html; charset=big5", "application/xhtml+xml")
        #expect(found.source == .fallback)
        #expect(found.encoding == .utf8)
    }

    @Test(
        arguments: [
            ("<meta charset=iso-8859-2>", "iso-8859-2"), ("<META/CHARSET = ' Big5 '>", "big5"),
            ("<meta http-equiv=Content-Type content='text/html; charset=koi8-r'>", "koi8-r"),
            ("<meta content='text/html; charset=koi8-r' http-equiv=\"content-type\">", "koi8-r"),
            ("<meta charset=utf-16>", "utf-8"), ("<meta charset=utf-16be>", "utf-8"),
            ("<meta charset=x-user-defined>", "windows-1252"), ("<meta charset=l1><meta charset=l2>", "windows-1252"),
            ("<meta charset=big5 charset=koi8-r>", "big5"), ("<meta charset=nope><meta charset=big5>", "big5"),
            ("<!-- <meta charset=big5> --><meta charset=koi8-r>", "koi8-r"), ("<!--><meta charset=big5>", "big5"),
            ("<!doctype html><meta charset=big5>", "big5"), ("<?php > ?><meta charset=big5>", "big5"),
            ("</p <meta charset=koi8-r><meta charset=big5>", "big5"),
            ("<p a='<meta charset=koi8-r>'><meta charset=big5>", "big5"),
            ("<3 <meta charset=big5>", "big5"), ("<p/a=b/c><meta charset=big5>", "big5"),
            ("<meta content='charset=x; charset=big5' http-equiv=content-type>", nil),
            ("<meta content='charsetcharset = big5;' http-equiv=content-type>", "big5"),
            ("<meta content='charset=\"big5\"x' http-equiv=content-type>", "big5"),
            ("<meta http-equiv=content-type content='charset=&quot;big5'>", nil),
            ("<meta content='text/html; charset=big5'>", nil),
            ("<meta http-equiv=refresh content='charset=big5'>", nil),
            ("<metax charset=big5>", nil), ("<meta charset=big5", nil), ("<meta charset='big5>", nil),
            ("<p title='<meta charset=big5>", nil), ("<!-- <meta charset=big5>", nil), ("<meta charset=>", nil),
            (
                "<meta charset=nope http-equiv=content-type content='charset=koi8-r'><meta charset=big5>", "big5"
            ), ("<meta charset=big5 http-equiv=content-type content='charset=koi8-r'>", "big5"),
        ] as [(String, String?)])
    func `the prescan finds a meta as the standard says`(html: String, name: String?) {
        let found = MetaPrescan.declaredEncoding(in: Array(html.utf8)[...])
        #expect(found?.name == name)
        let detected = detect(html)
        #expect(detected.source == (name == nil ? .fallback : .meta))
        #expect(detected.isTentative)
    }

    @Test func `only the first 1,024 bytes are searched`() {
        let meta = "<meta charset=big5>"
        #expect(detect(String(repeating: " ", count: 1024 - meta.utf8.count) + meta).source == .meta)
        #expect(detect(String(repeating: " ", count: 1025 - meta.utf8.count) + meta).source == .fallback)
    }

    @Test(
        arguments: [
            ("<?xml version='1.0' encoding='koi8-r'?>", "koi8-r"), ("<?xml encoding\t= \"UTF-16\"?>", "utf-8"),
            ("<?xml encoding='big5'", nil), ("<?XML encoding='big5'?>", nil), (" <?xml encoding='big5'?>", nil),
            ("<?xml version='1.0'?><a encoding='big5'>", nil), ("<?xml encoding='big 5'?>", nil),
        ] as [(String, String?)])
    func `an XML declaration counts where no meta does`(text: String, name: String?) {
        #expect(detect(text).source == (name == nil ? .fallback : .xmlDeclaration))
        if let name { #expect(detect(text).encoding.name == name) }
        let both = detect("<?xml encoding='koi8-r'?><meta charset=big5>")
        #expect(both.encoding.name == "big5")
    }

    @Test func `an XML declaration in UTF-16 is seen without a mark`() {
        let little = "<?xml ?>".utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        let found = CharacterEncoding.detect(bytes: little, headers: HTTPHeaders())
        #expect(found.encoding == .utf16LE)
        #expect(!found.isTentative)
        let big = "<?xml ?>".utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        #expect(CharacterEncoding.detect(bytes: big, headers: HTTPHeaders()).encoding == .utf16BE)
    }

    @Test func `a meta met later declares like one in the prescan`() {
        #expect(CharacterEncoding.declared(inMetaCharset: " UTF-16LE ") == .utf8)
        #expect(CharacterEncoding.declared(inMetaCharset: "x-user-defined") == .windows1252)
        #expect(CharacterEncoding.declared(inMetaContent: "text/html; charset = 'euc-kr'")?.name == "euc-kr")
        #expect(CharacterEncoding.declared(inMetaContent: "text/html") == nil)
        #expect(CharacterEncoding.declared(inMetaCharset: "nope") == nil)
    }
}

@Suite struct EncodingDetectionOurChoicesTests {
    private let russian = "Привет, мир и все слова"

    @Test func `undeclared bytes that are UTF-8 beyond ASCII are UTF-8, the rest windows-1252`() {
        #expect(detect("<title>Grüße").source == .validUTF8)
        #expect(detect("<title>Gruesse").encoding == .windows1252)
        let latin1 = CharacterEncoding.detect(bytes: Array("Caf".utf8) + [0xE9], headers: HTTPHeaders())
        #expect(latin1.encoding == .windows1252)
        let cut = CharacterEncoding.detect(bytes: Array("Grüße ".utf8) + [0xE2, 0x82], headers: HTTPHeaders())
        #expect(cut.encoding == .utf8)
    }

    @Test func `a header that lies loses against meta and bytes together`() {
        let found = detect("<meta charset=utf-8>Grüße", header: "text/html; charset=iso-8859-1")
        #expect(found.encoding == .utf8)
        #expect(found.source == .meta)
        #expect(!found.isTentative)
        #expect(found.notes.map(\.code.rawValue) == ["charset-overruled"])
        #expect(detect("<meta charset=utf-8>Gruesse", header: "text/html; charset=iso-8859-1").encoding == .windows1252)
        #expect(detect("Grüße", header: "text/html; charset=iso-8859-1").encoding == .windows1252)
    }

    @Test func `a page that is UTF-8 beyond chance is not read as the leftover meta says`() {
        let found = detect("<meta charset=windows-1251>" + russian)
        #expect(found.encoding == .utf8)
        #expect(found.source == .validUTF8)
        #expect(!found.isTentative)
        #expect(found.notes.map(\.code.rawValue) == ["charset-overruled"])
        #expect(detect("<meta charset=windows-1251>©").encoding.name == "windows-1251")
        #expect(
            detect("<meta charset=windows-1251>" + russian, header: "text/html; charset=cp1251").source == .contentType)
    }

    @Test func `XML is read by its declaration first and ends at UTF-8`() {
        let found = detect("<?xml encoding='koi8-r'?><meta charset='big5'/>", header: "application/xhtml+xml")
        #expect(found.encoding.name == "koi8-r")
        #expect(detect("<a/>", header: "text/xml").encoding == .utf8)
    }

    @Test func `notes quote only the beginning of a label, without controls`() {
        let found = detect("", header: "text/html; charset=\"" + String(repeating: "\tx", count: 500) + "\"")
        #expect(found.notes.first?.message.utf8.count ?? 0 < 140)
        #expect(found.notes.first?.message.contains("\t") == false)
    }
}
