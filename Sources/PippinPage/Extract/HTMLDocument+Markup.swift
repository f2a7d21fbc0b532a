// Writing a part of the document as markup again, for the literals of RDFa that are markup.

extension HTMLDocument {
    /// Everything inside an element as an HTML fragment (WHATWG HTML §13.3) or as well-formed XML.
    func markup(inside root: Index, asXML: Bool, _ texts: inout TextBudget) -> String {
        var writer = MarkupWriter(document: self, asXML: asXML)
        return texts.take(writer.estimatedBytes(inside: root)) ? writer.write(inside: root) : ""
    }
}

private struct MarkupWriter {
    let document: HTMLDocument
    let asXML: Bool
    private var bytes: [UInt8] = []

    init(document: HTMLDocument, asXML: Bool) {
        self.document = document
        self.asXML = asXML
    }

    /// Text and tags before any escaping.
    func estimatedBytes(inside root: Int) -> Int {
        document.textBytes(of: root).count + (Int(document.elements[root].subtreeEnd) - root) * 32
    }

    mutating func write(inside root: Int) -> String {
        var position = Int(document.elements[root].textStart)
        var open: [Int] = []
        func rest(_ end: Int) -> Range<Int> { position..<max(position, end) }
        for element in document.descendants(of: root) {
            while let last = open.last, Int(document.elements[last].subtreeEnd) <= element {
                position = close(last, rest(Int(document.elements[last].textEnd)))
                open.removeLast()
            }
            let start = Int(document.elements[element].textStart)
            appendText(rest(start), in: open.last ?? root)
            position = max(position, start)
            begin(element)
            open.append(element)
        }
        while let last = open.popLast() { position = close(last, rest(Int(document.elements[last].textEnd))) }
        appendText(rest(Int(document.elements[root].textEnd)), in: root)
        return String(decoding: bytes, as: UTF8.self)
    }

    private mutating func begin(_ element: Int) {
        bytes.append(UInt8(ascii: "<"))
        bytes += document.spelling(ofName: document.elements[element].nameNumber).utf8
        for attribute in document.attributes(of: element) {
            bytes.append(UInt8(ascii: " "))
            bytes += attribute.name.utf8
            bytes += [UInt8(ascii: "="), UInt8(ascii: "\"")]
            for byte in attribute.value.utf8 { append(byte, isAttribute: true) }
            bytes.append(UInt8(ascii: "\""))
        }
        if asXML && isEmpty(element) { bytes.append(UInt8(ascii: "/")) }
        bytes.append(UInt8(ascii: ">"))
    }

    private func isEmpty(_ element: Int) -> Bool {
        let e = document.elements[element]
        return e.textStart == e.textEnd && Int(e.subtreeEnd) == element + 1
    }

    /// Writes the text up to the end of an element and its end tag; gives back where the text goes on.
    private mutating func close(_ element: Int, _ text: Range<Int>) -> Int {
        appendText(text, in: element)
        if asXML ? !isEmpty(element) : !document.elements[element].name.isVoid {
            bytes += "</".utf8
            bytes += document.spelling(ofName: document.elements[element].nameNumber).utf8
            bytes.append(UInt8(ascii: ">"))
        }
        return text.upperBound
    }

    private mutating func appendText(_ range: Range<Int>, in element: Int) {
        let name = document.elements[element].name
        if !asXML && (name == .script || name == .style) {
            bytes += document.text[range]
        } else {
            for byte in document.text[range] { append(byte, isAttribute: false) }
        }
    }

    private mutating func append(_ byte: UInt8, isAttribute: Bool) {
        switch byte {
        case UInt8(ascii: "&"): bytes += "&amp;".utf8
        case UInt8(ascii: "<") where !isAttribute || asXML: bytes += "&lt;".utf8
        case UInt8(ascii: ">") where !isAttribute: bytes += "&gt;".utf8
        case UInt8(ascii: "\"") where isAttribute: bytes += "&quot;".utf8
        default: bytes.append(byte)
        }
    }
}
