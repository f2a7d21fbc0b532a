import Testing

@testable import PippinPage

/// Bylines as pages of many languages write them.
@Suite struct AuthorLanguagesTests {
    private func names(_ byline: String, _ language: String) throws -> [String] {
        let prose =
            "<p>" + String(repeating: Self.prose[language] ?? "Bees fly far, and nobody asked them to. ", count: 20)
        return try RecordBuilderTests.record(
            "<html lang=\(language)><title>Bees return to Ulm</title><h1>Bees return to Ulm</h1>\(byline)\(prose)"
        ).authors.map(\.name)
    }

    private static let prose = [
        "th": "ผึ้งบินไปไกลและไม่มีใครถามมัน ", "zh": "蜜蜂飞得很远，没有人问过它们。", "ja": "蜂は遠くまで飛ぶ。誰も頼んでいない。",
        "ko": "벌은 멀리 날아간다. 아무도 부탁하지 않았다. ",
    ]

    private static let bylines: [(language: String, text: String, names: [String])] = [
        ("en", "By Ann Lee", ["Ann Lee"]),
        ("en", "By Ann Lee and Bo Yi", ["Ann Lee", "Bo Yi"]),
        ("de", "Von Anna Klein und Bernd Groß", ["Anna Klein", "Bernd Groß"]),
        ("fr", "Par Zoé Élan et Luc Noir", ["Zoé Élan", "Luc Noir"]),
        ("es", "Por Ana Rey y José Vega", ["Ana Rey", "José Vega"]),
        ("pt", "Por Ana Reis e José Viana", ["Ana Reis", "José Viana"]),
        ("it", "Di Anna Rossi e Luca Neri", ["Anna Rossi", "Luca Neri"]),
        ("nl", "Door Anna de Vries en Jan Smit", ["Anna de Vries", "Jan Smit"]),
        ("sv", "Av Anna Berg och Lars Holm", ["Anna Berg", "Lars Holm"]),
        ("da", "Af Anna Berg og Lars Holm", ["Anna Berg", "Lars Holm"]),
        ("nb", "Skrevet av Anna Berg", ["Anna Berg"]),
        ("fi", "Kirjoittanut Matti Virtanen", ["Matti Virtanen"]),
        ("fi", "Kirjoittaja: Matti Virtanen ja Liisa Laine", ["Matti Virtanen", "Liisa Laine"]),
        ("fi", "Teksti: Matti Virtanen", ["Matti Virtanen"]),
        ("hu", "Írta: Nagy Péter", ["Nagy Péter"]),
        ("hu", "Szerző: Nagy Péter és Kiss Anna", ["Nagy Péter", "Kiss Anna"]),
        ("hu", "Írta Nagy Péter", ["Nagy Péter"]),
        ("cs", "Autor: Jan Novák", ["Jan Novák"]),
        ("cs", "Napsal Jan Novák", ["Jan Novák"]),
        ("cs", "Text: Jan Novák a Eva Malá", ["Jan Novák", "Eva Malá"]),
        ("sk", "Autor: Ján Novák", ["Ján Novák"]),
        ("pl", "Autor: Jan Kowalski i Anna Nowak", ["Jan Kowalski", "Anna Nowak"]),
        ("pl", "Napisała Anna Nowak", ["Anna Nowak"]),
        ("ro", "Autor: Ion Popescu și Ana Pop", ["Ion Popescu", "Ana Pop"]),
        ("ro", "Scris de Ion Popescu", ["Ion Popescu"]),
        ("hr", "Autor: Ivan Horvat", ["Ivan Horvat"]),
        ("hr", "Piše: Ivan Horvat", ["Ivan Horvat"]),
        ("sr", "Аутор: Иван Петровић", ["Иван Петровић"]),
        ("sr", "Пише: Иван Петровић", ["Иван Петровић"]),
        ("bg", "Автор: Иван Петров", ["Иван Петров"]),
        ("ru", "Автор: Иван Петров", ["Иван Петров"]),
        ("ru", "Текст: Иван Петров", ["Иван Петров"]),
        ("uk", "Автор: Іван Петренко", ["Іван Петренко"]),
        ("el", "Του Νίκου Παπαδόπουλου", ["Νίκου Παπαδόπουλου"]),
        ("el", "Γράφει ο Νίκος Παπαδόπουλος", ["Νίκος Παπαδόπουλος"]),
        ("el", "Συντάκτης: Μαρία Ιωάννου", ["Μαρία Ιωάννου"]),
        ("el", "Από Μαρία Ιωάννου και Νίκος Ράπτης", ["Μαρία Ιωάννου", "Νίκος Ράπτης"]),
        ("tr", "Yazan: Ayşe Yılmaz", ["Ayşe Yılmaz"]),
        ("tr", "Ayşe Yılmaz tarafından", ["Ayşe Yılmaz"]),
        ("tr", "Yazar: Ayşe Yılmaz ve Ali Demir", ["Ayşe Yılmaz", "Ali Demir"]),
        ("id", "Oleh Budi Santoso", ["Budi Santoso"]),
        ("id", "Penulis: Budi Santoso dan Siti Aminah", ["Budi Santoso", "Siti Aminah"]),
        ("id", "Ditulis oleh Budi Santoso", ["Budi Santoso"]),
        ("ms", "Oleh: Ahmad Faisal", ["Ahmad Faisal"]),
        ("vi", "Tác giả: Nguyễn Văn An", ["Nguyễn Văn An"]),
        ("vi", "Viết bởi Nguyễn Văn An", ["Nguyễn Văn An"]),
        ("vi", "Bởi Nguyễn Văn An và Trần Bình", ["Nguyễn Văn An", "Trần Bình"]),
        ("he", "מאת דנה כהן", ["דנה כהן"]),
        ("he", "מאת: דנה כהן ויוסי לוי", ["דנה כהן", "יוסי לוי"]),
        ("he", "כותב: יוסי לוי", ["יוסי לוי"]),
        ("ar", "بقلم: أحمد علي", ["أحمد علي"]),
        ("ar", "كتب أحمد علي", ["أحمد علي"]),
        ("ar", "الكاتب: سارة محمد", ["سارة محمد"]),
        ("fa", "نویسنده: رضا احمدی", ["رضا احمدی"]),
        ("fa", "به قلم رضا احمدی", ["رضا احمدی"]),
        ("fa", "توسط رضا احمدی", ["رضا احمدی"]),
        ("ur", "تحریر: علی خان", ["علی خان"]),
        ("hi", "द्वारा सुनीता देवी", ["सुनीता देवी"]),
        ("hi", "सुनीता देवी द्वारा", ["सुनीता देवी"]),
        ("hi", "लेखक: राम शर्मा और सुनीता देवी", ["राम शर्मा", "सुनीता देवी"]),
        ("bn", "লেখক: রহিম আলী", ["রহিম আলী"]),
        ("bn", "লিখেছেন রহিম আলী", ["রহিম আলী"]),
        ("ta", "எழுதியவர்: முத்து குமார்", ["முத்து குமார்"]),
        ("th", "โดย สมชาย ใจดี", ["สมชาย ใจดี"]),
        ("th", "โดยสมชาย ใจดี", ["สมชาย ใจดี"]),
        ("th", "ผู้เขียน: สมชาย ใจดี", ["สมชาย ใจดี"]),
        ("th", "เขียนโดย สมชาย ใจดี และ สมหญิง รักดี", ["สมชาย ใจดี", "สมหญิง รักดี"]),
        ("km", "ដោយ សុខ ចាន់", ["សុខ ចាន់"]),
        ("ko", "홍길동 기자", ["홍길동"]),
        ("ko", "[서울=뉴스] 김철수 기자", ["김철수"]),
        ("ko", "글: 홍길동", ["홍길동"]),
        ("ko", "홍길동 기자 hong@news.kr", ["홍길동"]),
        ("ko", "홍길동·김철수 기자", ["홍길동", "김철수"]),
        ("zh", "記者李明", ["李明"]),
        ("zh", "文／王芳", ["王芳"]),
        ("zh", "作者：李明　2026年9月9日", ["李明"]),
        ("zh", "（記者李明／台北報導）", ["李明"]),
        ("zh", "记者：王小芳", ["王小芳"]),
        ("zh", "作者：李明和王芳", ["李明", "王芳"]),
        ("zh", "本报记者 李明", ["李明"]),
        ("ja", "文：山田太郎", ["山田太郎"]),
        ("ja", "著者：山田太郎、佐藤花子", ["山田太郎", "佐藤花子"]),
        ("ja", "取材・文／佐藤花子", ["佐藤花子"]),
        ("ja", "執筆者: 山田 太郎", ["山田 太郎"]),
        ("ka", "ავტორი: გიორგი მაისურაძე", ["გიორგი მაისურაძე"]),
        ("hy", "Հեղինակ: Արամ Պետրոսյան", ["Արամ Պետրոսյան"]),
        ("az", "Müəllif: Əli Məmmədov", ["Əli Məmmədov"]),
        ("kk", "Авторы: Айгүл Серікқызы", ["Айгүл Серікқызы"]),
        ("lt", "Autorius: Jonas Petraitis ir Ona Kalnė", ["Jonas Petraitis", "Ona Kalnė"]),
        ("lv", "Autors: Jānis Bērziņš un Anna Kalna", ["Jānis Bērziņš", "Anna Kalna"]),
        ("et", "Autor: Jaan Tamm ja Mari Mets", ["Jaan Tamm", "Mari Mets"]),
        ("is", "Höfundur: Jón Jónsson", ["Jón Jónsson"]),
        ("eu", "Egilea: Miren Etxeberria eta Jon Agirre", ["Miren Etxeberria", "Jon Agirre"]),
        ("ca", "Autor: Pere Vila i Anna Soler", ["Pere Vila", "Anna Soler"]),
        ("sl", "Avtor: Janez Novak in Ana Kos", ["Janez Novak", "Ana Kos"]),
        ("sw", "Mwandishi: Juma Ali na Asha Omari", ["Juma Ali", "Asha Omari"]),
    ]

