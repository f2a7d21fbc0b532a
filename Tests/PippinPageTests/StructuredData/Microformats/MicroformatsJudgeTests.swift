import PippinTestSupport
import Testing

@testable import PippinPage

/// Holds the JSON of made pages against that of mf2py, the parser of the microformats community in Python.
@Suite struct MicroformatsJudgeTests {
    @Test(.slow) func `thousands of made pages read as mf2py reads them`() throws {
        let judge = try PythonJudge(importing: "mf2py")
        let base = try #require(WebURL("https://example.org/dir/page.html"))
        var lines: [UInt8] = []
        for seed in 0..<3_000 {
            var page = MadePage(seed: UInt64(seed))
            let html = page.html()
            let document = HTMLDocument(utf8: Array(html.utf8))
            let found = Microformats(document, baseURL: document.baseURL(pageURL: base)).json
            lines += (["html": .string(html), "found": found] as JSONValue).bytes() + [0x0A]
        }
        let verdict = try judge.run(Self.script, [base.href], input: lines)
        #expect(verdict.status == 0)
        #expect(verdict.output == "3000 pages read alike\n")
    }

    /// Differences that are meant, and are evened out:
    ///
    /// - White space in texts: mf2py writes line breaks for `br` and `p`, as a proposal says. The specification has the text as it
    ///   is in the page, and so has pippin.
    /// - mf2py removes the colon from offsets that an attribute states, and fractions of seconds. The specification keeps the value
    ///   of an attribute as it is.
    /// - mf2py has an empty `text` for links without text.
    /// - mf2py leaves characters of addresses as they are that browsers encode or write small.
    /// - HTML in `e-` properties is compared as browsers parse it.
    /// - What begins an item of an old vocabulary (`class="author vcard"`) is read by that vocabulary's rules, as the rules say
    ///   (“in the absence of vcard”). mf2py reads it as an `h-card`. mf2py's `geo` of an hCalendar event is no class name.
    /// - mf2py reads links in templates, which are no part of the page, takes whatever begins with a day for a day, and reads no time
    ///   at all where its parts are none.
    /// - `fn`, `url` and `photo` of an hReview are of what it reviews, not of both.
    /// - mf2py forgets the day of an item behind an item in it; the made pages have no times without a day.
    /// - An item's language is that of the nearest element with one. mf2py knows its own and the page's.
    private static let script = """
        import json, re, sys, urllib.parse
        import mf2py
        from bs4 import BeautifulSoup
        from mf2py import backcompat, datetime_helpers, mf2_classes, value_class_pattern

        for rules in backcompat._CLASSIC_MAP.values():
            for name, new in rules["properties"].items():
                rules["properties"][name] = [c for part in new for c in part.split()]
        for name in ["hreview", "hreview-aggregate"]:
            for part in ["fn", "url", "photo"]: backcompat._CLASSIC_MAP[name]["properties"][part] = ["p-item", "h-item"]
        plain = backcompat._make_classes_rule
        def rule(old, new):
            whole, bare = plain(old, new), plain(old, [c for c in new if not c.startswith("h-")])
            def is_root(names): return backcompat.root(names) or mf2_classes.root(names, [])
            return lambda child, **kw: (bare if is_root(child.get("class", [])) else whole)(child, **kw)
        backcompat._make_classes_rule = rule

        value_class_pattern.DATE_RE = "(?:" + value_class_pattern.DATE_RE + ")"
        parts = value_class_pattern.datetime
        def found_parts(element, day):
            found = parts(element, None)
            return parts(element, day) if found and found[0] else None
        value_class_pattern.datetime = found_parts

        def judge(html, url):
            page = BeautifulSoup(html, "html5lib")
            for template in page.find_all("template"): template.clear()
            # A formatting element that is opened again shares its lists, which mf2py changes.
            for element in page.find_all(True):
                element.attrs = {k: list(v) if isinstance(v, list) else v for k, v in element.attrs.items()}
            return mf2py.parse(doc=page, url=url, filter_roots=True)

        def even(value, key=None):
            if isinstance(value, dict):
                value = {k: even(v, k) for k, v in value.items() if k not in ("lang", "debug", "alternates")}
                if value.get("text") == "" and "rels" in value: del value["text"]
                return value
            if isinstance(value, list): return [even(v, key) for v in value]
            if key == "html": value = BeautifulSoup(value, "html5lib").body.decode_contents()
            match = re.match(datetime_helpers.DATETIME_RE + "$", value)
            if match:
                value = datetime_helpers.normalize_datetime(value, match)
                value = re.sub(r"([T ])(\\d):", r"\\g<1>0\\2:", value)
            return re.sub(r"\\s+", "", urllib.parse.unquote(value)).lower()

        alike = 0
        for line in sys.stdin:
            page = json.loads(line)
            judged = even(judge(page["html"], sys.argv[1]))
            found = even(page["found"])
            if judged == found:
                alike += 1
            elif alike >= 0:
                print("page ", page["html"])
                print("mf2py", json.dumps(judged, sort_keys=True))
                print("found", json.dumps(found, sort_keys=True))
        print(alike, "pages read alike")
        """
}

