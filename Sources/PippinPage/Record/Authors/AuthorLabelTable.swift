/// Words for who wrote something, in many languages.
enum AuthorLabelTable {
    /// A language; the source of its words; words for an author, which stand before a colon or alone; words that stand before a name
    /// without a colon; and words behind one.
    ///
    /// Sources: W, translations of “Author”, “Authors” and “By %s” in WordPress 6.1 (the package wordpress-l10n of Debian; what means
    /// “developer” is left out); T, the language's words for author, writer, reporter and “wrote” in Wiktionary, and those by which
    /// cards of WordPress' extension Yoast SEO name a writer (`twitter:label1`).
    private static let table = """
        af | T | outeur | deur
        ar | WT | الكاتب; كاتب; الكُتّاب; المؤلف; كاتبة; الكاتبة | بواسطة; كتب; كتبت; كتبه; بقلم; كُتب بواسطة; إعداد
        az | T | müəllif |
        be | T | аўтар |
        bg | W | автор; автори | от
        bn | WT | লেখক; প্রতিবেদক | লিখেছেন
        bs | W | autor; autori |
        ca | WT | autor; autors | escrit per
        ckb | W | نوسەر; نووسه‌ر; نووسەر; نووسەران | له‌لایه‌ن; لە لایەن
        cs | WT | autor; autoři; text | napsal; napsala; napsal(a)
        cy | W | awdur; awduron |
        da | W | forfatter; forfattere |
        de | WT | autor; autoren | geschrieben von; verfasst von
        el | WT | δημιουργός; συντάκτης; συντάκτες; κείμενο | από; του; της; γράφει ο; γράφει η; συντάχθηκε από; των
        eo | W | aŭtoro; aŭtoroj |
        es | WT | autor; autores | escrito por
        et | WT | autor; autorid | kirjutas
        eu | WT | egilea; egileak | nork idatzia
        fa | WT | نویسنده; نویسندگان; خبرنگار | بدست; توسط; به قلم; نوشته; نوشته‌شده بدست
        fi | WT | kirjoittaja; tekijä; kirjoittajat; teksti; toimittaja | kirjoittanut
        fil | T | may-akda | isinulat ni
        fr | WT | auteur | rédigé par; écrit par
        gd | W | ùghdar; ùghdaran |
        gl | W | autor; autores |
        gu | T | લેખક |
        he | WT | כותב | מאת; נכתב על ידי
        hi | T | लेखक; लेखिका; संवाददाता | द्वारा; लिखित | द्वारा
        hr | WT | autor; autori | napisao; napisala; piše
        hu | WT | szerző; szerzők; szöveg | írta
        hy | T | հեղինակ |
        id | WT | penulis; pewarta; wartawan | oleh; ditulis oleh
        is | T | höfundur | eftir
        it | WT | autore; autori | scritto da
        ja | WT | 作成者; 投稿者; 著者; 執筆者; 執筆; 筆者; 文; 取材・文; ライター; 記者 |
        jv | W | panulis | dening
        ka | W | ავტორი; ავტორები |
        kk | T | автор; авторы |
        km | T | អ្នកនិពន្ធ | ដោយ
        kn | T | ಲೇಖಕ; ಲೇಖಕರು |
        ko | WT | 글쓴이; 기자; 글; 작성자; 취재 |  | 기자; 특파원; 선임기자; 인턴기자; 논설위원
        lo | T | ຜູ້ຂຽນ | ໂດຍ
        lt | T | autorius; autorė | parašė
        lv | W | autors; autori |
        mk | WT | автор; автори | од; напиша
        ml | T | രചയിതാവ്; ലേഖകൻ |
        mn | T | зохиогч |
        mr | T | लेखक; लेखिका |
        ms | WT | pengarang; penulis; wartawan | oleh; ditulis oleh
        my | WT | စာေရးသူ; ေရးသူ; စာေရးသူများ; ရေးသားသူ |  | ေရးသည်; ေရးသည်။
        nb | WT | forfatter; forfattere | skrevet av
        ne | T | लेखक |
        nl | WT | auteur; auteurs | geschreven door
        pa | T | ਲੇਖਕ |
        pl | WT | autor; autorzy | napisane przez; napisał; napisała
        pt | WT | autor; autores | escrito por
        ro | WT | autor | scris de
        ru | WT | автор; авторы; текст; корреспондент | от
        si | WT | කර්තෘ; රචනය |  | ගෙනි
        sk | WT | autor; autori | napísal; napísala
        sl | WT | avtor; avtorji; avtorica | napisal; napisala
        sq | W | autor; autorë |
        sr | WT | аутор; аутори; autor | од; пише; написао; написала
        su | W | panulis |
        sv | WT | författare | skriven av
        sw | WT | mtunzi; mwandishi |
        ta | WT | ஆசிரியர்; ஆசிரியர்கள்; எழுத்தாளர் | எழுதியவர் | ஆல்
        te | T | రచయిత |
        th | WT | ผู้เขียน; เรื่อง | โดย; เขียนโดย
        tr | WT | yazar; yazarlar; yazan | | tarafından
        ug | W | ئاپتور; ئاپتورلار |
        uk | WT | автор; текст | від
        ur | WT | مصنف; تحریر | بذریعہ
        uz | T | muallif |
        vi | WT | tác giả | bởi; viết bởi
        zh | WT | 作者; 記者; 记者; 撰文; 文; 撰稿; 本報記者; 本报记者; 特約記者 |
        """

    private static func column(_ index: Int) -> [String] {
        var seen: Set<String> = []
        return table.split(separator: "\n").flatMap { row -> [String] in
            let columns = row.split(separator: "|", omittingEmptySubsequences: false)
            guard index < columns.count else { return [] }
            return columns[index].split(separator: ";").map { String($0.trimmed) }
        }.filter { !$0.isEmpty && seen.insert($0).inserted }
    }

    static let nouns = column(2)
    static let beforeNames = column(3)
    static let behindNames = Set(column(4))
}
