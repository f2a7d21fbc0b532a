import PippinPage
import Testing

@testable import PippinCrawl

/// `extract.fields` in the configuration.
@Suite struct CustomFieldsReadingTests {
    private func read(_ fields: String) throws -> [CustomField] {
        try CrawlConfiguration(yaml: "extract:\n  fields:\n    \(fields)\n", file: "crawl-config.yaml").fields
    }

    @Test func `a field has a query, a type, and whether all values are taken`() throws {
        let fields = try read(
            """
            stock: { selector: "#buy .stock" }
                pages: { path: "$.jsonLD[?@['@type']=='Book'].numberOfPages", type: integer }
                build: { selector: script#__NEXT_DATA__, path: $.props.build, type: text }
                pictures: { selector: figure img, attribute: SRC, type: url, all: true }
            """)
        #expect(fields.map(\.name) == ["stock", "pages", "build", "pictures"])
        #expect(fields[0].query.selector?.text == "#buy .stock")
        #expect(fields.map(\.kind) == [.text, .integer, .text, .url])
        #expect(fields[2].query.path?.text == "$.props.build")
        #expect(fields[3].query.attribute == "src")
        #expect(fields.map(\.isList) == [false, false, false, true])
    }

    @Test(arguments: [
        (
            "a: { selector: \"li:fist-child\" }",
            "crawl-config.yaml:3:20: extract.fields.a.selector: :fist-child is not known; did you mean :first-child? "
                + "(character 3)"
        ),
        (
            "a: { path: \"x\" }",
            "crawl-config.yaml:3:16: extract.fields.a.path: a query begins with $, the whole document (character 1)"
        ),
        (
            "a: { selektor: b }",
            "crawl-config.yaml:3:10: unknown key \"selektor\" in extract.fields.a; did you mean \"selector\"?"
        ),
        (
            "a: { type: number }",
            "crawl-config.yaml:3:8: extract.fields.a: needs a selector or a path, which say where the value stands"
        ),
        (
            "a: { path: $.a, attribute: id }",
            "crawl-config.yaml:3:32: extract.fields.a.attribute: needs a selector, which says on which elements"
        ),
        (
            "a: { selector: b, type: numbr }",
            "crawl-config.yaml:3:29: extract.fields.a.type: expected one of text, number, integer, boolean, url, date, "
                + "found \"numbr\"; did you mean \"number\"?"
        ),
        (
            "1a: { selector: b }",
            "crawl-config.yaml:3:9: extract.fields.1a: \"1a\" is no name of a field: a letter, then letters, digits, _ and "
                + "-, 64 at most"
        ),
    ]) func `a mistake is named with its place`(yaml: String, message: String) {
        #expect { try read(yaml) } throws: { "\($0)" == message }
    }

    @Test func `fields are bounded in number`() throws {
        let many = (0...50).map { "f\($0): { selector: b }" }.joined(separator: "\n    ")
        #expect { try read(many) } throws: { "\($0)".hasSuffix("extract.fields: has 51 fields; 50 are the most") }
    }
}
