// Reading of `applinks`: its variables and defaults first, since every pattern depends on them, then the entries in turn.

extension AppleAppSiteAssociationReader {
    typealias Entry = AppleAppSiteAssociation.Entry
    typealias Component = AppleAppSiteAssociation.Component
    typealias Terms = AppleAppSiteAssociation.Terms

    mutating func readAppLinks(_ value: JSONValue) {
        guard let members = value.object else { return wrongType(value, "applinks", "an object") }
        var links = AppleAppSiteAssociation.UniversalLinks()
        for member in members where !Self.linkKeys.contains(member.key) {
            unknown(member, among: Self.linkKeys, in: "applinks")
        }
        // Patterns in `defaults` may name variables that are defined below.
        if let variables = members["substitutionVariables"] { readVariables(variables, into: &links) }
        if let defaults = members["defaults"] { links.defaults = readDefaults(defaults, links) }
        let (details, apps) = (members["details"], members["apps"])
        if let details {
            readDetails(details, into: &links)
        } else {
            notes.add(.noEntries, "“applinks” has no “details”: no app opens any URL.", at: self.place(of: value))
        }
        checkApps(apps, links, at: self.place(of: value))
        appLinks = links
        lint(links)
    }

    private static let linkKeys = ["apps", "details", "defaults", "substitutionVariables"]

    private mutating func checkApps(
        _ apps: JSONValue?, _ links: AppleAppSiteAssociation.UniversalLinks, at place: TextPlace
    ) {
        if let apps {
            if let elements = apps.array {
                if !elements.isEmpty {
                    notes.add(
                        .appsNotEmpty, "“apps” must be an empty array; the apps stand in “details”.",
                        at: self.place(of: apps))
                }
            } else {
                wrongType(apps, "apps", "an empty array")
            }
        } else if links.entries.contains(where: { $0.form == .paths }) {
            notes.add(
                .appsMissing,
                "“apps” is missing: iOS 9 to 12, which read “paths”, want “\"apps\": []” beside “details”.",
                at: place)
        }
    }

    private mutating func readDefaults(_ value: JSONValue, _ links: AppleAppSiteAssociation.UniversalLinks) -> Terms {
        guard let members = value.object else {
            wrongType(value, "defaults", "an object")
            return Terms()
        }
        var terms = Terms()
        for member in members {
            if ["/", "?", "#", "exclude"].contains(member.key) {
                notes.add(
                    .patternInDefaults,
                    "\(member.key.quotedBriefly) in “defaults” counts for every component that does not have it.",
                    at: self.place(of: member))
            }
            if !readTerm(member, links, into: &terms) { unknown(member, among: Self.termKeys, in: "defaults") }
        }
        let percentEncoded = terms.inheriting(links.defaults).percentEncoded ?? true
        lint(terms, percentEncoded: percentEncoded, at: self.place(of: value))
        return terms
    }

    private static let termKeys = ["caseSensitive", "percentEncoded", "/", "?", "#", "exclude"]

    /// Reads a member that a component and `defaults` may have; false for any other.
    private mutating func readTerm(
        _ member: JSONObject.Member, _ links: AppleAppSiteAssociation.UniversalLinks, into terms: inout Terms
    ) -> Bool {
        switch member.key {
        case "/": terms.path = readPattern(member, links).map(AssociationPathPattern.init)
        case "#": terms.fragment = readPattern(member, links)
        case "?": terms.query = readQuery(member, links)
        case "exclude": terms.excludes = flag(member)
        case "caseSensitive": terms.caseSensitive = flag(member)
        case "percentEncoded": terms.percentEncoded = flag(member)
        default: return false
        }
        return true
    }

    private mutating func readVariables(
        _ value: JSONValue, into links: inout AppleAppSiteAssociation.UniversalLinks
    ) {
        guard let members = value.object else { return wrongType(value, "substitutionVariables", "an object") }
        for member in members {
            let name = member.key
            if name.unicodeScalars.contains(where: { $0 == "$" || $0 == "(" || $0 == ")" }) {
                notes.add(
                    .badVariable, "The variable name \(name.quotedBriefly) has one of “$”, “(”, “)”.",
                    at: self.place(of: member))
            } else if SubstitutionVariables.predefinedNames.contains(name) {
                notes.add(
                    .badVariable, "\(name.quotedBriefly) is one of Apple's own variables; this one hides it.",
                    at: self.place(of: member))
            }
            let values = strings(member.value, name)
            if values.isEmpty {
                notes.add(
                    .badVariable, "The variable \(name.quotedBriefly) has no values: no pattern with it matches.",
                    at: self.place(of: member))
            }
            for value in values where value.text.has("$(") {
                notes.add(
                    .badVariable, "A value of \(name.quotedBriefly) names a variable; values are taken as they stand.",
                    at: value.place)
            }
            links.substitutionVariables.append((name, values.map(\.text)))
            links.variables.define(name, values.map(\.text))
        }
    }

