import Foundation

/// A record as one JSON object, written once. It knows the places of the members that say where and when the page was found,
/// so that two documents can be compared without them, and moments can be put in afterwards.
public struct RecordDocument: Sendable {
    /// A member that is no part of the page's content.
    public enum Part: Sendable, CaseIterable {
        case uniqueIdentifier, domainIdentifier, url, seeds, modifiedAt, fetchedAt
        /// Since when the status of a deep link holds: one place for each deep link, in their order.
        case since
    }

    struct Place: Sendable {
        let part: Part
        /// The member with the comma before it; empty if the record does not have it.
        let range: Range<Int>
    }

    /// The record.
    public let record: DeepLinkRecord
    /// The object in UTF-8, without a line end.
    public let bytes: [UInt8]
    private let places: [Place]

    /// Writes a record.
    public init(_ record: DeepLinkRecord) {
        self.record = record
        var writer = JSONWriter(reservingBytes: 4_096)
        var places: [Place] = []
        record.write(to: &writer, &places)
        bytes = writer.bytes
        self.places = places
    }

    /// Appends the document and a line feed.
    public func appendLine(to lines: inout [UInt8]) {
        lines += bytes
        lines.append(0x0A)
    }

    /// The document with other moments since when the status of each deep link holds.
    public func bytes(since moments: [Date]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count + 32 * moments.count)
        var start = 0
        for (place, moment) in zip(places.lazy.filter { $0.part == .since }, moments) {
            result += bytes[start..<place.range.lowerBound]
            result += ",\"since\":\"\(InternetTime.text(moment))\"".utf8
            start = place.range.upperBound
        }
        result += bytes[start...]
        return result
    }

    /// Adds the document to a hash, with some parts as an empty record has them: an empty text, the beginning of 1970, or not
    /// at all.
    public func add(to hash: inout FNV1a, without parts: Set<Part>) {
        var start = 0
        for place in places where parts.contains(place.part) {
            hash.add(bytes[start..<place.range.lowerBound])
            hash.add(Self.emptyMember(place.part).utf8)
            start = place.range.upperBound
        }
        hash.add(bytes[start...])
    }

    private static func emptyMember(_ part: Part) -> String {
        switch part {
        case .uniqueIdentifier: ",\"uniqueIdentifier\":\"\""
        case .domainIdentifier: ",\"domainIdentifier\":\"\""
        case .url: ",\"url\":\"\""
        case .fetchedAt: ",\"fetchedAt\":\"1970-01-01T00:00:00Z\""
        case .seeds, .modifiedAt, .since: ""
        }
    }
}
