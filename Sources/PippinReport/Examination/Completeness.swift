import PippinPage

/// What the items of a page lack of what their types should have (`TypeRequirements`).
///
/// Items that stand for something the page offers are judged: its topic, and top-level items. An item that another one names
/// as its publisher, author or maker is not, nor are parts of an offer or a review.
struct Completeness: Sendable {
    /// A property that an item lacks.
    struct Lack: Sendable {
        let requirement: TypeRequirement
        let type: TypeRequirements
        /// How many parts of the item lack it, of how many; nil if the item itself does.
        let parts: (lacking: Int, all: Int)?

        /// `offers.price`, `itemListElement.position (2 of 5)`
        var label: String {
            guard let parts, parts.all > 1 else { return requirement.label }
            return "\(requirement.label) (\(parts.lacking) of \(parts.all))"
        }
    }

    /// An item that was judged.
    struct JudgedItem: Sendable {
        /// In the items of the page.
        let index: Int
        let item: StructuredItem
        /// The type that findings name: `MusicEvent`.
        let type: String
        /// Levels that something is asked of it at.
        let levels: Set<TypeRequirement.Level>
        /// Each lack once: what a required row says is not said by a recommended one.
        let lacks: [Lack]
    }

    private(set) var items: [JudgedItem] = []
    /// Offers and the properties that are required of them here, by their index.
    private(set) var judgedOffers: [Int: Set<String>] = [:]

    /// Properties by which an item names another one that stands for the page as much as itself.
    private static let connecting: Set<String> = [
        "mainEntity", "mainEntityOfPage", "breadcrumb", "video",
    ]
    /// Properties that say of the other item what it could say itself.
    private static let inverse = [
        "itemOffered": ["offers"], "itemReviewed": ["aggregateRating", "review"], "mainEntityOfPage": ["mainEntity"],
    ]
    private static let maximumItems = 100
    private static let maximumParts = 100
    /// Types of an item that count. Real items have up to three.
    private static let maximumTypes = 8
    /// Properties looked at. Real pages need some thousands; items with endless properties end the judging.
    private static let maximumSteps = 1_000_000

    private let structured: StructuredPage
    private let profile: ReportCard.Profile
    /// Width times height of pictures, by their addresses.
    private let pictures: [String: Double]
    private var steps = 0
    /// Properties that other items say of an item.
    private var saidByOthers: [Int: Set<String>] = [:]

    /// - Parameters:
    ///   - unmarked: lines and columns of items that are left out.
    ///   - pictures: width times height in pixels of pictures whose size is known, by their addresses.
    init(
        of structured: StructuredPage, isHomePage: Bool, for profile: ReportCard.Profile,
        leavingOut unmarked: Set<[Int]> = [], pictures: [String: Double] = [:]
    ) {
        self.structured = structured
        self.profile = profile
        self.pictures = pictures
        guard profile.counts(.s21) || profile.counts(.s22) else { return }
        var isConnected: Set<Int> = []
        var isSupporting: Set<Int> = []
        for item in structured.items.prefix(1_000) {
            for property in item.properties {
                guard case .item(let other) = property.value else { continue }
                if Self.connecting.contains(property.name) {
                    isConnected.insert(other)
                } else {
                    isSupporting.insert(other)
                }
                for name in Self.inverse[property.name] ?? [] { saidByOthers[other, default: []].insert(name) }
            }
        }
        for index in structured.items.indices.prefix(1_000) where items.count < Self.maximumItems {
            let item = structured.items[index]
            if !unmarked.isEmpty, item.syntax == .microdata, let line = item.line, let column = item.column,
                unmarked.contains([line, column])
            {
                continue
            }
            let isTopic = structured.main.first == index
            // The same thing in another syntax is asked together with the topic.
            if !isTopic, structured.main.contains(index) { continue }
            let stands = (item.isTopLevel || isConnected.contains(index)) && !isSupporting.contains(index)
            let types = TypeRequirements.all.filter { type in
                switch type.place {
                case .anywhere: guard isTopic || stands else { return false }
                case .homePage: guard isHomePage, item.isTopLevel else { return false }
                case .homePageOrTopic: guard isTopic || (isHomePage && item.isTopLevel) else { return false }
                }
                return Self.name(of: type, item) != nil
            }
            if !types.isEmpty { judge(index, types) }
            if steps >= Self.maximumSteps { break }
        }
    }

