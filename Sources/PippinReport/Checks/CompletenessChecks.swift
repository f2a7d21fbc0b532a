// Checks of what the types of a page's items require and recommend (S21, S22).

import PippinPage

extension StructuredDataChecks {
    /// Properties that a sentence names. A type has fewer.
    private static let shownProperties = 20

    static let s21 = CheckJudge(
        .s21, .structuredData, .error, "Items have what their type requires",
        problem: "Items lack what their type requires",
        why: "A rich result is shown only if every required property is there.",
        page: { completeness($0, .required) })

    static let s22 = CheckJudge(
        .s22, .structuredData, .info, "Items have what is recommended for their type",
        problem: "Items lack what is recommended for their type",
        why: "Each of these makes a result richer, and easier to find.",
        page: { completeness($0, .recommended) })

    private static func completeness(_ page: PageExamination, _ level: TypeRequirement.Level) -> [Verdict] {
        let judged = page.completeness.items.filter { $0.levels.contains(level) }
        let ended = level == .required ? endedTypes(page) : []
        guard let first = judged.first else { return ended }
        // Items of one type that lack the same are one finding.
        var groups: [(key: String, items: [Completeness.JudgedItem], lacks: [Completeness.Lack])] = []
        for item in judged {
            let lacks = item.lacks.filter { $0.requirement.level == level }
            guard lacks.contains(where: { !isMadeByOthers($0.requirement) }) else { continue }
            let key = ([item.type, item.item.syntax.rawValue] + lacks.map(\.requirement.label)).joined(separator: " ")
            if let known = groups.firstIndex(where: { $0.key == key }) {
                groups[known].items.append(item)
            } else {
                groups.append((key, [item], lacks))
            }
        }
        guard !groups.isEmpty else {
            var types: [String] = []
            for item in judged where !types.contains(item.type) { types.append(item.type) }
            let asked = level == .required ? "required" : "recommended"
            let lacksOthers = judged.contains { $0.lacks.contains { $0.requirement.level == level } }
            return [
                .pass(
                    "\(Wording.list(types, shown: 4)): all that is \(asked) is there\(lacksOthers ? ", but for what only others can give: a video, ratings, reviews" : "").",
                    at: page.place(of: first.item))
            ] + ended
        }
        return groups.map { verdict($0.items, $0.lacks, level, page) }.gravest(upTo: shownPerCheck)
    }

    /// Notes on items of types whose Google result has ended.
    private static func endedTypes(_ page: PageExamination) -> [Verdict] {
        guard [.all, .google].contains(page.options.profile) else { return [] }
        return TypeRequirements.ended.compactMap { ended in
            page.items(ended.type).first.map { .pass(ended.sentence, at: page.place(of: $0)) }
        }
    }

    /// Whether nobody can add the property by writing markup: there is no video, and nobody has given a rating. It is recommended
    /// beside other properties, and not alone.
    static func isMadeByOthers(_ requirement: TypeRequirement) -> Bool {
        requirement.level == .recommended && requirement.holder == nil
            && ["video", "aggregateRating", "review"].contains(requirement.name)
    }

    private static func verdict(
        _ items: [Completeness.JudgedItem], _ lacks: [Completeness.Lack], _ level: TypeRequirement.Level,
        _ page: PageExamination
    ) -> Verdict {
        let item = items[0]
        let name =
            (page.text(item.item, "headline") ?? page.text(item.item, "name") ?? page.text(item.item, "title"))
            .map { " \(Wording.quoted($0, to: 60))" } ?? ""
        let others = items.count == 1 ? "" : " and \(Wording.count(items.count - 1, "other")) like it"
        let verb = items.count == 1 ? "lacks" : "lack"
        var sentence =
            "\(item.type)\(name)\(others) \(verb)\(level == .recommended ? " what is recommended" : ""): "
            + Wording.list(lacks.map(\.label), shown: shownProperties) + "."
        if level == .required, let loss = lacks[0].type.loss {
            sentence += " Without \(lacks.count == 1 ? "it" : "them") \(loss)."
        }
        var remarks: [String] = []
        for remark in lacks.compactMap(\.type.remark) where !remarks.contains(remark) { remarks.append(remark) }
        for remark in remarks { sentence += " " + remark }
        let remedy = Finding.Remedy(
            remedyText(lacks), code: Markup.members(members(lacks, of: item, page), in: item.item.syntax))
        return Verdict(level == .required ? .error : .info, sentence, at: page.place(of: item.item), remedy)
    }

