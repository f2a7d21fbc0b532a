import PippinPage

/// Markup in which only this program can produce elements. It is made of literals, and every text in a literal is escaped, in quoted
/// attributes too:
///
///     let link: HTML = #"<a href="\#(address)">\#(title)</a>\#("<b>new</b>", if: isNew)"#
package struct HTML: Sendable, Codable, ExpressibleByStringInterpolation {
    package private(set) var html = ""

    package init(stringLiteral markup: StaticString) { html = markup.description }

    package init(stringInterpolation: StringInterpolation) { html = stringInterpolation.html }

    /// Takes markup that was kept as text or has changed since.
    package init(kept markup: String) { html = markup }

    package var isEmpty: Bool { html.isEmpty }

    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var html = ""

        package init(literalCapacity: Int, interpolationCount: Int) {}

        package mutating func appendLiteral(_ markup: StaticString) { html += markup.description }

        package mutating func appendInterpolation(literal markup: StaticString) { appendLiteral(markup) }

        package mutating func appendInterpolation(_ text: String) { append(text) }

        package mutating func appendInterpolation(_ number: Int) { html += String(number) }

        /// Appends parts, one after the other.
        package mutating func appendInterpolation(_ parts: [HTML]) { for part in parts { html += part.html } }

        /// Appends a part, if there is one and the condition holds.
        package mutating func appendInterpolation(
            _ part: @autoclosure () -> HTML?, if condition: @autoclosure () -> Bool = true
        ) {
            if condition(), let part = part() { html += part.html }
        }

        /// Escapes the characters that have a meaning in HTML. Controls that HTML forbids become U+FFFD, and so do characters that
        /// change the direction of the following text.
        ///
        /// It goes by Unicode scalars. A mark that combines with a quotation mark makes one `Character` of both, which is not `"`,
        /// but a browser still sees the quotation mark.
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
}

// MARK: Parts of several pages

extension HTML {
    package static func tableHead(_ titles: [String]) -> HTML {
        #"<thead><tr>\#(titles.map { #"<th scope="col">\#($0)</th>"# })</tr></thead>"#
    }

    /// A bar of several parts. Their widths are classes, because served pages allow no styles in attributes.
    package static func bar(_ parts: [(Int, String)], of all: Int) -> HTML {
        let shown: [HTML] = parts.filter { $0.0 > 0 }.map { count, style in
            let percent = min(Int((Double(count) / Double(max(all, 1)) * 100).rounded()), 100)
            return #"<i class="\#(style) w\#(percent)"></i>"#
        }
        return #"<div class="bar">\#(shown)</div>"#
    }

    /// A number, and what it counts.
    package static func figure(_ number: String, _ what: String, _ more: String, _ style: String = "") -> HTML {
        """
        <div class="card figure"><div class="number \(style)">\(number)</div><h3>\(what)</h3><p class="dim small">\(more)</p></div>
        """
    }

    /// An address. It is a link only if it is an http or https URL.
    static func link(_ url: String) -> HTML {
        url.hasPrefix("https://") || url.hasPrefix("http://")
            ? #"<a href="\#(url)" rel="noreferrer noopener">\#(url)</a>"# : "<code>\(url)</code>"
    }
}

/// A report as parts of a page that has its own frame: a served page, for example. Both parts are markup in which only this
/// program's elements occur, and the same as in the report's file.
public struct PagePieces: Sendable {
    /// The title of the page as plain text.
    public let title: String
    /// The element `header`, with the heading of first level.
    package let heading: HTML
    /// The content of the element `main`.
    package let content: HTML

    /// Without names and passwords in URLs, which are no one's business who reads a report.
    public var withoutUserInformation: PagePieces {
        PagePieces(
            title: UserInformation.hidden(in: title), heading: HTML(kept: UserInformation.hidden(in: heading.html)),
            content: HTML(kept: UserInformation.hidden(in: content.html)))
    }
}
