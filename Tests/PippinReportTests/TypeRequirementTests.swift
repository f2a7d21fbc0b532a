import Foundation
import PippinTestSupport
import Testing

@testable import PippinPage
@testable import PippinReport

/// What Google, Apple and schema.org ask of each type (S21, S22): every row of the table, with and without its property.
@Suite struct TypeRequirementTests {
    // MARK: Pages made from the table

    /// A row of the table, by its place.
    struct Row: Sendable, CustomTestStringConvertible {
        let type: Int
        let row: Int
        var types: TypeRequirements { TypeRequirements.all[type] }
        var requirement: TypeRequirement { types.rows[row] }
        var testDescription: String { "\(types.type) \(requirement.label) (\(requirement.source.url))" }
    }

    static let rows = TypeRequirements.all.indices.flatMap { type in
        TypeRequirements.all[type].rows.indices.map { Row(type: type, row: $0) }
    }

    /// Types that are asked together with a more general one.
    private static let bases = ["FoodEstablishment": "LocalBusiness", "LodgingBusiness": "LocalBusiness"]

    /// An item with every property that the table asks of a type.
    static func complete(_ type: String) -> JSONObject {
        var object: JSONObject = ["@type": .string(type)]
        for types in TypeRequirements.all where types.type == type || types.type == bases[type] {
            for row in types.rows where row.holder == nil && row.condition == nil && row.name != "@type" {
                if object[row.name] == nil { object[row.name] = row.example }
            }
        }
        return object
    }

    /// The item in which a row's condition holds.
    private static func setting(for row: Row) -> JSONObject {
        var object = complete(row.types.type)
        let requirement = row.requirement
        switch requirement.condition {
        case .value(let name, let member)?: object[name] = .string(member)
        case .has(let path)?:
            let name = path.split(separator: ".").first.map(String.init) ?? path
            if object[name] == nil { object[name] = row.types.rows.first { $0.name == name }?.example }
        case .hasAny(let names)?:
            for name in names.prefix(3) { object[name] = row.types.rows.first { $0.name == name }?.example }
        case .paid?: object["isAccessibleForFree"] = "False"
        case .partHas?, .partPaid?: object["hasPart"] = row.types.rows.first { $0.name == "hasPart" }?.example
        case .priced?: object["offers"] = ["@type": "Offer", "price": "12.00", "priceCurrency": "USD"]
        case .beforeLast?, nil: break
        }
        switch requirement.holder?.type {
        case "VirtualLocation"?: object["location"] = ["@type": "VirtualLocation", "url": "https://example.org/live"]
        case "AggregateOffer"?:
            object["offers"] = [
                "@type": "AggregateOffer", "lowPrice": "9.00", "highPrice": "15.00", "offerCount": "3",
                "priceCurrency": "USD", "availability": "https://schema.org/InStock",
            ]
        default: break
        }
        if let holder = requirement.holder, object[holder.path[0]] == nil {
            object[holder.path[0]] =
                TypeRequirements.all.flatMap(\.rows)
                .first { $0.holder == nil && $0.name == holder.path[0] }?.example
        }
        if requirement.holder == nil, requirement.condition != nil || requirement.name == "@type" {
            object[requirement.name] = requirement.example
        }
        // What is required under a condition is recommended without it.
        for other in row.types.rows where other.level == .required && requirement.level == .recommended {
            if case .has(let path)? = other.condition, other.label == requirement.label {
                object[path.split(separator: ".").first.map(String.init) ?? path] = nil
            }
        }
        return object
    }

    /// The item without the row's property, in whatever way it may be said.
    private static func lacking(_ row: Row) -> JSONObject {
        let requirement = row.requirement
        var object = setting(for: row)
        let names = requirement.alternatives.flatMap { $0.map { $0[0] } }
        func without(_ value: JSONValue, _ path: ArraySlice<String>) -> JSONValue {
            if let values = value.array {
                return .array(values.map { without($0, path) })
            }
            guard var inner = value.object else { return value }
            if let next = path.first {
                if let part = inner[next] { inner[next] = without(part, path.dropFirst()) }
            } else {
                for name in names { inner[name] = nil }
                // A part that says nothing at all is itself missing.
                if inner.keys.allSatisfy({ $0 == "@type" }) { inner["identifier"] = "1" }
            }
            return .object(inner)
        }
        guard let holder = requirement.holder else {
            for name in names { object[name] = name == "@type" ? .string(row.types.type) : nil }
            return object
        }
        object = without(.object(object), holder.path[...]).object ?? object
        return object
    }

