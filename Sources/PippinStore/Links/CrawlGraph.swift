import GRDB
import PippinCrawl
import PippinPage

/// The links among the URLs of a storage, as they count for popularity.
///
/// - Redirects and canonical links are resolved: the URLs that lead to one page are one node, and its links are those of that
///   page. A page's links to itself are left out, and each other target counts once.
/// - A link with `nofollow`, `ugc` or `sponsored` has the weight 0.
/// - A link that most pages of a host have is part of its template, such as navigation and footer. All of them together count
///   as much as one other link: they are one decision of the site, and not one of each page's author (Bharat and Henzinger,
///   1998: k links from one host to one page weigh 1/k each; Bar-Yossef and Rajagopalan, 2002; Kohlschütter and others, 2010).
///
///     links.sources        0      2    …      nodes with links, in the order of their numbers
///     links.starts         0      3    5  …   where the links of each begin; one more at the end
///     links.targets        1 2 7  0 1  …      nodes
///     links.weights        1 1 .1 1 0  …      relative to the other links of the same page
///
/// Ten million links of a million pages take about 150 MB. A graph that does not fit into memory is in mapped files (`NumberPlace`):
/// links are read in the order of their sources, again and again, and the ranks are a few bytes for each node.
struct CrawlGraph {
    /// How large a graph in memory may be.
    struct Limits: Sendable {
        /// The most URLs, at about 60 bytes each while the graph is ranked, and the most links, at eight bytes each: together less
        /// than one gigabyte.
        var urls = 8_000_000
        var links = 50_000_000
    }

    /// The graph fits neither into memory nor onto the disk.
    struct TooLarge: Error, CustomStringConvertible {
        let description: String
    }

    /// Where the numbers are.
    let place: NumberPlace
    /// The numbers of the nodes' URLs.
    let urls: NumberArray<Int64>
    let links: WeightedLinks
    /// The node of each URL, by the index of the URL's number.
    private let nodes: NumberArray<UInt32>
    private let numbering: URLNumbering

    /// A host with fewer pages has no template, and a link that fewer pages have is not part of one.
    static let leastPagesOfTemplate = 10

    /// Reads the graph.
    ///
    /// - Parameters:
    ///   - folder: where the files of a graph are that does not fit into memory.
    ///   - isStopped: asked now and then; true ends the reading with `CancellationError`.
    /// - Throws: `TooLarge`.
    init(_ database: Database, folder: String, limits: Limits = Limits(), isStopped: () -> Bool = { false }) throws {
        let (rows, linkCount) =
            try StoreStatement(database, "SELECT count(*), total(count) FROM link").first {
                (Int($0.integer(0)), Int($0.integer(1)))
            } ?? (0, 0)
        // Links lead to known URLs only.
        let known = max(rows, try Int.fetchOne(database, sql: "SELECT known FROM store") ?? 0)
        let place: NumberPlace = known <= limits.urls && linkCount <= limits.links ? .memory : .disk(folder: folder)
        do {
            try self.init(database, rows: rows, linkCount: linkCount, place, isStopped)
        } catch let error as NumberPlace.NoRoom {
            throw TooLarge(
                description: "\(linkCount) links of \(rows) URLs find no room in \(folder): "
                    + SystemReason.words(error.errorNumber))
        }
    }

    private init(
        _ database: Database, rows: Int, linkCount: Int, _ place: NumberPlace, _ isStopped: () -> Bool
    ) throws {
        let numbering = try URLNumbering(place, reserving: rows)
        // The node to which a URL leads: mostly itself.
        let leads = try NumberArray<UInt32>(place, reserving: rows)
        func node(_ url: Int64) throws -> UInt32 {
            let index = try numbering.add(url)
            if index == leads.count { try leads.append(index) }
            return index
        }
        let links = try WeightedLinks(place)
        try links.reserve(sources: rows, links: linkCount)
        var read = 0
        try StoreStatement(database, "SELECT page, leadsTo, targets FROM link ORDER BY page").rows { row in
            read += 1
            if read % 1024 == 0, isStopped() { throw CancellationError() }
            let page = try node(row.integer(0))
            if let target = row.optionalInteger(1) {
                leads[Int(page)] = try node(target)
            } else {
                try links.beginSource(page)
                try row.withBlob(2) { bytes in
                    try PackedLinks.unpack(bytes) { try links.add(to: node($0.target), weight: $0.isNofollow ? 0 : 1) }
                }
            }
        }
        try Self.resolve(leads, place)
        // Nodes are numbered without those that lead elsewhere.
        let nodes = try NumberArray<UInt32>(place, repeating: 0, count: leads.count)
        let urls = try NumberArray<Int64>(place, reserving: numbering.count)
        for (index, lead) in leads.enumerated() where lead == index {
            nodes[index] = UInt32(urls.count)
            try urls.append(numbering.urls[index])
        }
        for (index, lead) in leads.enumerated() where lead != index { nodes[index] = nodes[Int(lead)] }
        if isStopped() { throw CancellationError() }
        try links.renumber(nodes, count: urls.count)
        // A page with links leads nowhere else, so its node has its number.
        try links.discountTemplates(nodeCount: urls.count, leastPages: Self.leastPagesOfTemplate) {
            URLNumber.host(of: urls[Int($0)])
        }
        (self.place, self.urls, self.links, self.nodes, self.numbering) = (place, urls, links, nodes, numbering)
    }

