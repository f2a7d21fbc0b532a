extension DeepLinkRecord {
    /// A record's JSON object with the popularity that the link graph gives to its page, in place of the one that the page
    /// claims. `provenance` names the source.
    ///
    /// It changes the bytes, because a record is stored as its JSON, and its page is not read again when others link to it.
    ///
    /// - Parameter document: an object as `appendJSON` writes it. Anything else is returned as it is.
    public static func document(_ document: [UInt8], linkPopularity: Double) -> [UInt8] {
        guard let members = TopLevelMembers(document) else { return document }
        var writer = JSONWriter()
        writer.double(linkPopularity)
        let value = Array("\"popularity\":".utf8) + writer.bytes
        let source = Array("\"popularity\":\"\(Source.linkGraph.rawValue)\"".utf8)
        let comma = UInt8(ascii: ",")
        var result: [UInt8] = []
        result.reserveCapacity(document.count + 80)
        result.append(UInt8(ascii: "{"))
        var isWritten = false
        var hasProvenance = false
        func add(_ bytes: some Collection<UInt8>) {
            if result.count > 1 { result.append(comma) }
            result.append(contentsOf: bytes)
        }
        func addPopularity() {
            guard !isWritten else { return }
            isWritten = true
            if !hasProvenance { add(Array("\"provenance\":{".utf8) + source + [UInt8(ascii: "}")]) }
            add(value)
        }
        for member in members.ranges {
            let key = document[member.key]
            if key.elementsEqual("\"popularity\"".utf8) {
                addPopularity()
            } else if key.elementsEqual("\"provenance\"".utf8) {
                hasProvenance = true
                // Into the object, before its brace.
                let object = document[member.key.lowerBound..<member.end].dropLast()
                add(object)
                if object.last != UInt8(ascii: "{") { result.append(comma) }
                result.append(contentsOf: source)
                result.append(UInt8(ascii: "}"))
            } else {
                if key.elementsEqual("\"structuredDataScore\"".utf8) { addPopularity() }
                add(document[member.key.lowerBound..<member.end])
            }
        }
        addPopularity()
        result.append(UInt8(ascii: "}"))
        return result
    }

    /// Whether the page's own claims gave the record a popularity.
    public var claimsPopularity: Bool { popularity != nil }
}

/// A change of the popularity that the link graph gives to a record, and of nothing else: a consumer that has the record sets its
/// `popularity`, and `provenance.popularity` to `link-graph`.
public struct PopularityChange: Sendable, Hashable {
    public var uniqueIdentifier: String
    /// From 0 to 1.
    public var popularity: Double

    public init(uniqueIdentifier: String, popularity: Double) {
        self.uniqueIdentifier = uniqueIdentifier
        self.popularity = popularity
    }

    /// Appends `{"uniqueIdentifier":"https://example.org/","popularity":0.42}`.
    public func appendJSON(to bytes: inout [UInt8]) {
        var writer = JSONWriter(reservingBytes: 100)
        writer.object { writer in
            writer.member("uniqueIdentifier", uniqueIdentifier)
            writer.member("popularity", popularity)
        }
        bytes += writer.bytes
    }

    /// The part of a document that it changes: `{"provenance":{"popularity":"link-graph"},"popularity":0.42}`.
    public var partialDocument: [UInt8] { DeepLinkRecord.document(Array("{}".utf8), linkPopularity: popularity) }
}

/// Where the members of a JSON object begin and end, found without reading their values.
private struct TopLevelMembers {
    /// The key with its quotes, and the end of the value.
    private(set) var ranges: [(key: Range<Int>, end: Int)] = []

    /// nil if the bytes are no object without white space around its tokens.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= 2, bytes.first == UInt8(ascii: "{"), bytes.last == UInt8(ascii: "}") else { return nil }
        let end = bytes.count - 1
        var position = 1
        while position < end {
            guard let keyEnd = Self.endOfString(bytes, at: position), keyEnd < end, bytes[keyEnd] == UInt8(ascii: ":")
            else { return nil }
            var place = keyEnd + 1
            var depth = 0
            value: while place < end {
                switch bytes[place] {
                case UInt8(ascii: "\""):
                    guard let next = Self.endOfString(bytes, at: place) else { return nil }
                    place = next
                    continue value
                case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
                case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
                case UInt8(ascii: ","): if depth == 0 { break value }
                default: break
                }
                place += 1
            }
            guard depth == 0 else { return nil }
            ranges.append((position..<keyEnd, place))
            position = place + 1
        }
    }

    /// The place after a string; nil if no string begins there, or it has no end.
    private static func endOfString(_ bytes: [UInt8], at start: Int) -> Int? {
        guard start < bytes.count, bytes[start] == UInt8(ascii: "\"") else { return nil }
        var place = start + 1
        while place < bytes.count {
            switch bytes[place] {
            case UInt8(ascii: "\\"): place += 2
            case UInt8(ascii: "\""): return place + 1
            default: place += 1
            }
        }
        return nil
    }
}
