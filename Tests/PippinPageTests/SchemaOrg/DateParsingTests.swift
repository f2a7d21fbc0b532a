import Foundation
import Testing

@testable import PippinPage

@Suite struct DateParsingTests {
    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        "6 November 1994 08:49:37", "06 Nov 94 09:49:37 +0100", "Sun, 6 Nov 1994 03:49:37 EST",
        "Nov 6, 1994 08:49:37 UTC", "sun, 06 nov 1994 08:49:37 gmt", "06 Nov 094 08:49:37 XYZ",
    ])
    func `the forms of HTTP and of mail name the same moment`(text: String) {
        #expect(HTTPDate.date(from: text) == Date(timeIntervalSince1970: 784_111_777))
    }

    @Test func `seconds, time and zone may be missing, and years of two digits turn at 70`() {
        #expect(HTTPDate.date(from: "6 Nov 1994 08:49 +0000") == Date(timeIntervalSince1970: 784_111_740))
        #expect(HTTPDate.date(from: "6 Nov 1994") == Date(timeIntervalSince1970: 784_080_000))
        #expect(HTTPDate.date(from: "1 Jan 69") == Date(timeIntervalSince1970: 3_124_224_000))
        #expect(HTTPDate.date(from: "1 Jan 70") == Date(timeIntervalSince1970: 0))
    }

    @Test(arguments: [
        "", "0", "120", "Sun", "30 Feb 2020 10:00:00 GMT", "6 Nov 1994 24:01:00 GMT", "6 Nov 1994 08:61:00", "a b c",
        "6 Nov 1994 08:49:37:12", "99999999999999999999 Nov 1994", "6 6 Nov 1994", "6 Nov 1994 ::", "2020-01-01",
        "----",
        "6 Nov",
    ])
    func `what is no HTTP date is nil`(text: String) {
        #expect(HTTPDate.date(from: text) == nil)
    }

    @Test(arguments: [
        ("1997", 852_076_800.0), ("1997-07", 867_715_200), ("1997-07-16", 869_011_200),
        ("1997-07-16T19:20+01:00", 869_077_200),
        ("1997-07-16T19:20:30Z", 869_080_830), ("1997-07-16T19:20:30.45+01:00", 869_077_230.45),
        ("1997-07-16 19:20:30", 869_080_830), ("1997-07-16 19:20:30 +0100", 869_077_230),
        ("1997-07-16t19:20:30z", 869_080_830),
        ("1997-07-16T19:20:30-02", 869_088_030), ("2000-02-29", 951_782_400), ("1600-01-01", -11_676_096_000),
        ("2016-12-31T23:59:60Z", 1_483_228_800), ("2016-12-31T24:00Z", 1_483_228_800),
    ])
    func `W3C dates are read to their own precision`(text: String, seconds: Double) throws {
        let date = try #require(W3CDateTime.date(from: text))
        #expect(abs(date.timeIntervalSince1970 - seconds) < 0.000_001)
    }

    @Test(arguments: [
        "", "97", "1997-", "1997-7-16", "1997-13", "1997-02-29", "1997-07-16T", "1997-07-16T19", "1997-07-16T19:20:30.",
        "1997-07-16Z", "1997-07-16T19:20:30+1", "1997-07-16 today", "1997-07-16T25:00", "１９９７",
    ])
    func `what is no W3C date is nil`(text: String) {
        #expect(W3CDateTime.date(from: text) == nil)
    }

    @Test(arguments: [
        ("20151031", "2015-10-31"), ("2015-304", "2015-10-31"), ("2015-W44-6", "2015-10-31"),
        ("2015W446", "2015-10-31"), ("2016-366", "2016-12-31"), ("2020-W53-5", "2021-01-01"),
        ("20151031T190000Z", "2015-10-31T19:00:00Z"), ("20151031T1900+0100", "2015-10-31T19:00:00+01:00"),
        ("20151031190000", "2015-10-31T19:00:00"), ("2015304T19", "2015-10-31T19:00:00"),
        ("2015-10-31T19", "2015-10-31T19:00:00"), ("2015-10-31T19.5Z", "2015-10-31T19:30:00Z"),
        ("20151031T190030,5Z", "2015-10-31T19:00:30Z"),
    ])
    func `the other forms of ISO 8601 are read`(text: String, moment: String) {
        #expect(SchemaOrg.moment(text)?.text == moment)
    }

    @Test(arguments: [
        "2015-W44", "2015-366", "2015-000", "2015-W54-1", "2015-W00-1", "2015-W44-8", "20151031T250000Z",
        "20151331T190000Z", "20151031T19000", "20150230T190000Z", "2019-W53-1",
    ])
    func `what is in no form of ISO 8601 is nil`(text: String) {
        #expect(ISO8601Date(Array(text.utf8)) == nil)
    }

    @Test func `a day of the year and of the week is the day of the month that Foundation has`() throws {
        var calendar = Calendar(identifier: .iso8601)
        calendar.timeZone = .gmt
        for day in stride(from: -30_000, to: 60_000, by: 41) {
            let date = Date(timeIntervalSince1970: Double(day) * 86_400)
            func digits(_ value: Int, _ count: Int) -> String {
                String(repeating: "0", count: max(0, count - String(value).count)) + String(value)
            }
            let parts = calendar.dateComponents([.yearForWeekOfYear, .weekOfYear, .weekday, .year], from: date)
            let (weekYear, week) = try (#require(parts.yearForWeekOfYear), #require(parts.weekOfYear))
            let weekday = try (#require(parts.weekday) + 5) % 7 + 1
            let year = try #require(parts.year)
            let ordinal = try #require(calendar.ordinality(of: .day, in: .year, for: date))
            for text in [
                "\(digits(weekYear, 4))-W\(digits(week, 2))-\(weekday)", "\(digits(year, 4))-\(digits(ordinal, 3))",
            ] {
                #expect(ISO8601Date(Array(text.utf8))?.date == date, "\(text)")
            }
        }
    }

    @Test(arguments: [
        ("14 ديسمبر 2015", "2015-12-14"), ("١٤ ديسمبر ٢٠١٥", "2015-12-14"), ("14 كانون الأول 2015", "2015-12-14"),
        ("14 ธันวาคม 2558", "2015-12-14"), ("14 ธ.ค. 2558", "2015-12-14"), ("14 tháng 12, 2015", "2015-12-14"),
        ("14 Desember 2015", "2015-12-14"), ("14 दिसंबर 2015", "2015-12-14"), ("14 דצמבר 2015", "2015-12-14"),
        ("14 dhjetor 2015", "2015-12-14"), ("14. Dezember 2015", "2015-12-14"), ("2558-12-14", "2015-12-14"),
        ("5/6/2015", "2015-06-05"),
    ])
    func `a day in words of any language is read`(text: String, moment: String) {
        #expect(SchemaOrg.moment(text, as: DayStyle(languages: [], order: .dayFirst))?.text == moment)
    }

    @Test func `both agree with Foundation over four centuries`() throws {
        for day in stride(from: -100_000, to: 60_000, by: 37) {
            let date = Date(timeIntervalSince1970: Double(day) * 86_400 + 3_723)
            #expect(W3CDateTime.date(from: date.formatted(.iso8601)) == date)
        }
    }
}
