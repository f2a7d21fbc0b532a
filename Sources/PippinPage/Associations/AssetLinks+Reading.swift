extension AssetLinks {
    /// - Parameters:
    ///   - bytes: the file as it was served, without content codings.
    ///   - source: where it was found; a file of an https site may not include one of an http site.
    public init(bytes: [UInt8], source: WebURL? = nil, limits: ReadingLimits = .standard) {
        var reader = AssetLinksReader(limits: limits, isSecure: source?.scheme != "http")
        reader.read(bytes)
        if let trouble = reader.trouble { reader.notes.add(trouble) }
        byteCount = bytes.count
        trouble = reader.trouble
        statements = reader.statements
        includes = reader.includes
        notes = reader.notes.finished()
    }
}

private struct AssetLinksReader {
    let limits: ReadingLimits
    let isSecure: Bool
    var notes: AssociationNotes
    var trouble: AssociationTrouble?
    var statements: [AssetLinks.Statement] = []
    var includes: [AssetLinks.Include] = []
    /// Targets that have dynamic rules: one object each (Android Developers, "Dynamic App Links").
    var ruled: Set<String> = []

    /// What makes a statement, or a part of one, malformed.
    struct Malformed: Error {
        let reason: String
        let place: TextPlace

        init(_ reason: String, _ place: TextPlace) {
            self.reason = reason
            self.place = place
        }
    }

    init(limits: ReadingLimits, isSecure: Bool) {
        self.limits = limits
        self.isSecure = isSecure
        notes = AssociationNotes(limits: limits)
    }

    mutating func read(_ bytes: [UInt8]) {
        guard bytes.count <= AssetLinks.maximumBytes else {
            trouble = .tooLarge(bytes: bytes.count, limit: AssetLinks.maximumBytes)
            return
        }
        switch AssociationText.json(bytes[...], limits: limits, notes: &notes) {
        case .failure(let failure): trouble = failure
        case .success(let root):
            guard let elements = root.array else {
                trouble = .wrongShape(
                    "The file must be one JSON array of statements, and is \(root.kind)\(Self.hint(at: root)).",
                    self.place(of: root))
                return
            }
            if elements.isEmpty {
                notes.add(
                    .noStatements, "The file has no statement: it vouches for no app.", at: self.place(of: root))
            }
            for element in elements { readStatement(element) }
        }
    }

    /// What a file that is no array seems to be.
    private static func hint(at root: JSONValue) -> String {
        guard let keys = root.object?.keys else { return "" }
        if keys.contains("relation") || keys.contains("target") || keys.contains("include") {
            return " of one statement: put it in square brackets"
        }
        return AppleAppSiteAssociationReader.rootKeys.contains(where: keys.contains)
            ? ", as apple-app-site-association is, which Apple's devices read" : ""
    }

    private static let statementKeys = ["relation", "target", "relation_extensions", "include"]
    private static let targetKeys = ["namespace", "package_name", "sha256_cert_fingerprints", "site", "appid"]
    private static let ruleKeys = ["/", "?", "#", "exclude"]

    /// Fields that nobody knows are allowed, so only misspelled ones are noted.
    private mutating func noteMisspelled(_ members: JSONObject, among known: [String], in container: String) {
        for member in members where !known.contains(member.key) {
            guard NearestName.of(member.key, in: known, atMost: 2) != nil else { continue }
            notes.add(unknown: member, among: known, in: container)
        }
    }

