import PippinPage

/// What report cards go by, without a page: the checks, what types of structured data need, and what networks show of a page.
/// `pippin validate --checks`, `--types` and `--previews` print them.
public struct CardRules: Sendable {
    private let checks: [Check]?
    private let types: [NeedsOfType]?
    private let networks: [SharePreview.Network]?

    /// - Parameters:
    ///   - profile: leaves out the checks and needs that do not count for it.
    ///   - ownChecks: the operator's own checks, which are listed after ours.
    public init(
        checks: Bool, types: Bool, previews: Bool, for profile: ReportCard.Profile = .all, ownChecks: [OwnCheck] = []
    ) {
        let all = CheckJudge.all(with: ownChecks).map(\.check)
        self.checks = checks ? all.filter { profile.counts($0) } : nil
        self.types = types ? TypeRequirements.all.compactMap { NeedsOfType($0, for: profile) } : nil
        networks = previews ? SharePreview.Network.allCases : nil
    }

    /// A line for each check below its group's heading, and a paragraph for each type and network.
    public var text: String {
        var paragraphs: [String] = []
        for group in Check.Group.allCases {
            let checks = (checks ?? []).filter { $0.group == group }
            let width = checks.map(\.id.count).max() ?? 0
            let rows = checks.map {
                [Self.padded($0.id, to: width), Self.padded($0.severity.rawValue, to: 7), $0.title]
            }
            if !rows.isEmpty { paragraphs.append(Self.paragraph(group.title, rows)) }
        }
        for type in types ?? [] {
            let needs = [("required", type.required), ("recommended", type.recommended)].filter { !$0.1.isEmpty }
            let rows = needs.map { [Self.padded($0.0, to: 11), $0.1.map(\.words).joined(separator: "; ")] }
            let sources = type.sources.map { [Self.padded("source", to: 11), $0] }
            paragraphs.append(Self.paragraph(type.name, rows + sources))
        }
        if types?.isEmpty == true { paragraphs.append("No type needs anything for this profile.\n") }
        for network in networks ?? [] {
            let rows = SharePreview.rules(of: network).parts.map { [Self.padded($0.name, to: 11), $0.words] }
            paragraphs.append(Self.paragraph(network.name, rows))
        }
        return paragraphs.joined(separator: "\n")
    }

    private static func padded(_ word: String, to width: Int) -> String {
        word + String(repeating: " ", count: max(0, width - word.count))
    }

    private static func paragraph(_ heading: String, _ rows: [[String]]) -> String {
        heading + "\n" + rows.map { "  " + $0.joined(separator: "  ") + "\n" }.joined()
    }

    /// An object with `checks`, `types` and `previews`, as far as they are asked for.
    public var json: [UInt8] {
        var writer = JSONWriter(pretty: true)
        writer.object { writer in
            if let checks {
                writer.objects("checks", checks) { writer, check in
                    writer.member("check", check.id)
                    writer.member("group", check.group.rawValue)
                    writer.member("severity", check.severity.rawValue)
                    writer.member("title", check.title)
                    writer.member("problem", check.problem)
                    writer.member("why", check.why)
                    writer.member("fix", check.guide.fix)
                    writer.objects("sources", check.guide.sources) { writer, source in
                        writer.member("title", source.title)
                        writer.member("url", source.url)
                    }
                }
            }
            if let types {
                writer.objects("types", types) { writer, type in
                    writer.member("type", type.name)
                    for (key, needs) in [("required", type.required), ("recommended", type.recommended)] {
                        writer.objects(key, needs) { writer, need in
                            writer.member("property", need.label)
                            writer.optional("condition", need.condition)
                            writer.member("source", need.source)
                        }
                    }
                }
            }
            if let networks {
                writer.objects("previews", networks) { writer, network in
                    writer.member("network", network.rawValue)
                    for part in SharePreview.rules(of: network).parts {
                        writer.object(part.name) { writer in
                            writer.member("from", part.tags)
                            writer.member("limits", part.limits)
                        }
                    }
                }
            }
        }
        return writer.bytes
    }
}

