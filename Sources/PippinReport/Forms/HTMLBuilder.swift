/// Writes HTML in which only this program can produce markup: names of elements and attributes are literals, and every text
/// and value is escaped.
package struct HTMLBuilder: Sendable, Codable {
    package init() {}

    package typealias Attribute = (name: StaticString, value: String)

    package private(set) var html = ""

    /// An element with what `body` writes into it.
    package mutating func element(
        _ name: StaticString, _ attributes: [Attribute] = [], _ body: (inout HTMLBuilder) -> Void = { _ in }
    ) {
        void(name, attributes)
        body(&self)
        html += "</\(name)>"
    }

    /// An element with a text as its content.
    package mutating func element(_ name: StaticString, _ attributes: [Attribute] = [], text: String) {
        element(name, attributes) { $0.text(text) }
    }

    /// A start tag alone, for an element without content.
    package mutating func void(_ name: StaticString, _ attributes: [Attribute] = []) {
        html += "<\(name)"
        for attribute in attributes {
            html += " \(attribute.name)=\""
            append(attribute.value)
            html += "\""
        }
        html += ">"
    }

    package mutating func text(_ text: String) {
        append(text)
    }

    /// Appends what another builder has written.
    package mutating func part(_ other: HTMLBuilder) {
        html += other.html
    }

    /// Appends markup that another builder has written and that was kept as text.
    package mutating func markup(_ markup: String) {
        html += markup
    }

    /// Appends markup from a literal.
    package mutating func literal(_ markup: StaticString) {
        html += "\(markup)"
    }

    private mutating func append(_ text: String) {
        HTMLText.append(text, to: &html)
    }
}

/// Text inside HTML.
public enum HTMLText {
    /// Escapes the characters that have a meaning in HTML, for texts and for quoted attributes. Controls that HTML forbids
    /// become U+FFFD, and so do characters that change the direction of the following text.
    ///
    /// It goes by Unicode scalars. A mark that combines with a quotation mark makes one `Character` of both, which is not `"`,
    /// but a browser still sees the quotation mark.
    public static func escaped(_ text: String) -> String {
        var html = ""
        append(text, to: &html)
        return html
    }

    static func append(_ text: String, to html: inout String) {
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
