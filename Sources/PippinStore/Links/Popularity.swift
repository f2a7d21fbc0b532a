import GRDB

/// The popularity of pages by the link graph: how likely links lead to the page, and to its site.
///
/// `0.7 · page + 0.3 · site`, each a `LinkRank` on its logarithmic scale; the page alone if no site of the crawl links to
/// another. Among pages, a site that has many raises its own; among sites, it counts once (Eiron, McCurley and Tomlin, "Ranking
/// the web frontier", 2004).
struct Popularity {
    private let graph: CrawlGraph
    private let pages: LinkRank
    private let sites: (ofNode: NumberArray<UInt32>, ranks: LinkRank)?

    /// Values are stored and written in steps of a thousandth.
    static let steps = 1000
    /// A popularity is delivered if it has changed by so many steps. Smaller changes would deliver those of most records after every
    /// run.
    private static let leastChange = 20

    /// Whether consumers must hear of a value.
    ///
    /// - Parameters:
    ///   - before: the value that they have from the link graph.
    ///   - claims: whether the record has a popularity of its page's claims. Without one, consumers take it for 0.
    static func isNews(_ value: Int64, before: Int64?, claims: Bool) -> Bool {
        if let before { abs(before - value) >= leastChange } else { value > 0 || claims }
    }

    private static let shareOfSite = 0.3

    /// Ranks the graph. nil if it has no link that counts.
    ///
    /// - Parameter kept: the ranks of the last ranking; nil begins anew.
    init?(
        _ graph: CrawlGraph, _ sites: CrawlGraph.Sites, from kept: KeptRanks? = nil, isStopped: () -> Bool = { false }
    ) throws {
        guard graph.links.hasWeight else { return nil }
        self.graph = graph
        pages = try LinkRank(
            graph.links, nodeCount: graph.urls.count, from: try kept?.ranks(of: graph), isStopped: isStopped)
        self.sites =
            sites.links.hasWeight
            ? (sites.ofNode, try LinkRank(sites.links, nodeCount: sites.count, isStopped: isStopped)) : nil
    }

    /// How often the ranking of pages has followed the links.
    var rounds: Int { pages.rounds }

    /// Keeps the ranks of pages for the next ranking.
    func keep(_ kept: KeptRanks) throws { try kept.write(pages.ranks, of: graph) }

    /// The popularity of a URL in steps; nil if it is not in the graph.
    func value(of url: Int64) -> Int64? {
        guard let node = graph.node(of: url) else { return nil }
        var value = pages.scaled(node)
        if let sites {
            let site = sites.ranks.scaled(Int(sites.ofNode[node]))
            value = (1 - Self.shareOfSite) * value + Self.shareOfSite * site
        }
        return Int64((value * Double(Self.steps)).rounded())
    }
}

/// The popularity of each record, as consumers have it.
final class PopularityTable {
    private let insertion: StoreStatement
    private let replacement: StoreStatement
    private let removal: StoreStatement
    private let next: StoreStatement

    init(_ database: Database) throws {
        insertion = try StoreStatement(
            database,
            """
            INSERT INTO popularity(record, page, claims) VALUES (?, ?, ?)
            ON CONFLICT(record) DO UPDATE SET claims = excluded.claims
            """)
        replacement = try StoreStatement(
            database, "UPDATE popularity SET value = ?, sequence = coalesce(?, sequence) WHERE record = ?")
        removal = try StoreStatement(database, "DELETE FROM popularity WHERE record = ?")
        next = try StoreStatement(
            database, "SELECT record, page, value, claims FROM popularity WHERE record > ? ORDER BY record LIMIT ?")
    }

    /// - Parameters:
    ///   - page: the number of the record's URL.
    ///   - claims: whether the page claims a popularity.
    func add(_ record: Int64, page: Int64, claims: Bool) throws {
        try insertion.run(.integer(record), .integer(page), .integer(claims ? 1 : 0))
    }

    /// - Parameter sequence: the number of the change; nil if consumers do not have the record, or get it as a whole.
    func set(_ value: Int64, of record: Int64, sequence: Int64?) throws {
        try replacement.run(.integer(value), .optional(sequence), .integer(record))
    }

    func remove(_ record: Int64) throws { try removal.run(.integer(record)) }

    struct Row {
        let record: Int64
        let page: Int64
        let value: Int64?
        /// Whether the page claims a popularity, or may.
        let claims: Bool
    }

    func rows(after record: Int64, limit: Int) throws -> [Row] {
        var rows: [Row] = []
        try next.rows(.integer(record), .integer(Int64(limit))) {
            rows.append(
                Row(
                    record: $0.integer(0), page: $0.integer(1), value: $0.optionalInteger(2),
                    claims: $0.optionalInteger(3) != 0))
        }
        return rows
    }
}