    // MARK: Entries

    private mutating func readDetails(
        _ details: JSONValue, into links: inout AppleAppSiteAssociation.UniversalLinks
    ) {
        switch details.content {
        case .array(let elements):
            for element in elements {
                guard let members = element.object else {
                    wrongType(element, "an element of details", "an object")
                    continue
                }
                links.entries.append(readEntry(members, app: nil, at: self.place(of: element), links))
            }
            if elements.isEmpty {
                notes.add(.noEntries, "“details” is empty: no app opens any URL.", at: self.place(of: details))
            }
        case .object(let members) where Self.entryKeys.contains(where: members.keys.contains):
            wrongType(details, "details", "an array of entries", hint: " of one entry: put it in square brackets")
        case .object:
            links.hasDictionaryForm = true
            notes.add(
                .dictionaryForm,
                "“details” is a dictionary, as in the first betas of iOS 9; JSON gives its keys no order, so write an array.",
                at: self.place(of: details))
            for member in details.object ?? [:] {
                guard let members = member.value.object else {
                    wrongType(member.value, member.key, "an object")
                    continue
                }
                links.entries.append(
                    readEntry(members, app: (member.key, self.place(of: member)), at: self.place(of: member), links))
            }
        default: wrongType(details, "details", "an array")
        }
    }

    private static let entryKeys = ["appID", "appIDs", "components", "paths", "defaults"]

    /// - Parameter app: the key of the entry in the dictionary form.
    private mutating func readEntry(
        _ members: JSONObject, app: (text: String, place: TextPlace)?, at place: TextPlace,
        _ links: AppleAppSiteAssociation.UniversalLinks
    ) -> Entry {
        var entry = Entry(place: place)
        var single: (text: String, place: TextPlace)? = app
        var several: [(text: String, place: TextPlace)]?
        var components: JSONValue?
        var paths: JSONValue?
        for member in members {
            switch member.key {
            case "appID":
                if let text = member.value.string {
                    if app == nil { single = (text, self.place(of: member.value)) }
                } else {
                    wrongType(member.value, "appID", "a string")
                }
            case "appIDs": several = strings(member.value, "appIDs")
            case "components": components = member.value
            case "paths": paths = member.value
            case "defaults": entry.defaults = readDefaults(member.value, links)
            default: unknown(member, among: Self.entryKeys, in: "an entry of details")
            }
        }
        if several != nil, let single, app == nil {
            notes.add(
                .appIDIgnored, "“appIDs” is there, so “appID” (\(single.text.quotedBriefly)) is ignored.",
                at: single.place)
        }
        let apps = several ?? single.map { [$0] } ?? []
        for app in apps { checkAppID(app.text, at: app.place) }
        entry.appIDs = apps.map(\.text)
        // An array of the wrong type is noted as such.
        if apps.isEmpty, members["appIDs"].map({ $0.array != nil }) ?? (members["appID"] == nil) {
            notes.add(.entryWithoutApp, "The entry names no app and is ignored.", at: place)
        }
        if components != nil, let paths {
            notes.add(
                .mixedFormats,
                "The entry has “components” and “paths”: iOS 13 and later read the former, older ones the latter.",
                at: self.place(of: paths))
        }
        readPatterns(components: components, paths: paths, links, into: &entry)
        return entry
    }

    private mutating func readPatterns(
        components: JSONValue?, paths: JSONValue?, _ links: AppleAppSiteAssociation.UniversalLinks,
        into entry: inout Entry
    ) {
        if let components {
            entry.form = .components
            guard let elements = components.array else { return wrongType(components, "components", "an array") }
            for element in elements {
                entry.components.append(readComponent(element, entry.defaults, links))
            }
            noteIfEmpty(elements, "components", at: self.place(of: components))
        } else if let paths {
            entry.form = .paths
            guard let elements = paths.array else { return wrongType(paths, "paths", "an array of strings") }
            for element in elements {
                if let text = element.string {
                    entry.components.append(readPath(text, at: self.place(of: element)))
                } else {
                    wrongType(element, "an element of paths", "a string")
                }
            }
            noteIfEmpty(elements, "paths", at: self.place(of: paths))
        } else {
            notes.add(.entryWithoutRules, "The entry has neither “components” nor “paths”.", at: entry.place)
        }
    }

    private mutating func noteIfEmpty(_ elements: [JSONValue], _ name: String, at place: TextPlace) {
        if elements.isEmpty { notes.add(.entryWithoutRules, "“\(name)” is empty: no URL is covered.", at: place) }
    }

