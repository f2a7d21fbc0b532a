import Foundation
import Testing

@testable import PippinPage

/// Days in all languages, written by people and by Foundation, which has a CLDR of its own.
@Suite struct WrittenDayLanguagesTests {
    private func style(_ language: String) -> DayStyle {
        DayStyle(
            languages: [language], order: MonthNames.all.order(of: language.replacing("-", with: "_")))
    }

    private func day(_ text: String, _ language: String) -> String? {
        WrittenDay.all(in: Array(text.utf8), as: style(language)).first?.text
    }

    private static let cases: [(language: String, text: String, day: String?)] = [
        ("vi", "ngày 9 tháng 9 năm 2026", "2026-09-09"),
        ("vi", "Thứ Tư, 9 tháng 9, 2026", "2026-09-09"),
        ("vi", "09/09/2026", "2026-09-09"),
        ("vi", "3/4/2026", "2026-04-03"),
        ("ms", "9 September 2026", "2026-09-09"),
        ("ms", "12 Mac 2026", "2026-03-12"),
        ("en", "12 Mac 2026", nil),
        ("bn", "৯ সেপ্টেম্বর, ২০২৬", "2026-09-09"),
        ("ta", "9 செப்டம்பர், 2026", "2026-09-09"),
        ("ta", "9 செப்., 2026", "2026-09-09"),
        ("ur", "9 ستمبر، 2026", "2026-09-09"),
        ("ka", "9 სექტემბერი, 2026", "2026-09-09"),
        ("ka", "9 სექ. 2026", "2026-09-09"),
        ("hy", "9 սեպտեմբերի, 2026 թ.", "2026-09-09"),
        ("kk", "2026 ж. 9 қыркүйек", "2026-09-09"),
        ("eu", "2026ko irailaren 9a", "2026-09-09"),
        ("eu", "2026(e)ko irailaren 9(a)", "2026-09-09"),
        ("ja", "令和8年9月9日", "2026-09-09"),
        ("ja", "令和元年9月9日", "2019-09-09"),
        ("ja", "平成30年1月2日", "2018-01-02"),
        ("ja", "公開日：令和8年9月9日（水）", "2026-09-09"),
        ("zh-Hant", "民國115年9月9日", "2026-09-09"),
        ("zh", "2026年9月9日星期三", "2026-09-09"),
        ("fa", "۱۸ شهریور ۱۴۰۵", "2026-09-09"),
        ("fa", "۱۴۰۵/۶/۱۸", "2026-09-09"),
        ("fa", "چهارشنبه ۱۸ شهریور ۱۴۰۵ ساعت ۱۲:۳۰", "2026-09-09"),
        ("th", "9 กันยายน พ.ศ. 2569", "2026-09-09"),
        ("th", "9 ก.ย. 2569", "2026-09-09"),
        ("th", "วันที่ 9 กันยายน 2569", "2026-09-09"),
        ("ko", "2026년 9월 9일", "2026-09-09"),
        ("ko", "2026. 9. 9.", "2026-09-09"),
        ("he", "9 בספטמבר 2026", "2026-09-09"),
        ("he", "יום רביעי, 9 בספטמבר 2026", "2026-09-09"),
        ("hi", "9 सितंबर 2026", "2026-09-09"),
        ("hi", "९ सितंबर २०२६", "2026-09-09"),
        ("hu", "2026. szeptember 9.", "2026-09-09"),
        ("fi", "9. syyskuuta 2026", "2026-09-09"),
        ("el", "9 Σεπτεμβρίου 2026", "2026-09-09"),
        ("el", "9 Σεπ 2026", "2026-09-09"),
        ("cs", "9. září 2026", "2026-09-09"),
        ("cs", "9. 9. 2026", "2026-09-09"),
        ("cs", "1. listopadu 2026", "2026-11-01"),
        ("cs", "1. listopad 2026", "2026-11-01"),
        ("hr", "1. listopada 2026.", "2026-10-01"),
        ("ar", "9 سبتمبر 2026", "2026-09-09"),
        ("ar", "٩ سبتمبر، ٢٠٢٦", "2026-09-09"),
        ("ar", "9 أيلول 2026", "2026-09-09"),
        ("ar", "٢٧ ربيع الأول ١٤٤٨ هـ", "2026-09-09"),
        ("ar-SA", "27/3/1448", "2026-09-09"),
        ("am", "4 መስከረም 2019", "2026-09-14"),
        ("am", "መስከረም 4 ቀን 2019", "2026-09-14"),
        ("lv", "2026. gada 9. septembris", "2026-09-09"),
        ("lt", "2026 m. rugsėjo 9 d.", "2026-09-09"),
        ("mn", "2026 оны 9-р сарын 9", "2026-09-09"),
        ("mn", "2026 оны есдүгээр сарын 9", "2026-09-09"),
        ("ca", "9 de setembre del 2026", "2026-09-09"),
        ("ca", "9 d’abril de 2026", "2026-04-09"),
        ("pt", "9 de setembro de 2026", "2026-09-09"),
        ("id", "9 September 2026", "2026-09-09"),
        ("sw", "9 Septemba 2026", "2026-09-09"),
        ("uk", "9 вересня 2026 р.", "2026-09-09"),
        ("bg", "9 септември 2026 г.", "2026-09-09"),
        ("ru", "9 сентября 2026 г.", "2026-09-09"),
        ("ne", "2026 सेप्टेम्बर 9", "2026-09-09"),
        ("my", "၂၀၂၆၊ စက်တင်ဘာ ၉", "2026-09-09"),
        ("km", "៩ កញ្ញា ២០២៦", "2026-09-09"),
        ("lo", "9 ກັນຍາ 2026", "2026-09-09"),
        ("si", "2026 සැප්තැම්බර් 9", "2026-09-09"),
        ("ml", "2026, സെപ്റ്റംബർ 9", "2026-09-09"),
        ("te", "9 సెప్టెంబర్, 2026", "2026-09-09"),
        ("en-US", "3/4/2026", "2026-03-04"),
        ("en-GB", "3/4/2026", "2026-04-03"),
        ("en-FR", "3/4/2026", "2026-04-03"),
        ("de", "3.4.2026", "2026-04-03"),
        ("ja", "3/4/2026", nil),
        ("sv", "9 september 2026", "2026-09-09"),
        ("he", "27 באלול 5786", "2026-09-09"),
        ("en", "27 Elul 5786", "2026-09-09"),
        ("en", "in 2019 may 12 of them return", nil),
        ("en", "In 2019, 12 March hares were seen", nil),
        ("en", "Prices from 12.99 to 2026.50", nil),
        ("en", "Version 9.9.2026.1", nil),
        ("en", "scored 3-2 in 2026", nil),
        ("en", "Bolts M 12, 2026 pieces", nil),
        ("en", "12 a 2026 b", nil),
        ("vi", "có 12 tháng 2026", nil),
        ("ko", "9월 9일", nil),
        ("zh", "共有9月2026", nil),
    ]

