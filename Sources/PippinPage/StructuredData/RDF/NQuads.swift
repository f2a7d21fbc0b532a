// RDF 1.1 N-Quads. Readers of such files may be strict, so statements that the grammar does not allow are left out.

extension RDFDataset {
    /// The dataset as N-Quads in UTF-8, one statement per line. Statements with an IRI that is not absolute, an ill-formed
    /// language tag, or a literal as subject are left out.
    public var nquads: [UInt8] { nquads(keepingRelativeIRIs: false) }

    /// The dataset as N-Quads in UTF-8.
    ///
    /// - Parameter keepingRelativeIRIs: true for RDFa, where a prefix declared as a relative IRI stays relative.
    func nquads(keepingRelativeIRIs: Bool) -> [UInt8] {
        var writer = NQuadsWriter(keepsRelativeIRIs: keepingRelativeIRIs)
        for quad in quads { writer.write(quad) }
        return writer.bytes
    }
}

private struct NQuadsWriter {
    let keepsRelativeIRIs: Bool
    private(set) var bytes: [UInt8] = []

    init(keepsRelativeIRIs: Bool) {
        self.keepsRelativeIRIs = keepsRelativeIRIs
    }

    mutating func write(_ quad: RDFQuad) {
        let start = bytes.count
        guard case .iri = quad.predicate, writeResource(quad.subject), writeResource(quad.predicate),
            write(quad.object), quad.graph.map({ writeResource($0) }) ?? true
        else {
            bytes.removeSubrange(start...)
            return
        }
        bytes += [UInt8(ascii: "."), UInt8(ascii: "\n")]
    }

    private mutating func writeResource(_ term: RDFTerm) -> Bool {
        if case .literal = term { return false }
        return write(term)
    }

    /// Writes the term and a space; false if N-Quads cannot express it.
    private mutating func write(_ term: RDFTerm) -> Bool {
        switch term {
        case .iri(let iri):
            guard writeIRI(iri) else { return false }
        case .blank(let number):
            bytes += "_:b".utf8
            bytes += String(number).utf8
        case .literal(let text, let datatype, let language):
            quote(text)
            if let language {
                guard LanguageTag.isNQuadsTag(language) else { return false }
                bytes.append(UInt8(ascii: "@"))
                bytes += language.utf8
            } else if let datatype, datatype != RDFTerm.Vocabulary.xsd + "string" {
                bytes += "^^".utf8
                guard writeIRI(datatype) else { return false }
            }
        }
        bytes.append(UInt8(ascii: " "))
        return true
    }

    /// Writes `IRIREF ::= '<' ([^#x00-#x20<>"{}|^`\] | UCHAR)* '>'`; false if the IRI is not absolute.
    private mutating func writeIRI(_ iri: String) -> Bool {
        guard keepsRelativeIRIs || IRIReference.hasScheme(iri) else { return false }
        bytes.append(UInt8(ascii: "<"))
        for byte in iri.utf8 {
            switch byte {
            case 0x00...0x20, UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""), UInt8(ascii: "{"),
                UInt8(ascii: "}"), UInt8(ascii: "|"), UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "\\"):
                escape(byte)
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: ">"))
        return true
    }

    private mutating func escape(_ byte: UInt8) {
        bytes += "\\u00".utf8
        for digit in [byte >> 4, byte & 0xF] {
            bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "A") + digit - 10)
        }
    }

    private mutating func quote(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
            case 0x0A: bytes += "\\n".utf8
            case 0x0D: bytes += "\\r".utf8
            case 0x09: bytes += "\\t".utf8
            case 0x08: bytes += "\\b".utf8
            case 0x0C: bytes += "\\f".utf8
            case 0x00...0x1F, 0x7F: escape(byte)
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
