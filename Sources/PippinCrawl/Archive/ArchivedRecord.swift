import PippinPage

/// A record that was read from a WARC file, and where it is.
public struct ArchivedRecord: Sendable, Equatable {
    /// The named fields, `WARC-Type` and `Content-Length` among them.
    public let fields: HTTPHeaders
    /// The kind; nil for kinds that the standard does not name.
    let kind: WARCRecord.Kind?
    /// The block, or its beginning if not all of it was wanted.
    public let block: [UInt8]
    /// The length of the whole block.
    public let blockBytes: UInt64
    /// Where the record begins in the file; of several records in one gzip member, where the member begins.
    public let offset: UInt64
    /// The length of the record in the file, as in an index; nil if it shares its gzip member with other records.
    public let length: UInt64?

    /// The URL; nil if it has none that is http or https.
    var url: WebURL? {
        // Some writers, wget among them, put it in angle brackets.
        guard var text = fields["WARC-Target-URI"]?[...] else { return nil }
        if text.hasPrefix("<"), text.hasSuffix(">") { text = text.dropFirst().dropLast() }
        return WebURL(String(text)).flatMap { $0.isHTTP ? $0 : nil }
    }
}
