import Foundation
import PippinTestSupport
import Testing

@testable import PippinPage

/// The report card leads its reader to the place of every slip; a note without one is a finding nobody can act on.
@Suite struct NotePlaceTests {
    /// Notes on a page as a whole, or on what came with it: no line of the page is to blame.
    private static let ofTheWholePage: Set<String> = [
        "charset-conflict", "charset-overruled", "charset-unknown", "page-too-large", "text-not-decodable",
        "too-many-items", "too-many-links", "notes-left-out",
    ]

    @Test func `Every note on a page says the line and the column`() throws {
        let root = Repository.root
        let pages =
            Self.htmlFiles(in: Fixtures.folder("")) + Self.htmlFiles(in: root.appending(path: "Examples/demo-site"))
        #expect(pages.count > 150)
        var placed: Set<String> = []
        for page in pages {
            let source = PageSource(
                url: try #require(WebURL("https://example.org/\(page.lastPathComponent)")),
                bytes: Array(try Data(contentsOf: page)), fetchedAt: Date(timeIntervalSince1970: 1_800_000_000))
            for note in PageFacts(source).notes where !Self.ofTheWholePage.contains(note.code.rawValue) {
                #expect(note.line != nil && note.column != nil, "\(note.code.rawValue) in \(page.lastPathComponent)")
                placed.insert(note.code.rawValue)
            }
        }
        #expect(placed.count > 60, "the pages show only \(placed.sorted())")
    }

    @Test func `codes are written in kebab case, and the fixtures give many of them`() throws {
        let root = Fixtures.folder("")
        let files = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)
        let now = Date(timeIntervalSince1970: 1_795_000_000)
        var codes: Set<ParseNote.Code> = []
        while let file = files?.nextObject() as? URL {
            guard file.pathExtension == "html", let url = WebURL("https://fixture.example/page") else { continue }
            let source = PageSource(url: url, bytes: [UInt8](try Data(contentsOf: file)), fetchedAt: now)
            let facts = PageFacts(source)
            codes.formUnion(facts.notes.map(\.code))
            if case .record(_, let notes) = RecordBuilder.conclusion(from: facts, now: now) {
                codes.formUnion(notes.map(\.code))
            }
        }
        #expect(codes.count > 50)
        for code in codes { #expect(code.rawValue.wholeMatch(of: /[a-z0-9]+(-[a-z0-9]+)+/) != nil, "\(code)") }
    }

    private static func htmlFiles(in folder: URL) -> [URL] {
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        return (files?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "html" }
    }
}
