import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage

/// The seeds of a page by its folder, however many seeds a host has.
@Suite struct SeedFoldersTests {
    /// The plain rule: all seeds are looked at, and the longest folder wins.
    private static func owners(of page: WebURL, among seeds: [Seed]) -> [Seed] {
        func folder(_ url: WebURL) -> String {
            let path = url.path
            guard let slash = path.lastIndex(of: "/") else { return "/" }
            let name = path[path.index(after: slash)...]
            return name.isEmpty || name.contains(".") ? String(path[...slash]) : path + "/"
        }
        let path = page.path
        let containing = seeds.filter {
            let folder = folder($0.url)
            return folder != "/" && (path.hasPrefix(folder) || path + "/" == folder)
        }
        let longest = containing.map { folder($0.url).utf8.count }.max()
        return containing.isEmpty ? seeds : containing.filter { folder($0.url).utf8.count == longest }
    }

    private static func url(_ random: inout FixedRandom) throws -> WebURL {
        let segments = ["", "a", "b", "a.b", "a.html", "ab", "%2E", "%C3%A9"]
        var path = ""
        for _ in 0...random.next(5) { path += "/" + segments[random.next(segments.count)] }
        return try #require(WebURL("https://a.test" + path + (random.next(4) == 0 ? "?a/b=/a" : "")))
    }

    @Test(arguments: 1...200) func `they are those of the plain rule`(number: Int) throws {
        var random = FixedRandom(seed: UInt64(number))
        var urls: Set<WebURL> = []
        for _ in 0...random.next(30) { urls.insert(try Self.url(&random)) }
        let seeds = urls.map { Seed(url: $0) }.sorted { $0.url.href < $1.url.href }
        let folders = SeedFolders(seeds)
        let others = try (0..<50).map { _ in try Self.url(&random) }
        for page in seeds.map(\.url) + others {
            #expect(
                folders.owners(of: page).map(\.url) == Self.owners(of: page, among: seeds).map(\.url),
                "\(page.href) among \(seeds.map(\.url.href))")
        }
    }

    /// Each look-up by the plain rule would make 20,000 folders.
    @Test func `20,000 seeds of one host are told apart for 10,000 pages`() throws {
        let seeds = try (0..<20_000).map { Seed(url: try #require(WebURL("https://a.test/app/\($0)/support.html"))) }
        let scope = CrawlScope(CrawlConfiguration(), seeds: seeds)
        for number in 0..<10_000 {
            let page = try #require(WebURL("https://a.test/app/\(2 * number)/faq/\(number)?q=1"))
            #expect(scope.seeds(of: page, foundFrom: seeds[0]).map(\.url) == [seeds[2 * number].url])
        }
    }

    @Test func `a path of slashes is walked once`() throws {
        let path = String(repeating: "/", count: 100_000)
        let seeds = try ["https://a.test/", "https://a.test" + path].map { Seed(url: try #require(WebURL($0))) }
        let folders = SeedFolders(seeds)
        #expect(folders.owners(of: seeds[1].url).map(\.url) == [seeds[1].url])
        #expect(folders.owners(of: try #require(WebURL("https://a.test" + path.dropLast(2)))).count == 2)
    }
}
