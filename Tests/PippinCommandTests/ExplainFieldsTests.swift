import Foundation
import PippinTestSupport
import Testing

/// `pippin extract --explain-fields` and the fields in what it prints.
@Suite(.slow) struct ExplainFieldsTests {
    private static let page = """
        <!DOCTYPE html><html lang=en><title>Pear</title><h1>Pear</h1>
        <p class=price>12.50</p>
        <p class=price>on \u{1B}[mrequest</p>
        """

    private static let configuration = """
        extract:
          fields:
            price: { selector: .price, type: number }
            stock: { selector: .stock }
            prices: { selector: .price, type: number, all: true }
        """

    @Test func `each field is shown with its value, its places, and why it has no more`() async throws {
        let scratch = try ScratchFolder()
        try Self.page.write(to: scratch.url.appending(path: "a.html"), atomically: true, encoding: .utf8)
        try Self.configuration.write(to: scratch.url.appending(path: "c.yaml"), atomically: true, encoding: .utf8)
        let run = try await PippinProcess.run(
            "pippin extract a.html -u https://e.example/ -c c.yaml --explain-fields", in: scratch.url)
        #expect(run.status == 0, "\(run.errors)")
        #expect(
            run.output == """
                price (number): 12.5
                  line 2: 12.50 → 12.5
                  line 3: on [mrequest: the first value counts; all: true takes a list
                stock (text): No value: no element of the page matches.
                prices (all, number): 12.5
                  line 2: 12.50 → 12.5
                  line 3: on [mrequest: it is not a number

                """)
        let whole = try await PippinProcess.run(
            "pippin extract a.html -u https://e.example/ -c c.yaml | jq -c .record.custom", in: scratch.url)
        #expect(whole.output == "{\"price\":12.5,\"prices\":[12.5]}\n")
    }

    @Test func `a configuration without fields, or a broken selector in it, is an error with its place`() async throws {
        let scratch = try ScratchFolder()
        try Self.page.write(to: scratch.url.appending(path: "a.html"), atomically: true, encoding: .utf8)
        for (yaml, message) in [
            ("records: all", "pippin: c.yaml: there are no extract.fields to explain\n"),
            (
                "extract: { fields: { a: { selector: \"b >\" } } }",
                "pippin: c.yaml:1:37: extract.fields.a.selector: expected a selector, found the end (character 4)\n"
            ),
        ] {
            try yaml.write(to: scratch.url.appending(path: "c.yaml"), atomically: true, encoding: .utf8)
            let run = try await PippinProcess.run(
                "pippin extract a.html -u https://e.example/ -c c.yaml --explain-fields", in: scratch.url)
            #expect(run.status == 2)
            #expect(run.errors == message)
        }
    }
}
