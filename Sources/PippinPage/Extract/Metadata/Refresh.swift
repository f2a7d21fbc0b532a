/// A request of the page to load another one after a delay: `<meta http-equiv=refresh>` or the `Refresh` header.
public struct Refresh: Sendable {
    /// The delay in whole seconds.
    public let delay: Int
    /// Nil if the page only reloads itself.
    public let url: WebURL?
    /// Whether the address is wrapped over lines.
    let isWrapped: Bool
    /// The element; nil for a header.
    let element: HTMLDocument.Index?
    /// Whether it is in a header of the response, not in the page.
    public let isFromHeader: Bool
    /// The place of the element; nil for a header.
    public let place: SourcePlace?

    /// The line of `place`, 1-based; nil without a place.
    public var line: Int? { place?.line }

    /// An immediate refresh is a redirect; a delayed one is a link.
    public var isRedirect: Bool { delay == 0 && url != nil }

    /// Reads a value as browsers do (WHATWG HTML §4.2.5.3, "shared declarative refresh steps"); nil if it is invalid.
    public init?(
        _ value: String, baseURL: WebURL, isFromHeader: Bool = false, place: SourcePlace? = nil,
        element: HTMLDocument.Index? = nil
    ) {
        let bytes = Array(value.utf8)
        var position = 0
        func skipSpace() { while position < bytes.count, bytes[position].isHTMLSpace { position += 1 } }
        func isAt(_ lower: UInt8) -> Bool { position < bytes.count && bytes[position].asciiLowercased == lower }

        skipSpace()
        var seconds = 0
        let digits = position
        while position < bytes.count, bytes[position].isASCIIDigit {
            seconds = min(seconds * 10 + Int(bytes[position] - 0x30), Int(Int32.max))
            position += 1
        }
        if position == digits && !isAt(0x2E) { return nil }
        while position < bytes.count, bytes[position].isASCIIDigit || bytes[position] == 0x2E { position += 1 }

        var address = bytes[bytes.count...]
        if position < bytes.count {
            guard isAt(0x3B) || isAt(0x2C) || bytes[position].isHTMLSpace else { return nil }
            skipSpace()
            if isAt(0x3B) || isAt(0x2C) { position += 1 }
            skipSpace()
            address = Self.address(bytes[position...])
        }
        delay = seconds
        self.isFromHeader = isFromHeader
        self.place = place
        self.element = element
        let written = WrittenAddress(String(decoding: address, as: UTF8.self))
        isWrapped = written.isWrapped
        if address.isEmpty {
            url = nil
        } else {
            guard let target = WebURL(written: written, base: baseURL), target.scheme != "javascript" else {
                return nil
            }
            url = target
        }
    }

    /// The address in `url='…'`; the whole text if it does not have this form.
    private static func address(_ rest: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var value = rest
        if rest.count >= 3, rest.prefix(3).equalsIgnoringCase("url") {
            let afterName = rest.dropFirst(3).drop(while: \.isHTMLSpace)
            guard afterName.first == 0x3D else { return rest }
            value = afterName.dropFirst().drop(while: \.isHTMLSpace)
        }
        guard let quote = value.first, quote == 0x22 || quote == 0x27 else { return value }
        return value.dropFirst().prefix { $0 != quote }
    }

    var json: JSONValue {
        JSONObject.with {
            $0.put("delay", delay)
            $0.put("url", url)
            $0.putFlag("isFromHeader", isFromHeader)
            $0.put("line", line)
        }
    }
}
