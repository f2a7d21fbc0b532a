import PippinTestSupport
import Testing

@testable import PippinPage

/// What the specification of microformats2 says (https://microformats.org/wiki/microformats2-parsing), rule by rule.
@Suite struct MicroformatsTests {
    private func read(_ html: String) throws -> JSONValue {
        let document = HTMLDocument(utf8: Array(html.utf8))
        let page = try #require(WebURL("https://example.org/dir/page"))
        return Microformats(document, baseURL: document.baseURL(pageURL: page)).json
    }

    private func items(_ html: String) throws -> String { try read(html)["items"]?.text() ?? "" }

    /// The properties of the first item.
    private func properties(_ html: String) throws -> String {
        try read(html)["items"]?.array?.first?["properties"]?.text() ?? ""
    }

    // MARK: Items

    @Test func `a root class name begins an item, with its properties and its id`() throws {
        #expect(
            try items("<div class='h-card' id=me><b class=p-name>Ann</b><a class='u-url other' href=/ann>x</a></div>")
                == #"[{"type":["h-card"],"properties":{"name":["Ann"],"url":["https://example.org/ann"]},"id":"me"}]"#)
    }

    @Test(arguments: ["h-", "h-Card", "h-4", "h-x1", "h--x", "H-card", "h-full", "h-screen", "xh-card", "hcard"])
    func `other class names begin none`(name: String) throws {
        #expect(try items("<div class='\(name)'>x</div>") == "[]")
    }

    @Test func `a vendor's prefix may have digits, and types are in alphabetical order`() throws {
        #expect(
            try items("<b class='h-x-a h-1y-b h-card h-card'>x</b>")
                == #"[{"type":["h-1y-b","h-card","h-x-a"],"properties":{"name":["x"]}}]"#)
    }

