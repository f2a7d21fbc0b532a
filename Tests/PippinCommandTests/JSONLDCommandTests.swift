import Foundation
import PippinTestSupport
import Testing

@Suite struct JSONLDCommandTests {
    @Test func `a document with a local context is expanded and turned into statements`() async throws {
        let folder = try ScratchFolder()
        try folder.write(##"{"@context": "terms.jsonld", "@id": "#me", "nick": "Ida"}"##, to: "card.jsonld")
        try folder.write(#"{"@context": {"nick": "http://example.org/vocab#nick"}}"#, to: "terms.jsonld")
        try folder.write(#"{"https://example.org/terms.jsonld": "terms.jsonld"}"#, to: "map.json")
        let options = "--url https://example.org/card --documents map.json"
        let expanded = try await PippinProcess.run("pippin json-ld expand card.jsonld \(options)", in: folder.url)
        #expect(expanded.status == 0, "\(expanded.errors)")
        #expect(expanded.output.contains("\"http://example.org/vocab#nick\": ["))
        let statements = try await PippinProcess.run(
            "pippin json-ld to-rdf - \(options) < card.jsonld", in: folder.url)
        #expect(
            statements.output == "<https://example.org/card#me> <http://example.org/vocab#nick> \"Ida\" .\n",
            "\(statements.errors)")
    }

    @Test func `the code of an error comes first, then a sentence with the place`() async throws {
        let folder = try ScratchFolder()
        try folder.write(#"{"@context": {"a": "http://example.org/a"}, "a": [{"@id": 5}]}"#, to: "bad.jsonld")
        let run = try await PippinProcess.run(
            "pippin json-ld expand bad.jsonld --url https://example.org/", in: folder.url)
        #expect(run.status == 1)
        #expect(run.errors.hasPrefix("invalid @id value: "), "\(run.errors)")
        #expect(run.errors.contains("/a/0/@id"), "\(run.errors)")
        #expect(run.output.isEmpty)
    }

    @Test func `scripts of a page are chosen by number and by fragment`() async throws {
        let folder = try ScratchFolder()
        let type = "type='application/ld+json'"
        try folder.write(
            """
            <base href='/shop/'><script \(type)>{"@context":"https://schema.org","@id":"a","name":"A"}</script>
            <script \(type) id=second>{"@context":"https://schema.org","@id":"b","name":"B"}</script>
            """, to: "page.html")
        let url = "--url https://example.org/page"
        let first = try await PippinProcess.run("pippin json-ld expand page.html \(url)", in: folder.url)
        #expect(first.output.contains("https://example.org/shop/a"), "\(first.errors)")
        #expect(!first.output.contains("\"B\""))
        let second = try await PippinProcess.run("pippin json-ld expand page.html \(url)#second", in: folder.url)
        #expect(second.output.contains("https://example.org/shop/b"), "\(second.errors)")
        let all = try await PippinProcess.run("pippin json-ld to-rdf page.html \(url)", in: folder.url)
        #expect(all.output.split(separator: "\n").count == 2)
        let none = try await PippinProcess.run("pippin json-ld to-rdf page.html \(url)#third", in: folder.url)
        #expect(none.status == 1)
        #expect(none.errors.hasPrefix("loading document failed"))
    }

    @Test func `the statements of a page's scripts are extracted, each script by itself`() async throws {
        let folder = try ScratchFolder()
        let type = "type='application/ld+json'"
        try folder.write(
            """
            <script \(type)>{"@context":"https://schema.org","@id":"_:x","name":"A"}</script>
            <script \(type)>{"@context":"https://schema.org","@id":5,"name":"lost"}</script>
            <script \(type)>{"@context":"https://schema.org","@id":"_:x","name":"B"}</script>
            """, to: "page.html")
        let run = try await PippinProcess.run(
            "pippin extract page.html --url https://example.org/ --syntax json-ld --format nquads", in: folder.url)
        #expect(run.status == 0, "\(run.errors)")
        #expect(
            run.output == """
                _:b0 <http://schema.org/name> "A" .
                _:b1 <http://schema.org/name> "B" .

                """)
    }
}
