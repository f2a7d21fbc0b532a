extension AppleAppSiteAssociation {
    /// - Parameter bytes: the file as it was served, without content codings.
    public init(bytes: [UInt8], limits: ReadingLimits = .standard) {
        var reader = AppleAppSiteAssociationReader(limits: limits)
        reader.read(bytes)
        if let trouble = reader.trouble { reader.notes.add(trouble) }
        byteCount = bytes.count
        envelope = reader.envelope
        trouble = reader.trouble
        appLinks = reader.appLinks
        webCredentials = reader.apps["webcredentials"]
        activityContinuation = reader.apps["activitycontinuation"]
        appClips = reader.apps["appclips"]
        notes = reader.notes.finished()
    }
}

/// Walks the file once; `+Entries` has the parts of `applinks`.
struct AppleAppSiteAssociationReader {
    let limits: ReadingLimits
    var notes: AssociationNotes
    var trouble: AssociationTrouble?
    var envelope: SignedEnvelope?
    var appLinks: AppleAppSiteAssociation.UniversalLinks?
    /// By the key of their section.
    var apps: [String: [String]] = [:]

    init(limits: ReadingLimits) {
        self.limits = limits
        notes = AssociationNotes(limits: limits)
    }

    mutating func read(_ bytes: [UInt8]) {
        let limit = AppleAppSiteAssociation.maximumBytes
        if bytes.count > limit { trouble = .tooLarge(bytes: bytes.count, limit: limit) }
        guard bytes.count <= limits.maximumBodyBytes else { return }
        let text: ArraySlice<UInt8>
        switch SignedEnvelope.open(bytes) {
        case .plain: text = bytes[...]
        case .envelope(let signed, let content):
            envelope = signed
            text = content
            notes.add(
                .signed,
                "The file is signed\(signed.signerNames.first.map { " by \($0.quotedBriefly)" } ?? ""); the signature was not verified, and has not been needed since iOS 9."
            )
            if let form = signed.form.complaint { fail(.wrongEnvelopeForm(form)) }
        case .unreadable(let reason):
            fail(.badEnvelope(reason))
            return
        }
        switch AssociationText.json(text, limits: limits, notes: &notes) {
        case .failure(let failure): fail(failure)
        case .success(let root): readRoot(root)
        }
    }

    /// The first trouble is the file's; the others are worth a note.
    private mutating func fail(_ new: AssociationTrouble) {
        if trouble == nil { trouble = new } else { notes.add(new.remark, new.sentence, at: new.place) }
    }

    private mutating func readRoot(_ root: JSONValue) {
        guard let members = root.object else {
            return fail(
                .wrongShape(
                    "The file must be one JSON object, and is \(root.kind)\(Self.hint(at: root)).", place(of: root)))
        }
        for member in members {
            switch member.key {
            case "applinks": readAppLinks(member.value)
            case "webcredentials", "activitycontinuation", "appclips": readSection(member)
            case "spotlight-image-search":
                notes.add(.historicKey, "“spotlight-image-search” is no longer read by anyone.", at: place(of: member))
            default: unknown(member, among: Self.rootKeys, in: "the file")
            }
        }
        // A file may be for passwords, Handoff or App Clips alone.
        if members["applinks"] == nil, apps.values.allSatisfy(\.isEmpty) {
            notes.add(.noAppLinks, "The file has no “applinks”: it opens no URL in an app.", at: place(of: root))
        }
    }

    /// What a file that is no object seems to be.
    private static func hint(at root: JSONValue) -> String {
        let members = root.array?.lazy.compactMap(\.object).first
        if members?["relation"] != nil || members?["target"] != nil {
            return ", as assetlinks.json is, which Android reads"
        }
        guard members.map({ rootKeys.contains(where: $0.keys.contains) }) == true else { return "" }
        return ": take away the square brackets around it"
    }

    static let rootKeys = ["applinks", "webcredentials", "activitycontinuation", "appclips", "spotlight-image-search"]

    /// `{ "apps": [appID…] }`
    private mutating func readSection(_ section: JSONObject.Member) {
        guard let members = section.value.object else {
            return wrongType(section.value, section.key, "an object")
        }
        if members["apps"] == nil {
            notes.add(
                .sectionWithoutApps, "\(section.key.quotedBriefly) has no “apps”: it names no app.",
                at: place(of: section))
        }
        for member in members {
            guard member.key == "apps" else {
                unknown(member, among: ["apps"], in: section.key)
                continue
            }
            apps[section.key] = strings(member.value, "\(section.key).apps").map { app in
                checkAppID(app.text, at: app.place)
                return app.text
            }
        }
    }

    // MARK: Values

    /// The strings of an array; what is none is noted and left out.
    mutating func strings(_ value: JSONValue, _ name: String) -> [(text: String, place: TextPlace)] {
        guard let elements = value.array else {
            wrongType(value, name, "an array of strings")
            return []
        }
        var found: [(String, TextPlace)] = []
        for element in elements {
            if let text = element.string {
                found.append((text, place(of: element)))
            } else {
                wrongType(element, "an element of \(name)", "a string")
            }
        }
        return found
    }

    func place(of value: JSONValue) -> TextPlace { notes.place(at: value.offset) }
    /// That of its key.
    func place(of member: JSONObject.Member) -> TextPlace { notes.place(at: member.keyOffset) }

    mutating func flag(_ member: JSONObject.Member) -> Bool? {
        if let flag = member.value.bool { return flag }
        wrongType(member.value, member.key, "true or false")
        // Foundation makes one type of numbers and booleans.
        if case .number(let text) = member.value.content, text == "0" || text == "1" { return text == "1" }
        return nil
    }

    mutating func wrongType(_ value: JSONValue, _ name: String, _ wanted: String, hint: String = "") {
        var hint = hint
        if hint.isEmpty, let text = value.string, wanted.hasPrefix("an array of strings") {
            hint = ": write [\(JSONValue.string(String(text.prefix(60))).text())]"
        } else if hint.isEmpty, value.object != nil, wanted.hasPrefix("an array") {
            hint = ": put it in square brackets"
        } else if hint.isEmpty, case .string(let text) = value.content, text == "true" || text == "false" {
            hint = ": take away its quotation marks"
        }
        notes.add(
            .wrongType, "\(name.quotedBriefly) must be \(wanted), and is \(value.kind)\(hint).", at: place(of: value))
    }

    mutating func unknown(_ member: JSONObject.Member, among known: [String], in container: String) {
        notes.add(unknown: member, among: known, in: container)
    }

    mutating func checkAppID(_ text: String, at place: TextPlace) {
        let identifier = ApplicationIdentifier(text)
        // A character that nobody sees is noted as such.
        guard identifier?.isWellFormed != true, ForeignCharacter(in: text) == nil else { return }
        guard identifier?.isBundleIdentifier != true else {
            return notes.add(
                .bundleIDForAppID,
                "\(text.quotedBriefly) is a bundle ID: an app ID has the team's ten-character prefix and a dot before it. No device finds the app.",
                at: place)
        }
        notes.add(
            .malformedAppID,
            "\(text.quotedBriefly) is not an app ID: ten capital letters and digits, a dot, then the bundle ID.",
            at: place)
    }
}
