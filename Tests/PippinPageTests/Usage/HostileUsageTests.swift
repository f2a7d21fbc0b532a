import Foundation
import PippinTestSupport
import Testing

@testable import PippinPage

/// Words about use as nobody should write them: read within bounds, and never a permission that nobody gave.
@Suite struct HostileUsageTests {
    private let page = WebURL("https://h.example/p")!
    private let now = Date(timeIntervalSince1970: 1_795_000_000)

    private func usage(_ headers: [(String, String)], html: String = "<p>x") -> (usage: PageUsage, notes: [ParseNote]) {
        var notes: [ParseNote] = []
        let source = PageSource(
            url: page, headers: HTTPHeaders(headers), bytes: Array(html.utf8), fetchedAt: now)
        let usage = PageUsage(PageFacts(source), now: now, notes: &notes)
        return (usage, notes)
    }

    /// Each of these has one letter of a good field changed, taken out or put in.
    @Test func `damaged dictionaries never grant more than the whole one`() {
        var random = FixedRandom(seed: 7)
        let good = Array("search=n, ai-use=n;a=\"b\", train-ai=n".utf8)
        let letters = Array("ny=,;\" ()?:@%*A\\\t\u{e9}".utf8)
        for _ in 0..<5_000 {
            var field = good
            for _ in 0..<Int(random.next() % 3) + 1 {
                let place = Int(random.next() % UInt64(field.count))
                switch random.next() % 3 {
                case 0: field.remove(at: place)
                case 1: field.insert(letters[Int(random.next() % UInt64(letters.count))], at: place)
                default: field[place] = letters[Int(random.next() % UInt64(letters.count))]
                }
            }
            let text = String(decoding: field, as: UTF8.self)
            for (use, isAllowed) in UsageWords.contentUsage(field).preferences where isAllowed {
                // Only a letter y that is really there, as a whole value, grants.
                let label = ["search": "search", "ai-input": "ai-use", "ai-train": "train-ai"][use.rawValue] ?? ""
                #expect(text.contains("\(label)=y"), "\(text)")
            }
        }
    }

    @Test func `a header of a megabyte says nothing, and is told`() {
        for field in [
            String(repeating: "a=y,", count: 250_000) + "train-ai=y", String(repeating: "(", count: 1_000_000),
            "train-ai=y;" + String(repeating: "a;", count: 500_000),
            "train-ai=\"" + String(repeating: "\\\"", count: 500_000),
        ] {
            let found = usage([("Content-Usage", field)])
            #expect(found.usage.preferences[.aiTrain] == nil)
            #expect(found.notes.map(\.code) == [.usage(.headerUnreadable)])
            #expect(found.notes.allSatisfy { $0.message.utf8.count < 1_000 })
        }
    }

    @Test func `thousands of fields are one list, and one bad among them spoils it`() {
        let many = (0..<500).map { ("Content-Usage", "k\($0)=y") }
        #expect(usage(many + [("Content-Usage", "train-ai=n")]).usage.preferences[.aiTrain]?.isAllowed == false)
        #expect(usage(many + [("Content-Usage", "train-ai=y"), ("content-usage", "!")]).usage.preferences.isEmpty)
        #expect(usage((0..<5_000).map { ("tdm-reservation", "\($0 % 2)") }).usage.reservation?.isReserved == true)
    }

    @Test func `what a record keeps is bounded, whatever is written`() {
        let long = String(repeating: "\u{301}x", count: 100_000)
        let links = (0..<5_000).map {
            "<link rel=license type='application/rsl+xml' href='/\($0)'>"
        }.joined()
        let found = usage(
            [("tdm-reservation", "1"), ("tdm-policy", long), ("Content-Usage", "train-ai=n, x=\"" + "y" + "\"")],
            html: "<meta name=robots content='max-snippet:0'>" + links)
        #expect(found.usage.licenses.count == PageUsage.maximumLicenses)
        var writer = JSONWriter()
        writer.object { found.usage.write(to: &$0) }
        #expect(writer.bytes.count < 20_000)
        #expect(found.usage.reservation.map { ($0.policy ?? "").unicodeScalars.count <= 200 } == true)
    }

    @Test func `files of reservations are read within bounds`() {
        func file(_ text: String) -> TDMReservationFile {
            TDMReservationFile(bytes: Array(text.utf8), url: page)
        }
        let stars = "/" + String(repeating: "*a", count: 900)
        let many = file(
            "[" + (0..<5_000).map { "{\"location\":\"/x\($0)*\",\"tdm-reservation\":0}" }.joined(separator: ",")
                + ",{\"location\":\"/\",\"tdm-reservation\":1}]")
        #expect(many.reservation(for: page) == nil)
        #expect(many.notes.map(\.code) == [.usage(.reservationFileUnreadable)])
        let deep = WebURL("https://h.example/" + String(repeating: "a", count: 2_000) + "b")!
        #expect(file("[{\"location\":\"\(stars)$\",\"tdm-reservation\":1}]").reservation(for: deep) == nil)
        for text in [
            "", "[", "null", "7", "\"x\"", "[[]]", "[{}]", "[null]", "{\"location\":[]}",
            String(repeating: "[", count: 100_000), String(repeating: " ", count: 600_000),
            "[{\"location\":\"/\",\"tdm-reservation\":1e400}]", "[{\"location\":\"p\",\"tdm-reservation\":1}]",
        ] {
            #expect(file(text).reservation(for: page) == nil, "\(text.prefix(40))")
            #expect(!file(text).notes.isEmpty, "\(text.prefix(40))")
        }
    }

    @Test func `licences are read within bounds, and only whole`() {
        let start = "<rsl xmlns=\"https://rslstandard.org/rsl\"><content url=\"/\"><license>"
        let end = "</license></content></rsl>"
        let all = "<permits type=\"usage\">all</permits>"
        func said(_ text: String) -> [UsageStatement] {
            RSLDocument(bytes: Array(text.utf8), url: page).statements(for: page)
        }
        #expect(said(start + all + end).count == 4)
        let bombs = [
            "<!DOCTYPE rsl [<!ENTITY a \"all\"><!ENTITY b \"&a;&a;&a;&a;\">]>" + start
                + "<permits type=\"usage\">&b;</permits>" + end,
            "<!DOCTYPE rsl SYSTEM \"file:///etc/passwd\">" + start + all + end,
            start + "<permits type=\"usage\">&nbsp;all</permits>" + end,
            start + all + String(repeating: "<x>", count: 20_000),
            start + all + String(repeating: "<x/>", count: 20_000) + end,
            start + all + "<x " + (0..<5_000).map { "a\($0)='' " }.joined() + "/>" + end + "x",
            start + "<permits type=\"usage\">all" + String(repeating: " x", count: 5_000) + "</permits>" + end,
            start + all + end + String(repeating: " ", count: 200_000), start + all,
            String((start + all + end).dropLast()),
            start + all + "</license></content></rsl><rsl/>", "\u{0}" + start + all + end, "", "<", "<html>",
            start.replacing("rslstandard.org", with: "rslstandard.com") + all + end,
        ]
        for bomb in bombs { #expect(said(bomb).isEmpty, "\(bomb.prefix(80)) … \(bomb.count)") }
        let notes = RSLDocument(bytes: Array(bombs[0].utf8), url: page).notes
        #expect(notes.map(\.code) == [.usage(.licenseUnreadable)])
        let patterns = (0..<4_000).map { "<content url=\"/\($0)*\"/>" }.joined()
        #expect(said("<rsl xmlns=\"https://rslstandard.org/rsl\">" + patterns + "</rsl>").isEmpty)
    }
}