    @Test(arguments: cases) func `a day is read as the page's language writes it`(
        language: String, text: String, day: String?
    ) {
        #expect(self.day(text, language) == day)
    }

    @Test func `what a language does not say is not read`() {
        #expect(WrittenDay.all(in: Array("3/4/2026".utf8), as: .unknown).isEmpty)
        #expect(WrittenDay.all(in: Array("1 listopad 2026".utf8), as: .unknown).isEmpty)
        #expect(WrittenDay.all(in: Array("23/4/2026, 4/4/2026, 3.4.2026".utf8), as: .unknown).count == 3)
    }

    /// Languages of most pages, in which every form must be read.
    private static let languages = """
        af ar az be bg bn bs ca cs cy da de dsb el en es et eu fa fi fil fo fr fy ga gd gl gsw gu ha he hi hr hsb hu hy id \
        ig is it ja ka kk km kn ko ky lb lo lt lv mg mk ml mn mr ms mt my nb ne nl nn no or pa pl pt ro ru sd sd_Arab si sk \
        sl sq sr sr_Latn sv sw ta te tg th tk to tr tt uk ur uz vi wo xh yi zh zh_Hant zu
        """

    private static let forms: [@Sendable (DateFormatter) -> Void] = [
        { $0.dateStyle = .full }, { $0.dateStyle = .long }, { $0.dateStyle = .medium },
        { $0.setLocalizedDateFormatFromTemplate("yMMMMd") }, { $0.setLocalizedDateFormatFromTemplate("yMMMd") },
    ]

    @Test(arguments: languages.split(separator: " ").map(String.init))
    func `Foundation's days are read in every form and month`(language: String) throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        for set in Self.forms {
            let formatter = DateFormatter()
            formatter.locale = Locale(identifier: language)
            formatter.timeZone = .gmt
            set(formatter)
            for month in 1...12 {
                let date = try #require(calendar.date(from: DateComponents(year: 2026, month: month, day: month + 7)))
                let text = formatter.string(from: date)
                #expect(day(text, language.replacing("_", with: "-")) == InternetTime.day(date), "\(text)")
            }
        }
    }

    /// Numbers as prose has them, which are no days.
    @Test(arguments: languages.split(separator: " ").map(String.init))
    func `prose with numbers names no day`(language: String) {
        var number = 7
        func next(_ limit: Int) -> Int {
            number = (number * 1_103 + 12_345) % 65_537
            return number % limit + 1
        }
        for _ in 0..<40 {
            let (a, b, c, year) = (next(28), next(12), next(99), 2_000 + next(26))
            for text in [
                "\(a).\(c) – \(year).\(c)", "\(a):\(b) (\(year))", "v\(a).\(b).\(year).\(c)", "\(a)–\(b), \(year)",
                "\(year)–\(year + 1)", "\(a)/\(b)", "\(b)/\(year)", "\(a) % / \(year)", "\(a) × \(b) × \(year)",
                "$\(a),\(year)", "+49 \(a) \(b) \(year)", "192.168.\(b).\(a)", "\(a) kg, \(b) m, \(year) km",
                "№ \(a)-\(year)",
                "\(year) (\(a))", "\(a) € \(b) \(year)", "\(year)\(b)\(a)7", "ISBN 978-\(a)-\(year)-\(b)-\(c)",
            ] {
                #expect(day(text, language) == nil, "\(text)")
            }
        }
    }
}
