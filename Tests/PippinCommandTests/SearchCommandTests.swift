import Foundation
import PippinTestSupport
import Testing

@testable import PippinPage
@testable import PippinStore
@testable import pippin

/// `pippin search` and `pippin index` on storages that real crawls have made.
@Suite(.slow) struct SearchCommandTests {
    private func crawled(_ folder: borrowing ScratchFolder, output: String = "") async throws -> ChangingSite {
        let site = try ChangingSite()
        try site.writeJob(in: folder, output: output)
        site.show([1: "Blue mug", 2: "Red mug", 3: "Teapot"], linking: 1...5)
        site.add(
            "/4",
            """
            <title>Apple pie</title><meta name=description content="A pie for people who like apples, with cinnamon and cream.">
            <script type="application/ld+json">{"@context":"https://schema.org","@type":"Product","name":"Apple pie",
            "aggregateRating":{"ratingValue":4.5,"reviewCount":12},
            "offers":{"price":"3.50","priceCurrency":"EUR"}}</script>
            """)
        try await crawl(folder)
        return site
    }

    @Test func `any numbers of a rating are shown`() throws {
        for rating in [
            #"{"value":-1,"best":1e-99}"#, #"{"value":-999999999999999999,"best":0.01}"#, #"{"value":9,"best":0}"#,
        ] {
            var parser = JSONParser()
            let record = try parser.parse(
                Array(#"{"title":"Mug","url":"https://a.example/","rating":\#(rating)}"#.utf8))
            let text = HighlightedText(pieces: [HighlightedText.Piece(text: "Mug", isMatch: false)])
            let hit = SearchHit(
                identifier: "https://a.example/", record: record, title: text, snippet: text, score: 1, parts: [])
            let results = SearchResults(
                hits: [hit], count: 1, isCountExact: true, correctedQuery: nil, didYouMean: nil, notes: [])
            #expect(SearchListing(isColored: false, offset: 0).text(of: results).contains("☆☆☆☆☆"))
        }
    }

    @Test(arguments: [
        (["search", "-sold", "mug"], ["search", "mug", "--", "-sold"]),
        (["search", "-sold mug", "-s", "data", "-l", "5"], ["search", "-s", "data", "-l", "5", "--", "-sold mug"]),
        (["search", "--limt", "mug"], ["search", "--limt", "mug"]), (["search", "mug"], ["search", "mug"]),
        (["search", "-x", "a", "--", "-l"], ["search", "-x", "a", "--", "-l"]),
        (["search", "-sold", "--", "-l"], ["search", "--", "-sold", "-l"]), (["crawl", "-sold"], ["crawl", "-sold"]),
        ([], []),
    ])
    func `an excluded word is no option`(arguments: [String], parsed: [String]) {
        #expect(SearchCommand.withWordsApart(arguments) == parsed)
    }

    private func crawl(_ folder: borrowing ScratchFolder) async throws {
        let run = try await PippinProcess.run("pippin crawl --quiet", in: folder.url)
        #expect(run.status == 0, "\(run.errors)")
    }

    private func identifiers(_ output: String) throws -> [String] {
        var parser = JSONParser()
        return try #require(try parser.parse(output)["hits"]?.array).compactMap { $0["identifier"]?.string }
    }

    @Test func `a search makes the index, finds, and follows later runs`() async throws {
        let folder = try ScratchFolder()
        let site = try await crawled(folder)
        let first = try await PippinProcess.run("pippin search mug --json", in: folder.url)
        #expect(first.status == 0 && first.errors == "", "\(first.errors)")
        #expect(try identifiers(first.output).sorted() == [site.url("/1"), site.url("/2")])
        site.show([1: "Blue mug", 3: "Mug for tea"], linking: 1...5)
        try ChangingSite.letTimePass(in: folder.url)
        try await crawl(folder)
        let second = try await PippinProcess.run("pippin search mug --json", in: folder.url)
        #expect(try identifiers(second.output).sorted() == [site.url("/1"), site.url("/3")])
    }

    @Test func `hits have stars and price, and are explained on request`() async throws {
        let folder = try ScratchFolder()
        let site = try await crawled(folder)
        let plain = try await PippinProcess.run("pippin search apple pies", in: folder.url)
        #expect(plain.status == 0)
        #expect(plain.output.hasPrefix("1. Apple pie\n"))
        for part in [site.url("/4"), "★★★★★ 4.5 (12)", "EUR 3.5", "1–1 of 1 record\n"] {
            #expect(plain.output.contains(part), "\(part) in \(plain.output)")
        }
        // Nothing is painted where nobody looks.
        #expect(!plain.output.contains("\u{1B}") && !plain.output.contains("score"))
        let explained = try await PippinProcess.run("pippin search apple pies --explain", in: folder.url)
        #expect(explained.output.contains("score ") && explained.output.contains("words in the title"))
    }

    @Test func `no hit ends with 1, wrong usage with 2, no storage with 6`() async throws {
        let folder = try ScratchFolder()
        _ = try await crawled(folder)
        let none = try await PippinProcess.run("pippin search xylophone", in: folder.url)
        #expect(none.status == 1 && none.output == "" && none.errors == "Nothing found.\n")
        let empty = try await PippinProcess.run("pippin search xylophone --json", in: folder.url)
        #expect(empty.status == 1)
        #expect(try identifiers(empty.output) == [])
        let misspelled = try await PippinProcess.run("pippin search 'teapto '", in: folder.url)
        #expect(misspelled.errors == "Results for: teapot (--exact searches for the words as they are written)\n")
        #expect(misspelled.status == 0)
        let exact = try await PippinProcess.run("pippin search 'teapto ' --exact", in: folder.url)
        #expect(exact.status == 1 && exact.errors == "Nothing found.\n")
        for wrong in [
            "pippin search", "pippin search x --limit 0", "pippin search x --offset -1", "pippin search x --nope",
        ] {
            #expect(try await PippinProcess.run(wrong, in: folder.url).status == 2, "\(wrong)")
        }
        try folder.write("{\"query\":1}\n", to: "clicks.ndjson")
        let ignored = try await PippinProcess.run("pippin search mug --clicks clicks.ndjson", in: folder.url)
        #expect(
            ignored.errors.contains("clicks.ndjson: 1 line ignored: neither a click nor a list."), "\(ignored.errors)")
        let clicks = try await PippinProcess.run("pippin search mug --clicks none.ndjson", in: folder.url)
        #expect(clicks.status == 2 && clicks.errors.contains("none.ndjson"))
        try folder.write("cup, mug\nalone\n", to: "synonyms.txt")
        let flaw = try await PippinProcess.run("pippin search cup --synonyms synonyms.txt", in: folder.url)
        #expect(flaw.status == 2 && flaw.errors.contains("synonyms.txt:2: has one text only"), "\(flaw.errors)")
        try folder.write("becher => mug\n", to: "synonyms.txt")
        let synonym = try await PippinProcess.run("pippin search becher --synonyms synonyms.txt", in: folder.url)
        #expect(synonym.status == 0 && synonym.output.contains("mug"), "\(synonym.output)")
        let nowhere = try await PippinProcess.run("pippin search mug --storage nowhere", in: folder.url)
        #expect(nowhere.status == 6 && nowhere.errors.contains("nowhere"))
    }

    @Test func `the index is built anew on request, and when it is damaged`() async throws {
        let folder = try ScratchFolder()
        _ = try await crawled(folder)
        let update = try await PippinProcess.run("pippin index update", in: folder.url)
        #expect(
            update.status == 0 && update.errors == "5 changes taken in; the index has 5 records.\n", "\(update.errors)")
        let again = try await PippinProcess.run("pippin index update", in: folder.url)
        #expect(again.errors == "0 changes taken in; the index has 5 records.\n")
        let rebuilt = try await PippinProcess.run("pippin index rebuild", in: folder.url)
        #expect(rebuilt.errors == "5 changes taken in; the index has 5 records.\n")
        try folder.write("not a database at all", to: "storage/search.sqlite")
        let fixed = try await PippinProcess.run("pippin search teapot", in: folder.url)
        #expect(
            fixed.status == 0 && fixed.errors.hasPrefix("The search index is built anew: it is damaged"),
            "\(fixed.errors)")
    }

    @Test func `a job keeps its index up to date when it is told to`() async throws {
        let folder = try ScratchFolder()
        let site = try await crawled(folder, output: "search_index: true")
        // Nobody searched yet.
        #expect(FileManager.default.fileExists(atPath: folder.url.appending(path: "storage/search.sqlite").path))
        let update = try await PippinProcess.run("pippin index update", in: folder.url)
        #expect(update.errors == "0 changes taken in; the index has 5 records.\n", "\(update.errors)")
        _ = site
    }

    @Test func `what a page writes does not reach the terminal`() async throws {
        let folder = try ScratchFolder()
        let site = try ChangingSite()
        try site.writeJob(in: folder)
        site.show([:], linking: 1...1)
        site.add("/1", "<title>mug \u{9B}31m\u{202E}owned\u{1B}[1mbold</title><p>mug \u{1B}]0;x\u{7} text")
        try await crawl(folder)
        let run = try await PippinProcess.run("pippin search owned --explain", in: folder.url)
        let marks = run.output.unicodeScalars.filter {
            $0 != "\n" && ($0.value < 0x20 || $0 == "\u{9B}" || $0 == "\u{202E}")
        }
        #expect(run.status == 0 && marks.isEmpty, "\(run.output.debugDescription)")
    }
}
