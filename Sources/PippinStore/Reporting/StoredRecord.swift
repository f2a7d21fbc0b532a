import GRDB
import PippinPage

extension StorageReader {
    /// The record of a page, as consumers of the feed have it.
    ///
    /// - Parameter address: the record's identifier, or any URL of its page.
    /// - Returns: nil if there is no such record, or if it was deleted or is kept back.
    public func record(at address: String) throws -> JSONValue? {
        if let record = try record(identifier: address) { return record }
        guard let url = WebURL(address), let history = try history(of: url),
            case .listed(let identifier, _) = history.record
        else { return nil }
        return try record(identifier: identifier)
    }

    private func record(identifier: String) throws -> JSONValue? {
        let document = try read { database in
            try StoreStatement(
                database,
                """
                SELECT sequence, identifier, state, document, value
                FROM record LEFT JOIN popularity ON popularity.record = record.id WHERE identifier = ? AND state = 0
                """
            ).first(.text(identifier)) { ChangeFeed.change($0).document }
        }
        guard let document else { return nil }
        var parser = JSONParser()
        return try parser.parse(document[...])
    }
}
