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
                trouble = .wrongShape("The file must be one JSON array of statements, and is \(root.kind).")
                return
            }
            for element in elements { readStatement(element) }
        }
    }

    private mutating func readStatement(_ value: LocatedJSON) {
        guard let members = value.uniqueMembers else {
            return malformed(Malformed("it is \(value.kind) and no object", value.place))
        }
        func member(_ key: String) -> LocatedJSON.Member? { members.first { $0.key == key } }
        do throws(Malformed) {
            if let include = member("include") {
                if let other = member("target") ?? member("relation") {
                    throw Malformed("“include” stands alone, without “\(other.key)”", other.place)
                }
                return readInclude(include.value)
            }
            guard let relation = member("relation") else { throw Malformed("it has no “relation”", value.place) }
            guard let target = member("target") else { throw Malformed("it has no “target”", value.place) }
            let relations = try Self.relations(relation.value)
            var statement = AssetLinks.Statement(
                relations: relations, target: try Self.target(target.value), place: value.place)
            for relation in relations where relation.hasPrefix("delegate_permission/") && !Self.known.contains(relation)
            {
                notes.add(
                    .unknownRelation, "\(relation.quotedBriefly) is a relation of its own making.", at: value.place)
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

    // MARK: Parts

    private mutating func readInclude(_ value: LocatedJSON) {
        guard let text = value.string, let url = WebURL(text), url.isHTTP, url.host != nil else {
            let seen = value.string.map(\.quotedBriefly) ?? value.kind
            return notes.add(
                .malformedInclude, "The “include” must be an absolute http or https URL, and is \(seen).",
                at: value.place)
        }
        if isSecure, url.scheme != "https" {
            return notes.add(
                .insecureInclude,
                "A file of an https site may not include \(text.quotedBriefly), which anyone on the way can change.",
                at: value.place)
        }
        includes.append(AssetLinks.Include(url: url, place: value.place))
    }

    /// `kind/detail`, of lower-case letters, digits, low lines and dots.
    private static func relations(_ value: LocatedJSON) throws(Malformed) -> [String] {
        guard let elements = value.array, !elements.isEmpty else {
            throw Malformed("“relation” must be an array of at least one string", value.place)
        }
        var relations: [String] = []
        for element in elements {
            guard let text = element.string else { throw Malformed("a relation is \(element.kind)", element.place) }
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
                    "\(text.quotedBriefly) is no relation, which is “kind/detail” in lower case", element.place)
            }
            relations.append(text)
        }
        return relations
    }

    private static func target(_ value: LocatedJSON) throws(Malformed) -> AssetLinks.Target {
        guard let members = value.uniqueMembers else { throw Malformed("“target” is \(value.kind)", value.place) }
        func text(_ key: String) throws(Malformed) -> (text: String, place: TextPlace) {
            guard let member = members.first(where: { $0.key == key }) else {
                throw Malformed("its target has no “\(key)”", value.place)
            }
            guard let text = member.value.string else {
                throw Malformed("“\(key)” must be a string, and is \(member.value.kind)", member.value.place)
            }
            return (text, member.value.place)
        }
        let namespace = try text("namespace")
        switch namespace.text {
        case "android_app":
            let name = try text("package_name")
            guard isPackageName(name.text) else {
                throw Malformed("\(name.text.quotedBriefly) is no package name", name.place)
            }
            guard let prints = members.first(where: { $0.key == "sha256_cert_fingerprints" }) else {
                throw Malformed("its target has no “sha256_cert_fingerprints”", value.place)
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

    private static func fingerprints(_ value: LocatedJSON) throws(Malformed) -> [String] {
        guard let elements = value.array, !elements.isEmpty else {
            throw Malformed("“sha256_cert_fingerprints” must be an array of at least one string", value.place)
        }
        var fingerprints: [String] = []
        for element in elements {
            guard let text = element.string else { throw Malformed("a fingerprint is \(element.kind)", element.place) }
            let bytes = Array(text.utf8)
            let isWellFormed =
                bytes.count == 95
                && bytes.indices.allSatisfy { i in
                    i % 3 == 2 ? bytes[i] == 0x3A : bytes[i].isASCIIDigit || (0x41...0x46).contains(bytes[i])
                }
            guard isWellFormed else {
                throw Malformed(
                    "\(text.quotedBriefly) is no fingerprint, which is 32 pairs of hexadecimal digits in upper case, joined by colons",
                    element.place)
            }
            fingerprints.append(text)
        }
        return fingerprints
    }

    /// Scheme, host and port, and not even a slash behind them.
    private static func origin(_ text: String, _ place: TextPlace) throws(Malformed) -> String {
        let lowercased = text.asciiLowercased
        let isPlain =
            lowercased.hasPrefix("https://") && !hasExtras(lowercased.dropFirst(8))
            || lowercased.hasPrefix("http://") && !hasExtras(lowercased.dropFirst(7))
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
    private mutating func readExtensions(_ value: LocatedJSON, into statement: inout AssetLinks.Statement) {
        do throws(Malformed) {
            guard let relations = value.uniqueMembers else {
                throw Malformed("“relation_extensions” is \(value.kind)", value.place)
            }
            guard let urls = relations.first(where: { $0.key == AssetLinks.handleAllURLs }) else { return }
            guard let fields = urls.value.uniqueMembers else {
                throw Malformed("“\(AssetLinks.handleAllURLs)” is \(urls.value.kind)", urls.value.place)
            }
            guard let rules = fields.first(where: { $0.key == "dynamic_app_link_components" }) else { return }
            guard let elements = rules.value.array, !elements.isEmpty else {
                throw Malformed(
                    "“dynamic_app_link_components” must be an array of at least one rule", rules.value.place)
            }
            guard statement.relations.contains(AssetLinks.handleAllURLs),
                case .androidApp(let name, _) = statement.target
            else {
                throw Malformed("the statement is not about an Android app that handles URLs", rules.place)
            }
            var found: [AssetLinks.DynamicRule] = []
            for element in elements { found.append(try Self.rule(element)) }
            if !ruled.insert(name).inserted {
                return notes.add(
                    .repeatedDynamicRules,
                    "\(name.quotedBriefly) has dynamic rules in an earlier statement; these do not count.",
                    at: rules.place)
            }
            statement.dynamicRules = found
        } catch {
            notes.add(.malformedDynamicRules, "The dynamic rules do not count: \(error.reason).", at: error.place)
        }
    }

    private static func rule(_ value: LocatedJSON) throws(Malformed) -> AssetLinks.DynamicRule {
        guard let members = value.uniqueMembers else { throw Malformed("a rule is \(value.kind)", value.place) }
        var rule = AssetLinks.DynamicRule(place: value.place)
        for member in members {
            switch member.key {
            case "/": rule.pathPattern = try pattern(member)
            case "#": rule.fragmentPattern = try pattern(member)
            case "?":
                guard let items = member.value.uniqueMembers, !items.isEmpty else {
                    throw Malformed("“?” must be an object of at least one item", member.value.place)
                }
                for item in items {
                    let pattern = try pattern(item)
                    rule.items.append((item.key, pattern.text))
                    rule.itemPatterns.append(pattern)
                }
            case "exclude":
                guard let flag = member.value.bool else {
                    throw Malformed("“exclude” must be true or false, and is \(member.value.kind)", member.value.place)
                }
                rule.excludes = flag
            default: break  // `comments`, and what later versions bring
            }
        }
        return rule
    }

    private static func pattern(_ member: LocatedJSON.Member) throws(Malformed) -> AssociationPattern {
        guard let text = member.value.string, !text.isEmpty else {
            let seen = member.value.string == nil ? member.value.kind : "empty"
            throw Malformed("the pattern of \(member.key.quotedBriefly) is \(seen)", member.value.place)
        }
        return AssociationPattern(text, variables: nil)
    }
}