    @Test(arguments: bylines) func `a byline has its names`(language: String, text: String, names: [String]) throws {
        for byline in [
            "<p>\(text)</p>", "<div class=author>\(text)</div>", "<div class=byline>\(text)</div>",
            "<p>\(text)</p><time datetime=2026-09-09>9</time>",
        ] {
            #expect(try self.names(byline, language) == names, "\(byline)")
        }
    }

    @Test(arguments: [
        ("zh", "記者会見"),
        ("zh", "作者不明"),
        ("zh", "记者获悉，市政府明天开会"),
        ("ja", "著者紹介"),
        ("ja", "記者会見"),
        ("th", "โดยทั่วไปแล้วผึ้งจะบินไกลมากในวันนี้"),
        ("ko", "기자 회견"),
        ("ko", "기자"),
        ("ko", "관련 기사"),
        ("he", "מאת"),
        ("el", "Της Ελλάδας"),
        ("el", "Του χρόνου θα έρθουμε"),
        ("fa", "توسط وزارت کشور برای همه مردم این سرزمین منتشر شد و خواهد شد"),
        ("hi", "द्वारा"),
        ("id", "Oleh karena itu kami"),
        ("ru", "От редакции"),
        ("uk", "Від редакції"),
        ("vi", "Tác giả"),
        ("zh", "作者："),
        ("zh", "作者"),
        ("hu", "Írta"),
        ("ar", "كتب"),
        ("sv", "Av misstag"),
    ])
    func `words that begin or end like a byline are none`(language: String, text: String) throws {
        #expect(try names("<p>\(text)</p>", language).isEmpty)
    }

    @Test(arguments: ["作者：", "作者", "記者会見", "作者不明", "Autor:", "Tác giả:", "기자"])
    func `a label alone is nobody, whatever its element says`(text: String) throws {
        #expect(try names("<p class=author>\(text)</p>", "zh").isEmpty)
    }
}
