// Checks of the association file itself: how it is served, what is written in it, and on which hosts (L13, L14, L24).

import PippinPage

extension Association {
    // MARK: L13

    static let l13 = CheckJudge(
        .l13, .deepLinks, .error, "The association file is served right",
        problem: "The association file is served wrong",
        why: "A file that redirects, is too large or has a bad certificate is not used.",
        site: fileIsServed)

    private static func fileIsServed(_ site: SiteExamination) -> [Verdict] {
        guard let evidence = site.evidence.association.value else { return notLookedAt(site.evidence) }
        let verdicts = evidence.files.hosts.flatMap { served($0, site) }
        guard !evidence.wasFetched, !verdicts.contains(where: { $0.outcome >= .info }) else { return verdicts }
        return [.unknown("Not seen: the association files were handed over, not fetched.")]
    }

    private static func served(_ found: HostAssociations, _ site: SiteExamination) -> [Verdict] {
        let host = AssociationVerification.hostName(of: found.wellKnown.url)
        let isNeeded = site.linkedHosts.contains(host)
        if found.apple == nil, !isNeeded, !site.namesAppleApp || !site.isOwnHost(found) {
            // Nobody waits for a file that is not there; a broken one somebody did put there.
            guard found.wellKnown.file != nil || found.misnamed != nil else { return [] }
        }
        var verdicts: [Verdict] = []
        for outcome in [found.wellKnown, found.rootCopy] {
            if outcome.url == found.rootCopy.url, found.apple?.url != outcome.url { continue }
            for note in outcome.notes {
                guard let remark = note.associationRemark, remark.check == .l13 else { continue }
                // That the first place is empty is told by `root-only` where the other one has the file.
                if remark == .missing, found.apple != nil { continue }
                // Why there is no file is told below.
                if remark == .missing || remark == .refused, found.misnamed != nil { continue }
                verdicts.append(
                    verdict(
                        of: note, remark, outcome.judgement, at: outcome.url,
                        isNeeded: isNeeded || !site.isOwnHost(found)))
            }
        }
        if let misnamed = found.misnamed,
            let note = found.notes.first(where: { $0.associationRemark == .misnamed })
        {
            verdicts.append(
                Verdict(
                    .error, note.message, at: Finding.Place(.file, misnamed.href),
                    Finding.Remedy(
                        "Rename it: serve it at \(found.wellKnown.url.href), as application/json.",
                        code: Markup.nginx(found.wellKnown.url)), noteCode: note.code))
        }
        for note in found.notes {
            guard let remark = note.associationRemark, remark == .rootCopyDiffers || remark == .rootOnly
            else { continue }
            verdicts.append(
                Verdict(
                    .warning, note.message, at: Finding.Place(.file, found.rootCopy.url.href),
                    remark == .rootOnly
                        ? Finding.Remedy(
                            "Serve it at \(found.wellKnown.url.href) too.", code: Markup.nginx(found.wellKnown.url))
                        : Finding.Remedy("Serve the same file in both places, or none at the root."),
                    noteCode: note.code))
        }
        if verdicts.isEmpty, let apple = found.apple, let file = apple.file {
            return [
                .pass(
                    "\(host) serves the file with status 200, without redirects, \(file.byteCount) bytes.",
                    at: Finding.Place(.file, apple.url.href))
            ]
        }
        return verdicts
    }

    /// What is to be said of how a file is served.
    static func verdict(
        of note: ParseNote, _ remark: AssociationRemark, _ judgement: AssociationJudgement, at url: WebURL,
        isNeeded: Bool
    ) -> Verdict {
        let name = url.path.split(separator: "/").last.map(String.init) ?? "file"
        let host = AssociationVerification.hostName(of: url)
        let sentence = judgement.remark == remark ? judgement.sentence(of: "\(name) of \(host)") : note.message
        switch remark {
        case .disallowed, .unreachableHost: return Verdict(.unknown, sentence, noteCode: note.code)
        default: break
        }
        var outcome = remark.severity.outcome
        if outcome == .error, !isNeeded { outcome = .warning }
        return Verdict(
            outcome, sentence, at: Finding.Place(.file, url.href, line: note.line, column: note.column),
            remedy(remark, url), noteCode: note.code)
    }

