/// Searches the beginning of a page for a declared encoding, before the page is parsed (HTML Standard, "prescan a byte stream
/// to determine its encoding").
///
/// It skips comments, end tags and attribute values. If the bytes end inside a construct, no encoding is declared.
struct MetaPrescan {
    /// The length of the searched part. The standard asks authors to declare the encoding within it.
    static let maximumBytes = 1024

    private let bytes: ArraySlice<UInt8>
    private var position: Int

    private init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    /// The encoding that a `meta` declares; nil if none does.
    static func declaredEncoding(in bytes: ArraySlice<UInt8>) -> CharacterEncoding? {
        var prescan = MetaPrescan(bytes.prefix(maximumBytes))
        return prescan.run()
    }

    private mutating func run() -> CharacterEncoding? {
        while position < bytes.endIndex {
            if at("<!--") {
                // The two hyphens may be those of `<!--`: `<!-->` is a whole comment.
                position += 2
                guard skip(past: "-->") else { return nil }
                continue
            }
            if at("<meta"), let next = byte(5), next.isHTMLSpace || next == 0x2F {
                position += 5
                switch readMeta() {
                case .declared(let encoding): return encoding
                case .ranOut: return nil
                case .none: break
                }
            } else if byte(0) == 0x3C, isLetter(byte(1)) || byte(1) == 0x2F && isLetter(byte(2)) {
                while let next = byte(0), !next.isHTMLSpace, next != 0x3E { position += 1 }
                attributes: while true {
                    switch readAttribute() {
                    case .attribute: continue
                    case .end: break attributes
                    case .ranOut: return nil
                    }
                }
            } else if at("<!") || at("</") || at("<?") {
                guard let end = bytes[position...].firstIndex(of: 0x3E) else { return nil }
                position = end
            }
            position += 1
        }
        return nil
    }

    private enum Meta {
        case declared(CharacterEncoding)
        case none
        case ranOut
    }

    private mutating func readMeta() -> Meta {
        var names: Set<[UInt8]> = []
        var gotPragma = false
        var needsPragma: Bool?
        var charset: CharacterEncoding?
        attributes: while true {
            switch readAttribute() {
            case .ranOut: return .ranOut
            case .end: break attributes
            case .attribute(let name, let value):
                guard names.insert(name).inserted else { continue }
                if name.elementsEqual("http-equiv".utf8) {
                    if value.elementsEqual("content-type".utf8) { gotPragma = true }
                } else if name.elementsEqual("content".utf8) {
                    // An unknown label in `charset` also counts as a declaration, but of no encoding.
                    if needsPragma == nil, let encoding = Self.encoding(inMetaContent: value) {
                        charset = encoding
                        needsPragma = true
                    }
                } else if name.elementsEqual("charset".utf8) {
                    charset = CharacterEncoding(labelBytes: value)
                    needsPragma = false
                }
            }
        }
        guard let needsPragma, !needsPragma || gotPragma, let charset else { return .none }
        return .declared(charset.asDeclaredInside)
    }

    private enum Attribute {
        case attribute(name: [UInt8], value: [UInt8])
        case end
        case ranOut
    }

    /// Reads an attribute (HTML Standard, "get an attribute", for the prescan).
    private mutating func readAttribute() -> Attribute {
        while let next = byte(0), next.isHTMLSpace || next == 0x2F { position += 1 }
        guard let first = byte(0) else { return .ranOut }
        if first == 0x3E { return .end }
        var name: [UInt8] = []
        var value: [UInt8] = []
        while true {
            guard let next = byte(0) else { return .ranOut }
            if next == 0x3D, !name.isEmpty { break }
            if next.isHTMLSpace {
                skipSpaces()
                guard let after = byte(0) else { return .ranOut }
                if after != 0x3D { return .attribute(name: name, value: value) }
                break
            }
            if next == 0x2F || next == 0x3E { return .attribute(name: name, value: value) }
            name.append(next.asciiLowercased)
            position += 1
        }
        position += 1
        skipSpaces()
        guard let quote = byte(0) else { return .ranOut }
        if quote == 0x22 || quote == 0x27 {
            position += 1
            while let next = byte(0) {
                position += 1
                if next == quote { return .attribute(name: name, value: value) }
                value.append(next.asciiLowercased)
            }
            return .ranOut
        }
        while let next = byte(0) {
            if next.isHTMLSpace || next == 0x3E { return .attribute(name: name, value: value) }
            value.append(next.asciiLowercased)
            position += 1
        }
        return .ranOut
    }