    /// How an item calls a type: by its own, the subtype; nil if it has none of the type. A game that is another kind of app
    /// too is asked as that one.
    private static func name(of type: TypeRequirements, _ item: StructuredItem) -> String? {
        if type.type == "VideoGame", item.types.prefix(maximumTypes).contains(where: isOtherApplication) { return nil }
        return item.types.prefix(maximumTypes).first { type.includes($0) }
    }

    private static func isOtherApplication(_ type: String) -> Bool {
        SchemaOrg.isKind(type, of: "SoftwareApplication") && !SchemaOrg.isKind(type, of: "VideoGame")
    }

    /// Whether S21 or S22 reports that an item lacks a property, so that no other check says so again.
    func reports(_ property: String, of index: Int) -> Bool {
        items.contains { $0.index == index && $0.lacks.contains { $0.requirement.label == property } }
    }

    // MARK: Judging

    private mutating func judge(_ index: Int, _ types: [TypeRequirements]) {
        var lacks: [Lack] = []
        var levels: Set<TypeRequirement.Level> = []
        let rows = types.flatMap { type in type.rows.map { (type, $0) } }
            .filter { profile.asks($0.1) }
        for level in [TypeRequirement.Level.required, .recommended] {
            for (type, row) in rows where row.level == level && applies(row, to: index) {
                levels.insert(level)
                guard let lack = lack(of: row, type, in: index),
                    !lacks.contains(where: { $0.requirement.label == row.label || row.isPart(of: $0.requirement) })
                else { continue }
                lacks.append(lack)
            }
        }
        // Half an answer is none.
        guard steps < Self.maximumSteps, !levels.isEmpty else { return }
        let item = structured.items[index]
        items.append(
            JudgedItem(
                index: index, item: item, type: types.first.flatMap { Self.name(of: $0, item) } ?? "", levels: levels,
                lacks: lacks))
    }

    private mutating func applies(_ row: TypeRequirement, to index: Int) -> Bool {
        switch row.condition {
        case .has(let path)?: has(path.split(separator: ".").map(String.init), index)
        case .hasAny(let names)?: names.contains { has([$0], index) }
        case .paid?: isPaid(index)
        case .value(let name, let member)?:
            values(index, name).contains {
                structured.text(of: $0).map { $0 == member || $0.hasSuffix("/" + member) } ?? false
            }
        case .partHas?, .partPaid?:
            row.holder.map { parts(of: index, $0).contains { asks(row, ofPart: $0) } } ?? false
        case .beforeLast?, .priced?, nil: true
        }
    }

    /// Whether a row's condition holds for one of the parts.
    private mutating func asks(_ row: TypeRequirement, ofPart part: Int) -> Bool {
        switch row.condition {
        case .partHas(let name)?: has([name], part)
        case .partPaid?: isPaid(part)
        case .priced?: isPriced(part)
        default: true
        }
    }

    private mutating func lack(of row: TypeRequirement, _ type: TypeRequirements, in index: Int) -> Lack? {
        guard let holder = row.holder else {
            let isSaid =
                row.alternatives.contains { spellings in spellings.contains { has($0, index) } }
                && (row.minimum == 1 || values(index, row.name).count >= row.minimum) && fits(row, index)
                || saidByOthers[index].map { said in row.alternatives.contains { said.contains($0[0][0]) } } ?? false
            return isSaid ? nil : Lack(requirement: row, type: type, parts: nil)
        }
        let parts = parts(of: index, holder)
        var lacking = 0
        var last: Int?
        if case .beforeLast? = row.condition { last = lastPart(parts) }
        for part in parts where part != last {
            if holder.path == ["offers"], row.level == .required { judgedOffers[part, default: []].insert(row.name) }
            guard asks(row, ofPart: part) else { continue }
            if !row.alternatives.contains(where: { spellings in spellings.contains { has($0, part) } }) { lacking += 1 }
        }
        return lacking == 0 ? nil : Lack(requirement: row, type: type, parts: (lacking, parts.count))
    }

    /// Whether a value of the property is within the row's limit, or none can be measured.
    private mutating func fits(_ row: TypeRequirement, _ index: Int) -> Bool {
        guard let limit = row.limit else { return true }
        return values(index, row.name).contains { value in
            switch limit {
            case .characters(let range): structured.text(of: value).map { range.contains($0.count) } ?? true
            case .pixels(let least): pixels(of: value).map { $0 >= Double(least) } ?? true
            }
        }
    }