    private static func remedy(_ remark: AssociationRemark, _ url: WebURL) -> Finding.Remedy {
        switch remark {
        case .redirected:
            Finding.Remedy(
                "Answer here with the file itself and status 200, even where all else redirects.",
                code: Markup.nginx(url))
        case .missing: Finding.Remedy("Put the file there.", code: Markup.nginx(url))
        case .refused:
            Finding.Remedy("Let everyone read it: no login, no wall against robots, from every country.")
        case .serverTrouble: Finding.Remedy("Fix the server: devices that get no file open links in the browser.")
        case .notSecure: Finding.Remedy("Serve it with a valid certificate and its whole chain.")
        case .tooLarge:
            Finding.Remedy(
                "Keep it below 128 KiB: one pattern with * stands for many, and “appIDs” shares patterns among apps.")
        case .contentType:
            Finding.Remedy("Send Content-Type: application/json.", code: Markup.nginx(url))
        default: Finding.Remedy("Serve it at \(url.href), with status 200 and as application/json.")
        }
    }

    // MARK: L14

    static let l14 = CheckJudge(
        .l14, .deepLinks, .warning, "The association file is well formed",
        problem: "The association file has mistakes",
        why: "Entries that can never match are not what their author meant.",
        site: fileIsWellFormed)

    private static func fileIsWellFormed(_ site: SiteExamination) -> [Verdict] {
        guard let evidence = site.evidence.association.value else { return notLookedAt(site.evidence) }
        return evidence.files.hosts.flatMap { found -> [Verdict] in
            // Of two places the one in force is looked at, and a broken file that keeps the other from being used.
            let outcome = found.apple ?? found.wellKnown
            guard let file = outcome.file else { return [] }
            let verdicts = verdicts(of: outcome.notes, at: outcome.url, check: .l14)
            guard verdicts.isEmpty else { return verdicts }
            let entries = file.appLinks?.entries ?? []
            let patterns = entries.reduce(0) { $0 + $1.components.count }
            return [
                .pass(
                    "\(AssociationVerification.hostName(of: outcome.url)): \(Wording.count(entries.count, "entry", "entries")) with \(Wording.count(patterns, "pattern")), all well formed.",
                    at: Finding.Place(.file, outcome.url.href))
            ]
        }
    }

    /// Notes on what is written in a file, a few of each kind.
    static func verdicts(of notes: [ParseNote], at url: WebURL, check: Check.Code) -> [Verdict] {
        NoteMapping.shown(notes).compactMap { note, sentence in
            guard let remark = note.associationRemark,
                remark.check == check || check == .l20 && remark.check == .l14
            else { return nil }
            return Verdict(
                remark.severity.outcome, sentence,
                at: Finding.Place(.file, url.href, line: note.line, column: note.column),
                check == .l20 && remark == .wrongShape ? AssociationRemark.malformedStatement.remedy : remark.remedy,
                noteCode: note.code)
        }
    }

    // MARK: L24

    static let l24 = CheckJudge(
        .l24, .deepLinks, .warning, "Every host in use serves the association file",
        problem: "Hosts in use differ in their association files",
        why: "www and the bare domain are two hosts to iOS, each with its own file (TN3155).",
        site: hostsServeFile)

