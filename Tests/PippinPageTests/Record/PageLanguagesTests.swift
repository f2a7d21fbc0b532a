import Testing

@testable import PippinPage

/// The language of a page: what it declares, held against its text.
@Suite struct PageLanguagesTests {
    private func record(_ html: String) throws -> DeepLinkRecord { try RecordBuilderTests.record(html) }

    private func source(of record: DeepLinkRecord) -> DeepLinkRecord.Source? {
        record.provenance.first { $0.field == "languages" }?.source
    }

    /// Plain prose, the same in each language.
    static let texts = [
        "en":
            "The first pears of the year are ripe, and nobody has picked them yet. The gardener has looked after the orchard for thirty years and has never seen so many on one tree. She will sell them at the market on Saturday.",
        "de":
            "Die ersten Birnen des Jahres sind reif, und noch niemand hat sie gepflückt. Die Gärtnerin pflegt den Obstgarten seit dreißig Jahren und hat noch nie so viele an einem Baum gesehen. Am Samstag verkauft sie sie auf dem Markt.",
        "fr":
            "Les premières poires de l'année sont mûres et personne ne les a encore cueillies. La jardinière s'occupe du verger depuis trente ans et n'en a jamais vu autant sur un seul arbre. Elle les vendra samedi au marché.",
        "es":
            "Las primeras peras del año están maduras y nadie las ha recogido todavía. La jardinera cuida del huerto desde hace treinta años y nunca había visto tantas en un solo árbol. El sábado las venderá en el mercado.",
        "it":
            "Le prime pere dell'anno sono mature e nessuno le ha ancora raccolte. La giardiniera si occupa del frutteto da trent'anni e non ne ha mai viste così tante su un solo albero. Sabato le venderà al mercato.",
        "pt":
            "As primeiras peras do ano estão maduras e ninguém as colheu ainda. A jardineira cuida do pomar há trinta anos e nunca viu tantas numa só árvore. No sábado ela vai vendê-las no mercado da cidade.",
        "nl":
            "De eerste peren van het jaar zijn rijp en niemand heeft ze nog geplukt. De tuinierster verzorgt de boomgaard al dertig jaar en heeft er nog nooit zoveel aan één boom gezien. Zaterdag verkoopt zij ze op de markt.",
        "pl":
            "Pierwsze gruszki w tym roku są już dojrzałe, a nikt ich jeszcze nie zerwał. Ogrodniczka opiekuje się sadem od trzydziestu lat i nigdy nie widziała tylu na jednym drzewie. W sobotę sprzeda je na targu.",
        "sv":
            "Årets första päron är mogna och ingen har plockat dem ännu. Trädgårdsmästaren har skött fruktträdgården i trettio år och har aldrig sett så många på ett och samma träd. På lördag säljer hon dem på torget.",
        "tr":
            "Yılın ilk armutları olgunlaştı ve henüz kimse onları toplamadı. Bahçıvan otuz yıldır meyve bahçesine bakıyor ve bir ağaçta hiç bu kadar çok armut görmemişti. Cumartesi günü onları pazarda satacak.",
        "vi":
            "Những quả lê đầu tiên trong năm đã chín và chưa có ai hái chúng. Người làm vườn đã chăm sóc vườn cây ăn quả suốt ba mươi năm và chưa bao giờ thấy nhiều quả như vậy trên một cây.",
        "ru":
            "Первые груши в этом году уже созрели, но их ещё никто не собрал. Садовница ухаживает за садом тридцать лет и никогда не видела столько груш на одном дереве. В субботу она продаст их на рынке.",
        "uk":
            "Перші груші цього року вже дозріли, але їх ще ніхто не зірвав. Садівниця доглядає за садом тридцять років і ніколи не бачила стільки груш на одному дереві. У суботу вона продасть їх на ринку.",
        "el":
            "Τα πρώτα αχλάδια της χρονιάς είναι ώριμα και κανείς δεν τα έχει μαζέψει ακόμα. Η κηπουρός φροντίζει τον οπωρώνα εδώ και τριάντα χρόνια και δεν έχει δει ποτέ τόσα πολλά σε ένα δέντρο.",
        "ar":
            "نضجت أول ثمار الكمثرى هذا العام ولم يقطفها أحد بعد. تعتني البستانية بالبستان منذ ثلاثين عاما ولم تر قط هذا العدد الكبير من الثمار على شجرة واحدة. ستبيعها يوم السبت في السوق.",
        "he":
            "האגסים הראשונים של השנה בשלים ואף אחד עדיין לא קטף אותם. הגננת מטפלת במטע כבר שלושים שנה ומעולם לא ראתה כל כך הרבה פירות על עץ אחד. ביום שבת היא תמכור אותם בשוק.",
        "hi":
            "इस साल की पहली नाशपाती पक गई है और अभी तक किसी ने उन्हें नहीं तोड़ा है। माली तीस साल से इस बाग की देखभाल कर रही है और उसने एक पेड़ पर इतने फल पहले कभी नहीं देखे।",
        "ja":
            "今年最初の梨が熟しましたが、まだ誰も摘んでいません。庭師は三十年間この果樹園の世話をしてきましたが、一本の木にこれほど多くの実がなるのを見たことがありません。土曜日に市場で売る予定です。",
        "ko":
            "올해의 첫 배가 익었지만 아직 아무도 따지 않았습니다. 정원사는 삼십 년 동안 과수원을 돌보아 왔지만 한 나무에 이렇게 많은 배가 열린 것은 본 적이 없습니다. 토요일에 시장에서 팔 것입니다.",
        "zh":
            "今年的第一批梨已经成熟了，但是还没有人采摘。园丁照看这个果园已经三十年了，从来没有见过一棵树上结这么多的梨。她打算星期六在市场上把它们卖掉，然后给孩子们买些新书。",
        "zh-Hant":
            "今年的第一批梨已經成熟了，但是還沒有人採摘。園丁照看這個果園已經三十年了，從來沒有見過一棵樹上結這麼多的梨。她打算星期六在市場上把它們賣掉，然後給孩子們買些新書。",
    ]