    /// Width times height of a picture, as the item states them or as they are known of its address.
    private func pixels(of value: StructuredItem.Value) -> Double? {
        guard case .item(let index) = value else { return structured.text(of: value).flatMap { pictures[$0] } }
        guard structured.items.indices.contains(index) else { return nil }
        let item = structured.items[index]
        func number(_ name: String) -> Double? {
            item.values(name).first.flatMap { structured.text(of: $0) }.flatMap(SchemaOrg.decimal)
        }
        if let width = number("width"), let height = number("height") { return width * height }
        return ["contentUrl", "url"].flatMap { item.values($0) }.first.flatMap { structured.text(of: $0) }
            .flatMap { pictures[$0] }
    }

    /// The parts of an item that a row asks. Plain texts have no parts.
    private mutating func parts(of index: Int, _ holder: TypeRequirement.Holder) -> [Int] {
        var found = [index]
        for name in holder.path {
            var next: [Int] = []
            for part in found {
                for case .item(let inner) in values(part, name) where structured.items.indices.contains(inner) {
                    guard next.count < Self.maximumParts else { break }
                    if isSomething(inner) { next.append(inner) }
                }
            }
            found = next
        }
        return found.filter { part in
            let types = structured.items[part].types
            if types.isEmpty { return holder.type != "VirtualLocation" && holder.type != "AggregateOffer" }
            return types.contains { type in
                (holder.type.map { SchemaOrg.isKind(type, of: $0) } ?? true)
                    && !holder.except.contains { SchemaOrg.isKind(type, of: $0) }
            }
        }
    }

    /// The part with the highest position, or else the last one.
    private mutating func lastPart(_ parts: [Int]) -> Int? {
        var last: (part: Int, position: Double)?
        for part in parts {
            guard
                let position = values(part, "position").lazy.compactMap({ [structured] in structured.text(of: $0) })
                    .compactMap(SchemaOrg.decimal).first
            else { return parts.last }
            if last.map({ position >= $0.position }) ?? true { last = (part, position) }
        }
        return last?.part
    }

    /// Whether an item says that it is not free.
    private mutating func isPaid(_ index: Int) -> Bool {
        values(index, "isAccessibleForFree").contains {
            structured.text(of: $0).map { SchemaOrg.boolean($0) == false } ?? false
        }
    }

    /// Whether a part has a price that is not 0.
    private mutating func isPriced(_ part: Int) -> Bool {
        values(part, "price").contains { structured.text(of: $0).map { SchemaOrg.decimal($0) != 0 } ?? false }
    }

    // MARK: Values

    /// Values of a property; for the topic also those of its twins in other syntaxes.
    private mutating func values(_ index: Int, _ name: String) -> [StructuredItem.Value] {
        for twin in index == structured.main.first ? structured.main : [index] {
            steps += structured.items[twin].properties.count + 1
            guard steps < Self.maximumSteps else { return [] }
            let values = structured.items[twin].values(name)
            if !values.isEmpty { return values }
            // S05 and S06 report names in the wrong case.
            let count = name.utf8.count
            let misspelled = structured.items[twin].properties.filter {
                $0.name.utf8.count == count && $0.name.asciiLowercased == name.asciiLowercased
            }
            if !misspelled.isEmpty { return misspelled.map(\.value) }
        }
        return []
    }

    private mutating func has(_ path: [String], _ index: Int) -> Bool {
        guard let name = path.first else { return true }
        if name == "@type" {
            return structured.items[index].types.prefix(Self.maximumTypes).contains(where: Self.isOtherApplication)
        }
        let rest = Array(path.dropFirst())
        for value in values(index, name) {
            switch value {
            case .item(let inner):
                guard structured.items.indices.contains(inner) else { continue }
                if rest.isEmpty ? isSomething(inner) : has(rest, inner) { return true }
            case .text, .number, .url:
                guard let text = structured.text(of: value) else { continue }
                // A postal address in one text has all its parts. Any other text is the name of what it stands for, unless it
                // is a URL.
                if rest.isEmpty || name == "address" { return true }
                let start = String(text.prefix(8)).asciiLowercased
                let isURL = start == "https://" || start.hasPrefix("http://")
                if rest == [isURL ? "url" : "name"] { return true }
            }
        }
        return false
    }

    /// Whether an item says anything, or refers to something.
    private func isSomething(_ index: Int) -> Bool {
        !structured.items[index].properties.isEmpty || structured.items[index].id != nil
    }
}