    private static func hostsServeFile(_ site: SiteExamination) -> [Verdict] {
        guard let evidence = site.evidence.association.value else { return notLookedAt(site.evidence) }
        let hosts = evidence.files.hosts
        let serving = hosts.filter { $0.apple != nil }
        guard let first = serving.first else { return [] }
        var verdicts: [Verdict] = []
        let firstName = AssociationVerification.hostName(of: first.wellKnown.url)
        for found in hosts where found.apple == nil {
            let host = AssociationVerification.hostName(of: found.wellKnown.url)
            // A host that does not answer, or not over https, is not in use.
            guard found.wellKnown.judgement.standing != .unknown, found.wellKnown.judgement.remark != .notSecure else {
                continue
            }
            let reason =
                found.wellKnown.judgement.remark == nil ? "its own cannot be used" : found.wellKnown.judgement.clause
            verdicts.append(
                .warning(
                    "\(firstName) serves an association file and \(host) does not: \(reason). Links to \(host) open in the browser.",
                    at: Finding.Place(.file, found.wellKnown.url.href),
                    Finding.Remedy(
                        "Serve the file on \(host) too, without a redirect, and list the host in the app's associated domains.",
                        code: "applinks:\(found.wellKnown.url.host ?? host)")))
        }
        for found in serving.dropFirst() {
            let (a, b) = (Set(first.apps), Set(found.apps))
            guard a != b, SiteIdentity.isSameSite(first.wellKnown.url.host, found.wellKnown.url.host) else { continue }
            let host = AssociationVerification.hostName(of: found.wellKnown.url)
            verdicts.append(
                .info(
                    "\(firstName) names \(Wording.list(first.apps)), \(host) names \(found.apps.isEmpty ? "no app" : Wording.list(found.apps)).",
                    at: Finding.Place(.file, found.wellKnown.url.href),
                    Finding.Remedy("Name the same apps on both, if both lead to the same content.")))
        }
        guard verdicts.isEmpty else { return verdicts }
        if let sibling = SiteAssociations.sibling(of: site.url), evidence.files[sibling] == nil {
            return [
                .unknown(
                    "Not seen: whether \(AssociationVerification.hostName(of: sibling)) serves the file too was not asked."
                )
            ]
        }
        let names = serving.map { AssociationVerification.hostName(of: $0.wellKnown.url) }
        return [.pass("\(Wording.list(names)) \(names.count == 1 ? "serves" : "serve") the association file.")]
    }
}

extension HostAssociations {
    /// Apps of the file in force.
    var apps: [String] { apple?.file?.appLinkIdentifiers ?? [] }
}

extension AssociationRemark {
    /// The check of the report card that tells of it; what an `assetlinks.json` has belongs to L20 altogether.
    var check: Check.Code {
        switch self {
        case .redirected, .missing, .refused, .serverTrouble, .notSecure, .unreachableHost, .disallowed, .contentType,
            .rootCopyDiffers, .rootOnly, .misnamed, .tooLarge:
            .l13
        case .malformedStatement, .malformedInclude, .insecureInclude, .includeNotFollowed, .includeFailed,
            .malformedDynamicRules, .repeatedDynamicRules, .noStatements, .unreachableRule, .rulesOpenNothing,
            .unknownRelation:
            .l20
        case .notJSON, .notUTF8, .wrongShape, .tooComplex, .byteOrderMark, .duplicateKey, .loneSurrogate, .unknownKey,
            .misspelledKey, .foreignCharacter, .matchesEverything, .opensNothing, .sectionWithoutApps, .wrongType,
            .signed, .notesLeftOut, .badEnvelope, .wrongEnvelopeForm, .noAppLinks, .noEntries,
            .appsNotEmpty, .appsMissing,
            .dictionaryForm, .entryWithoutApp, .appIDIgnored, .malformedAppID, .bundleIDForAppID, .repeatedApp,
            .mixedFormats,
            .entryWithoutRules, .unreachable, .undefinedVariable, .openVariable, .badVariable, .variableInPaths,
            .missingSlash, .badNot, .patternInDefaults, .unencodedPattern, .lowercaseEscape, .delimiterInPattern,
            .hostInPattern,
            .queryInPath, .questionMarkInPath, .historicKey:
            .l14
        }
    }