/// A page whose class names, elements and attributes are drawn from those that parsers of microformats look at.
private struct MadePage {
    private var random: FixedRandom
    private var left = 0

    init(seed: UInt64) { random = FixedRandom(seed: seed) }

    mutating func html() -> String {
        left = 4 + random.next(40)
        let base = random.next(4) == 0 ? "<base href='https://base.example/a/b?c'>" : ""
        var body = ""
        while left > 0 { body += element(depth: 0, vocabulary: nil) }
        return
            "<!doctype html><html\(random.next(3) == 0 ? " lang=en" : "")><head>\(base)</head><body>\(body)</body></html>"
    }

    private mutating func one(of words: String) -> String {
        let all = words.split(separator: " ")
        return String(all[random.next(all.count)])
    }

    /// Of an old vocabulary: its properties that begin no item, and those that do.
    private static let old = [
        "vcard": ("fn given-name nickname url photo email org title tel note bday locality region category", ""),
        "hentry": ("entry-title entry-summary entry-content published updated category", "author"),
        "vevent": ("summary dtstart dtend duration description url category location attendee organizer", ""),
        "adr": ("street-address locality region postal-code country-name", ""),
        "geo": ("latitude longitude", ""),
        "hfeed": ("site-title site-description category", ""),
        "hproduct": ("fn photo brand price description url category", "review"),
        "hrecipe": ("fn ingredient yield duration photo summary instructions nutrition category", "author"),
        "hresume": ("summary skill", "contact affiliation education experience"),
        "hreview": ("rating best worst dtreviewed description", "reviewer"),
        "hreview-aggregate": ("rating best worst count votes dtreviewed description", "reviewer"),
    ]

    /// Properties that stand for an item. If one is an item itself, mf2py puts that one's members into the other.
    private static let standing: Set = ["p-name", "u-url", "fn", "url", "entry-title", "site-title", "summary"]

