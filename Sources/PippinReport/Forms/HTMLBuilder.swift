/// Writes HTML in which nothing can come to stand as markup but what the program itself names: names of elements and
/// attributes are literals, every text and value is escaped.
struct HTMLBuilder: Sendable, Codable {
    typealias Attribute = (name: StaticString, value: String)

    private(set) var html = ""

    /// An element with what `body` writes into it.
    mutating func element(
        _ name: StaticString, _ attributes: [Attribute] = [], _ body: (inout HTMLBuilder) -> Void = { _ in }
    ) {
        void(name, attributes)
        body(&self)
        html += "</\(name)>"
    }

    /// An element that holds a text.
    mutating func element(_ name: StaticString, _ attributes: [Attribute] = [], text: String) {
        element(name, attributes) { $0.text(text) }
    }

    /// A start tag alone: of an element without content.
    mutating func void(_ name: StaticString, _ attributes: [Attribute] = []) {
        html += "<\(name)"
        for attribute in attributes {
            html += " \(attribute.name)=\""
            append(attribute.value)
            html += "\""
        }
        html += ">"
    }

    mutating func text(_ text: String) {
        append(text)
    }

    /// What another builder has written.
    mutating func part(_ other: HTMLBuilder) {
        html += other.html
    }

    /// Markup of the program's own.
    mutating func literal(_ markup: StaticString) {
        html += "\(markup)"
    }

    /// Escapes what means something to HTML, in text and in quoted attributes alike. Controls that HTML forbids, and the
    /// marks that turn the direction of all that follows, become `�`.
    private mutating func append(_ text: String) {
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x26: html += "&amp;"
            case 0x3C: html += "&lt;"
            case 0x3E: html += "&gt;"
            case 0x22: html += "&quot;"
            case 0x27: html += "&#39;"
            case 0x09, 0x0A: html.unicodeScalars.append(scalar)
            case 0...0x1F, 0x7F...0x9F, 0x202A...0x202E, 0x2066...0x2069, 0xFFFE, 0xFFFF: html += "\u{FFFD}"
            default: html.unicodeScalars.append(scalar)
            }
        }
    }
}