    /// How an author fixes what is written in a file.
    var remedy: Finding.Remedy? {
        switch self {
        case .notJSON, .tooComplex:
            Finding.Remedy("Devices read strict JSON: no comments, no comma after the last element, double quotes.")
        case .notUTF8, .byteOrderMark: Finding.Remedy("Save the file as UTF-8 without a byte order mark.")
        case .wrongShape:
            Finding.Remedy(
                "Begin with an object that has “applinks”.", code: Markup.associationFile("TEAMID.YOUR.BUNDLE.ID", "/*")
            )
        case .signed: Finding.Remedy("Serve the JSON as it is: no signature is needed since iOS 9.")
        case .badEnvelope, .wrongEnvelopeForm: Finding.Remedy("Serve the JSON as it is, unsigned.")
        case .duplicateKey: Finding.Remedy("Keep one member of each name: readers take the last.")
        case .loneSurrogate: Finding.Remedy("Write the character itself, in UTF-8.")
        case .unknownKey: Finding.Remedy("Take it away, or spell it as Apple's reference of “applinks” does.")
        case .misspelledKey: Finding.Remedy("Spell it as the message says; keys have a letter case of their own.")
        case .foreignCharacter: Finding.Remedy("Delete the character and type the value again, in a plain text editor.")
        case .matchesEverything:
            Finding.Remedy(
                "Name the parts of the address as the reference does.",
                code: "{ \"/\": \"/path/*\", \"?\": { \"item\": \"*\" }, \"#\": \"fragment\" }")
        case .opensNothing:
            Finding.Remedy(
                "Add a component without “exclude” for the addresses that the app opens, behind those that exclude.",
                code: "{ \"/\": \"/path/*\" }")
        case .sectionWithoutApps:
            Finding.Remedy("Name the apps, or leave the section out.", code: "\"apps\": [\"TEAMID.YOUR.BUNDLE.ID\"]")
        case .unreachableRule: Finding.Remedy("Put it before the rule that matches everything.")
        case .rulesOpenNothing:
            Finding.Remedy(
                "Add a rule without “exclude” for the addresses that the app opens, behind those that exclude.",
                code: "{ \"/\": \"/path/*\" }")
        case .wrongType: Finding.Remedy("Give it the type that Apple's reference of “applinks” has.")
        case .noAppLinks, .noEntries, .entryWithoutRules:
            Finding.Remedy(
                "Say which addresses the app opens.", code: Markup.associationFile("TEAMID.YOUR.BUNDLE.ID", "/*"))
        case .appsNotEmpty, .appsMissing: Finding.Remedy("Write it empty, for iOS 12 and older.", code: "\"apps\": []")
        case .dictionaryForm:
            Finding.Remedy(
                "Write “details” as an array, which has an order.",
                code: Markup.associationEntry("TEAMID.YOUR.BUNDLE.ID", "/*"))
        case .entryWithoutApp: Finding.Remedy("Name the app.", code: "\"appIDs\": [\"TEAMID.YOUR.BUNDLE.ID\"]")
        case .appIDIgnored: Finding.Remedy("Move it into “appIDs”: “appID” is not read beside it.")
        case .malformedAppID, .bundleIDForAppID:
            Finding.Remedy(
                "An app ID is the ten-character prefix, a dot and the bundle ID.", code: "ABCDE12345.com.example.app")
        case .repeatedApp: Finding.Remedy("Join the entries of the app, in the order in which they are to be tried.")
        case .mixedFormats: Finding.Remedy("Keep “components” alone, unless the app still runs on iOS 12.")
        case .unreachable: Finding.Remedy("Put it before the pattern that matches everything.")
        case .undefinedVariable, .badVariable:
            Finding.Remedy(
                "Define the variable beside “details”.",
                code: "\"substitutionVariables\": { \"name\": [\"one\", \"two\"] }")
        case .openVariable: Finding.Remedy("Close the variable with a parenthesis.", code: "$(name)")
        case .variableInPaths: Finding.Remedy("Variables work in “components” only.")
        case .missingSlash: Finding.Remedy("Begin the path with a slash.")
        case .badNot: Finding.Remedy("Write NOT, one space, and the path.", code: "\"NOT /path/*\"")
        case .patternInDefaults:
            Finding.Remedy(
                "Write it into the components: Apple's reference of “defaults” has “caseSensitive” and “percentEncoded” only."
            )
        case .unencodedPattern:
            Finding.Remedy("Percent-encode it as URLs do, or compare decoded.", code: "\"percentEncoded\": false")
        case .lowercaseEscape: Finding.Remedy("Write the digits of percent-encodings in capitals: %C3, not %c3.")
        case .delimiterInPattern, .hostInPattern, .queryInPath, .questionMarkInPath:
            Finding.Remedy(
                "Give each part of the address its own pattern, without what separates them.",
                code: "{ \"/\": \"/path/*\", \"?\": { \"item\": \"*\" }, \"#\": \"fragment\" }")
        case .historicKey: Finding.Remedy("Nothing reads it today; it may go.")
        case .malformedStatement, .malformedInclude, .insecureInclude, .malformedDynamicRules, .repeatedDynamicRules,
            .noStatements, .unknownRelation:
            Finding.Remedy("Write the statement like this.", code: Markup.assetLinks("YOUR.PACKAGE"))
        case .includeNotFollowed, .includeFailed: Finding.Remedy("Write the statement into the file itself.")
        default: nil
        }
    }
}

