import Foundation
import PippinPage

/// One record of a WARC file (ISO 28500:2017, WARC 1.1): named fields and a block.
struct WARCRecord: Sendable {
    enum Kind: String, Sendable {
        case warcinfo, request, response, revisit, conversion
        /// These are only read.
        case resource, metadata, continuation
    }

    /// Marks the answer to another method than GET, which is no capture of its URL.
    static let methodField = "X-Request-Method"

    let kind: Kind
    let identifier: String
    let date: Date
    private(set) var fields: [(name: String, value: String)] = []
    let block: [UInt8]

    /// Creates a record.
    ///
    /// - Parameter contentType: the media type of the block.
    init(_ kind: Kind, date: Date, contentType: String, block: [UInt8]) {
        self.kind = kind
        self.date = date
        self.block = block
        identifier = "<urn:uuid:\(UUID().uuidString.lowercased())>"
        set("WARC-Type", kind.rawValue)
        set("WARC-Record-ID", identifier)
        set("WARC-Date", WARCTime.field(date))
        set("WARC-Block-Digest", Self.digest(block))
        set("Content-Type", contentType)
    }

    /// Sets a field. Line ends and other controls in the value are replaced, because they would begin another field.
    mutating func set(_ name: String, _ value: String) {
        let isPlain = value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
        let safe =
            isPlain
            ? value : String(value.unicodeScalars.map { $0.value < 0x20 || $0 == "\u{7F}" ? " " : Character($0) })
        fields.append((name, safe))
    }

    /// The uncompressed bytes of the record.
    var bytes: [UInt8] {
        var head = "WARC/1.1\r\n"
        for (name, value) in fields { head += "\(name): \(value)\r\n" }
        head += "Content-Length: \(block.count)\r\n\r\n"
        var bytes = Array(head.utf8)
        bytes.reserveCapacity(bytes.count + block.count + 4)
        bytes.append(contentsOf: block)
        bytes.append(contentsOf: [0x0D, 0x0A, 0x0D, 0x0A])
        return bytes
    }

    /// The SHA-1 as `sha1:` and base 32, the usual form in WARC files.
    static func digest(_ bytes: some Sequence<UInt8>) -> String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)
        var text = Array("sha1:".utf8)
        var bits: UInt32 = 0
        var count = 0
        for byte in Digest.sha1(Array(bytes)) {
            bits = bits << 8 | UInt32(byte)
            count += 8
            while count >= 5 {
                count -= 5
                text.append(letters[Int(bits >> UInt32(count) & 31)])
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}

/// Times in WARC files and indexes: UTC, whole seconds.
enum WARCTime {
    /// A time in a record's field: `2026-11-21T08:00:00Z`.
    static func field(_ date: Date) -> String {
        let (day, time) = parts(date)
        return
            "\(pad(day.year, 4))-\(pad(day.month))-\(pad(day.day))T\(pad(time / 3600)):\(pad(time / 60 % 60)):\(pad(time % 60))Z"
    }

    /// A time in an index or file name: `20261121080000`.
    static func stamp(_ date: Date) -> String {
        field(date).filter { $0.isASCII && $0.isNumber }
    }

    /// Converts a stamp to a field; nil if it is malformed.
    static func field(stamp: Substring) -> String? {
        guard stamp.utf8.count == 14, stamp.utf8.allSatisfy({ $0 &- 0x30 < 10 }) else { return nil }
        let digits = Array(stamp)
        func text(_ range: Range<Int>) -> String { String(digits[range]) }
        return "\(text(0..<4))-\(text(4..<6))-\(text(6..<8))T\(text(8..<10)):\(text(10..<12)):\(text(12..<14))Z"
    }

    private static func pad(_ number: Int, _ width: Int = 2) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
    }

    /// The civil date and time (proleptic Gregorian calendar, eras of 400 years).
    private static func parts(_ date: Date) -> (day: (year: Int, month: Int, day: Int), time: Int) {
        let seconds = Int(min(max(date.timeIntervalSince1970, 0), 2.5e11).rounded(.down))
        let days = seconds / 86_400 + 719_468
        let era = days / 146_097
        let dayOfEra = days % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        return (
            (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1),
            seconds % 86_400
        )
    }
}

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