    private mutating func element(depth: Int, vocabulary: String?, isInLink: Bool = false) -> String {
        left -= 1
        var tag = one(
            of:
                "div span section a a img abbr time data article b ins del object video audio iframe input link br template"
        )
        // html5lib repeats other links and paragraphs than browsers where they stand in each other.
        if tag == "a", isInLink { tag = "b" }
        var classes: [String] = []
        var inner = vocabulary
        var isPlain = false
        switch random.next(10) {
        case 0, 1:
            inner = "mf2"
            classes.append(one(of: "h-card h-entry h-event h-feed h-x-foo h-0x-foo h-4 h-a-b-c h-X h-a- h--a"))
        case 2:
            let name = Self.old.keys.sorted()[random.next(Self.old.count)]
            classes.append(name)
            inner = name
        default: break
        }
        let isRoot = !classes.isEmpty
        if random.next(3) > 0 {
            if let names = vocabulary.flatMap({ Self.old[$0] }) {
                if !names.1.isEmpty, random.next(3) == 0 {
                    classes.append(one(of: names.1))
                    isPlain = true
                } else {
                    let name = one(of: names.0)
                    if !isRoot || !Self.standing.contains(name) { classes.append(name) }
                }
            }
            if vocabulary == nil || Self.old[vocabulary ?? ""] == nil || random.next(4) == 0 {
                for _ in 0...random.next(2) {
                    let name = one(
                        of: """
                            p-name p-author p-org p-a-b u-url u-photo u-x1 dt-published dt-start e-content p-summary \
                            u-author e-note p-4x-y p- pp-name dt-x-y
                            """)
                    if !isRoot || !Self.standing.contains(name) { classes.append(name) }
                }
            }
        }
        // Of an attribute that stands for a part of a value, mf2py knows only in times.
        if random.next(12) == 0, !["img", "data", "abbr"].contains(tag) { classes.append("value") }
        var attributes = classes.isEmpty ? "" : " class='\(classes.joined(separator: " "))'"
        if random.next(8) == 0 { attributes += " id=i\(random.next(100))" }
        switch tag {
        case "a", "link":
            if random.next(5) > 0 { attributes += " href='\(address())'" }
            if attributes.contains("href"), random.next(3) == 0 {
                attributes +=
                    " rel='\(one(of: tag == "a" ? "bookmark me author self" : "tag bookmark me self nofollow")) \(one(of: tag == "a" ? "x me" : "x me tag"))'"
                if random.next(3) == 0 { attributes += " \(one(of: "type media hreflang title"))=t" }
            }
            if tag == "link", random.next(2) == 0 { attributes += " title='A title'" }
        case "img", "video", "audio", "iframe":
            if random.next(5) > 0 { attributes += " src='\(address())'" }
            if tag == "img", random.next(2) == 0 { attributes += " alt='\(one(of: "An_image x ")) \(random.next(9))'" }
            if tag == "video", random.next(3) == 0 { attributes += " poster='\(address())'" }
        case "object": if random.next(4) > 0 { attributes += " data='\(address())'" }
        case "abbr": if random.next(4) > 0 { attributes += " title='\(time())'" }
        case "time", "ins", "del": if random.next(3) > 0 { attributes += " datetime='\(time())'" }
        case "data", "input": if random.next(3) > 0 { attributes += " value='\(time())'" }
        default: break
        }
        let start = "<\(tag)\(attributes)>"
        if ["img", "input", "link", "br"].contains(tag) { return start }
        var content = tag != "iframe" && random.next(3) > 0 ? text() : ""
        // html5lib reads templates and frames otherwise than browsers.
        if !isPlain, depth < 8, tag != "template", tag != "iframe" {
            while left > 0, random.next(3) > 0 {
                content +=
                    element(depth: depth + 1, vocabulary: inner, isInLink: isInLink || tag == "a")
                    + (random.next(3) == 0 ? text() : "")
            }
        }
        return start + content + "</\(tag)>"
    }

    private mutating func text() -> String {
        one(of: "one two three &amp; Jane_Doe 2013-03-07 Tuesday 12_May 2013-03-07_19:00:00+01:00 2013-02-01T03:04Z x")
            .replacing("_", with: " ")
    }

    private mutating func time() -> String {
        one(of: "2013-03-07 2013-03-07_19:00 2013-03-07T19:00:01+01:00 2013-066_7:05 2013-03 x P1D 1:2")
            .replacing("_", with: " ")
    }

    private mutating func address() -> String {
        one(
            of:
                "/a/b b c.png ?q=1 #f ../up https://other.example/x https://other.example/y/z/ //host.example/p mailto:a@b.c"
        )
    }
}
