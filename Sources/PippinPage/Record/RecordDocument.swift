import Foundation

/// A record as one JSON object, written once.
public struct RecordDocument: Sendable {
    /// The record.
    public let record: DeepLinkRecord
    public let text: RecordText

    /// Writes a record.
    public init(_ record: DeepLinkRecord) {
        self.record = record
        var writer = JSONWriter(reservingBytes: 4_096)
        var places: [RecordText.Place] = []
        record.write(to: &writer, &places)
        text = RecordText(writer.bytes, places)
    }

    /// The object in UTF-8, without a line end.
    public var bytes: [UInt8] { text.bytes }

    /// Appends the document and a line feed.
    public func appendLine(to lines: inout [UInt8]) {
        lines += bytes
        lines.append(0x0A)
    }

    /// The object with other moments since when the status of each deep link holds.
    public func bytes(since moments: [Date]) -> [UInt8] { text.bytes(since: moments) }

    /// The same record with other seeds.
    public func naming(_ seeds: [String]) -> RecordDocument {
        var record = record
        record.seeds = seeds
        return RecordDocument(record)
    }
}

/// The JSON object of a record. It knows the places of the members that say where and when the page was found, so that two objects can
/// be compared without them, and that moments and seeds can be put in afterwards.
public struct RecordText: Sendable {
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

    /// The object in UTF-8, without a line end.
    public let bytes: [UInt8]
    private let places: [Place]

    init(_ bytes: [UInt8], _ places: [Place]) { (self.bytes, self.places) = (bytes, places) }

    /// An object that was written before; nil if it has another form.
    public init?(stored bytes: [UInt8]) {
        var places: [Place] = []
        let objects = JSONObjectRanges(bytes)
        let end = objects.members(at: 0) { key, member, value in
            switch key {
            case "uniqueIdentifier": places.append(Place(part: .uniqueIdentifier, range: member))
            case "domainIdentifier": places.append(Place(part: .domainIdentifier, range: member))
            case "url": places.append(Place(part: .url, range: member))
            case "seeds": places.append(Place(part: .seeds, range: member))
            case "modifiedAt": places.append(Place(part: .modifiedAt, range: member))
            case "fetchedAt": places.append(Place(part: .fetchedAt, range: member))
            case "deepLinks":
                objects.elements(at: value.lowerBound) { start in
                    objects.members(at: start) { key, _, value in
                        guard key == "verification" else { return }
                        objects.members(at: value.lowerBound) { key, member, _ in
                            if key == "since" { places.append(Place(part: .since, range: member)) }
                        }
                    }
                }
            default: break
            }
        }
        guard end == bytes.count else { return nil }
        self.init(bytes, places)
    }

    /// The object with other moments since when the status of each deep link holds.
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

    /// The seeds that it names; nil if there are none.
    public var seeds: [String]? {
        guard let place = places.first(where: { $0.part == .seeds }), !place.range.isEmpty else { return nil }
        var parser = JSONParser(limits: .ownText)
        // What it has read before is JSON.
        let member = try? parser.parse([0x7B] + bytes[place.range].dropFirst() + [0x7D])
        return member?["seeds"]?.array?.compactMap(\.string)
    }

    /// The object with other seeds; nil if it names none.
    public func naming(_ seeds: [String]) -> RecordText? {
        guard let place = places.first(where: { $0.part == .seeds }), !place.range.isEmpty else { return nil }
        var writer = JSONWriter()
        writer.object { $0.member("seeds", seeds) }
        let member = [0x2C] + writer.bytes.dropFirst().dropLast()
        let added = member.count - place.range.count
        let moved = places.map { other in
            let start = other.range.lowerBound
            if other.part == .seeds { return Place(part: .seeds, range: start..<start + member.count) }
            guard start >= place.range.upperBound else { return other }
            return Place(part: other.part, range: start + added..<other.range.upperBound + added)
        }
        return RecordText(bytes[..<place.range.lowerBound] + member + bytes[place.range.upperBound...], moved)
    }

    /// Adds the object to a hash, with some parts as an empty record has them: an empty text, the beginning of 1970, or not
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

/// Finds the members of objects in JSON that `JSONWriter` has written without white space. Other bytes end the search.
private struct JSONObjectRanges {
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// - Parameters:
    ///   - start: where an object begins.
    ///   - body: gets the key as it is written, the range of each member with the comma before it, and that of its value.
    /// - Returns: where the object ends; nil if it is none.
    @discardableResult
    func members(at start: Int, _ body: (String, Range<Int>, Range<Int>) -> Void) -> Int? {
        guard byte(start) == 0x7B else { return nil }
        var place = start + 1
        if byte(place) == 0x7D { return place + 1 }
        while true {
            let begin = byte(place) == 0x2C ? place + 1 : place
            guard let endOfKey = string(at: begin), byte(endOfKey) == 0x3A, let end = value(at: endOfKey + 1) else {
                return nil
            }
            let key = String(decoding: bytes[begin + 1..<endOfKey - 1], as: UTF8.self)
            body(key, place..<end, endOfKey + 1..<end)
            switch byte(end) {
            case 0x2C: place = end
            case 0x7D: return end + 1
            default: return nil
            }
        }
    }

    /// - Parameters:
    ///   - start: where an array begins.
    ///   - body: gets where each element begins.
    func elements(at start: Int, _ body: (Int) -> Void) {
        guard byte(start) == 0x5B, byte(start + 1) != 0x5D else { return }
        var place = start + 1
        while let end = value(at: place) {
            body(place)
            guard byte(end) == 0x2C else { return }
            place = end + 1
        }
    }

    private func byte(_ place: Int) -> UInt8? { place < bytes.count ? bytes[place] : nil }

    /// The end of a text that begins at a place.
    private func string(at start: Int) -> Int? {
        guard byte(start) == 0x22 else { return nil }
        var place = start + 1
        while place < bytes.count {
            switch bytes[place] {
            case 0x22: return place + 1
            case 0x5C: place += 2
            default: place += 1
            }
        }
        return nil
    }

    private func value(at start: Int) -> Int? {
        guard let first = byte(start) else { return nil }
        if first == 0x22 { return string(at: start) }
        var (place, depth) = (start, 0)
        while place < bytes.count {
            switch bytes[place] {
            case 0x22:
                guard depth > 0, let end = string(at: place) else { return nil }
                place = end
                continue
            case 0x7B, 0x5B: depth += 1
            case 0x7D, 0x5D:
                if depth == 0 { return place > start ? place : nil }
                depth -= 1
                if depth == 0 { return place + 1 }
            case 0x2C where depth == 0: return place > start ? place : nil
            default: break
            }
            place += 1
        }
        return nil
    }
}
