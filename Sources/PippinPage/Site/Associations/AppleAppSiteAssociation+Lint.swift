// What is valid and still not what its author means.

extension AppleAppSiteAssociationReader {
    mutating func lint(_ links: AppleAppSiteAssociation.UniversalLinks) {
        var seen: [String: TextPlace] = [:]
        for entry in links.entries {
            for app in Set(entry.appIDs).sorted() {
                if let first = seen[app] {
                    notes.add(
                        .repeatedApp,
                        "\(app.quotedBriefly) has an entry at line \(first.line) already; the first entry with a pattern that matches decides.",
                        at: entry.place)
                } else {
                    seen[app] = entry.place
                }
            }
            var catchAll: Component?
            for component in entry.components {
                if let catchAll {
                    notes.add(
                        .unreachable,
                        "\(component.text.quotedBriefly) is never reached: \(catchAll.text.quotedBriefly) at line \(catchAll.place.line) matches every URL.",
                        at: component.place)
                }
                if catchAll == nil, component.matchesEverything { catchAll = component }
                lint(component)
            }
        }
    }

    private mutating func lint(_ component: Component) {
        if let path = component.pathPattern { lintPath(path.text, component) }
        var parts = component.queryPatterns.map(\.text)
        if let fragment = component.fragment {
            parts.append(fragment)
            if fragment.hasPrefix("#") {
                notes.add(
                    .delimiterInPattern, "\(fragment.quotedBriefly): the “#” before a fragment is no part of it.",
                    at: component.place)
            }
        }
        if case .whole(let query) = component.query, query.hasPrefix("?"), !query.hasPrefix("?*"), query.contains("=") {
            notes.add(
                .delimiterInPattern,
                "\(query.quotedBriefly): the “?” before a query is no part of it; here it stands for one more character.",
                at: component.place)
        }
        for part in parts { lintEncoding(part, component) }
    }

    private mutating func lintPath(_ path: String, _ component: Component) {
        lintEncoding(path, component)
        if path.contains("://") {
            notes.add(
                .hostInPattern, "\(path.quotedBriefly) is compared with the path only, which has no scheme and host.",
                at: component.place)
        } else if !path.hasPrefix("/"), !path.hasPrefix("*"), !path.hasPrefix("$(") {
            notes.add(
                .missingSlash, "\(path.quotedBriefly): a path begins with “/”; it counts as if it did.",
                at: component.place)
        }
        lintQuestionMark(path, component)
        if path.contains("#") {
            notes.add(
                .delimiterInPattern,
                "\(path.quotedBriefly) has a “#”, which no path has: the fragment is matched by “#”.",
                at: component.place)
        }
    }

    /// In a path “?” stands for one character, as in `/201?/*`. Where a query seems to begin, that is said.
    private mutating func lintQuestionMark(_ path: String, _ component: Component) {
        guard let mark = path.utf8.firstIndex(of: UInt8(ascii: "?")) else { return }
        let rest = path.utf8[path.utf8.index(after: mark)...]
        let sentence =
            "\(path.quotedBriefly): in a path “?” is any one character and begins no query, which has a “?” key of its own."
        if rest.contains(UInt8(ascii: "=")) || rest.contains(UInt8(ascii: "&")) {
            notes.add(.queryInPath, sentence, at: component.place)
        } else if let before = path.utf8[..<mark].last, before.isASCIILetter,
            rest.isEmpty || rest.elementsEqual([UInt8(ascii: "*")])
        {
            notes.add(.questionMarkInPath, sentence, at: component.place)
        }
    }

    private mutating func lintEncoding(_ pattern: String, _ component: Component) {
        guard component.percentEncoded else { return }
        if pattern.utf8.contains(where: { $0 >= 0x80 || $0 == 0x20 }), !hasVariableOnly(pattern) {
            notes.add(
                .unencodedPattern,
                "\(pattern.quotedBriefly) has characters that URLs hold percent-encoded: write them so, or set “percentEncoded” to false.",
                at: component.place)
        }
        let bytes = Array(pattern.utf8)
        for (i, byte) in bytes.enumerated() where byte == 0x25 && i + 2 < bytes.count {
            let digits = bytes[(i + 1)...(i + 2)]
            if digits.allSatisfy({ $0.hexDigitValue != nil }), digits.contains(where: { $0 >= 0x61 }) {
                notes.add(
                    .lowercaseEscape,
                    "\(pattern.quotedBriefly): percent-encodings are compared as written, and URLs mostly have capital digits.",
                    at: component.place)
                return
            }
        }
    }

    /// Whether what is not ASCII stands in names of variables, such as `$(Canadian food)`.
    private func hasVariableOnly(_ pattern: String) -> Bool {
        var isName = false
        var last: UInt8 = 0
        for byte in pattern.utf8 {
            if byte == UInt8(ascii: "("), last == UInt8(ascii: "$") { isName = true }
            if byte == UInt8(ascii: ")") { isName = false }
            if !isName, byte >= 0x80 || byte == 0x20 { return false }
            last = byte
        }
        return true
    }
}

extension AppleAppSiteAssociation.Component {
    /// Whether every URL of the host matches: `{}`, `*`, `/*`, and stars in the other parts.
    var matchesEverything: Bool {
        guard defect == nil else { return false }
        if let path, path != "*", path != "/*" { return false }
        if !queryPatterns.allSatisfy(\.matchesEverything) { return false }
        return fragmentPattern?.matchesEverything ?? true
    }
}
