import PippinPage

/// The action lines of OpenSearch's bulk request.
public enum OpenSearchBulk {
    /// The longest identifier of a document that the index accepts, in bytes.
    static let maximumIdentifierBytes = 512

    /// The line before a record, or a whole deletion, with its line feed.
    ///
    /// - Parameters:
    ///   - number: the change's number in its feed. It becomes the document's external version, so an older change never
    ///     replaces a newer one, and a repeated change does no harm.
    ///   - index: the name of the index; nil if the request's path has it.
    public static func action(
        recordIdentifier: String, isDeletion: Bool, number: Int64?, index: String? = nil
    ) -> [UInt8] {
        var writer = JSONWriter(reservingBytes: 200)
        writer.beginObject()
        writer.key(isDeletion ? "delete" : "index")
        writer.beginObject()
        if let index { writer.member("_index", index) }
        writer.member("_id", documentIdentifier(recordIdentifier))
        if let number {
            writer.member("version", Int(clamping: number))
            writer.member("version_type", "external_gte")
        }
        writer.endObject()
        writer.endObject()
        return writer.bytes + [0x0A]
    }

    /// The record's identifier, or its hash if it is longer than the index accepts.
    static func documentIdentifier(_ identifier: String) -> String {
        guard identifier.utf8.count > maximumIdentifierBytes else { return identifier }
        let digits = Array("0123456789abcdef".utf8)
        var text = Array("sha256:".utf8)
        for byte in Digest.sha256(Array(identifier.utf8)) {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}
