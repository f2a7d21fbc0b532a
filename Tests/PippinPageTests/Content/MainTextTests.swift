import Testing

@testable import PippinPage

/// What a page says, and the texts that are taken from it.
@Suite struct MainTextTests {
    private func record(_ html: String) throws -> DeepLinkRecord { try RecordBuilderTests.record(html) }

    private static let first =
        "The first pears of the year are ripe, and nobody has picked them yet, says the gardener."
    private static let second =
        "She has looked after the orchard for thirty years, and has never seen so many on one tree."
    private static let article = "<p>\(first)</p><p>\(second)</p><p>\(first)</p><p>\(second)</p>"

    @Test(
        arguments: [
            "<nav><p>X</p></nav>", "<header><p>X</p></header>", "<aside><p>X</p></aside>", "<form><p>X</p></form>",
            "<div role=banner><p>X</p></div>", "<dialog open><p>X</p></dialog>",
            "<figure><figcaption>X</figcaption></figure>",
            "<div class='site-cookie-notice'><p>X</p></div>", "<div id=newsletterSignup>X</div>",
            "<section class='ShareButtons'><ul><li>X</ul></section>", "<div style='display: none'><p>X</p></div>",
            "<div class='main-text related-posts'><p>X</p></div>", "<p><a href=/x>X</a></p>", "<h2>X</h2>",
            "<div hidden>X</div>",
            "<p>Short.</p>", "<button>X</button>", "<p>By Ann Example</p>", "<div class='box no-print'><p>X</p></div>",
        ])
    func `what stands around the main text is not in the snippet`(markup: String) throws {
        let text =
            "Get our letter every week, with all that is new in the garden, and never miss a pear again, dear reader."
        let html = markup.replacing("X", with: text)
        #expect(try record("<body>\(html)<div>\(Self.article)</div>").snippet?.hasPrefix(Self.first) == true)
        #expect(try record("<main>\(html)<div>\(Self.article)</div></main>").snippet?.hasPrefix(Self.first) == true)
    }

    @Test(
        arguments: [
            "<form>A</form>", "<div class='has-sidebar'>A</div>", "<header>A</header>",
            "<article class='post tag-pears'>A</article>",
            "<body class='cookies-not-set'>A", "<div class=share><div>A</div></div>", "<table><tr><td>A</table>",
        ])
    func `what holds most of a page is not beside it, whatever its name`(markup: String) throws {
        let html = markup.replacing("A", with: Self.article)
        #expect(try record(html + "<footer><p>\(Self.second)").snippet?.hasPrefix(Self.first) == true)
    }

    /// Names of Tailwind and Bootstrap, whose words are about looks.
    @Test(
        arguments: [
            ("overflow-hidden", true), ("overflow-x-hidden", true), ("backface-hidden", true),
            ("hidden md:block", true),
            ("hidden lg:inline-flex", true), ("print:text-sm", true), ("md:hidden", true), ("hidden-xs", true),
            ("hover:overlay", true), ("hidden", false), ("visually-hidden", false), ("box is-hidden", false),
            ("govuk-visually-hidden", false), ("hidden print:block", false), ("hidden md:text-sm", false),
            ("no-print", false), ("cmp-text", true),
        ])
    func `what hides is a name of its own, without a condition`(name: String, isShown: Bool) throws {
        let html = "<main>\(Self.article)<div class='\(name)'><p>Pick them in May.</p></div>\(Self.article)</main>"
        let document = HTMLDocument(utf8: Array(html.utf8))
        let text = MainText(document, visible: VisibleText(document), names: ElementNames(document)).searched(
            maximumBytes: 10_000, mayBeQuoted: true)?.quotable
        #expect(text?.contains("Pick them in May.") == isShown)
    }

    @Test(
        arguments: [
            "<div role=dialog>X</div>", "<div role=alertdialog>X</div>", "<section aria-modal=true>X</section>",
            "<dialog open>X</dialog>", "<div id=onetrust-consent-sdk><div>X</div></div>",
            "<div class='site-cookie-notice'>X</div>", "<span role=dialog>X</span>",
        ])
    func `a dialog is no text of a page, however long it is`(dialog: String) throws {
        let notice =
            "<p>Our partners store and read data on your device, if you agree, and measure what you do here.</p>"
        let long = dialog.replacing("X", with: String(repeating: notice, count: 12))
        func text(_ html: String) -> String? {
            let document = HTMLDocument(utf8: Array(html.utf8))
            return MainText(document, visible: VisibleText(document), names: ElementNames(document)).searched(
                maximumBytes: 10_000, mayBeQuoted: true)?.quotable
        }
        for page in [
            "<nav>Home</nav><div>A</div>D<footer>Imprint</footer>", "D<main><h1>Pears</h1>A</main>",
            "<div>D A</div>",
        ] {
            let html = page.replacing("A", with: Self.article).replacing("D", with: long)
            let found = text("<body>" + html)
            #expect(found?.contains(Self.first) == true && found?.contains("partners") == false, "\(page)")
        }
    }

