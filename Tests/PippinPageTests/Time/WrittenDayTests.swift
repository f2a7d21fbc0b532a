import Testing

@testable import PippinPage

/// Days as people write them in a text.
@Suite struct WrittenDayTests {
    private static let style = DayStyle(languages: [], order: .dayFirst)

    @Test(arguments: [
        ("( Ulm, 14 Gennaio 20 )", "2020-01-14"), ("14 January 20 people came", nil), ("15.Jun.19", "2019-06-15"),
        ("Wednesday, October 16, 2019", "2019-10-16"), ("16th of October 2019", "2019-10-16"),
        ("Oct-16-2019", "2019-10-16"),
        ("le 1er mai 2019", "2019-05-01"), ("8. November\u{A0}2021", "2021-11-08"),
        ("il 3 maggio del 2020", "2020-05-03"),
        ("3º de maio de 2020", "2020-05-03"), ("2020. 4. 24.", "2020-04-24"), ("2020/4/24 10:00", "2020-04-24"),
        ("11:25 PM - 10 Jul 2020", "2020-07-10"), ("24-04-2020 21:36:16", "2020-04-24"), ("31.10.23", "2023-10-31"),
        ("كانون الثاني 24, 2020", "2020-01-24"), ("24 كانون الأول 2020", "2020-12-24"), ("２０２０年４月２４日", "2020-04-24"),
        ("2013年09月07日 星期六", "2013-09-07"), ("3月5週二2013", "2013-03-05"), ("3月5日 週二 2013", "2013-03-05"),
        ("5 March, Tuesday, 2013", "2013-03-05"), ("March 5, Tuesday 2013", "2013-03-05"), ("12月5日、2013年に", nil),
        ("192.168.20.15", nil), ("1.2.2015.4", nil), ("14.12", nil), ("Dezember 2015", nil), ("14 Dezember", nil),
        ("99.99.2015", nil), ("2015-02-29", nil), ("12/2015", nil), ("5 May 0015", nil), ("14 de 2015", nil), ("", nil),
        ("0049 731 20152016", nil), ("14.12.20155", nil), ("20.000.000", nil),
    ])
    func `a text names this day`(text: String, day: String?) {
        #expect(WrittenDay.all(in: Array(text.utf8), as: Self.style).first?.text == day)
    }

    @Test func `a text names several`() {
        let text = "Published 4 May 2015, updated 6.5.2015 and 2015-05-07"
        let days = WrittenDay.all(in: Array(text.utf8), as: Self.style)
        #expect(days.map(\.text) == ["2015-05-04", "2015-05-06", "2015-05-07"])
        #expect(days.map { text.utf8.count - $0.range.upperBound } == [33, 15, 0])
    }

    @Test(.slow, .timeLimit(.minutes(1))) func `long texts take no longer than they are`() {
        for text in ["1.", "1 de ", "may ", "1 ", "2015-1-", "١"] {
            let bytes = Array(String(repeating: text, count: 200_000).utf8)
            #expect(WrittenDay.all(in: bytes, as: Self.style).allSatisfy { $0.range.upperBound <= bytes.count })
        }
    }
}
