import Foundation
import PippinTestSupport
import Testing

@testable import PippinPage

/// Pairs of a page and what is read from it: `Fixtures/<extractor>/<name>.html` and `.json`, and the response's header
/// fields in `<name>.headers` where they matter. A note stands in the JSON as `code:line`.
@Suite struct ExtractorGoldenTests {
    /// The pages' own address.
    static let pageURL = "https://example.org/dir/page.html"

    @Test func `smart app banners read as their pairs say`() throws {
        try check("smart-app-banner") { SmartAppBanner($0.document, meta: $0.meta)?.json ?? .null }
    }

    @Test func `twitter cards read as their pairs say`() throws {
        try check("twitter-card") { TwitterCard($0.document, meta: $0.meta, baseURL: $0.baseURL)?.json ?? .null }
    }

    @Test func `app links read as their pairs say`() throws {
        try check("app-links") { AppLinks($0.document, meta: $0.meta, baseURL: $0.baseURL)?.json ?? .null }
    }

    @Test func `app alternates read as their pairs say`() throws {
        try check("app-alternates") { AppAlternates($0.links).json }
    }

    @Test func `open graph reads as its pairs say`() throws {
        try check("open-graph") {
            guard let graph = OpenGraph($0.document, meta: $0.meta, baseURL: $0.baseURL) else { return .null }
            return ["written": graph.json, "meant": graph.readingJSON]
        }
    }

    @Test func `html metadata reads as its pairs say`() throws {
        try check("html-metadata") { $0.metadata.json() }
    }

    @Test func `outlinks read as their pairs say`() throws {
        try check("outlinks") {
            Outlinks($0.document, links: $0.links, refresh: $0.metadata.refresh, baseURL: $0.baseURL).json
        }
    }

    // MARK: Reading a pair

    private struct Page {
        let document: HTMLDocument
        let headers: HTTPHeaders
        let pageURL: WebURL
        let baseURL: WebURL
        let meta: MetaTags
        let links: LinkTags

        var metadata: HTMLMetadata {
            HTMLMetadata(document, meta: meta, links: links, headers: headers, pageURL: pageURL, baseURL: baseURL)
        }

        init(_ file: URL) throws {
            document = HTMLDocument(utf8: [UInt8](try Data(contentsOf: file)))
            let fields = file.deletingPathExtension().appendingPathExtension("headers")
            var headers = HTTPHeaders()
            if FileManager.default.fileExists(atPath: fields.path) {
                for line in try String(contentsOf: fields, encoding: .utf8).split(separator: "\n") {
                    let parts = line.split(separator: ":", maxSplits: 1)
                    headers.append(
                        name: String(parts[0]), value: parts[1].trimmingCharacters(in: .whitespaces))
                }
            }
            self.headers = headers
            pageURL = try #require(WebURL(ExtractorGoldenTests.pageURL))
            baseURL = document.baseURL(pageURL: pageURL)
            meta = MetaTags(document)
            links = LinkTags(document, headers: headers, pageURL: pageURL, baseURL: baseURL)
        }
    }

    private func check(_ folder: String, _ read: (Page) -> JSONValue) throws {
        let url = Fixtures.folder(folder)
        let pages = try FileManager.default.contentsOfDirectory(at: url, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "html" }
        #expect(pages.count >= 6, "\(folder) has too few pairs")
        for page in pages.sorted(by: { $0.path < $1.path }) {
            let answer = Data(shortened(read(try Page(page))).bytes())
            let found = try JSONSerialization.jsonObject(with: answer, options: .fragmentsAllowed)
            let file = page.deletingPathExtension().appendingPathExtension("json")
            let expected = try JSONSerialization.jsonObject(
                with: try Data(contentsOf: file), options: .fragmentsAllowed)
            let wanted = lines(expected)
            let got = lines(found)
            let missing = wanted.filter { !got.contains($0) }.map { "- " + $0 }
            let extra = got.filter { !wanted.contains($0) }.map { "+ " + $0 }
            let difference = (missing + extra).joined(separator: "\n")
            #expect(difference.isEmpty, "\(folder)/\(file.lastPathComponent)\n\(difference)")
        }
    }

    /// Notes as `code:line`; their wording may change.
    private func shortened(_ value: JSONValue) -> JSONValue {
        switch value.content {
        case .object(let object):
            var result = JSONObject()
            for member in object {
                result[member.key] =
                    member.key == "notes"
                    ? .array(
                        (member.value.array ?? []).map { note in
                            .string((note["code"]?.string ?? "") + (note["line"]?.integer.map { ":\($0)" } ?? ""))
                        })
                    : shortened(member.value)
            }
            return .object(result)
        case .array(let values): return .array(values.map(shortened))
        default: return value
        }
    }

    /// One line a value, with its path, so that differences can be read.
    private func lines(_ value: Any, path: String = "") -> [String] {
        switch value {
        case let object as [String: Any] where !object.isEmpty:
            object.sorted { $0.key < $1.key }.flatMap { lines($0.value, path: path + "." + $0.key) }
        case let array as [Any] where !array.isEmpty:
            array.enumerated().flatMap { lines($0.element, path: path + "[\($0.offset)]") }
        default: ["\(path) = \(value)"]
        }
    }
}

extension OpenGraph {
    /// The properties as Pippin reads them, including those in a wrong attribute, and the notes.
    fileprivate var readingJSON: JSONValue {
        JSONObject.with {
            $0.put("title", title)
            $0.put("type", type)
            $0.put("url", url)
            $0.put("description", description)
            $0.put("siteName", siteName)
            $0.put("determiner", determiner)
            $0.put("locale", locale)
            $0.put("alternateLocales", alternateLocales)
            $0.put("images", images) { $0.json }
            $0.put("videos", videos) { $0.json }
            $0.put("audios", audios) { $0.json }
            $0.put(notes)
        }
    }
}

extension OpenGraph.Media {
    fileprivate var json: JSONValue {
        JSONObject.with {
            $0.put("url", url)
            $0.put("secureURL", secureURL)
            $0.put("type", type)
            $0.put("width", width)
            $0.put("height", height)
            $0.put("alt", alt)
        }
    }
}