    @Test func `a form that holds all but a dialog is the page`() throws {
        let dialog = "<div role=dialog><p>\(String(repeating: Self.second, count: 20))</p></div>"
        #expect(try record("<form><p>\(Self.first)</p></form>\(dialog)").snippet == Self.first)
    }

    @Test func `a page of a dialog, navigation and a footer has no text`() throws {
        let dialog = "<div role=dialog><p>\(Self.first)</p></div>"
        for page in [
            dialog, "<nav>Home</nav>\(dialog)<footer>Imprint</footer>",
            "<nav>Home</nav>\(dialog)<div role=contentinfo><p>\(Self.second) \(Self.first)</p></div>",
        ] {
            #expect(try record("<body>" + page).contentHash == nil, "\(page)")
        }
    }

    @Test(arguments: ["cookie-policy", "category-gdpr", "cookies-not-set", "post tag-cookies"])
    func `a page about cookies is no notice of them`(name: String) throws {
        let html = "<body><div>\(Self.first)</div><div class='\(name)'>\(Self.article)\(Self.article)</div>"
        #expect(try record(html).snippet?.contains(Self.second) == true)
    }

    @Test func `the kept text is its beginning, with whole characters`() {
        let document = HTMLDocument(utf8: Array("<p>Die Äpfel sind reif.</p>".utf8))
        let text = MainText(document, visible: VisibleText(document), names: ElementNames(document))
        func beginning(_ maximumBytes: Int) -> String? {
            text.searched(maximumBytes: maximumBytes, mayBeQuoted: true)?.quotable
        }
        #expect(beginning(100) == "Die Äpfel sind reif.")
        #expect(beginning(6) == "Die ")
        #expect(beginning(7) == "Die Ä")
        let empty = HTMLDocument(utf8: [])
        let none = MainText(empty, visible: VisibleText(empty), names: ElementNames(empty))
        #expect(none.searched(maximumBytes: 5, mayBeQuoted: true) == nil)
    }

