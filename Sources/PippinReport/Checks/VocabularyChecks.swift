// Checks whether the types and properties of structured data belong to schema.org, and the properties to their types (S05,
// S06).

import PippinPage

extension StructuredDataChecks {
    /// The most names in the findings of one page. The last finding counts the others.
    private static let shownNames = 6
    /// The most names of one kind that are looked at closely. Others are only counted: comparing a name with the 1,500 of the
    /// vocabulary and finding its place in the script take a while, and a hostile page has endless names.
    private static let comparedNames = 200

    /// What is wrong with names in items of some syntaxes. Each name of a type is reported once.
    static func names(_ page: PageExamination, _ syntaxes: Set<StructuredItem.Syntax>) -> [Verdict] {
        var toldTypes: Set<String> = []
        /// Names by the type that they were reported of.
        var told: [String: Set<String>] = [:]
        var unknownTypes: [Verdict] = []
        var unknown: [Verdict] = []
        var misplaced: [Verdict] = []
        var uncompared = (types: 0, unknown: 0, misplaced: 0)
        for item in page.facts.structuredData.items.prefix(5_000) where syntaxes.contains(item.syntax) {
            for type in item.types where isBare(type) && !SchemaOrg.isKnownType(type) {
                guard toldTypes.insert(type).inserted else { continue }
                if unknownTypes.count == comparedNames {
                    uncompared.types += 1
                } else if let verdict = unknownType(type, of: item, page) {
                    unknownTypes.append(verdict)
                }
            }
            // The properties of an unknown type are not known. A `Role` repeats the property that it stands for.
            guard let type = item.types.first,
                item.types.allSatisfy({ SchemaOrg.isKnownType($0) && !SchemaOrg.isKind($0, of: "Role") })
            else { continue }
            /// Known names of the item; others are found in `told`.
            var seen: Set<String> = []
            for property in item.properties where isJudged(property.name) {
                let name = property.name
                if !SchemaOrg.isKnownProperty(name) {
                    guard told[type, default: []].insert(name).inserted else { continue }
                    if unknown.count == comparedNames {
                        uncompared.unknown += 1
                    } else {
                        unknown.append(unknownProperty(name, of: item, type, page))
                    }
                } else if seen.insert(name).inserted, !SchemaOrg.isExpected(name, on: item.types),
                    item.values("additionalType").isEmpty
                {
                    guard told[type, default: []].insert(name).inserted else { continue }
                    if misplaced.count == comparedNames {
                        uncompared.misplaced += 1
                    } else {
                        misplaced.append(misplacedProperty(name, of: item, type, page))
                    }
                }
            }
        }
        return bounded(unknownTypes, "types", more: uncompared.types)
            + bounded(unknown, "properties", more: uncompared.unknown)
            + bounded(misplaced, "properties", more: uncompared.misplaced)
    }

    private static func bounded(_ verdicts: [Verdict], _ kind: String, more: Int) -> [Verdict] {
        guard verdicts.count > shownNames else { return verdicts }
        // Mistakes come before advice.
        var shown = Array(
            (verdicts.filter { $0.outcome > .info } + verdicts.filter { $0.outcome <= .info })
                .prefix(shownNames))
        shown[shownNames - 1].sentence += " (And \(verdicts.count + more - shownNames) more \(kind) like this.)"
        return shown
    }

    private static func isBare(_ name: String) -> Bool { !name.isEmpty && !name.utf8.contains(UInt8(ascii: ":")) }

    /// Whether a property is checked. Annotations of an action's properties (`query-input`) are not: the vocabulary describes
    /// but does not list them.
    private static func isJudged(_ name: String) -> Bool {
        isBare(name) && !name.hasSuffix("-input") && !name.hasSuffix("-output") && !name.hasPrefix("@")
            && name.utf8.count <= 100
    }

    // MARK: Sentences

    private static func unknownType(_ type: String, of item: StructuredItem, _ page: PageExamination) -> Verdict? {
        let meant = MeantName.type(type)
        let place = item.syntax == .jsonLD ? page.place(ofText: type, in: item) : page.place(of: item)
        guard let meant else {
            let kind =
                SchemaOrg.knownProperties.contains(type) ? "a property of schema.org, no type" : "no type of schema.org"
            return .info(
                "\(Wording.quoted(type)) is \(kind): readers take such an item for a thing of unknown kind.",
                at: place,
                Finding.Remedy(
                    "Name a type of schema.org; a kind of its own goes beside it.", code: written("Thing", item)))
        }
        return .warning(
            "\(Wording.quoted(type)) is no type of schema.org; \(meant.clause)", at: place,
            Finding.Remedy("Write \(meant.name).", code: written(meant.name, item)))
    }

