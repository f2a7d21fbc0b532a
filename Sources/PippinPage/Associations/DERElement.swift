/// One tag-length-value of ASN.1 in DER, or in BER with constructed strings and indefinite lengths, as CMS writers stream it.
///
/// Reads on demand: an element is a slice, its children are found when asked for.
struct DERElement {
    /// Identifier octet: class, constructed bit and tag number; all that CMS needs have numbers below 31.
    let tag: UInt8
    /// Without the end-of-contents octets of an indefinite length.
    let content: ArraySlice<UInt8>
    /// The whole element.
    let encoding: ArraySlice<UInt8>

    static let integer: UInt8 = 0x02
    static let octetString: UInt8 = 0x04
    static let objectIdentifier: UInt8 = 0x06
    static let sequence: UInt8 = 0x30
    static let set: UInt8 = 0x31
    static let context0: UInt8 = 0xA0

    /// Nesting of indefinite lengths, each of which is searched for its end; CMS needs seven.
    private static let maximumIndefiniteDepth = 16
    /// Children of one element; a chain of certificates has below ten.
    private static let maximumChildren = 10_000

    /// The element at the start of `bytes`; nil when there is no whole one.
    init?(_ bytes: ArraySlice<UInt8>) {
        self.init(bytes, indefiniteDepth: 0)
    }

    private init?(_ bytes: ArraySlice<UInt8>, indefiniteDepth: Int) {
        guard let head = Self.head(of: bytes) else { return nil }
        tag = head.tag
        if let length = head.length {
            guard length <= bytes.endIndex - head.contentStart else { return nil }
            content = bytes[head.contentStart..<(head.contentStart + length)]
            encoding = bytes[bytes.startIndex..<content.endIndex]
            return
        }
        // X.690 §8.1.3.6: only constructed elements may leave their length open.
        guard tag & 0x20 != 0, indefiniteDepth < Self.maximumIndefiniteDepth else { return nil }
        var position = head.contentStart
        while true {
            guard bytes.endIndex - position >= 2 else { return nil }
            if bytes[position] == 0, bytes[position + 1] == 0 { break }
            guard let child = DERElement(bytes[position...], indefiniteDepth: indefiniteDepth + 1) else { return nil }
            position = child.encoding.endIndex
        }
        content = bytes[head.contentStart..<position]
        encoding = bytes[bytes.startIndex..<(position + 2)]
    }

    private static func head(of bytes: ArraySlice<UInt8>) -> (tag: UInt8, length: Int?, contentStart: Int)? {
        guard bytes.count >= 2 else { return nil }
        let tag = bytes[bytes.startIndex]
        guard tag & 0x1F != 0x1F else { return nil }
        let first = bytes[bytes.startIndex + 1]
        var position = bytes.startIndex + 2
        if first < 0x80 { return (tag, Int(first), position) }
        if first == 0x80 { return (tag, nil, position) }
        let count = Int(first & 0x7F)
        // Four octets are 4 GB.
        guard count <= 4, bytes.endIndex - position >= count else { return nil }
        var length = 0
        for _ in 0..<count {
            length = length << 8 | Int(bytes[position])
            position += 1
        }
        return (tag, length, position)
    }

    /// The elements inside, as far as they can be read.
    var children: [DERElement] {
        var children: [DERElement] = []
        var rest = content
        while children.count < Self.maximumChildren, let child = DERElement(rest) {
            children.append(child)
            rest = rest[child.encoding.endIndex...]
        }
        return children
    }

    /// The octets of an OCTET STRING, whose constructed form is cut into pieces (X.690 §8.7); nil when it is none.
    func octets(depth: Int = 0) -> ArraySlice<UInt8>? {
        if tag == Self.octetString { return content }
        guard tag == Self.octetString | 0x20, depth < 4 else { return nil }
        var octets: [UInt8] = []
        var rest = content
        while !rest.isEmpty {
            guard let piece = DERElement(rest), let part = piece.octets(depth: depth + 1) else { return nil }
            octets += part
            rest = rest[piece.encoding.endIndex...]
        }
        return octets[...]
    }
}
