import PippinPage
import PippinStore

/// Links as lines of a table: NDJSON, or CSV (RFC 4180) with a header, which tools read with types: text, text, boolean, number.
struct LinkLines {
    let isCSV: Bool

    static let csvHeader = CSVRow.bytes(of: ["from", "to", "nofollow", "weight"])

    func line(of link: StoredLinks.Link) -> [UInt8] {
        var writer = JSONWriter()
        guard isCSV else {
            writer.object { writer in
                writer.member("from", link.from)
                writer.member("to", link.to)
                writer.member("nofollow", link.isNofollow)
                writer.member("weight", link.weight)
            }
            writer.endLine()
            return writer.bytes
        }
        writer.double(link.weight)
        return CSVRow.bytes(of: [
            link.from, link.to, "\(link.isNofollow)", String(decoding: writer.bytes, as: UTF8.self),
        ])
    }
}