    /// A page with one item, in a syntax. `pasted` is put into the item.
    private static func page(
        _ object: JSONObject, in syntax: StructuredItem.Syntax, for profile: ReportCard.Profile = .all,
        pasting pasted: String? = nil
    ) throws -> ReportPage {
        var page: ReportPage
        switch syntax {
        case .jsonLD:
            var object = object
            if let pasted {
                var parser = JSONParser()
                object = merged(object, try #require(try parser.parse("{\(pasted)}").object))
            }
            var document: JSONObject = ["@context": "https://schema.org"]
            for member in object.members { document[member.key] = member.value }
            page = ReportPage(Markup.script(.object(document)))
        default:
            page = ReportPage(body: element(object, in: syntax, pasting: pasted))
        }
        // Sites and their organizations are asked on the home page.
        page.url = "https://shop.example/"
        page.options.profile = profile
        return page
    }

    private static func merged(_ one: JSONObject, _ other: JSONObject) -> JSONObject {
        var object = one
        for (key, value) in other.members.map({ ($0.key, $0.value) }) {
            if let inner = value.object, let known = object[key]?.object {
                object[key] = .object(merged(known, inner))
            } else if let inner = value.object, let known = object[key]?.array {
                object[key] = .array(known.map { .object(merged(inner, $0.object ?? JSONObject())) })
            } else {
                object[key] = value
            }
        }
        return object
    }

    /// The item as an element; `Markup.members` writes its properties, as remedies do.
    private static func element(
        _ object: JSONObject, in syntax: StructuredItem.Syntax, pasting pasted: String?
    ) -> String {
        var members = object
        let types = object["@type"]?.array?.compactMap(\.string) ?? [object["@type"]?.string ?? ""]
        members["@type"] = nil
        let names = types.map { syntax == .microdata ? "https://schema.org/\($0)" : $0 }.joined(separator: " ")
        let opening =
            syntax == .microdata
            ? "<section itemscope itemtype=\"\(names)\">"
            : "<section vocab=\"https://schema.org/\" typeof=\"\(names)\">"
        return "\(opening)\n\(Markup.members(members, in: syntax))\n\(pasted ?? "")\n</section>"
    }

    private static func told(_ page: ReportPage, _ check: String) -> [Finding] {
        page.card.findings(check).filter { $0.outcome >= .info }
    }

    private static func check(of level: TypeRequirement.Level) -> String { level == .required ? "S21" : "S22" }

    // MARK: Rows

    /// Rows that are told beside other lacks only.
    private static let made = rows.filter { StructuredDataChecks.isMadeByOthers($0.requirement) }
    private static let askedAlone = rows.filter { !StructuredDataChecks.isMadeByOthers($0.requirement) }

    @Test func `a video, ratings and reviews are told beside other lacks, and not alone`() throws {
        #expect(Set(Self.made.map(\.requirement.name)) == ["video", "aggregateRating", "review"])
        for row in Self.made {
            let profile = row.requirement.source.profile
            let alone = Self.told(try Self.page(Self.lacking(row), in: .jsonLD, for: profile), "S22")
            #expect(
                !alone.contains { $0.sentence.hasSuffix(": \(row.requirement.label).") }, "\(alone.map(\.sentence))")
            let other = row.types.rows.first { other in
                other.level == .recommended && other.source.profile == profile && other.holder == nil
                    && other.condition == nil && !StructuredDataChecks.isMadeByOthers(other)
            }
            guard let other else { continue }
            var object = Self.lacking(row)
            for name in other.alternatives.flatMap({ $0.map { $0[0] } }) { object[name] = nil }
            let beside = Self.told(try Self.page(object, in: .jsonLD, for: profile), "S22")
            #expect(
                beside.contains { $0.sentence.contains(row.requirement.label) },
                "\(row.testDescription): \(beside.map(\.sentence))")
        }
    }

    @Test(arguments: askedAlone)
    func `each row fails without its property, and passes with the remedy pasted`(row: Row) throws {
        let requirement = row.requirement
        let profile = requirement.source.profile
        let check = Self.check(of: requirement.level)
        let setting = try Self.page(Self.setting(for: row), in: .jsonLD, for: profile)
        #expect(
            !Self.told(setting, check).contains { $0.sentence.contains(requirement.label) },
            "\(Self.told(setting, check).map(\.sentence))")

        let lacking = Self.lacking(row)
        let found = Self.told(try Self.page(lacking, in: .jsonLD, for: profile), check)
        let finding = try #require(
            found.first { $0.sentence.contains(requirement.label) }, "\(found.map(\.sentence)) \(lacking)")
        #expect(finding.outcome == (requirement.level == .required ? .error : .info))
        #expect(finding.sentence.hasPrefix(row.types.type), "\(finding.sentence)")
        #expect(finding.remedy?.text.contains(requirement.source.url) == true, "\(finding.remedy?.text ?? "")")
        let code = try #require(finding.remedy?.code)
        let fixed = try Self.page(lacking, in: .jsonLD, for: profile, pasting: code)
        #expect(
            !Self.told(fixed, check).contains { $0.sentence.contains(requirement.label) },
            "\(code)\n\(Self.told(fixed, check).map(\.sentence))")
    }

    /// Microdata and RDFa cannot have parts merged into those that are there, so rows of the items themselves.
    @Test(
        arguments: askedAlone.filter { $0.requirement.holder == nil && $0.requirement.name != "@type" },
        [StructuredItem.Syntax.microdata, .rdfa])
    func `remedies are in the syntax of the page`(row: Row, syntax: StructuredItem.Syntax) throws {
        let requirement = row.requirement
        let profile = requirement.source.profile
        let check = Self.check(of: requirement.level)
        let lacking = Self.lacking(row)
        let found = Self.told(try Self.page(lacking, in: syntax, for: profile), check)
        let finding = try #require(
            found.first { $0.sentence.contains(requirement.label) }, "\(found.map(\.sentence)) \(lacking)")
        let code = try #require(finding.remedy?.code)
        #expect(code.contains(syntax == .microdata ? "itemprop=" : "property="), "\(code)")
        let fixed = try Self.page(lacking, in: syntax, for: profile, pasting: code)
        #expect(
            !Self.told(fixed, check).contains { $0.sentence.contains(requirement.label) },
            "\(code)\n\(Self.told(fixed, check).map(\.sentence))")
    }

    // MARK: Types

    /// The types that people ask about, with one property each that only they need.
    static let types: [(type: String, without: String, check: String)] = [
        ("Event", "startDate", "S21"), ("Recipe", "image", "S21"), ("Product", "name", "S21"),
        ("Article", "headline", "S22"), ("NewsArticle", "datePublished", "S22"), ("BlogPosting", "author", "S22"),
        ("LocalBusiness", "address", "S21"), ("Restaurant", "servesCuisine", "S22"), ("Hotel", "checkinTime", "S22"),
        ("VideoObject", "uploadDate", "S21"), ("SoftwareApplication", "offers", "S21"),
        ("MobileApplication", "aggregateRating", "S21"), ("WebApplication", "operatingSystem", "S22"),
        ("Book", "author", "S22"), ("Movie", "image", "S21"), ("MusicAlbum", "byArtist", "S22"),
        ("PodcastEpisode", "partOfSeries", "S22"), ("JobPosting", "hiringOrganization", "S21"),
        ("Course", "description", "S21"), ("QAPage", "mainEntity", "S21"), ("ProfilePage", "dateCreated", "S22"),
        ("DiscussionForumPosting", "author", "S21"), ("SocialMediaPosting", "datePublished", "S21"),
        ("Dataset", "license", "S22"), ("VacationRental", "identifier", "S21"), ("Review", "itemReviewed", "S21"),
        ("AggregateRating", "itemReviewed", "S21"), ("EmployerAggregateRating", "itemReviewed", "S21"),
        ("BreadcrumbList", "itemListElement", "S21"), ("Organization", "logo", "S22"), ("WebSite", "name", "S21"),
    ]

    @Test(arguments: types.indices, StructuredItem.Syntax.ofSchemaOrg)
    func `a full example of each type passes, one that lacks a property fails`(
        index: Int, syntax: StructuredItem.Syntax
    ) throws {
        let (type, name, check) = Self.types[index]
        let table = try #require(TypeRequirements.all.last { $0.includes(type) })
        let base = TypeRequirements.all.first { $0.includes(type) }?.type ?? ""
        var object = Self.complete(base)
        for member in Self.complete(table.type).members where object[member.key] == nil {
            object[member.key] = member.value
        }
        object["@type"] = .string(type)
        if type == "Product" { object["review"] = nil }
        if type == "SoftwareApplication" { object["review"] = nil }
        let card = try Self.page(object, in: syntax).card
        let found = card.findings.filter { ["S21", "S22"].contains($0.check.id) && $0.outcome >= .info }
        let allowed = type == "Product" ? ["review"] : []
        #expect(
            found.allSatisfy { finding in allowed.contains { finding.sentence.contains(": \($0).") } },
            "\(type): \(found.map(\.sentence))")
        object[name] = nil
        if name == "aggregateRating" { object["review"] = nil }
        let failed = Self.told(try Self.page(object, in: syntax), check)
        #expect(
            failed.contains { $0.sentence.contains(name) && $0.sentence.hasPrefix(type) }, "\(failed.map(\.sentence))")
    }

    @Test func `every type has rows, every row a source and an example`() {
        #expect(Set(TypeRequirements.all.map(\.type)).count == TypeRequirements.all.count)
        for types in TypeRequirements.all {
            #expect(SchemaOrg.isKnownType(types.type) && !types.rows.isEmpty, "\(types.type)")
            #expect(!types.rows.contains { $0.level == .required } || types.loss != nil, "\(types.type)")
            for row in types.rows {
                let properties = row.alternatives.flatMap { $0.flatMap { $0 } } + (row.holder?.path ?? [])
                for property in properties where property != "@type" {
                    #expect(SchemaOrg.isKnownProperty(property), "\(types.type) \(property)")
                }
                #expect(
                    row.alternatives.allSatisfy { !$0.isEmpty } && row.alternatives[0][0].count == 1, "\(row.label)")
                #expect(WebURL(row.source.url)?.scheme == "https" && row.source.url.contains("."), "\(row.label)")
            }
        }
    }
}
