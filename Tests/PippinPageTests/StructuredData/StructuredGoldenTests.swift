import Foundation
import PippinTestSupport
import Testing

@testable import PippinPage

/// Pairs of a page and its structured data: `Fixtures/<syntax>/<name>.html` and `.json`. The page lies at
/// `https://example.org/dir/page.html`. A missing `.json` is written and fails the test, to be read and kept.
@Suite struct StructuredGoldenTests {
    @Test func `JSON-LD reads as its pairs say`() throws {
        try check("json-ld") { document, baseURL in
            let found = JSONLD(document, baseURL: baseURL)
            return ["documents": found.json, "items": items(found.structuredData), "notes": notes(found.notes)]
        }
    }

    @Test func `microdata reads as its pairs say`() throws {
        try check("microdata") { document, baseURL in
            let found = Microdata(document, baseURL: baseURL)
            return [
                "json": found.json, "nquads": lines(found.nquads), "items": items(found.structuredData),
                "notes": notes(found.notes),
            ]
        }
    }

    @Test func `RDFa reads as its pairs say`() throws {
        try check("rdfa") { document, baseURL in
            let found = RDFa(document, baseURL: baseURL)
            return [
                "json": found.json, "nquads": lines(found.nquads), "items": items(found.structuredData),
                "notes": notes(found.notes),
            ]
        }
    }

    // MARK: Reading a pair

    private func check(_ folder: String, _ read: (HTMLDocument, WebURL) throws -> JSONValue) throws {
        let pages = try FileManager.default.contentsOfDirectory(
            at: Fixtures.folder(folder), includingPropertiesForKeys: nil
        ).filter { $0.pathExtension == "html" }
        #expect(pages.count >= 8, "\(folder) has too few pairs")
        let pageURL = try #require(WebURL("https://example.org/dir/page.html"))
        for page in pages.sorted(by: { $0.path < $1.path }) {
            let document = HTMLDocument(utf8: [UInt8](try Data(contentsOf: page)))
            let found = try read(document, document.baseURL(pageURL: pageURL))
            let file = page.deletingPathExtension().appendingPathExtension("json")
            guard FileManager.default.fileExists(atPath: file.path) else {
                try Data(found.bytes(pretty: true) + [0x0A]).write(to: file)
                Issue.record("\(folder)/\(file.lastPathComponent) was missing; read what has been written")
                continue
            }
            var parser = JSONParser()
            let expected = try parser.parse([UInt8](try Data(contentsOf: file)))
            let difference =
                expected == found ? "" : Self.difference(expected.text(pretty: true), found.text(pretty: true))
            #expect(difference.isEmpty, "\(folder)/\(file.lastPathComponent)\n\(difference)")
        }
    }

    /// The lines that only one of the texts has.
    private static func difference(_ expected: String, _ found: String) -> String {
        let wanted = expected.split(separator: "\n")
        let got = found.split(separator: "\n")
        let missing = wanted.filter { !got.contains($0) }.map { "- " + $0 }
        let extra = got.filter { !wanted.contains($0) }.map { "+ " + $0 }
        return missing.isEmpty && extra.isEmpty ? "the order differs" : (missing + extra).joined(separator: "\n")
    }

    // MARK: Forms for comparison

    private func notes(_ notes: [ParseNote]) -> JSONValue {
        .array(notes.map { .string("\($0.code.rawValue):\($0.line ?? 0):\($0.column ?? 0)") })
    }

    private func lines(_ nquads: [UInt8]) -> JSONValue {
        .array(String(decoding: nquads, as: UTF8.self).split(separator: "\n").map { .string(String($0)) })
    }

    /// `name: value` lines; `#2` is the item of that index, `<…>` a URL, `@en` a language.
    private func items(_ data: StructuredData) -> JSONValue {
        .array(
            data.items.map { item in
                var object: JSONObject = ["types": .string(item.types.joined(separator: " "))]
                if let id = item.id { object["id"] = .string(id) }
                if !item.isTopLevel { object["inside"] = true }
                object["properties"] = .array(
                    item.properties.map { property in
                        switch property.value {
                        case .text(let text, let language):
                            .string("\(property.name): \(text)\(language.map { " @\($0)" } ?? "")")
                        case .number(let text): .string("\(property.name): \(text)")
                        case .url(let url): .string("\(property.name): <\(url)>")
                        case .item(let index): .string("\(property.name): #\(index)")
                        }
                    })
                return .object(object)
            })
    }
}
