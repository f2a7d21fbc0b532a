import ArgumentParser
import Foundation
import PippinPage

struct SitemapCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sitemap",
        abstract: "Lists what a sitemap names: pages or further sitemaps, one JSON object a line.",
        discussion: """
            Reads XML sitemaps and indexes, RSS, Atom and lists of addresses, also packed with gzip. Broken files are read
            as far as they go; what is wrong with them goes to standard error.

            Examples:
              pippin sitemap sitemap.xml.gz --url https://example.org/sitemap.xml.gz
              pippin sitemap sitemap.xml --url https://example.org/sitemap.xml | jq -r .loc
              pippin sitemap https://example.org/sitemap.xml --contact you@example.org

            Exit status: 0 the file is a sitemap, 1 it is none, or robots.txt forbids it, 2 usage, 3 it could not be fetched.
            """)

    @Option(help: "The address a file has, or would have.")
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
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var output = Data()
        for entry in sitemap.entries {
            output += try encoder.encode(SitemapLine(entry, of: sitemap.kind))
            output.append(UInt8(ascii: "\n"))
            if output.count > 1 << 20 {
                try StandardOutput.write(json: [UInt8](output))
                output.removeAll(keepingCapacity: true)
            }
        }
        try StandardOutput.write(json: [UInt8](output))
        for note in sitemap.notes {
            let place = note.line.map { "line \($0): " } ?? ""
            writeError("note: \(place)\(note.message) [\(note.code.rawValue)]")
        }
    }
}

/// One line of the output. A key is absent if the sitemap does not have the value.
private struct SitemapLine: Encodable {
    let loc: String
    /// `page` or `sitemap`.
    let type: String
    /// A W3C date and time. Dates in other forms are converted to it; what is not a date is left out.
    let lastmod: String?
    let changefreq: String?
    let priority: Double?
    /// Where the entry lies, relative to the sitemap: `below`, `sameHost` or `otherHost`.
    let placement: String
    let alternates: [Alternate]
    let images: [Image]?
    let videos: [Video]?
    let news: News?

    struct Alternate: Encodable {
        let href: String
        let rel: String?
        let hreflang: String?
        let media: String?
    }

    struct Image: Encodable {
        let loc: String
        let title: String?
        let caption: String?
    }

    struct Video: Encodable {
        let title: String?
        let description: String?
        let thumbnail: String?
        let content: String?
        let player: String?
        let duration: String?
        let published: String?
    }

    struct News: Encodable {
        let title: String?
        let publication: String?
        let language: String?
        let keywords: String?
        let published: String?
    }

    init(_ entry: SitemapEntry, of kind: Sitemap.Kind) {
        loc = entry.loc.href
        type = kind == .index ? "sitemap" : "page"
        lastmod = Self.text(of: entry.lastmod)
        changefreq = entry.changefreq?.rawValue
        priority = entry.priority
        placement = entry.placement.rawValue
        alternates = entry.alternates.map {
            Alternate(href: $0.href, rel: $0.rel, hreflang: $0.hreflang, media: $0.media)
        }
        images =
            entry.images.isEmpty
            ? nil : entry.images.map { Image(loc: $0.loc, title: $0.title, caption: $0.caption) }
        videos =
            entry.videos.isEmpty
            ? nil
            : entry.videos.map {
                Video(
                    title: $0.title, description: $0.description, thumbnail: $0.thumbnail, content: $0.content,
                    player: $0.player, duration: $0.duration, published: Self.text(of: $0.published))
            }
        news = entry.news.map {
            News(
                title: $0.title, publication: $0.publication, language: $0.language, keywords: $0.keywords,
                published: Self.text(of: $0.published))
        }
    }

    private static func text(of moment: SitemapEntry.Moment?) -> String? {
        guard let moment, let date = moment.date else { return nil }
        return W3CDateTime.date(from: moment.text) == nil ? date.formatted(.iso8601) : moment.text
    }
}