    /// The node of a URL: of the page that it leads to. nil if the URL is not in the graph.
    func node(of url: Int64) -> Int? { numbering.index(of: url).map { Int(nodes[Int($0)]) } }

    /// Follows each chain to its end. A circle ends where it was first met again.
    private static func resolve(_ leads: NumberArray<UInt32>, _ place: NumberPlace) throws {
        let walk = try NumberArray<UInt32>(place, repeating: .max, count: leads.count)
        var path: [UInt32] = []
        for start in leads.indices where leads[start] != start {
            path.removeAll(keepingCapacity: true)
            var at = UInt32(start)
            while leads[Int(at)] != at, walk[Int(at)] != start {
                walk[Int(at)] = UInt32(start)
                path.append(at)
                at = leads[Int(at)]
            }
            for node in path { leads[Int(node)] = at }
        }
    }

    // MARK: Sites

    /// The sites of the nodes (`SiteIdentity`), and the links among them.
    struct Sites {
        let ofNode: NumberArray<UInt32>
        let count: Int
        /// Each site's links to pages of another site, added up.
        let links: WeightedLinks
    }

    func sites(_ database: Database) throws -> Sites {
        let nameOf = try StoreStatement(database, "SELECT name FROM host WHERE id = ?")
        var ofHost: [Int64: UInt32] = [:]
        var numbers: [String: UInt32] = [:]
        let ofNode = try NumberArray<UInt32>(place, reserving: urls.count)
        for url in urls {
            let host = URLNumber.host(of: url)
            if let site = ofHost[host] {
                try ofNode.append(site)
                continue
            }
            let name = try nameOf.first(.integer(host)) { $0.text(0) } ?? ""
            let new = UInt32(numbers.count)
            let site = numbers.withValue(of: SiteIdentity.site(of: name), otherwise: new)
            ofHost[host] = site
            try ofNode.append(site)
        }
        return Sites(ofNode: ofNode, count: numbers.count, links: try links.grouped(by: ofNode, count: numbers.count))
    }
}

extension Dictionary {
    fileprivate mutating func withValue(of key: Key, otherwise value: Value) -> Value {
        if let known = self[key] { return known }
        self[key] = value
        return value
    }
}

/// Gives URLs consecutive numbers from 0. A hash table without objects: a number's place follows from the URL's number, which
/// is itself keyed with a secret of the storage (`URLNumber`).
final class URLNumbering {
    private let place: NumberPlace
    let urls: NumberArray<Int64>
    /// Indexes into `urls`; `.max` marks a free place. At most half of the places are taken.
    private var places: NumberArray<UInt32>

    init(_ place: NumberPlace, reserving count: Int) throws {
        self.place = place
        urls = try NumberArray(place, reserving: count)
        var size = 1024
        while size < 2 * count { size *= 2 }
        places = try NumberArray(place, repeating: .max, count: size)
    }

    var count: Int { urls.count }

    private func place(of url: Int64) -> Int {
        let mask = places.count - 1
        var place = Int(truncatingIfNeeded: UInt64(bitPattern: url) &* 0x9E37_79B9_7F4A_7C15 >> 24) & mask
        while places[place] != .max, urls[Int(places[place])] != url { place = (place + 1) & mask }
        return place
    }

    func index(of url: Int64) -> UInt32? {
        let index = places[place(of: url)]
        return index == .max ? nil : index
    }

    func add(_ url: Int64) throws -> UInt32 {
        let place = place(of: url)
        guard places[place] == .max else { return places[place] }
        let index = UInt32(urls.count)
        try urls.append(url)
        places[place] = index
        if urls.count > places.count / 2 {
            places = try NumberArray(self.place, repeating: .max, count: 2 * places.count)
            for (index, url) in urls.enumerated() { places[self.place(of: url)] = UInt32(index) }
        }
        return index
    }
}
