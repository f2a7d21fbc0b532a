// The report card as JSON. Docs/ReportCard.md documents the form. The keys are in the same order as there.

import PippinPage

extension ReportCard {
    /// Raised when programs that read older reports would misunderstand newer ones.
    public static let schemaVersion = 1

    /// The card as a JSON object.
    public var json: JSONValue {
        var object = JSONObject()
        object["schemaVersion"] = .integer(Self.schemaVersion)
        object["url"] = .string(url.href)
        if !isAddressKnown { object["addressKnown"] = false }
        object["judgedAs"] = JSONObject.with {
            $0["agents"] = .array(options.profile.crawler.robotsAgents.map { .string($0) })
            $0["mobile"] = .bool(options.isMobile)
            $0.put("profile", options.profile.rawValue)
            $0.put("app", options.appIdentifier)
            $0.put("appStoreID", options.appStoreIdentifier)
        }
        object["pageRead"] = .bool(isPageRead)
        // What was seen of a site is in order, but nothing is known of a page that was not read.
        let verdict = counts().verdict
        object["verdict"] = .string((isPageRead || verdict != .pass ? verdict : .unknown).rawValue)
        object["counts"] = Self.json(of: counts())
        putTreatment(into: &object)
        var totals = JSONObject()
        for group in groups {
            let counts = counts(of: group)
            totals[group.rawValue] = ["verdict": .string(counts.verdict.rawValue), "counts": Self.json(of: counts)]
        }
        object["groups"] = .object(totals)
        object["findings"] = .array(findingsBySeverity.map(json))
        object["notApplicable"] = .array(notApplicable.map { .string($0.id) })
        object.put("refused", refusal?.rawValue)
        if let record { object["record"] = record.json }
        if !usage.isEmpty { object["usage"] = .array(usage.map(Self.json)) }
        object["previews"] = .array(previews.map(\.json))
        object["items"] = .array(items.items.map(\.json))
        if items.leftOut > 0 { object["itemsLeftOut"] = .integer(items.leftOut) }
        if let rendering = evidence.rendering.value { object["rendering"] = Self.json(of: rendering) }
        if !traces.isEmpty { object["traces"] = .array(traces.map(Self.json)) }
        return shown(.object(object))
    }

    static func json(of counts: Counts) -> JSONValue {
        var object = JSONObject()
        for outcome in [Finding.Outcome.error, .warning, .info, .unknown, .pass] {
            object[outcome.rawValue] = .integer(counts[outcome])
        }
        return .object(object)
    }

    private func json(_ finding: Finding) -> JSONValue {
        JSONObject.with {
            $0.put("check", finding.check.id)
            $0.put("group", finding.check.group.rawValue)
            $0.put("title", finding.check.title)
            if finding.outcome >= .info { $0.put("problem", finding.check.problem) }
            $0.put("outcome", finding.outcome.rawValue)
            $0.put("message", finding.sentence)
            if let place = finding.place { $0["place"] = json(place) }
            if finding.outcome >= .info { $0.put("why", finding.check.why) }
            if let remedy = finding.remedy {
                $0["remedy"] = JSONObject.with {
                    $0.put("text", remedy.text)
                    $0.put("code", remedy.code)
                }
            }
            if finding.outcome >= .info { $0.put("help", finding.check.helpURL(docs: treatment.docs)) }
            $0.put("note", finding.noteCode?.rawValue)
            if finding.outcome >= .info { $0.put("fingerprint", finding.fingerprint) }
            $0.putFlag("known", finding.isKnown)
            if !finding.unlisted.isEmpty { $0["unlisted"] = Self.json(of: finding.unlisted) }
        }
    }

    /// What was left out and what is known.
    private func putTreatment(into object: inout JSONObject) {
        if treatment.ignored > 0 { object["ignored"] = .integer(treatment.ignored) }
        if let only = treatment.only { object["only"] = .array(only.map { .string($0.id) }) }
        if treatment.hasBaseline {
            let new = findings.count { $0.outcome >= .warning && !$0.isKnown }
            object["baseline"] = ["known": .integer(knownCount), "new": .integer(new)]
        }
        if let comparison = treatment.comparison {
            object["comparison"] = JSONObject.with {
                $0.putFlag("newPage", comparison.page == nil)
                $0["gone"] = .array(
                    comparison.gone.map { gone in
                        [
                            "check": .string(gone.check), "message": .string(gone.message),
                            "count": .integer(gone.count),
                        ]
                    })
            }
        }
    }

    /// The place with the end and the text of what stands there.
    private func json(_ place: Finding.Place) -> JSONValue {
        guard var object = place.json.object, let excerpt = sources.excerpt(of: place) else { return place.json }
        object.put("endLine", excerpt.endLine)
        object.put("endColumn", excerpt.endColumn)
        object.put("text", excerpt.snippet)
        return .object(object)
    }

    private static func json(_ trace: Trace) -> JSONValue {
        var object = JSONObject()
        object.put("file", trace.file)
        for member in trace.matching.json.object?.members ?? [] { object[member.key] = member.value }
        return .object(object)
    }
}