    private mutating func readStatement(_ value: JSONValue) {
        guard let members = value.object else {
            return malformed(Malformed("it is \(value.kind) and no object", self.place(of: value)))
        }
        func member(_ key: String) -> JSONObject.Member? { members.member(key) }
        noteMisspelled(members, among: Self.statementKeys, in: "a statement")
        if let target = members["target"]?.object { noteMisspelled(target, among: Self.targetKeys, in: "target") }
        do throws(Malformed) {
            if let include = member("include") {
                if let other = member("target") ?? member("relation") {
                    throw Malformed("“include” stands alone, without “\(other.key)”", self.place(of: other))
                }
                return readInclude(include.value)
            }
            guard let relation = member("relation") else {
                throw Malformed("it has no “relation”", self.place(of: value))
            }
            guard let target = member("target") else { throw Malformed("it has no “target”", self.place(of: value)) }
            let relations = try self.relations(relation.value)
            var statement = AssetLinks.Statement(
                relations: relations, target: try self.target(target.value), place: self.place(of: value))
            for relation in relations where relation.hasPrefix("delegate_permission/") && !Self.known.contains(relation)
            {
                notes.add(
                    .unknownRelation, "\(relation.quotedBriefly) is a relation of its own making.",
                    at: self.place(of: value)
                )
            }
            if let extensions = member("relation_extensions") { readExtensions(extensions.value, into: &statement) }
            statements.append(statement)
        } catch {
            malformed(error)
        }
    }

    private static let known: Set<String> = [
        AssetLinks.handleAllURLs, AssetLinks.getLoginCredentials, "delegate_permission/common.use_as_origin",
        "delegate_permission/common.share_location", "delegate_permission/common.query_webapk",
    ]

    private mutating func malformed(_ error: Malformed) {
        notes.add(.malformedStatement, "The statement does not count: \(error.reason).", at: error.place)
    }

    private func place(of value: JSONValue) -> TextPlace { notes.place(at: value.offset) }
    /// That of its key.
    private func place(of member: JSONObject.Member) -> TextPlace { notes.place(at: member.keyOffset) }

    // MARK: Parts

    private mutating func readInclude(_ value: JSONValue) {
        guard let text = value.string, let url = WebURL(text), url.isHTTP, url.host != nil else {
            let seen = value.string.map(\.quotedBriefly) ?? value.kind
            return notes.add(
                .malformedInclude, "The “include” must be an absolute http or https URL, and is \(seen).",
                at: self.place(of: value))
        }
        if isSecure, url.scheme != "https" {
            return notes.add(
                .insecureInclude,
                "A file of an https site may not include \(text.quotedBriefly), which anyone on the way can change.",
                at: self.place(of: value))
        }
        includes.append(AssetLinks.Include(url: url, place: self.place(of: value)))
    }

    /// `kind/detail`, of lower-case letters, digits, low lines and dots.
    private func relations(_ value: JSONValue) throws(Malformed) -> [String] {
        guard let elements = value.array, !elements.isEmpty else {
            throw Malformed("“relation” must be an array of at least one string", self.place(of: value))
        }
        var relations: [String] = []
        for element in elements {
            guard let text = element.string else {
                throw Malformed("a relation is \(element.kind)", self.place(of: element))
            }
            let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            let isWellFormed =
                parts.count == 2
                && parts.allSatisfy { part in
                    !part.isEmpty
                        && part.allSatisfy {
                            $0.isASCIILetter && !$0.isASCIIUppercase || $0.isASCIIDigit || $0 == 0x5F || $0 == 0x2E
                        }
                }
            guard isWellFormed else {
                throw Malformed(
                    "\(text.quotedBriefly) is no relation, which is “kind/detail” in lower case",
                    self.place(of: element))
            }
            relations.append(text)
        }
        return relations
    }

    private func target(_ value: JSONValue) throws(Malformed) -> AssetLinks.Target {
        guard let members = value.object else { throw Malformed("“target” is \(value.kind)", self.place(of: value)) }
        func text(_ key: String) throws(Malformed) -> (text: String, place: TextPlace) {
            guard let member = members.member(key) else {
                throw Malformed("its target has no “\(key)”", self.place(of: value))
            }
            guard let text = member.value.string else {
                throw Malformed("“\(key)” must be a string, and is \(member.value.kind)", self.place(of: member.value))
            }
            return (text, self.place(of: member.value))
        }
        let namespace = try text("namespace")
        switch namespace.text {
        case "android_app":
            let name = try text("package_name")
            guard Self.isPackageName(name.text) else {
                throw Malformed("\(name.text.quotedBriefly) is no package name", name.place)
            }
            guard let prints = members.member("sha256_cert_fingerprints") else {
                throw Malformed("its target has no “sha256_cert_fingerprints”", self.place(of: value))
            }
            return .androidApp(packageName: name.text, fingerprints: try fingerprints(prints.value))
        case "web":
            let site = try text("site")
            return .web(site: try origin(site.text, site.place))
        case "ios_app":
            let app = try text("appid")
            guard !app.text.isEmpty, app.text.utf8.allSatisfy(\.isASCIIDigit) else {
                throw Malformed("\(app.text.quotedBriefly) is no App Store ID, which is digits", app.place)
            }
            return .iOSApp(storeIdentifier: app.text)
        default: throw Malformed("the namespace \(namespace.text.quotedBriefly) is unknown", namespace.place)
        }
    }