    private static func written(_ type: String, _ item: StructuredItem) -> String {
        switch item.syntax {
        case .jsonLD: "\"@type\": \"\(type)\""
        case .microdata: "itemtype=\"https://schema.org/\(type)\""
        case .rdfa: "typeof=\"\(type)\""
        // Their names are not schema.org's, so that no check of it finds one.
        case .microformats: type
        }
    }

    private static func unknownProperty(
        _ name: String, of item: StructuredItem, _ type: String, _ page: PageExamination
    ) -> Verdict {
        let meant = MeantName.property(name, on: item.types)
        let place = item.syntax == .jsonLD ? page.place(ofKey: name, in: item) : page.place(of: item)
        guard let meant else {
            return .info(
                "\(Wording.quoted(name)), on \(article(type)), is no property of schema.org: readers pass over it.",
                at: place,
                Finding.Remedy("Take it away, or say it with a property of \(type): schema.org/\(type) lists them."))
        }
        return .warning(
            "\(Wording.quoted(name)), on \(article(type)), is no property of schema.org; \(meant.clause)",
            at: place,
            Finding.Remedy("Write \(meant.name).", code: written(property: meant.name, page.text(item, name), item)))
    }

    private static func misplacedProperty(
        _ name: String, of item: StructuredItem, _ type: String, _ page: PageExamination
    ) -> Verdict {
        let homes = SchemaOrg.domains(of: name)
        let place = item.syntax == .jsonLD ? page.place(ofKey: name, in: item) : page.place(of: item)
        return .info(
            "\(name) is no property of \(Wording.list(item.types)): schema.org has it for \(Wording.list(homes, shown: 4)).",
            at: place,
            Finding.Remedy("Move it to \(article(homes.first ?? "Thing")), or take it away."))
    }

    /// The property with its value, if that is a short text.
    private static func written(property: String, _ value: String?, _ item: StructuredItem) -> String {
        switch item.syntax {
        case .jsonLD:
            guard let value, value.utf8.count <= 100 else { return "\"\(property)\": …" }
            return Markup.property(property, value, in: .jsonLD)
        case .microdata: return "itemprop=\"\(property)\""
        case .rdfa: return "property=\"\(property)\""
        case .microformats: return property
        }
    }

    private static func article(_ type: String) -> String {
        let isVowel = type.utf8.first.map { "AEIO".utf8.contains($0) } ?? false
        return (isVowel ? "an " : "a ") + type
    }
}

extension PageExamination {
    /// The place of a key of a JSON-LD item: in its node; otherwise the node's.
    func place(ofKey key: String, in item: StructuredItem) -> Finding.Place {
        guard let found = facts.jsonLD.place(of: key, isKey: true, inNodeAt: (item.line, item.column)) else {
            return place(of: item)
        }
        return .markup("JSON-LD \(item.types.first ?? "")", line: found.line, column: found.column)
    }

    /// The place of a property of an item: its key in JSON-LD, its value or its element in microdata and RDFa; the item's if it
    /// stands elsewhere, as `itemref` allows.
    func place(of item: StructuredItem, property name: String) -> Finding.Place {
        if item.syntax == .jsonLD { return place(ofKey: name, in: item) }
        let document = facts.document
        guard let line = item.line, let column = item.column,
            let found = document.element(
                withProperty: name, inItemAt: (line, column), isMicrodata: item.syntax == .microdata)
        else { return place(of: item) }
        return .markup(
            "\(item.syntax.label) \(name)",
            document.place(ofValue: .content, on: found) ?? document.place(of: found))
    }

    /// The place of a value of a JSON-LD item, found in the same way.
    func place(ofText text: String, in item: StructuredItem) -> Finding.Place {
        guard let found = facts.jsonLD.place(of: text, isKey: false, inNodeAt: (item.line, item.column)) else {
            return place(of: item)
        }
        return .markup("JSON-LD", line: found.line, column: found.column)
    }
}