    private static func remedyText(_ lacks: [Completeness.Lack]) -> String {
        var holders: [String] = []
        for case let holder? in lacks.map(\.requirement.holder) {
            let path = holder.path.joined(separator: ".")
            if !holders.contains(path) { holders.append(path) }
        }
        let inside =
            holders.isEmpty ? "" : " What is inside \(Wording.list(holders, shown: 4)) goes into what is there."
        var sources: [String] = []
        for url in lacks.map(\.requirement.source.url) where !sources.contains(url) { sources.append(url) }
        let isPicture = lacks.contains { if case .pixels? = $0.requirement.limit { true } else { false } }
        let shapes = isPicture ? " Google asks for pictures of 16:9, 4:3 and 1:1." : ""
        return
            "Add \(lacks.count == 1 ? "it" : "what is missing") to the item, with values of your own.\(inside)\(shapes) "
            + "See \(sources.prefix(3).joined(separator: " "))"
    }

    // MARK: Markup to paste

    /// The missing properties with the page's own values where it has them.
    private static func members(
        _ lacks: [Completeness.Lack], of item: Completeness.JudgedItem, _ page: PageExamination
    ) -> JSONObject {
        var object = JSONObject()
        for lack in lacks {
            let row = lack.requirement
            guard let holder = row.holder else {
                // A value that is there already does not meet the requirement.
                let isThere = !page.structured.items[item.index].values(row.name).isEmpty
                object[row.name] = (isThere ? nil : ownValue(row.name, of: item, page)) ?? row.example
                continue
            }
            // A part that is missing itself comes whole.
            if lacks.contains(where: { $0.requirement.holder == nil && $0.requirement.name == holder.path[0] }) {
                continue
            }
            object = adding(row.name, row.example, at: holder.path[...], partType(holder, lack.type), to: object)
        }
        return object
    }

    private static func adding(
        _ name: String, _ value: JSONValue, at path: ArraySlice<String>, _ type: String?, to object: JSONObject
    ) -> JSONObject {
        var object = object
        guard let first = path.first else {
            object[name] = value
            return object
        }
        var inner = object[first]?.object ?? JSONObject()
        if path.count == 1, inner["@type"] == nil, let type { inner["@type"] = .string(type) }
        object[first] = .object(adding(name, value, at: path.dropFirst(), type, to: inner))
        return object
    }

    /// The type of a part: what the row asks for, or what the table's own example of the part is.
    private static func partType(_ holder: TypeRequirement.Holder, _ type: TypeRequirements) -> String? {
        if let asked = holder.type { return asked }
        var example: JSONValue? = type.rows.first { $0.holder == nil && $0.name == holder.path[0] }?.example
        for name in holder.path.dropFirst() { example = example?[name] }
        return (example?.array?.first ?? example)?["@type"]?.string
    }

    /// What the page says elsewhere of a property of one of its items; nil if it does not, or says it of something else.
    private static func ownValue(
        _ name: String, of item: Completeness.JudgedItem, _ page: PageExamination
    ) -> JSONValue? {
        guard let record = page.record else { return nil }
        // What the record has is of the page's topic.
        let isTopic = page.structured.mainItem.map { $0.line == item.item.line && $0.types == item.item.types } ?? true
        func text(_ text: String?) -> JSONValue? { text.map { .string($0) } }
        let isOfSite = item.item.types.contains { type in
            ["Organization", "WebSite"].contains { SchemaOrg.isKind(type, of: $0) }
        }
        switch name {
        case "name" where isOfSite: return text(record.containerTitle ?? record.title)
        case "url" where isOfSite: return text(page.hasAddress ? page.url.origin.map { $0 + "/" } : nil)
        case "telephone": return text(record.organization?.telephone)
        case "priceRange": return text(record.priceRange)
        case "image", "thumbnailUrl": return text(record.thumbnailURL)
        default: break
        }
        guard isTopic else { return nil }
        switch name {
        case "name", "headline", "title": return text(record.title)
        case "url": return text(page.address)
        case "description": return text(page.statedDescription)
        case "datePublished", "uploadDate", "datePosted": return text(record.publishedAt)
        case "dateModified": return text(record.modifiedAt)
        case "inLanguage": return text(record.languages.first)
        case "duration", "timeRequired": return text(record.duration.map(SchemaOrg.durationText))
        case "author":
            guard let author = record.authors.first else { return nil }
            return JSONObject.with {
                $0.put("@type", "Person")
                $0.put("name", author.name)
                $0.put("url", author.url ?? "https://example.org/people/name")
            }
        default: return nil
        }
    }
}