    /// Two segments or more, each beginning with a letter (Android, `manifest` element).
    private static func isPackageName(_ text: String) -> Bool {
        let segments = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return segments.count >= 2
            && segments.allSatisfy { segment in
                segment.first.map(\.isASCIILetter) ?? false
                    && segment.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || $0 == 0x5F }
            }
    }

    private func fingerprints(_ value: JSONValue) throws(Malformed) -> [String] {
        guard let elements = value.array, !elements.isEmpty else {
            throw Malformed("“sha256_cert_fingerprints” must be an array of at least one string", self.place(of: value))
        }
        var fingerprints: [String] = []
        for element in elements {
            guard let text = element.string else {
                throw Malformed("a fingerprint is \(element.kind)", self.place(of: element))
            }
            let bytes = Array(text.utf8)
            let isWellFormed =
                bytes.count == 95
                && bytes.indices.allSatisfy { i in
                    i % 3 == 2 ? bytes[i] == 0x3A : bytes[i].isASCIIDigit || (0x41...0x46).contains(bytes[i])
                }
            guard isWellFormed else {
                throw Malformed(
                    "\(text.quotedBriefly) is no fingerprint, which is 32 pairs of hexadecimal digits in upper case, joined by colons",
                    self.place(of: element))
            }
            fingerprints.append(text)
        }
        return fingerprints
    }

    /// Scheme, host and port, and not even a slash behind them.
    private func origin(_ text: String, _ place: TextPlace) throws(Malformed) -> String {
        let lowercased = text.asciiLowercased
        let isPlain =
            lowercased.hasPrefix("https://") && !Self.hasExtras(lowercased.dropFirst(8))
            || lowercased.hasPrefix("http://") && !Self.hasExtras(lowercased.dropFirst(7))
        guard isPlain, let url = WebURL(text), let origin = url.origin, url.host != nil else {
            throw Malformed("the site \(text.quotedBriefly) is not scheme, host and port alone", place)
        }
        return origin
    }

    private static func hasExtras(_ authority: Substring) -> Bool {
        authority.isEmpty
            || authority.utf8.contains {
                $0 == 0x2F || $0 == 0x5C || $0 == 0x3F || $0 == 0x23 || $0 == 0x40 || $0 <= 0x20
            }
    }

    // MARK: Dynamic rules

    /// A field that is malformed or empty discards all rules of the statement.
    private mutating func readExtensions(_ value: JSONValue, into statement: inout AssetLinks.Statement) {
        do throws(Malformed) {
            guard let relations = value.object else {
                throw Malformed("“relation_extensions” is \(value.kind)", self.place(of: value))
            }
            guard let urls = relations.member(AssetLinks.handleAllURLs) else {
                noteMisspelled(relations, among: [AssetLinks.handleAllURLs], in: "relation_extensions")
                if relations.isEmpty { throw Malformed("“relation_extensions” is empty", self.place(of: value)) }
                return
            }
            guard let fields = urls.value.object else {
                throw Malformed("“\(AssetLinks.handleAllURLs)” is \(urls.value.kind)", self.place(of: urls.value))
            }
            guard let rules = fields.member("dynamic_app_link_components") else {
                noteMisspelled(fields, among: ["dynamic_app_link_components"], in: AssetLinks.handleAllURLs)
                throw Malformed("there is no “dynamic_app_link_components”", self.place(of: urls.value))
            }
            guard let elements = rules.value.array, !elements.isEmpty else {
                throw Malformed(
                    "“dynamic_app_link_components” must be an array of at least one rule", self.place(of: rules.value))
            }
            guard statement.relations.contains(AssetLinks.handleAllURLs),
                case .androidApp(let name, _) = statement.target
            else {
                throw Malformed("the statement is not about an Android app that handles URLs", self.place(of: rules))
            }
            var found: [AssetLinks.DynamicRule] = []
            for element in elements { found.append(try self.rule(element)) }
            if !ruled.insert(name).inserted {
                return notes.add(
                    .repeatedDynamicRules,
                    "\(name.quotedBriefly) has dynamic rules in an earlier statement; these do not count.",
                    at: self.place(of: rules))
            }
            statement.dynamicRules = found
            for element in elements { if let members = element.object { noteForeignKeys(in: members, of: element) } }
            lint(found, of: name, at: self.place(of: rules))
        } catch {
            notes.add(.malformedDynamicRules, "The dynamic rules do not count: \(error.reason).", at: error.place)
        }
    }

    private mutating func noteForeignKeys(in rule: JSONObject, of value: JSONValue) {
        var foreign: [String] = []
        for member in rule where !Self.ruleKeys.contains(member.key) && !member.key.hasPrefix("comment") {
            notes.add(unknown: member, among: Self.ruleKeys, in: "a rule")
            foreign.append(member.key.quotedBriefly)
        }
        guard !foreign.isEmpty, !["/", "?", "#"].contains(where: { rule[$0] != nil }) else { return }
        notes.add(
            .matchesEverything,
            "The rule has \(Wording.list(foreign)) and no “/”, “?” or “#”, so it \(rule["exclude"]?.bool == true ? "excludes" : "matches") every URL.",
            at: self.place(of: value))
    }

    /// Rules that are never reached, and rules by which no URL opens.
    private mutating func lint(_ rules: [AssetLinks.DynamicRule], of package: String, at place: TextPlace) {
        let last = rules.firstIndex(where: \.matchesEverything)
        if let last {
            for rule in rules[(last + 1)...] {
                notes.add(
                    .unreachableRule,
                    "\(rule.text.quotedBriefly) is never reached: \(rules[last].text.quotedBriefly) at line \(rules[last].place.line) matches every URL.",
                    at: rule.place)
            }
        }
        // Where no rule matches, Android 15 and later do not open the URL.
        if !rules.prefix(last.map { $0 + 1 } ?? rules.count).contains(where: { !$0.excludes }) {
            notes.add(
                .rulesOpenNothing,
                "No URL opens in \(package.quotedBriefly) from Android 15 on: every rule excludes, and what no rule matches is not opened.",
                at: place)
        }
    }

    private func rule(_ value: JSONValue) throws(Malformed) -> AssetLinks.DynamicRule {
        guard let members = value.object else { throw Malformed("a rule is \(value.kind)", self.place(of: value)) }
        var rule = AssetLinks.DynamicRule(place: self.place(of: value))
        for member in members {
            switch member.key {
            case "/": rule.pathPattern = try pattern(member)
            case "#": rule.fragmentPattern = try pattern(member)
            case "?":
                guard let items = member.value.object, !items.isEmpty else {
                    throw Malformed("“?” must be an object of at least one item", self.place(of: member.value))
                }
                for item in items {
                    let pattern = try pattern(item)
                    rule.items.append((item.key, pattern.text))
                    rule.itemPatterns.append(pattern)
                }
            case "exclude":
                guard let flag = member.value.bool else {
                    throw Malformed(
                        "“exclude” must be true or false, and is \(member.value.kind)", self.place(of: member.value))
                }
                rule.excludes = flag
            default: break  // `comments`, and what later versions bring
            }
        }
        return rule
    }

    private func pattern(_ member: JSONObject.Member) throws(Malformed) -> AssociationPattern {
        guard let text = member.value.string, !text.isEmpty else {
            let seen = member.value.string == nil ? member.value.kind : "empty"
            throw Malformed("the pattern of \(member.key.quotedBriefly) is \(seen)", self.place(of: member.value))
        }
        return AssociationPattern(text, variables: nil)
    }
}
