import PippinPage
import PippinStore

/// Links as lines of a table: NDJSON, or CSV (RFC 4180) with a header, which tools read with types: text, text, boolean, number.
struct LinkLines {
    let isCSV: Bool

    static let csvHeader = "from,to,nofollow,weight\n"

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
        return Self.field(link.from) + [0x2C] + Self.field(link.to) + Array(",\(link.isNofollow),".utf8)
            + writer.bytes + [0x0A]
    }

    /// A URL has neither quotes nor line ends (URL Standard), but it may have commas.
    private static func field(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        return bytes.contains(0x2C) || bytes.contains(0x22)
            ? [0x22] + bytes.flatMap { $0 == 0x22 ? [0x22, 0x22] : [$0] } + [0x22] : bytes
    }
}
