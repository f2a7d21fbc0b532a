import Foundation

/// The CMS envelope (RFC 5652) of a signed association file: what it says of its signers. The signature is not verified.
struct SignedEnvelope: Sendable, Hashable {
    enum Form: String, Sendable {
        /// What devices read.
        case der
        case pem, mime

        /// What to say of a form that devices do not read.
        var complaint: String? {
            switch self {
            case .der: nil
            case .pem: "in PEM form"
            case .mime: "a MIME message"
            }
        }
    }

    let form: Form
    /// Number of signatures.
    let signatureCount: Int
    /// Common name of each signer whose certificate is in the envelope.
    let signerNames: [String]

    enum Opening {
        /// No envelope.
        case plain
        case envelope(SignedEnvelope, content: ArraySlice<UInt8>)
        case unreadable(String)
    }

    static func open(_ bytes: [UInt8]) -> Opening {
        if bytes.first == DERElement.sequence { return open(bytes[...], .der) }
        let beginning = bytes.drop { $0 <= 0x20 }
        if beginning.starts(with: "-----BEGIN ".utf8) { return openPEM(beginning) }
        if isMessage(beginning) { return openMessage(beginning) }
        return .plain
    }

    // MARK: CMS

    private static let signedData: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02]

    /// `ContentInfo { signedData, [0] SignedData { version, digestAlgorithms, encapContentInfo, [0] certificates, …, signerInfos } }`
    private static func open(_ bytes: ArraySlice<UInt8>, _ form: Form) -> Opening {
        guard let info = DERElement(bytes), info.tag == DERElement.sequence else {
            return .unreadable("its outermost element is cut off or malformed")
        }
        let parts = info.children
        guard let type = parts.first, type.tag == DERElement.objectIdentifier else {
            return .unreadable("it is no CMS message")
        }
        guard type.content.elementsEqual(signedData) else {
            return .unreadable("it is a CMS message, but not of signed data")
        }
        guard parts.count > 1, parts[1].tag == DERElement.context0, let signed = DERElement(parts[1].content),
            signed.tag == DERElement.sequence
        else { return .unreadable("its signed data is cut off or malformed") }
        let fields = signed.children
        guard fields.count > 2, fields[0].tag == DERElement.integer, fields[1].tag == DERElement.set,
            fields[2].tag == DERElement.sequence
        else { return .unreadable("its signed data is cut off or malformed") }
        let encapsulated = fields[2].children
        guard encapsulated.count > 1 else {
            return .unreadable("the signature is detached, the JSON is not inside (sign with -nodetach)")
        }
        guard encapsulated[1].tag == DERElement.context0, let string = DERElement(encapsulated[1].content),
            let content = string.octets()
        else { return .unreadable("its content is no octet string") }
        let signers = fields.last.map { $0.tag == DERElement.set ? $0.children : [] } ?? []
        let certificates = fields.dropFirst(3).first { $0.tag == DERElement.context0 }?.children ?? []
        return .envelope(
            SignedEnvelope(
                form: form, signatureCount: signers.count,
                signerNames: signers.prefix(maximumSigners).compactMap { name(of: $0, among: certificates) }),
            content: content)
    }

    /// A file is signed once; each signer is looked for among all certificates.
    private static let maximumSigners = 8

    /// `SignerInfo { version, IssuerAndSerialNumber { issuer, serial } …}` and
    /// `Certificate { TBSCertificate { [0] version?, serial, algorithm, issuer, validity, subject … } … }`
    private static func name(of signer: DERElement, among certificates: [DERElement]) -> String? {
        let fields = signer.children
        guard fields.count > 1, fields[1].tag == DERElement.sequence else { return nil }
        let identity = fields[1].children
        guard identity.count > 1 else { return nil }
        for certificate in certificates.prefix(100) {
            guard let body = certificate.children.first else { continue }
            var parts = body.children[...]
            if parts.first?.tag == DERElement.context0 { parts = parts.dropFirst() }
            let certified = Array(parts)
            guard certified.count > 4, certified[0].content == identity[1].content,
                certified[2].encoding == identity[0].encoding
            else { continue }
            return commonName(certified[4])
        }
        return nil
    }

    /// `Name ::= SEQUENCE OF SET OF SEQUENCE { type, value }`
    private static func commonName(_ name: DERElement) -> String? {
        for set in name.children {
            for attribute in set.children {
                let parts = attribute.children
                // id-at-commonName, 2.5.4.3
                guard parts.count > 1, parts[0].content.elementsEqual([0x55, 0x04, 0x03]) else { continue }
                return String(decoding: parts[1].content.prefix(200), as: UTF8.self)
            }
        }
        return nil
    }

    // MARK: Text forms

    private static func openPEM(_ bytes: ArraySlice<UInt8>) -> Opening {
        let lines = bytes.split(separator: 0x0A)
        let body = lines.dropFirst().prefix { !$0.starts(with: "-----".utf8) }
        return openBase64(body.joined(), .pem)
    }

    private static func openBase64(_ text: some Sequence<UInt8>, _ form: Form) -> Opening {
        guard let data = Data(base64Encoded: Data(text), options: .ignoreUnknownCharacters), !data.isEmpty else {
            return .unreadable("it is \(form.complaint ?? "no DER"), and its Base64 is broken")
        }
        return open([UInt8](data)[...], form)
    }

    private static func isMessage(_ bytes: ArraySlice<UInt8>) -> Bool {
        let start = bytes.prefix(13).map(\.asciiLowercased)
        return start.elementsEqual("mime-version:".utf8) || start.elementsEqual("content-type:".utf8)
            || start.starts(with: "content-disp".utf8)
    }

    /// S/MIME: an opaque message is Base64; a clear-signed one has the JSON as its first part.
    private static func openMessage(_ bytes: ArraySlice<UInt8>) -> Opening {
        var rest = bytes
        var isEncoded = false
        while let end = rest.firstIndex(of: 0x0A) {
            let line = rest[..<end]
            rest = rest[(end + 1)...]
            if line.allSatisfy({ $0 <= 0x20 }) { break }
            let text = String(decoding: line.prefix(200), as: UTF8.self).asciiLowercased
            if text.has("base64") { isEncoded = true }
        }
        if isEncoded { return openBase64(rest, .mime) }
        guard let start = rest.firstIndex(of: UInt8(ascii: "{")) else {
            return .unreadable("it is a MIME message without JSON in it")
        }
        // The next boundary begins a line with two hyphens, which no line of JSON does.
        var end = start
        while end < rest.endIndex {
            let lineEnd = rest[end...].firstIndex(of: 0x0A) ?? rest.endIndex
            if rest[end..<lineEnd].starts(with: "--".utf8) { break }
            end = min(lineEnd + 1, rest.endIndex)
        }
        return .envelope(
            SignedEnvelope(form: .mime, signatureCount: 1, signerNames: []), content: rest[start..<end])
    }
}

// MARK: DER

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