    /// An element of `paths`: only the path counts, always in its own case and as it is encoded.
    private mutating func readPath(_ text: String, at place: TextPlace) -> Component {
        var component = Component(place: place)
        var pattern = text[...]
        if pattern.hasPrefix("NOT ") {
            component.terms.excludes = true
            pattern = pattern.dropFirst(4)
            if pattern.hasPrefix(" ") {
                notes.add(.badNot, "\(text.quotedBriefly): one space follows NOT.", at: place)
                pattern = pattern.drop { $0 == " " }
            }
        } else if pattern.prefix(3).utf8.map(\.asciiLowercased).elementsEqual("not".utf8), !pattern.hasPrefix("not-") {
            notes.add(
                .badNot, "\(text.quotedBriefly) excludes nothing: it is written “NOT /path”, with one space.", at: place
            )
        }
        component.terms.path = AssociationPathPattern(AssociationPattern(String(pattern), variables: nil))
        if pattern.contains("$(") {
            notes.add(
                .variableInPaths, "\(text.quotedBriefly): variables mean nothing in “paths”, only in “components”.",
                at: place)
        }
        lint(component.terms, percentEncoded: true, at: place)
        return component
    }

    private mutating func readComponent(
        _ value: JSONValue, _ entry: Terms, _ links: AppleAppSiteAssociation.UniversalLinks
    ) -> Component {
        var component = Component(place: self.place(of: value))
        let defaults = entry.inheriting(links.defaults)
        guard let members = value.object else {
            wrongType(value, "an element of components", "an object")
            component.defect = "it is \(value.kind) and no object"
            component.terms = defaults
            return component
        }
        var terms = Terms()
        var foreign: [String] = []
        for member in members where !readTerm(member, links, into: &terms) {
            if member.key == "comment" {
                component.comment = member.value.string
            } else {
                unknown(member, among: Self.termKeys, in: "a component")
                if !member.key.hasPrefix("comment") { foreign.append(member.key.quotedBriefly) }
            }
        }
        for member in [members.member("/"), members.member("#"), members.member("?")].compactMap(\.self)
        where member.value.string == nil && (member.key != "?" || member.value.object == nil) {
            component.defect = "the value of \(member.key.quotedBriefly) is \(member.value.kind)"
        }
        component.terms = terms.inheriting(defaults)
        if !foreign.isEmpty, !["/", "?", "#"].contains(where: { members[$0] != nil }), component.matchesEverything {
            notes.add(
                .matchesEverything,
                "The component has \(Wording.list(foreign)) and no “/”, “?” or “#”, so it \(component.excludes ? "excludes" : "matches") every URL.",
                at: component.place)
        }
        lint(terms, percentEncoded: component.percentEncoded, at: component.place)
        return component
    }

    /// - Returns: nil with a note where the value is no string.
    private mutating func readPattern(
        _ member: JSONObject.Member, _ links: AppleAppSiteAssociation.UniversalLinks
    ) -> AssociationPattern? {
        guard let text = member.value.string else {
            wrongType(member.value, member.key, "a string")
            return nil
        }
        let pattern = AssociationPattern(text, variables: links.variables)
        check(pattern, at: self.place(of: member.value))
        return pattern
    }

    /// A dictionary with a value that is no string is void as a whole: `swcutil` of macOS 27.0 was seen to match every query
    /// then (sergii-ziborov/blazingly-aasa, `conformance/oracle`).
    private mutating func readQuery(
        _ member: JSONObject.Member, _ links: AppleAppSiteAssociation.UniversalLinks
    ) -> Terms.QueryTerms? {
        guard let items = member.value.object else {
            return readPattern(member, links).map { Terms.QueryTerms(form: .whole(pattern: $0.text), patterns: [$0]) }
        }
        var named: [(name: String, pattern: String)] = []
        var patterns: [AssociationPattern] = []
        for item in items {
            guard item.value.string != nil else {
                notes.add(
                    .wrongType,
                    "\(item.key.quotedBriefly) in “?” must be a string, and is \(item.value.kind): the whole “?” is void, and every query matches.",
                    at: self.place(of: item.value))
                continue
            }
            guard let pattern = readPattern(item, links) else { continue }
            named.append((item.key, pattern.text))
            patterns.append(pattern)
        }
        guard patterns.count == items.count else { return Terms.QueryTerms() }
        return Terms.QueryTerms(form: .items(named), patterns: patterns)
    }

    private mutating func check(_ pattern: AssociationPattern, at place: TextPlace) {
        for name in pattern.undefined {
            notes.add(
                .undefinedVariable,
                "\(pattern.text.quotedBriefly) names the variable \(name.quotedBriefly), which is not defined: it never matches.",
                at: place)
        }
        if pattern.hasOpenVariable {
            notes.add(
                .openVariable, "\(pattern.text.quotedBriefly) has “$(” without “)”, which stands for itself.", at: place
            )
        }
    }
}