    private func page(_ text: String, _ head: String = "", html: String = "") -> String {
        "<html \(html)><head><title>1</title>\(head)</head><body><main><p>\(text)</p><p>\(text)</p></main></body></html>"
    }

    @Test(arguments: texts.keys.sorted()) func `a page that declares nothing is in the language of its text`(
        language: String
    ) throws {
        let record = try record(page(try #require(Self.texts[language])))
        #expect(record.languages == [language])
        #expect(source(of: record) == .mainText)
    }

    @Test(arguments: texts.keys.sorted()) func `the text wins over a declared language that it is not in`(
        language: String
    ) throws {
        let declared = language == "fi" ? "et" : "fi"
        let record = try record(page(try #require(Self.texts[language]), html: "lang=\(declared)"))
        #expect(record.languages == [language])
        #expect(source(of: record) == .mainText)
    }

    @Test(
        arguments: [
            ("en", "en-GB"), ("pt", "pt-BR"), ("zh", "zh-TW"), ("zh-Hant", "zh-Hans-CN"), ("he", "he-IL"),
            ("de", "de-AT"),
            // Languages that CLD2 takes for each other, and one that it does not know.
            ("es", "gl"), ("nl", "af"), ("hi", "ne"), ("de", "gsw"), ("de", "nds"),
        ])
    func `a declared tag that the text may be in stays`(text: String, declared: String) throws {
        let record = try record(page(try #require(Self.texts[text]), html: "lang=\(declared)"))
        #expect(record.languages == [declared])
        #expect(source(of: record) == .htmlLanguage)
    }

    /// Bokmål, Danish, Croatian, Serbian, Slovak, Malay: near languages, each declared as its neighbor.
    @Test(
        arguments: [
            (
                "Årets første pærer er modne, og ingen har plukket dem ennå. Gartneren har stelt frukthagen i tretti år og har aldri sett så mange på ett tre. På lørdag selger hun dem på torget.",
                ["nb", "nn-NO", "no", "da"]
            ),
            (
                "Prve kruške ove godine su zrele, a nitko ih još nije ubrao. Vrtlarica se brine o voćnjaku već trideset godina i nikada ih nije vidjela toliko na jednom stablu. U subotu će ih prodati na tržnici.",
                ["hr", "bs-BA", "sr-Latn-RS"]
            ),
            (
                "Prvé hrušky tohto roka sú zrelé a nikto ich ešte neobral. Záhradníčka sa stará o sad už tridsať rokov a nikdy ich nevidela toľko na jednom strome. V sobotu ich predá na trhu.",
                ["sk", "cs-CZ"]
            ),
            (
                "Buah pir pertama tahun ini sudah masak dan belum ada yang memetiknya. Tukang kebun telah merawat kebun itu selama tiga puluh tahun dan tidak pernah melihat buah sebanyak itu pada satu pohon.",
                ["id", "ms-MY"]
            ),
        ])
    func `near languages do not take each other's place`(text: String, declared: [String]) throws {
        for tag in declared { #expect(try record(page(text, html: "lang=\(tag)")).languages == [tag]) }
        let english = try record(page(try #require(Self.texts["en"]), html: "lang=\(declared[0])"))
        #expect(english.languages == ["en"])
    }

    @Test func `another declaration names the region of the text's language`() throws {
        let english = try #require(Self.texts["en"])
        let jsonLD = #"""
            <script type="application/ld+json">{"@context":"https://schema.org","@type":"Article","inLanguage":"en-NZ"}</script>
            """#
        #expect(try record(page(english, jsonLD, html: "lang=de")).languages == ["en-NZ"])
        let locale = "<meta property=og:locale content=en_GB>"
        #expect(try record(page(english, locale, html: "lang=de")).languages == ["en-GB"])
        let undeclared = try record(page(english, locale))
        #expect(undeclared.languages == ["en-GB"])
        #expect(source(of: undeclared) == .openGraph)
        // Templates write the default whatever the page's language.
        #expect(
            try record(page(try #require(Self.texts["de"]), "<meta property=og:locale content=en_US>")).languages == [
                "de"
            ])
    }

    @Test func `a page with buttons in one language and a description in another is in that of the description`() throws
    {
        let record = try record(
            """
            <html lang=es-ES><head><title>Pears of the year</title><meta name=description content="This video shows how the first \
            pears of the year are picked in an old orchard, and why the gardener has never seen so many on one tree before...">
            </head><body><h1>Pears of the year</h1><footer><a href=/a>Información</a> <a href=/b>Derechos de autor</a>
            <a href=/c>Política de privacidad</a></footer></body></html>
            """)
        #expect(record.languages == ["en"])
        #expect(source(of: record) == .metaDescription)
    }

    @Test func `a short text, a list of names and a page in two languages say nothing against what is declared`() throws
    {
        let (english, german) = (try #require(Self.texts["en"]), try #require(Self.texts["de"]))
        for text in [
            "The first pears are ripe.", "Jane Doe, John Doe, Paul Pear", "Lorem ipsum dolor sit amet", "1 2 3 4",
        ] {
            #expect(try record(page(text, html: "lang=de")).languages == ["de"])
        }
        #expect(try record(page(english + " " + german, html: "lang=de")).languages == ["de"])
        #expect(try record(page(english + " " + german, html: "lang=en")).languages == ["en"])
        #expect(try record(page("Lorem ipsum dolor sit amet")).languages == [])
    }

    @Test func `a text is cut between characters`() throws {
        let japanese = String(repeating: "梨が熟しましたが、", count: 200)
        for bytes in 590...610 {
            #expect(TextLanguage(of: japanese, maximumBytes: bytes)?.tag == "ja")
        }
        #expect(TextLanguage(of: "", maximumBytes: 600) == nil)
        #expect(TextLanguage(of: "梨", maximumBytes: 1) == nil)
    }
}
