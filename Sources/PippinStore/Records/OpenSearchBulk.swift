import PippinPage

/// The action lines of OpenSearch's bulk request.
public enum OpenSearchBulk {
    /// Identifiers of documents are at most 512 bytes long.
    static let maximumIdentifierBytes = 512

    /// The line before a record, or the whole of a deletion, with its line feed.
    ///
    /// The change's number is the document's external version: an older change never takes the place of a newer one, and one
    /// that comes twice is taken once.
    public static func action(for change: ChangeFeed.Change, index: String?) -> [UInt8] {
        var writer = JSONWriter(reservingBytes: 200)
        writer.beginObject()
        writer.key(change.isDeletion ? "delete" : "index")
        writer.beginObject()
        if let index { writer.member("_index", index) }
        writer.member("_id", identifier(of: change.identifier))
        writer.member("version", Int(clamping: change.sequence))
        writer.member("version_type", "external_gte")
        writer.endObject()
        writer.endObject()
        return writer.bytes + [0x0A]
    }

    /// The record's identifier; of one that is too long its beginning and a hash of the whole.
    public static func identifier(of record: String) -> String {
        guard record.utf8.count > maximumIdentifierBytes else { return record }
        let hash = String(UInt64.storeHash(record.utf8), radix: 16)
        return String(decoding: record.utf8.prefix(maximumIdentifierBytes - 20), as: UTF8.self) + "#" + hash
    }
}