/// What a type needs, without the rows that another row says.
private struct NeedsOfType {
    struct Need {
        let label: String
        let condition: String?
        let source: String
        /// `offers.price (Offer)`, `previousStartDate (if EventRescheduled)`
        var words: String { label + (condition.map { " (\($0))" } ?? "") }
    }

    let name: String
    let required: [Need]
    let recommended: [Need]
    /// Where the rows are written, each page once.
    let sources: [String]

    /// nil if the profile's reader asks nothing of the type.
    init?(_ types: TypeRequirements, for profile: ReportCard.Profile) {
        let rows = types.rows.filter(profile.asks)
        guard !rows.isEmpty else { return nil }
        name = types.type
        required = Self.needs(.required, of: rows)
        recommended = Self.needs(.recommended, of: rows)
        sources = rows.map(\.source.url).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    private static func needs(_ level: TypeRequirement.Level, of rows: [TypeRequirement]) -> [Need] {
        var listed: [TypeRequirement] = []
        for row in rows where row.level == level && !listed.contains(where: { $0.label == row.label }) {
            let isSaid = rows.contains { other in
                let saysMore =
                    other.alternatives.count > row.alternatives.count || other.limit != nil && row.limit == nil
                let isRequiredAnyway =
                    level == .recommended && other.level == .required && other.condition == nil
                    && other.label == row.label
                return saysMore && other.level == level && row.isPart(of: other) || isRequiredAnyway
            }
            if !isSaid { listed.append(row) }
        }
        return listed.map { Need(label: $0.label, condition: $0.conditionWords, source: $0.source.url) }
    }
}

extension TypeRequirement {
    /// When the property is asked for, or of which parts: `with hasPart`, `if not free`; nil if always.
    fileprivate var conditionWords: String? {
        switch condition {
        case .has(let path): "with \(path)"
        case .hasAny: "with a license or credit"
        case .value(_, let member): "if \(member)"
        case .paid: "if not free"
        case .partHas(let name): "with \(name)"
        case .partPaid: "of parts that are not free"
        case .beforeLast: "but of the last"
        case .priced: "unless free"
        case nil: holder?.type
        }
    }
}

extension SharePreview.Rules {
    /// A part of a preview: what it is made from, in order, and within which limits.
    fileprivate struct Part {
        let name: String
        let tags: [String]
        let limits: [String]
        var words: String { ((tags.isEmpty ? [] : [tags.joined(separator: ", ")]) + limits).joined(separator: "; ") }
    }

    fileprivate var parts: [Part] {
        func pixels(_ words: String, _ size: (width: Int, height: Int)?) -> String? {
            size.map { words + " " + ($0.height > 1 ? "\($0.width)×\($0.height)" : "a width of \($0.width)") }
        }
        let pictureLimits: [String?] = [
            pixels("from", smallest), pixels("large from", large), pixels("asked are", asked),
            widestShape.map { "at most \($0):1" }, maximumPictureBytes.map { "at most \(Wording.bytes($0))" },
            mayRelaxLimits ? "others small or not at all" : nil,
        ]
        let pageLimits: [String?] = [
            headBytes.map { "the first \(Wording.number($0)) bytes" }, wantsWholeAddresses ? "whole addresses" : nil,
            takesHTMLAsPair ? "title and description as a pair, without tags of Open Graph and Twitter" : nil,
        ]
        let all = [
            Part(name: "title", tags: titles, limits: [titleLimit.words]),
            Part(name: "description", tags: descriptions, limits: [descriptionLimit?.words ?? "none"]),
            Part(name: "picture", tags: pictures, limits: pictureLimits.compactMap(\.self)),
            Part(name: "page", tags: [], limits: pageLimits.compactMap(\.self)),
        ]
        return all.filter { !$0.words.isEmpty }
    }
}

extension SharePreview.Rules.Limit {
    fileprivate var words: String {
        switch self {
        case .stated(let count): "\(count) characters"
        case .bytes(let count): "\(count) bytes"
        case .about(let count): "about \(count) characters"
        }
    }
}
