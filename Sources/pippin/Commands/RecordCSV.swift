import PippinPage
import PippinStore

/// Records and deletions as rows of a table: CSV (RFC 4180) with a header. A column is a field of Docs/Record.md. Lists and objects
/// are JSON in their cell; what is unknown is an empty cell.
enum RecordCSV {
    /// The fields of a record, and those that only a deletion has, in the order of Docs/Record.md.
    static let columns = [
        "schemaVersion", "uniqueIdentifier", "domainIdentifier", "url", "seeds", "title", "contentDescription",
        "snippet", "text", "keywords", "languages", "languageAlternates", "containerTitle", "breadcrumbs", "types",
        "alternateNames",
        "categories", "sameAs", "wordCount", "authors", "artists",
        "publishedAt", "modifiedAt", "expiresAt", "thumbnailURL", "iconURL", "feeds", "images", "audio", "video",
        "duration", "deepLinks", "rating", "offers", "variants", "priceRange", "interactions", "organization", "recipe",
        "event", "openingHours",
        "partOf", "parts", "episode", "brand", "identifiers", "contentRating", "isAccessibleForFree", "license",
        "usage", "actions", "custom",
        "hiddenWords", "provenance", "confidence", "popularity",
        "structuredDataScore", "fetchedAt", "contentHash", "deleted", "reason", "at",
    ]

    static let header = CSVRow.bytes(of: columns)

    /// The row of one document of the change feed.
    ///
    /// - Throws: `JSONSyntaxError` if the stored document is damaged.
    static func row(of document: [UInt8]) throws(JSONSyntaxError) -> [UInt8] {
        var parser = JSONParser(limits: .ownText)
        let record = try parser.parse(document)
        return CSVRow.bytes(of: columns.map { record[$0].map(cell) ?? "" })
    }

    private static func cell(_ value: JSONValue) -> String {
        switch value.content {
        case .null: return ""
        case .bool(let value): return value ? "true" : "false"
        case .number(let text): return text
        case .string(let text): return CSVRow.harmless(text)
        case .array, .object:
            var writer = JSONWriter()
            writer.value(value)
            return String(decoding: writer.bytes, as: UTF8.self)
        }
    }
}

/// One line of CSV (RFC 4180).
enum CSVRow {
    /// The cells, quoted where needed, and the line end.
    static func bytes(of cells: [String]) -> [UInt8] {
        var line: [UInt8] = []
        for (number, cell) in cells.enumerated() {
            if number > 0 { line.append(UInt8(ascii: ",")) }
            if cell.utf8.contains(where: { $0 == 0x22 || $0 == 0x2C || $0 == 0x0A || $0 == 0x0D }) {
                line.append(0x22)
                for byte in cell.utf8 {
                    if byte == 0x22 { line.append(0x22) }
                    line.append(byte)
                }
                line.append(0x22)
            } else {
                line.append(contentsOf: cell.utf8)
            }
        }
        return line + [0x0D, 0x0A]
    }

    /// A text of the web that no spreadsheet takes for a formula: one with a dangerous first character gets an apostrophe before it
    /// (OWASP, CSV Injection).
    static func harmless(_ text: String) -> String {
        guard let first = text.utf8.first, "=+-@\t\r".utf8.contains(first) else { return text }
        return "'" + text
    }
}

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
