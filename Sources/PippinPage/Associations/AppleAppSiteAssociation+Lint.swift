// What is valid and still not what its author means.

extension AppleAppSiteAssociationReader {
    mutating func lint(_ links: AppleAppSiteAssociation.UniversalLinks) {
        var seen: [String: TextPlace] = [:]
        /// By app, what matches everything in one of its entries.
        var decided: [String: Component] = [:]
        for entry in links.entries {
            let apps = Set(entry.appIDs).sorted()
            for app in apps {
                if let first = seen[app] {
                    notes.add(
                        .repeatedApp,
                        "\(app.quotedBriefly) has an entry at line \(first.line) already; the first entry with a pattern that matches decides.",
                        at: entry.place)
                } else {
                    seen[app] = entry.place
                }
            }
            if !apps.isEmpty, !entry.components.isEmpty, apps.allSatisfy({ decided[$0] != nil }),
                let catchAll = apps.first.flatMap({ decided[$0] })
            {
                notes.add(
                    .unreachable,
                    "The entry is never reached: \(catchAll.text.quotedBriefly) at line \(catchAll.place.line) matches every URL for the same app.",
                    at: entry.place)
            }
            var catchAll: Component?
            for component in entry.components {
                if let catchAll {
                    notes.add(
                        .unreachable,
                        "\(component.text.quotedBriefly) is never reached: \(catchAll.text.quotedBriefly) at line \(catchAll.place.line) matches every URL.",
                        at: component.place)
                } else if component.matchesEverything {
                    catchAll = component
                }
            }
            for app in apps where decided[app] == nil { decided[app] = catchAll }
        }
        lintOpening(links)
    }

    /// Notes apps that no URL opens, though they have patterns.
    private mutating func lintOpening(_ links: AppleAppSiteAssociation.UniversalLinks) {
        struct Lot {
            let place: TextPlace
            var opens = false
            var excludesAll = true
            var isDecided = false
        }
        var lots: [String: Lot] = [:]
        var order: [String] = []
        for entry in links.entries where !entry.components.isEmpty {
            let reached =
                entry.components.firstIndex(where: \.matchesEverything).map { $0 + 1 } ?? entry.components.count
            let isCaught = reached < entry.components.count || entry.components.last?.matchesEverything == true
            let opens = entry.components.prefix(reached).contains { !$0.excludes && $0.canMatch }
            let excludesAll = entry.components.allSatisfy(\.excludes)
            for app in Set(entry.appIDs).sorted() {
                var lot = lots[app] ?? Lot(place: entry.place)
                if lots[app] == nil { order.append(app) }
                if !lot.isDecided { lot.opens = lot.opens || opens }
                lot.isDecided = lot.isDecided || isCaught
                lot.excludesAll = lot.excludesAll && excludesAll
                lots[app] = lot
            }
        }
        let closed = order.compactMap { app in lots[app].flatMap { $0.opens ? nil : (app: app, lot: $0) } }
        func reason(_ excludesAll: Bool) -> String {
            excludesAll ? "every pattern excludes" : "none of its patterns can match and open"
        }
        if closed.count == order.count, let first = closed.first {
            notes.add(
                .opensNothing,
                "No URL opens in \(closed.count == 1 ? first.app.quotedBriefly : "any app"): \(reason(closed.allSatisfy(\.lot.excludesAll))).",
                at: first.lot.place)
            return
        }
        for (app, lot) in closed {
            notes.add(
                .opensNothing, "No URL opens in \(app.quotedBriefly): \(reason(lot.excludesAll)).", at: lot.place)
        }
    }

    /// The patterns that a component or `defaults` has itself.
    ///
    /// - Parameter percentEncoded: after all defaults.
    mutating func lint(_ terms: AppleAppSiteAssociation.Terms, percentEncoded: Bool, at place: TextPlace) {
        if let path = terms.path { lintPath(path.text, percentEncoded, place) }
        var parts = terms.query?.patterns.map(\.text) ?? []
        if let fragment = terms.fragment?.text {
            parts.append(fragment)
            if fragment.hasPrefix("#") {
                notes.add(
                    .delimiterInPattern, "\(fragment.quotedBriefly): the “#” before a fragment is no part of it.",
                    at: place)
            }
        }
        if case .whole(let query) = terms.query?.form, query.hasPrefix("?"), !query.hasPrefix("?*"),
            query.contains("=")
        {
            notes.add(
                .delimiterInPattern,
                "\(query.quotedBriefly): the “?” before a query is no part of it; here it stands for one more character.",
                at: place)
        }
        for part in parts { lintEncoding(part, percentEncoded, place) }
    }