    @Test func `an item in a property is its value, and one in none is a child`() throws {
        #expect(
            try items(
                """
                <div class=h-entry><p class='p-author h-card'><b class=p-name>Ann</b> of X</p>
                <a class='u-like-of h-cite' href=/a>T</a><p class=h-card>Bob</p></div>
                """)
                == #"[{"type":["h-entry"],"properties":{"author":[{"type":["h-card"],"properties":{"name":["Ann"]},"value":"Ann"}],"#
                + #""like-of":[{"type":["h-cite"],"properties":{"name":["T"],"url":["https://example.org/a"]},"#
                + #""value":"https://example.org/a"}]},"children":[{"type":["h-card"],"properties":{"name":["Bob"]}}]}]"#
        )
    }

    @Test func `what a template holds is not read`() throws {
        #expect(
            try items(
                "<template><b class=h-card>x</b></template><div class=h-card><template class=p-org>y</template>z</div>")
                == #"[{"type":["h-card"],"properties":{"name":["z"]}}]"#)
    }

    // MARK: Values

    @Test(arguments: [
        ("<abbr class=p-x title=T>t</abbr>", #""T""#),
        ("<data class=p-x value=V>t</data>", #""V""#),
        ("<img class=p-x alt=A src=/s>", #""A""#),
        (
            "<p class=p-x> a <img alt=B src=/s> <img src=/s><script>c</script> d </p>",
            #""a  B   https://example.org/s  d""#
        ),
        ("<b class=p-x>t <i class=value>1</i> and <i class=value>2</i></b>", #""12""#),
        ("<b class=p-x>t <i class=value-title title='1 a'> </i></b>", #""1 a""#),
        ("<b class=u-x>a/b</b>", #""https://example.org/dir/a/b""#),
        ("<img class=u-x src=../i.png>", #""https://example.org/i.png""#),
        ("<img class=u-x src=i.png alt=''>", #"{"value":"https://example.org/dir/i.png","alt":""}"#),
        ("<video class=u-x poster=p></video>", #""https://example.org/dir/p""#),
        ("<object class=u-x data=d></object>", #""https://example.org/dir/d""#),
        (
            "<p class=e-x>a <a href=b>c</a><style>d</style> </p>",
            #"{"html":"a <a href=\"https://example.org/dir/b\">c</a><style>d</style>","value":"a c"}"#
        ),
    ]) func `a value is read as its prefix says`(html: String, value: String) throws {
        #expect(try properties("<div class=h-y>\(html)</div>").hasPrefix(#"{"x":[\#(value)]"#))
    }

    @Test(arguments: [
        ("<time class=dt-x datetime='2012-08-05T14:50:00.5+01:00'>t</time>", "2012-08-05T14:50:00.5+01:00"),
        ("<b class=dt-x> 5 August </b>", "5 August"),
        ("<p class=dt-x><b class=value>2012-08-05</b> at <b class=value>7pm</b></p>", "2012-08-05 19:00"),
        ("<p class=dt-x><b class=value>12:05 a.m.</b> <b class=value>2012-08-05</b></p>", "2012-08-05 00:05"),
        (
            "<p class=dt-x><b class=value>2012-08-05</b><b class=value>7:05:30</b><b class=value>-08:00</b></p>",
            "2012-08-05 07:05:30-0800"
        ),
        (
            "<p class=dt-x><time class=value datetime='2012-08-05T14:50Z'>t</time><b class=value>9:00</b></p>",
            "2012-08-05T14:50Z"
        ),
        ("<p class=dt-x><b class=value>2012-061</b><b class=value>9:00</b></p>", "2012-03-01 09:00"),
        ("<p class=dt-x><b class=value-title title='2012-08-05T14:50'></b></p>", "2012-08-05T14:50"),
    ]) func `a time keeps the precision that is written`(html: String, time: String) throws {
        #expect(try properties("<div class=h-y>\(html)</div>").hasPrefix(#"{"x":["\#(time)"]"#))
    }

    @Test func `a time without a day is of the day before it`() throws {
        let html =
            "<div class=h-event><time class=dt-start datetime='2012-08-05 9:00'></time><b class=dt-end>17:30</b></div>"
        #expect(try properties(html).contains(#""end":["2012-08-05 17:30"]"#))
    }

    @Test func `the nearest language is that of an item and of markup`() throws {
        #expect(
            try items("<html lang=de><div class=h-entry><p class=e-content lang=fr>x</p></div>")
                == #"[{"type":["h-entry"],"properties":{"content":[{"html":"x","value":"x","lang":"fr"}]},"lang":"de"}]"#
        )
    }

    // MARK: Implied properties

    @Test(arguments: [
        ("<a class=h-x href=/a>N</a>", #"{"name":["N"],"url":["https://example.org/a"]}"#),
        (
            "<img class=h-x src=/p alt=N>", #"{"name":["N"],"photo":[{"value":"https://example.org/p","alt":"N"}]}"#
        ),
        ("<div class=h-x><abbr title=N>n</abbr></div>", #"{"name":["N"]}"#),
        (
            "<div class=h-x><a href=/a><img src=/p alt=N></a></div>",
            #"{"name":["N"],"photo":[{"value":"https://example.org/p","alt":"N"}],"url":["https://example.org/a"]}"#
        ),
        ("<div class=h-x><b>N</b><img src=/p><i>M</i></div>", #"{"name":["NM"],"photo":["https://example.org/p"]}"#),
        ("<div class=h-x><a href=/a>N</a><a href=/b>M</a></div>", #"{"name":["NM"]}"#),
        ("<div class=h-x><b class=p-org>O</b></div>", #"{"org":["O"]}"#),
        ("<div class=h-x><a class=u-uid href=/a>N</a></div>", #"{"uid":["https://example.org/a"],"name":["N"]}"#),
        ("<div class=h-x><a class=h-y href=/a>N</a></div>", "{}"),
    ]) func `an item has a name, photo and address that it does not state`(html: String, value: String) throws {
        #expect(try properties(html) == value)
    }

    // MARK: Before microformats2

    @Test func `old root class names are read by their own rules`() throws {
        #expect(
            try properties(
                """
                <div class=hentry><h1 class=entry-title>T</h1><b class='published p-name'>2012-08-05</b>
                <p class='author vcard'><b class=fn>Ann</b> <a class=url href=/ann>w</a></p>
                <a rel=bookmark href=/b>l</a><a rel=tag href='/tags/a%20b/'>x</a></div>
                """)
                == #"{"name":["T"],"published":["2012-08-05"],"author":[{"type":["h-card"],"properties":{"name":["Ann"],"#
                + #""url":["https://example.org/ann"]},"value":"Ann"}],"url":["https://example.org/b"],"category":["a b"]}"#
        )
    }

    @Test(arguments: [
        ("adr", "h-adr"), ("geo", "h-geo"), ("vcard", "h-card"), ("vevent", "h-event"), ("hentry", "h-entry"),
        ("hfeed", "h-feed"), ("hnews", "h-news"), ("hproduct", "h-product"), ("hrecipe", "h-recipe"),
        ("hresume", "h-resume"), ("hreview", "h-review"), ("hreview-aggregate", "h-review-aggregate"),
    ]) func `each old root has its type, and implies nothing`(name: String, type: String) throws {
        #expect(try items("<a class='\(name)' href=/>x</a>") == #"[{"type":["\#(type)"],"properties":{}}]"#)
        #expect(try items("<p class='\(name) h-x'>x</p>") == #"[{"type":["h-x"],"properties":{"name":["x"]}}]"#)
    }

    @Test func `an author without hCard is one, and a reviewed item has its name`() throws {
        #expect(
            try properties("<div class=hentry><a class=author href=/ann>Ann</a></div>")
                == #"{"author":[{"type":["h-card"],"properties":{"name":["Ann"],"url":["https://example.org/ann"]},"value":"Ann"}]}"#
        )
        #expect(
            try properties(
                """
                <div class=hreview><p class=item><a class='fn url' href=/c>Cafe</a></p><b class=rating>4.5</b>
                <a rel='self bookmark' href=/r>l</a></div>
                """)
                == #"{"item":[{"type":["h-item"],"properties":{"name":["Cafe"],"url":["https://example.org/c"]},"value":"Cafe"}],"#
                + #""rating":["4.5"],"url":["https://example.org/r"]}"#)
    }

    // MARK: Relations

    @Test func `links have their words and say more of themselves`() throws {
        let read = try read(
            """
            <link rel=icon href=/i><a rel='me author' href=https://a.example>A</a><a rel=me hreflang=de href=https://a.example/>B</a>
            <a rel=nofollow>x</a>
            """)
        #expect(
            read["rels"]?.text()
                == #"{"icon":["https://example.org/i"],"me":["https://a.example/"],"author":["https://a.example/"]}"#)
        #expect(
            read["rel-urls"]?.text()
                == #"{"https://example.org/i":{"rels":["icon"]},"https://a.example/":{"rels":["author","me"],"text":"A","hreflang":"de"}}"#
        )
    }

    // MARK: Notes

    @Test func `an event without its beginning and a time that is no date are noted`() throws {
        let page = HTMLDocument(
            utf8: Array(
                "<p class=vevent><b class=summary>x</b><b class=dtend>soon</b></p><p class=h-entry><b class=dt-published>2012-08-05</b>"
                    .utf8))
        let found = Microformats(page, baseURL: try #require(WebURL("https://example.org/")))
        #expect(found.notes.map(\.code) == [.microformats(.eventWithoutStart), .microformats(.timeUnreadable)])
        #expect(found.notes.map(\.line) == [1, 1])
    }

    // MARK: Bounds

    @Test func `an item under two names does not double its JSON with every level`() throws {
        let page = HTMLDocument(utf8: Array(String(repeating: "<b class='h-x p-a p-b'>", count: 200).utf8))
        let (json, notes) = Microformats(page, baseURL: try #require(WebURL("https://example.org/"))).jsonWithNotes
        #expect(notes.contains { $0.code == .microformats(.tooLarge) })
        #expect(json.bytes(pretty: true).count < 20_000_000)
    }

    @Test func `markup in markup is copied as far as the budget goes`() throws {
        let page = HTMLDocument(
            utf8: Array(
                ("<div class=h-x>" + String(repeating: "<div class=e-a>", count: 400)
                    + String(repeating: "x ", count: 50_000))
                    .utf8))
        let (json, notes) = Microformats(page, baseURL: try #require(WebURL("https://example.org/"))).jsonWithNotes
        #expect(notes.map(\.code) == [.microformats(.textsTooLong)])
        #expect(json.bytes().count < 2_000_000)
    }
}
