/// The grammar of RDF 1.1 N-Quads, read strictly and by itself, so that the writer is not its own judge.
public struct NQuadsGrammar {
    private let bytes: [UInt8]
    private var position = 0
    private let allowsRelativeIRIs: Bool

    /// - Parameter allowingRelativeIRIs: RDFa leaves what is declared as relative relative.
    public static func check(_ bytes: [UInt8], allowingRelativeIRIs: Bool = false) {
        precondition(String(validating: bytes, as: UTF8.self) != nil, "N-Quads are not UTF-8")
        for line in bytes.split(separator: 0x0A) {
            var grammar = NQuadsGrammar(bytes: Array(line), allowsRelativeIRIs: allowingRelativeIRIs)
            precondition(grammar.isStatement(), "no statement: \(String(decoding: line, as: UTF8.self))")
        }
        precondition(bytes.isEmpty || bytes.last == 0x0A, "the last line does not end")
    }

    private init(bytes: [UInt8], allowsRelativeIRIs: Bool) {
        self.bytes = bytes
        self.allowsRelativeIRIs = allowsRelativeIRIs
    }

    private var current: UInt8 { position < bytes.count ? bytes[position] : 0 }

    private mutating func take(_ text: String) -> Bool {
        guard bytes[position...].starts(with: text.utf8) else { return false }
        position += text.utf8.count
        return true
    }

    /// `subject predicate object graphLabel? '.'`, one space between them, as the canonical form has it.
    private mutating func isStatement() -> Bool {
        guard isIRI() || isBlank(), take(" "), isIRI(), take(" "), isIRI() || isBlank() || isLiteral(), take(" ") else {
            return false
        }
        if current != UInt8(ascii: ".") { guard isIRI() || isBlank(), take(" ") else { return false } }
        return take(".") && position == bytes.count
    }

    private mutating func isIRI() -> Bool {
        guard take("<") else { return false }
        let start = position
        while position < bytes.count {
            switch current {
            case UInt8(ascii: ">"):
                let iri = bytes[start..<position]
                position += 1
                return allowsRelativeIRIs || Self.hasScheme(iri)
            case UInt8(ascii: "\\"): guard isEscape(characters: "") else { return false }
            case 0...0x20, UInt8(ascii: "<"), UInt8(ascii: "\""), UInt8(ascii: "{"), UInt8(ascii: "}"),
                UInt8(ascii: "|"), UInt8(ascii: "^"), UInt8(ascii: "`"):
                return false
            default: position += 1
            }
        }
        return false
    }

    private static func hasScheme(_ iri: ArraySlice<UInt8>) -> Bool {
        guard let first = iri.first, isLetter(first), let colon = iri.firstIndex(of: UInt8(ascii: ":")) else {
            return false
        }
        return iri[..<colon].allSatisfy { isLetter($0) || isDigit($0) || "+-.".utf8.contains($0) }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }
    private static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

    private mutating func isBlank() -> Bool {
        guard take("_:") else { return false }
        let start = position
        while Self.isLetter(current) || Self.isDigit(current) { position += 1 }
        return position > start
    }

    private mutating func isEscape(characters: String) -> Bool {
        position += 1
        let byte = current
        position += 1
        if characters.utf8.contains(byte) { return true }
        let digits = byte == UInt8(ascii: "u") ? 4 : byte == UInt8(ascii: "U") ? 8 : 0
        for _ in 0..<digits {
            let digit = current | 0x20
            guard Self.isDigit(current) || digit &- 0x61 < 6 else { return false }
            position += 1
        }
        return digits > 0
    }

    private mutating func isLiteral() -> Bool {
        guard take("\"") else { return false }
        while current != UInt8(ascii: "\"") {
            if position >= bytes.count || current == 0x0A || current == 0x0D { return false }
            if current == UInt8(ascii: "\\") {
                guard isEscape(characters: "tbnrf\"'\\") else { return false }
            } else {
                position += 1
            }
        }
        position += 1
        if take("^^") { return isIRI() }
        guard take("@") else { return true }
        var length = 0
        var isFirst = true
        while Self.isLetter(current) || current == UInt8(ascii: "-") || Self.isDigit(current) && !isFirst {
            if current == UInt8(ascii: "-") {
                if length == 0 { return false }
                isFirst = false
                length = 0
            } else {
                length += 1
            }
            position += 1
        }
        return length > 0
    }
}
