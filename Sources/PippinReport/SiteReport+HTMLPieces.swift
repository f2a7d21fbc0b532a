// What the parts of a site's HTML report are made of.

import PippinPage

extension SiteReport {
    static func writeHead(_ titles: [String], to page: inout HTMLBuilder) {
        page.element("thead") { page in
            page.element("tr") { page in
                for title in titles { page.element("th", [("scope", "col")], text: title) }
            }
        }
    }

    static func bar(_ parts: [(Int, String)], of all: Int, to page: inout HTMLBuilder) {
        page.element("div", [("class", "bar")]) { page in
            for (count, style) in parts where count > 0 {
                let permille = Int((Double(count) / Double(max(all, 1)) * 1000).rounded())
                page.element("i", [("class", style), ("style", "width:\(permille / 10).\(permille % 10)%")])
            }
        }
    }

    /// An address of the crawl, as a link only where a browser may follow it.
    static func link(_ url: String, to page: inout HTMLBuilder) {
        if url.hasPrefix("https://") || url.hasPrefix("http://") {
            page.element("a", [("href", url), ("rel", "noreferrer noopener")], text: url)
        } else {
            page.element("code", text: url)
        }
    }

    static func more(_ count: Int, shown: Int, _ what: String, to page: inout HTMLBuilder) {
        guard count > shown else { return }
        page.element("p", [("class", "quiet")], text: "And \(Self.count(count - shown, "more \(what)")).")
    }

    /// `12,345`.
    static func number(_ value: Int) -> String {
        let digits = String(value)
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0, text != "-" { text += "," }
            text.append(digit)
        }
        return text
    }

    static func count(_ value: Int, _ one: String) -> String {
        value == 1 ? "1 \(one)" : "\(number(value)) \(one)s"
    }

    static func share(_ part: Int, of all: Int) -> String {
        guard all > 0, part > 0 else { return "none" }
        if part == all { return "all" }
        let percent = Int((Double(part) / Double(all) * 100).rounded())
        return "\(min(max(percent, 1), 99)) %"
    }
}

extension Check {
    static func withID(_ id: String) -> Check? { index[id].map { all[$0] } }
}