    /// Finds the encoding in `text/html; charset=utf-8` (HTML Standard, "extracting a character encoding from a meta element").
    static func encoding(inMetaContent content: some RandomAccessCollection<UInt8>) -> CharacterEncoding? {
        let text = Array(content)
        let word = Array("charset".utf8)
        var i = 0
        while i + word.count <= text.count {
            guard word.indices.allSatisfy({ text[i + $0].asciiLowercased == word[$0] }) else {
                i += 1
                continue
            }
            i += word.count
            while i < text.count, text[i].isHTMLSpace { i += 1 }
            guard i < text.count, text[i] == 0x3D else { continue }
            i += 1
            while i < text.count, text[i].isHTMLSpace { i += 1 }
            guard i < text.count else { return nil }
            if text[i] == 0x22 || text[i] == 0x27 {
                guard let end = text[(i + 1)...].firstIndex(of: text[i]) else { return nil }
                return CharacterEncoding(labelBytes: text[(i + 1)..<end])
            }
            let end = text[i...].firstIndex { $0.isHTMLSpace || $0 == 0x3B } ?? text.count
            return CharacterEncoding(labelBytes: text[i..<end])
        }
        return nil
    }

    /// Finds the encoding in `<?xml version="1.0" encoding="…"?>` (HTML Standard, "get an XML encoding").
    static func encodingOfXMLDeclaration(in bytes: ArraySlice<UInt8>) -> CharacterEncoding? {
        var scan = MetaPrescan(bytes.prefix(maximumBytes))
        guard bytes.starts(with: "<?xml".utf8), let end = scan.bytes.firstIndex(of: 0x3E),
            scan.skip(past: "encoding"), scan.position <= end
        else { return nil }
        scan.skipControls()
        guard scan.byte(0) == 0x3D else { return nil }
        scan.position += 1
        scan.skipControls()
        guard let quote = scan.byte(0), quote == 0x22 || quote == 0x27 else { return nil }
        scan.position += 1
        guard let close = scan.bytes[scan.position...].firstIndex(of: quote) else { return nil }
        let label = scan.bytes[scan.position..<close]
        guard label.allSatisfy({ $0 > 0x20 }), let encoding = CharacterEncoding(labelBytes: label) else { return nil }
        return encoding.isUTF16 ? .utf8 : encoding
    }

    /// Recognizes an XML declaration in UTF-16: `<?x` with two bytes per character. This is a step of the prescan.
    static func utf16XMLDeclaration(in bytes: ArraySlice<UInt8>) -> CharacterEncoding? {
        if bytes.starts(with: [0x3C, 0, 0x3F, 0, 0x78, 0]) { return .utf16LE }
        return bytes.starts(with: [0, 0x3C, 0, 0x3F, 0, 0x78]) ? .utf16BE : nil
    }

    private func byte(_ offset: Int) -> UInt8? {
        let index = position + offset
        return index < bytes.endIndex ? bytes[index] : nil
    }

    private func isLetter(_ byte: UInt8?) -> Bool {
        guard let byte else { return false }
        return byte.asciiLowercased >= 0x61 && byte.asciiLowercased <= 0x7A
    }

    /// Whether this text is at the position, in any letter case. `text` must be lower case.
    private func at(_ text: StaticString) -> Bool {
        guard position + text.utf8CodeUnitCount <= bytes.endIndex else { return false }
        return (0..<text.utf8CodeUnitCount).allSatisfy { bytes[position + $0].asciiLowercased == text.utf8Start[$0] }
    }

    /// Moves after the next occurrence of a text in this letter case; false if there is none.
    private mutating func skip(past text: String) -> Bool {
        while position < bytes.endIndex {
            if bytes[position...].starts(with: text.utf8) {
                position += text.utf8.count
                return true
            }
            position += 1
        }
        return false
    }

    private mutating func skipSpaces() {
        while let next = byte(0), next.isHTMLSpace { position += 1 }
    }

    private mutating func skipControls() {
        while let next = byte(0), next <= 0x20 { position += 1 }
    }
}
