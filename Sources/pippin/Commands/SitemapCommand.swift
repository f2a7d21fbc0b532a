import ArgumentParser
import Foundation
import PippinPage

struct SitemapCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sitemap",
        abstract: "Lists what a sitemap names: pages or further sitemaps, one JSON object a line.",
        discussion: """
            Reads XML sitemaps and indexes, RSS, Atom, JSON Feed and lists of addresses, also packed with gzip. Broken files \
            are read as far as they go; what is wrong with them, and where a feed goes on, goes to standard error.

            Examples:
              pippin sitemap sitemap.xml.gz --url https://example.org/sitemap.xml.gz
              pippin sitemap sitemap.xml --url https://example.org/sitemap.xml | jq -r .loc
              pippin sitemap https://example.org/sitemap.xml

            Exit status: 0 the file is a sitemap, 1 it is none, or robots.txt forbids it, 2 usage, 3 it could not be fetched.
            """)

    @Option(name: .url, help: "The address a file has, or would have.")
    var url: String?

    @Argument(help: "The sitemap: a file, - for standard input, or a URL.")
    var file: String

    @OptionGroup(title: "With a URL")
    var fetching: FetchOptions

    func run() async throws {
        let input = try await DocumentInput(file, location: url, purpose: .sitemap, options: fetching)
        let sitemap = Sitemap(bytes: input.bytes, url: input.url)
        try Self.write(sitemap)
        if sitemap.kind == .unknown { throw ExitCode(1) }
    }

    /// Writes entries to standard output and notes to standard error.
    static func write(_ sitemap: Sitemap) throws {
        var output = JSONWriter()
        for entry in sitemap.entries {
            entry.write(to: &output, of: sitemap.kind)
            output.endLine()
            if output.bytes.count > 1 << 20 {
                try StandardOutput.write(json: output.bytes)
                output.removeAll()
            }
        }
        try StandardOutput.write(json: output.bytes)
        if let next = sitemap.next { writeError("next: \(next.href)") }
        for note in sitemap.notes {
            let place = note.line.map { "line \($0): " } ?? ""
            writeError("note: \(place)\(note.message) [\(note.code.rawValue)]")
        }
    }
}

extension SitemapEntry {
    /// Writes one line of the output. A key is absent if the sitemap does not have the value.
    fileprivate func write(to writer: inout JSONWriter, of kind: Sitemap.Kind) {
        writer.object { writer in
            writer.objects("alternates", alternates) { writer, alternate in
                writer.member("href", alternate.href)
                writer.optional("hreflang", alternate.hreflang)
                writer.optional("media", alternate.media)
                writer.optional("rel", alternate.rel)
            }
            if !authors.isEmpty { writer.member("authors", authors) }
            writer.optional("changefreq", changefreq?.rawValue)
            if !images.isEmpty {
                writer.objects("images", images) { writer, image in
                    writer.optional("caption", image.caption)
                    writer.member("loc", image.loc)
                    writer.optional("title", image.title)
                }
            }
            writer.optional("lastmod", lastmod?.w3cText)
            writer.member("loc", loc.href)
            if let news {
                writer.object("news") { writer in
                    writer.optional("keywords", news.keywords)
                    writer.optional("language", news.language)
                    writer.optional("publication", news.publication)
                    writer.optional("published", news.published?.w3cText)
                    writer.optional("title", news.title)
                }
            }
            // Where the entry lies, relative to the sitemap: `below`, `sameHost` or `otherHost`.
            writer.member("placement", placement.rawValue)
            writer.optional("priority", priority)
            writer.optional("published", published?.w3cText)
            writer.member("type", kind == .index ? "sitemap" : "page")
            if !videos.isEmpty {
                writer.objects("videos", videos) { writer, video in
                    writer.optional("content", video.content)
                    writer.optional("description", video.description)
                    writer.optional("duration", video.duration)
                    writer.optional("player", video.player)
                    writer.optional("published", video.published?.w3cText)
                    writer.optional("thumbnail", video.thumbnail)
                    writer.optional("title", video.title)
                }
            }
        }
    }
}