extension AssociationRemark.Severity {
    var outcome: Finding.Outcome {
        switch self {
        case .error: .error
        case .warning: .warning
        case .info: .info
        }
    }
}

// Check of the copy of Apple's association file that devices get (L26).

extension Association {
    static let l26 = CheckJudge(
        .l26, .deepLinks, .warning, "Apple's CDN has the site's association file",
        problem: "Apple's CDN has another association file than the site",
        why: "Since iOS 14 devices ask Apple's CDN, not the site.",
        site: appleHasTheFile)

    private static func appleHasTheFile(_ site: SiteExamination) -> [Verdict] {
        let files = site.evidence.association.value?.files ?? SiteAssociations()
        guard let copies = site.evidence.appleCDN.value else {
            let concerns = site.namesAppleApp || files.hosts.contains { $0.apple != nil }
            return concerns ? [.unknown("Not seen: \(site.evidence.appleCDN.reason ?? "it was not asked").")] : []
        }
        return copies.compactMap { verdict($0, files[$0.site]) }
    }

    private static func verdict(_ copy: AppleCDNEvidence, _ found: HostAssociations?) -> Verdict? {
        let host = AssociationVerification.hostName(of: copy.site)
        let own = found?.apple?.file
        let ownIsAbsent = found?.wellKnown.judgement.standing == .refused && own == nil
        let place = Finding.Place(.file, copy.url.href)
        switch copy.answer {
        case .unseen(let clause): return .unknown("Not seen: whether Apple's CDN has the file of \(host): \(clause).")
        case .failure(let failure):
            if ownIsAbsent { return nil }
            guard own != nil else {
                return .unknown("Apple's CDN has no association file of \(host), and the site's was not seen.")
            }
            return .warning(
                "Apple's CDN has no association file of \(host)\(failure.clause), so devices have none.",
                at: failure.reason == nil ? place : Finding.Place(.header, "Apple-Failure-Reason"),
                Finding.Remedy(failure.remedy))
        case .file(let outcome):
            guard let theirs = outcome.file, outcome.isUsable else {
                return .warning(
                    "Apple's CDN answers for \(host) with a file that devices do not use.", at: place,
                    Finding.Remedy(AppleCDNEvidence.Failure.usualRemedy))
            }
            guard let own else {
                guard ownIsAbsent else {
                    return .unknown("Apple's CDN has an association file of \(host), but the site's was not seen.")
                }
                return .warning(
                    "Apple's CDN has an association file of \(host), which the site does not serve any more.",
                    at: place,
                    Finding.Remedy("Serve the file again. Otherwise links stop to open apps when the CDN asks next."))
            }
            guard let difference = AssociationDifference(of: theirs, from: own) else {
                return .pass(
                    "Apple's CDN has the association file of \(host) as the site serves it.\(copy.ageSentence)",
                    at: place)
            }
            return .warning(
                "Apple's CDN has another association file of \(host) than the site: \(difference.clause).\(copy.ageSentence)",
                at: place,
                Finding.Remedy(
                    "After a change, wait a day: the CDN asks for the file again, and devices about weekly. "
                        + AppleCDNEvidence.Failure.usualRemedy))
        }
    }
}
