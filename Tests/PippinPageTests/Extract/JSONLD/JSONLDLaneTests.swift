import Foundation
import PippinTestSupport
import Testing

@testable import PippinPage

/// The fast lane for plain documents of schema.org finds exactly what expansion finds.
@Suite struct JSONLDLaneTests {
    private static func pages(below folder: URL) -> [URL] {
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        return (files?.compactMap { $0 as? URL } ?? [])
            .filter { ["html", "htm", "xhtml"].contains($0.pathExtension) }
            .sorted { $0.path < $1.path }
    }

    private struct Count {
        var scripts = 0
        var plain = 0
        var expanded = 0
        var unknown = 0
        var different = 0
    }

    private func compare(_ files: [URL]) throws -> Count {
        var count = Count()
        let baseURL = try #require(WebURL("https://shop.example/items/page.html"))
        for file in files {
            let page = DecodedDocument(bytes: [UInt8](try Data(contentsOf: file))).document
            let walked = JSONLD(page, baseURL: baseURL)
            guard !walked.documents.isEmpty else { continue }
            for document in walked.documents {
                count.scripts += 1
                switch JSONLDScreening(document).lane {
                case .plain: count.plain += 1
                case .expansion: count.expanded += 1
                case .unknownContexts: count.unknown += 1
                }
            }
            let expanded = JSONLD(page, baseURL: baseURL, expandsAll: true)
            // No plain document fails to expand, which would hide a difference.
            #expect(
                walked.notes.map(\.code.rawValue) == expanded.notes.map(\.code.rawValue), "\(file.lastPathComponent)")
            if let difference = difference(walked.structuredData, expanded.structuredData) {
                count.different += 1
                Issue.record("\(file.lastPathComponent): \(difference)")
            }
        }
        return count
    }

    /// The first difference of two readings.
    private func difference(_ a: StructuredData, _ b: StructuredData) -> String? {
        for (index, (x, y)) in zip(a.items, b.items).enumerated() {
            let (walked, expanded) = (Self.described(x), Self.described(y))
            for (one, other) in zip(walked, expanded) where one != other {
                return "item \(index) \(walked[0]): \(one.prefix(300)) ≠ \(other.prefix(300))"
            }
            if walked.count != expanded.count {
                let more = walked.count > expanded.count ? walked : expanded
                return "item \(index) \(walked[0]): \(walked.count) ≠ \(expanded.count), \(more.last ?? "")"
            }
        }
        return a.items.count == b.items.count ? nil : "\(a.items.count) ≠ \(b.items.count) items"
    }

    private static func described(_ item: StructuredItem) -> [String] {
        ["\(item.types) \(item.id ?? "-") \(item.isTopLevel) \(item.line ?? 0)"]
            + item.properties.map { "\($0.name) = \($0.value)" }
    }

    @Test func `the lanes agree on the demo site and the fixtures`() throws {
        let files =
            Self.pages(below: Repository.root.appending(path: "Examples/demo-site"))
            + Self.pages(below: Repository.root.appending(path: "Tests/PippinPageTests/Fixtures"))
        let count = try compare(files)
        #expect(count.plain >= 10)
        #expect(count.different == 0)
    }

    @Test(.enabled(if: ProcessInfo.processInfo.environment["PIPPIN_PAGES"] != nil))
    func `the lanes agree on a folder of pages`() throws {
        let folder = try #require(ProcessInfo.processInfo.environment["PIPPIN_PAGES"])
        let count = try compare(Self.pages(below: URL(filePath: folder)))
        print(count)
        #expect(count.different == 0)
    }

    @Test(arguments: [
        ##"{"@type":"Product","name":"A","image":"","url":" https://a.example/x ","sameAs":["@shop","//b.example"]}"##,
        ##"{"@type":["Product","http://schema.org/Car"],"offers":{"@type":"Offer","price":5,"availability":"schema:InStock"}}"##,
        ##"{"@graph":[{"@id":"#a","name":"A"},{"@id":"#b","isPartOf":{"@id":"#a"},"image":"#a","url":"#a"}]}"##,
        ##"{"@id":"#a","name":null}"##,
        ##"{"@id":"#a"}"##,
        ##"{}"##,
        ##"{"@id":"x","@graph":[{"name":"A"},{"@graph":[{"name":"B"}],"name":"C"}]}"##,
        ##"{"datePublished":"2026-01-02","name":"A","alternateName":{"@value":"B","@language":"de"},"a":{"@value":"C"}}"##,
        ##"{"itemListElement":{"@list":["a",["b",{"name":"c"}],null]},"keywords":{"@set":[1,true,false,"x"]}}"##,
        ##"{"type":"Thing","id":"schema:x","name":"A","sameAs":"mailto:a@b.example","license":"cc:by"}"##,
        ##"{"author":{"@context":{"@language":"fr"},"name":"B"},"name":"A"}"##,
        ##"{"author":{"@context":"http://www.schema.org/","@type":"Person","id":"_:p"},"editor":{"@id":"_:p"}}"##,
        ##"{"author":{},"editor":{"name":null},"publisher":[{"@id":"x"},[{"@id":"x","name":"B"}]]}"##,
        ##"{"@id":"@bad","url":"a/../b","image":"https://a.example/x/../y","logo":"../up","hasMap":"?q"}"##,
        ##"{" name":" x ","na me":"y","https":"z","@type":" Thing "}"##,
        ##"{"url":"type","image":"id"}"##,
        ##"{"author":{"@id":"#x","name":null},"editor":{"@id":"#y","url":""},"about":{"@id":"#x","name":"B"}}"##,
        ##"{"@id":"#x","about":{"@id":"#x","name":null},"author":{"@context":"http://schema.org","@id":"#x"},"name":"A"}"##,
        ##"{"@graph":[{"@id":"#x","name":"A"},{"@id":"#x","name":null},{"name":null,"@graph":[{"name":"B"}]}]}"##,
    ])
    func `the lanes agree on turns of plain documents`(document: String) throws {
        for context in [
            #""https://schema.org""#, #"{"@vocab":"https://schema.org/","@language":"en"}"#,
            #"["http://schema.org",{"@base":"/other/","@language":"en-GB"}]"#,
        ] {
            let members = document.dropFirst()
            let text = "{\"@context\":\(context)" + (members == "}" ? "" : ",") + members
            let page = HTMLDocument(utf8: Array("<script type='application/ld+json'>\(text)</script>".utf8))
            let baseURL = try #require(WebURL("https://shop.example/items/page.html"))
            let walked = JSONLD(page, baseURL: baseURL)
            #expect(walked.documents.first.map { JSONLDScreening($0).lane } == .plain, "\(text)")
            let expanded = JSONLD(page, baseURL: baseURL, expandsAll: true)
            #expect(expanded.notes.isEmpty, "\(expanded.notes)")
            let found = difference(walked.structuredData, expanded.structuredData)
            #expect(found == nil, "\(text)")
        }
    }
}