    @Test func `the kept text tells what may be quoted`() throws {
        let html = """
            <p>Open until six, every day of the week.</p>
            <p>Ask for Ann <span data-nosnippet>and her secret sauce</span> at the door.</p><p>Bring a spoon.</p>
            """
        let document = HTMLDocument(utf8: Array(html.utf8))
        let text = MainText(document, visible: VisibleText(document), names: ElementNames(document))
        let kept = try #require(text.searched(maximumBytes: 1_000, mayBeQuoted: true))
        #expect(
            kept.quotable == "Open until six, every day of the week.\nAsk for Ann at the door.\nBring a spoon.")
        #expect(kept.unquotable == "and her secret sauce")
        #expect(SearchedText(kept: kept.kept) == kept)
        let forbidden = try #require(text.searched(maximumBytes: 1_000, mayBeQuoted: false))
        #expect(forbidden.quotable.isEmpty)
        #expect(forbidden.unquotable.contains("secret sauce at the door"))
        #expect(SearchedText(kept: "as an earlier version kept it").quotable.isEmpty)
        for bytes in 0...120 {
            let cut = text.searched(maximumBytes: bytes, mayBeQuoted: true)
            #expect((cut.map { $0.quotable.utf8.count + $0.unquotable.utf8.count } ?? 0) <= bytes)
        }
    }

    /// Google Search Central: data-nosnippet is for `span`, `div` and `section`, with any value.
    @Test func `what data-nosnippet marks is not quoted, and is searched`() throws {
        let secret = "The secret of ripe pears is a cellar that is cool and dark, and a week of patience."
        for part in [
            "<div data-nosnippet>\(secret)</div>", "<section data-nosnippet=\"true\"><p>\(secret)</p></section>",
            "<p><span data-nosnippet>\(secret)</span></p>",
            "<div data-nosnippet><div>\(secret)</div><p>\(secret)</div>",
        ] {
            let html = "<title>Pears</title><main>\(part)\(Self.article)</main>"
            let snippet = try record(html).snippet
            #expect(snippet?.hasPrefix(Self.first) == true, "\(snippet ?? "") of \(part)")
            let document = HTMLDocument(utf8: Array(html.utf8))
            let text = MainText(document, visible: VisibleText(document), names: ElementNames(document))
                .searched(maximumBytes: 1_000, mayBeQuoted: true)
            #expect(text?.unquotable.contains(secret) == true, "\(part)")
            #expect(text?.quotable.contains(secret) == false, "\(part)")
        }
        let inside = try record(
            "<main><p>Pears are <span data-nosnippet>not </span>ripe in autumn, and nobody picks them.</p></main>")
        #expect(inside.snippet == "Pears are ripe in autumn, and nobody picks them.")
        // The attribute means nothing on other elements.
        let other = try record("<main><p data-nosnippet>\(secret)</p>\(Self.article)</main>")
        #expect(other.snippet?.hasPrefix(secret) == true)
    }

    @Test func `line breaks and short paragraphs are a text too`() throws {
        #expect(
            try record("<h1>Pears</h1><div>One pear<br>Two pears<br>Three pears</div>").snippet
                == "One pear Two pears Three pears")
        #expect(try record("<nav>Home</nav><h1>Pears</h1><p>Ripe.").snippet == "Ripe.")
    }

    @Test func `a page without text has no content hash`() throws {
        #expect(try record("<title>x</title>").contentHash == nil)
        #expect(try record("<p>x").contentHash != nil)
    }

    @Test func `the content hash is that of the main text, if that is no small part of the text`() throws {
        func hash(_ aside: String, _ article: String) throws -> String? {
            try record("<nav>\(aside)</nav><div class=news><p>\(aside)</p></div><main><h1>Pears</h1>\(article)</main>")
                .contentHash
        }
        #expect(try hash("One", Self.article) == hash("Two", Self.article))
        #expect(try hash("One", Self.article) != hash("One", Self.article + "<p>\(Self.second)"))
        #expect(try hash("One", "<p>a") == hash("Two", "<p>a"))
        #expect(try hash("One: " + Self.first, "<p>a") != hash("Two: " + Self.first, "<p>a"))
    }

    // MARK: Descriptions

    @Test(
        arguments: [
            "", "Pears", "About pears", "P\u{FFFD}ars that are ripe in the spring of this year, all of them",
            "He said \"no\" and went away to pick the pears of the year",
        ])
    func `a description that says too little gives way`(written: String) throws {
        let meta = "<title>Ripe</title><meta name=description content=\"\(written)\">"
        let other = "Pears that are ripe in spring, and how to tell them from others."
        let described = try record(
            meta + "<meta property=og:description content='\(other)'><main>\(Self.article)</main>")
        #expect(described.contentDescription == other && described.snippet == other)
        let bare = try record(meta + "<main>\(Self.article)</main>")
        #expect(bare.snippet?.hasPrefix(Self.first) == true)
        guard !written.isEmpty else { return }
        #expect(bare.contentDescription?.hasPrefix(Self.first) == true)
        #expect(
            bare.provenance.contains(DeepLinkRecord.Provenance(field: "contentDescription", source: .mainText)))
    }

    @Test func `a description of a few words is kept, and the main text shown`() throws {
        let record = try record("<meta name=description content='All about ripe pears.'><main>\(Self.article)</main>")
        #expect(record.contentDescription == "All about ripe pears.")
        #expect(record.snippet?.hasPrefix(Self.first) == true)
    }

    @Test func `notices of cookies and rights are no text of a page that is about something else`() throws {
        let notice =
            "<p>We use cookies and similar means to improve our service, to measure it and to show you what you like.</p>"
        #expect(try record("<div>\(notice)\(Self.article)</div>").snippet?.hasPrefix(Self.first) == true)
        let about = String(repeating: notice, count: 8)
        #expect(try record("<div>\(about)</div>").snippet?.hasPrefix("We use cookies") == true)
        #expect(try record("<title>Pears</title><div>\(notice)</div>").snippet == nil)
    }

    @Test func `a short description is better than none`() throws {
        let record = try record("<meta name=description content=Pears><p>x")
        #expect(record.contentDescription == "Pears" && record.snippet == "Pears")
    }

    @Test func `a description of the site gives way to one of the page`() throws {
        let record = try record(
            """
            <title>Ripe pears</title><meta name=description content="Read what is new in gardens all over the country every day.">
            <meta property=og:description content="How to tell pears that are ripe from those that are not.">
            """)
        #expect(record.contentDescription == "How to tell pears that are ripe from those that are not.")
    }

    @Test func `forty characters are twenty in Chinese`() throws {
        let text = "梨子成熟了，园丁说今年的梨子比往年多得多，味道也更好。"
        #expect(try record("<meta name=description content='\(text)'><p>x").snippet == text)
    }

    /// Article 1 of the Universal Declaration of Human Rights, or a part of it.
    private static let proseOfScripts = [
        "am": "የሰው ልጅ ሁሉ ሲወለድ ነጻና በክብርና በመብትም እኩልነት ያለው ነው። የተፈጥሮ ማስተዋልና ሕሊና ስላለው አንዱ ሌላውን በወንድማማችነት መንፈስ መመልከት ይገባዋል።",
        "bo": "འགྲོ་བ་མིའི་རིགས་རྒྱུད་ཡོངས་ལ་སྐྱེས་ཙམ་ཉིད་ནས་ཆེ་མཐོངས་དང༌། ཐོབ་ཐངགི་རང་དབང་འདྲ་མཉམ་དུ་ཡོད་ལ།",
        "hi": "सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता और समानता प्राप्त है।",
        "hy": "Բոլոր մարդիկ ծնվում են ազատ ու հավասար՝ իրենց արժանապատվությամբ և իրավունքներով։",
        "km": "មនុស្សទាំងអស់ កើតមកមានសេរីភាព និងសមភាព ក្នុងផ្នែកសេចក្ដីថ្លៃថ្នូរនិងសិទ្ធិ។ មនុស្ស មានវិចារណញ្ញាណនិងសតិសម្បជញ្ញៈជាប់ពីកំណើត",
        "lo": "ມະນຸດທຸກຄົນເກີດມາມີກຽດສັກສີ ສິດທິ ເສລີພາບ ແລະຄວາມສະເໝີພາບເທົ່າທຽມກັນ ທຸກໆຄົນມີເຫດຜົນ ແລະຄວາມຄິດຄວາມເຫັນສ່ວນຕົວຂອງໃຜຂອງມັນ",
        "my": "လူတိုင်းသည် တူညီ လွတ်လပ်သော ဂုဏ်သိက္ခာဖြင့် လည်းကောင်း၊ တူညီလွတ်လပ်သော အခွင့်အရေးများဖြင့် လည်းကောင်း၊ မွေးဖွားလာသူများ ဖြစ်သည်။",
        "th":
            "มนุษย์ทั้งปวงเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ ต่างมีเหตุผลและมโนธรรม และควรปฏิบัติต่อกันด้วยเจตนารมณ์แห่งภราดรภาพ",
        "ur": "تمام انسان آزاد اور حقوق و عزت کے اعتبار سے برابر پیدا ہوئے ہیں۔ انہیں ضمیر اور عقل ودیعت ہوئی ہے۔",
        "zh": "人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心，并应以兄弟关系的精神相对待。",
    ]

    @Test(arguments: proseOfScripts.keys.sorted())
    func `prose has marks of its script, or none and long clauses`(language: String) throws {
        let prose = try #require(Self.proseOfScripts[language])
        let menu = Array(repeating: "ข่าว กีฬา ບັນເທີງ", count: 12).joined(separator: " ")
        let page = "<body><div>\(menu)</div><div><p>\(prose)</p></div>"
        #expect(try record(page).snippet == prose)
    }

    @Test func `a list of names is no prose in a script without marks`() throws {
        let names = "หน้าแรก ข่าว กีฬา บันเทิง เศรษฐกิจ การเมือง ต่างประเทศ อาชญากรรม สังคม เทคโนโลยี ท่องเที่ยว สุขภาพ อาหาร"
        let facts = try RecordBuilderTests.facts("<div>\(names)</div>", url: "https://example.org/a")
        #expect(!facts.mainText.hasProse)
    }

    @Test func `a day in a date ends no sentence`() {
        let text =
            "The pears of the garden are picked by all who come here on the 14. September of each year, says Ann."
        #expect(!Snippet.cut(text, to: 80).hasSuffix("14."))
    }

    // MARK: Bounds

    /// Time that grew with the square of the size would pass the limit.
    @Test(
        .timeLimit(.minutes(1)),
        arguments: [
            String(repeating: "<div class='share share share'>", count: 400) + "a, b. ",
            String(
                repeating: "<p>aaaa aaaa aaaa aaaa, aaaa aaaa aaaa aaaa aaaa aaaa aaaa aaaa aaaa aaaa aaaa aaaa aaaa.",
                count: 400),
            String(repeating: "<nav>", count: 400) + String(repeating: "<a href=/>x</a> y<br>", count: 400),
            "<div class='" + String(repeating: "share-", count: 2_000) + "'>"
                + String(repeating: "<b>a</b>,", count: 300),
        ])
    func `hostile pages cost in proportion to their size`(unit: String) throws {
        let snippet = try record(String(repeating: unit, count: 20)).snippet ?? ""
        #expect(snippet.count <= Snippet.maximumCharacters)
    }
}
