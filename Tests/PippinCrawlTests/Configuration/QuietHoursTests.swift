import Foundation
import Testing

@testable import PippinCrawl

@Suite struct QuietHoursTests {
    private func hours(_ texts: String...) throws -> QuietHours {
        guard case .hours(let hours) = QuietHours.parse(texts) else {
            throw ConfigurationError(file: "", problem: "no hours")
        }
        return hours
    }

    private func date(_ text: String) throws -> Date {
        try Date(text, strategy: .iso8601)
    }

    @Test func `a period may reach over midnight`() throws {
        let hours = try hours("22:00-06:00")
        #expect(try hours.end(at: date("2026-03-03T21:59:59Z")) == nil)
        #expect(try hours.end(at: date("2026-03-03T22:00:00Z")) == date("2026-03-04T06:00:00Z"))
        #expect(try hours.end(at: date("2026-03-04T05:59:59Z")) == date("2026-03-04T06:00:00Z"))
        #expect(try hours.end(at: date("2026-03-04T06:00:00Z")) == nil)
    }

    @Test func `days name the day on which a period begins`() throws {
        let hours = try hours("Fri 20:00-04:00", "Sat,Sun 00:00-24:00")
        // 2026-03-06 is a Friday; the three periods adjoin.
        #expect(try hours.end(at: date("2026-03-06T19:00:00Z")) == nil)
        #expect(try hours.end(at: date("2026-03-06T21:00:00Z")) == date("2026-03-09T00:00:00Z"))
        #expect(try self.hours("Fri-Mon 08:00-09:00").contains(date("2026-03-09T08:30:00Z")))
        #expect(try !self.hours("Fri-Mon 08:00-09:00").contains(date("2026-03-10T08:30:00Z")))
    }

    @Test func `a zone's clock counts, also when it is changed at night`() throws {
        let hours = try hours("22:00-06:00 Europe/Berlin")
        #expect(try hours.end(at: date("2026-01-10T21:30:00Z")) == date("2026-01-11T05:00:00Z"))
        #expect(try hours.end(at: date("2026-07-10T20:30:00Z")) == date("2026-07-11T04:00:00Z"))
        // 29 March 2026: 02:00 becomes 03:00. 25 October 2026: 03:00 becomes 02:00.
        #expect(try hours.end(at: date("2026-03-28T22:00:00Z")) == date("2026-03-29T04:00:00Z"))
        #expect(try hours.end(at: date("2026-10-24T22:00:00Z")) == date("2026-10-25T05:00:00Z"))
    }

    @Test func `the end is always the first moment that is not quiet`() throws {
        let hours = try hours(
            "01:30-02:30 Europe/Berlin", "Sun 02:30-03:15 Europe/Berlin", "23:00-24:00 America/New_York")
        for start in ["2026-03-28T20:00:00Z", "2026-10-24T20:00:00Z"] {
            let start = try date(start)
            for minute in 0..<(12 * 60) {
                let moment = start.addingTimeInterval(Double(minute) * 60)
                guard let end = hours.end(at: moment) else {
                    #expect(!hours.contains(moment))
                    continue
                }
                #expect(hours.contains(moment) && !hours.contains(end))
                let between = stride(from: moment, to: end, by: 60)
                #expect(between.allSatisfy { hours.contains($0) }, "\(moment) to \(end)")
            }
        }
    }

    @Test(arguments: [
        ("22:00", "expected hours like 22:00-06:00, found \"22:00\""),
        ("22-06", "expected hours like 22:00-06:00, found \"22-06\""),
        ("24:00-06:00", "expected hours like 22:00-06:00, found \"24:00-06:00\""),
        ("22:00-22:00", "\"22:00-22:00\" begins when it ends; a whole day is 00:00-24:00"),
        ("22:00-06:00 Berlin", "\"Berlin\" is no time zone; write a name like Europe/Berlin or UTC"),
        ("Mo 22:00-06:00", "\"Mo\" are no days; write Mon, Mon-Fri or Sat,Sun"),
        (
            "22:00-06:00 Europe/Berlin x",
            "expected hours like 22:00-06:00 Europe/Berlin, found \"22:00-06:00 Europe/Berlin x\""
        ),
        ("", "expected hours like 22:00-06:00 Europe/Berlin, found \"\""),
        ("00:00-24:00", "these hours leave no time to crawl"),
    ])
    func `what is wrong is said`(text: String, problem: String) {
        #expect(QuietHours.parse([text]) == .malformed(problem))
    }
}