    private mutating func lintPath(_ path: String, _ percentEncoded: Bool, _ place: TextPlace) {
        lintEncoding(path, percentEncoded, place)
        if path.has("://") {
            notes.add(
                .hostInPattern, "\(path.quotedBriefly) is compared with the path only, which has no scheme and host.",
                at: place)
        } else if !path.hasPrefix("/"), !path.hasPrefix("*"), !path.hasPrefix("$(") {
            notes.add(
                .missingSlash, "\(path.quotedBriefly): a path begins with “/”; it counts as if it did.",
                at: place)
        }
        lintQuestionMark(path, place)
        if path.contains("#") {
            notes.add(
                .delimiterInPattern,
                "\(path.quotedBriefly) has a “#”, which no path has: the fragment is matched by “#”.",
                at: place)
        }
    }

    /// In a path “?” stands for one character, as in `/201?/*`. Where a query seems to begin, that is said.
    private mutating func lintQuestionMark(_ path: String, _ place: TextPlace) {
        guard let mark = path.utf8.firstIndex(of: UInt8(ascii: "?")) else { return }
        let rest = path.utf8[path.utf8.index(after: mark)...]
        let sentence =
            "\(path.quotedBriefly): in a path “?” is any one character and begins no query, which has a “?” key of its own."
        if rest.contains(UInt8(ascii: "=")) || rest.contains(UInt8(ascii: "&")) {
            notes.add(.queryInPath, sentence, at: place)
        } else if let before = path.utf8[..<mark].last, before.isASCIILetter,
            rest.isEmpty || rest.elementsEqual([UInt8(ascii: "*")])
        {
            notes.add(.questionMarkInPath, sentence, at: place)
        }
    }

    private mutating func lintEncoding(_ pattern: String, _ percentEncoded: Bool, _ place: TextPlace) {
        guard percentEncoded else { return }
        if pattern.utf8.contains(where: { $0 >= 0x80 || $0 == 0x20 }), !hasVariableOnly(pattern) {
            notes.add(
                .unencodedPattern,
                "\(pattern.quotedBriefly) has characters that URLs hold percent-encoded: write them so, or set “percentEncoded” to false.",
                at: place)
        }
        let bytes = Array(pattern.utf8)
        for (i, byte) in bytes.enumerated() where byte == 0x25 && i + 2 < bytes.count {
            let digits = bytes[(i + 1)...(i + 2)]
            if digits.allSatisfy({ $0.hexDigitValue != nil }), digits.contains(where: { $0 >= 0x61 }) {
                notes.add(
                    .lowercaseEscape,
                    "\(pattern.quotedBriefly): percent-encodings are compared as written, and URLs mostly have capital digits.",
                    at: place)
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

extension AppleAppSiteAssociation.Terms {
    /// Whether every URL of the host matches: `{}`, `*`, `/*`, and stars in the other parts.
    var matchEverything: Bool {
        path?.matchesEverything != false && query?.patterns.allSatisfy(\.matchesEverything) != false
            && fragment?.matchesEverything != false
    }
}

extension AppleAppSiteAssociation.Component {
    /// Whether every URL of the host matches.
    var matchesEverything: Bool { defect == nil && terms.matchEverything }

    /// Whether any URL matches, as far as its variables and characters say.
    var canMatch: Bool {
        guard defect == nil else { return false }
        let patterns = [terms.path?.written, terms.fragment].compactMap(\.self) + queryPatterns
        guard !patterns.contains(where: \.matchesNothing) else { return false }
        // The path of a URL is ASCII without spaces, and what begins with “#” is not in it.
        return !percentEncoded
            || terms.path?.written.elements.contains {
                if case .scalar(let value) = $0 { value <= 0x20 || value >= 0x7F || value == 0x23 } else { false }
            } != true
    }
}
