import GRDB
import PippinCrawl
import PippinPage

extension SQLiteFrontier {
    /// Gives pages the popularity that the graph of all shards gives them, and delivers it if it differs noticeably.
    /// Pages without a record are passed over.
    ///
    /// - Parameter values: by the URL of the page, from 0 to 1.
    public func setPopularity(_ values: [(page: WebURL, value: Double)]) throws {
        let changes = try read { database -> [(record: Int64, value: Int64)] in
            let standing = try StoreStatement(
                database,
                """
                SELECT record.id, popularity.value, popularity.claims FROM url
                JOIN record ON record.identifier = iif(url.record = '', ?, url.record) AND record.state <> 1
                JOIN popularity ON popularity.record = record.id WHERE url.id = ?
                """)
            return try values.compactMap { page, value in
                let request = CrawlRequest(seed: Seed(url: page))
                guard let host = try self.tables.hosts.number(of: request.host),
                    let row = try self.tables.urls.find(StoredAddress(request), host: host).row,
                    let known = try standing.first(
                        .text(row.address.key), .integer(row.id),
                        body: { row in
                            (
                                record: row.integer(0), value: row.optionalInteger(1),
                                claims: row.optionalInteger(2) != 0
                            )
                        })
                else { return nil }
                let steps = Int64((value * Double(Popularity.steps)).rounded())
                guard Popularity.isNews(steps, before: known.value, claims: known.claims) else { return nil }
                return (known.record, steps)
            }
        }
        try deliver(changes)
    }

    /// Takes over records that the shard told before its disk was lost, and queues their pages, so that their visits tell what became of
    /// them. Called before anything is leased.
    ///
    /// - Parameter records: each with the request for its page.
    /// - Returns: in `added`, how many records were taken over. Others were known.
    public nonisolated func takeOver(
        _ records: [(record: ToldRecord, page: CrawlRequest)]
    ) async throws -> FrontierChange {
        try await commit(.takeOver(records))
    }

    /// Gives a number to what has changed about hosts since it was last told. Called after the frontier was closed.
    public func noteHosts() throws {
        try write { database in
            try self.tables.hosts.write()
            let records = self.tables.recordTable
            try database.execute(
                sql: """
                    INSERT OR REPLACE INTO toldHost(host, sequence, urls, queued, nextDue, address)
                    SELECT host.id, ? + row_number() OVER (ORDER BY host.id), host.urls, host.queued, host.nextDue,
                        host.answeredFrom
                    FROM host LEFT JOIN toldHost ON toldHost.host = host.id
                    WHERE toldHost.host IS NULL OR (host.urls, host.queued) <> (toldHost.urls, toldHost.queued)
                        OR host.nextDue IS NOT toldHost.nextDue OR host.answeredFrom IS NOT toldHost.address
                    """, arguments: [records.sequence])
            records.skip(Int64(database.changesCount))
        }
    }
}
