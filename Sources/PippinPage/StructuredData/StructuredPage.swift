/// The structured items of a page with one of them, or its twins in other syntaxes, as what the page is about.
public struct StructuredPage: Sendable {
    /// All items of the page, joined; properties refer to them by index.
    public let items: [StructuredItem]
    /// What had to be put right before the items could be read.
    let notes: [ParseNote]
    /// The main item, then the same thing in other syntaxes, which are asked for what it does not say.
    public private(set) var main: [Int] = []
    /// The best kind found; `Int.max` without a main item.
    public private(set) var mainRank = Int.max

    /// The limits that the page was read with. Every question asks whether to go on.
    let limits: ReadingLimits

    /// Items that are looked at for a main one.
    private static let maximumCandidates = 500
    /// Posts of a blog that are looked at for the page's.
    private static let maximumParts = 20

    /// - Parameters:
    ///   - addresses: URLs the page is known by, without fragments.
    ///   - title: the page's title, which tells the product of a page from those it recommends.
    init(_ data: StructuredData, addresses: [String], title: String?, limits: ReadingLimits = .standard) {
        let joined = JoinedItems(data, limits: limits)
        self.limits = limits
        items = joined.items
        notes = joined.notes
        guard !items.isEmpty else { return }
        chooseMain(addresses: Set(addresses), title: title.map(Self.folded) ?? "")
    }

    // MARK: What a page is about

    private static func rank(of item: StructuredItem) -> Int? {
        guard !item.types.isEmpty else { return item.properties.count >= 2 ? ItemKind.Rank.untyped : nil }
        var best: Int?
        for written in item.types {
            guard let rank = ItemKind.traits(of: written)?.rank else { continue }
            best = min(best ?? .max, rank)
        }
        return best
    }

    /// An item that may be what the page is about.
    private typealias Candidate = (index: Int, rank: Int)

    private mutating func chooseMain(addresses: Set<String>, title: String) {
        var candidates: [Candidate] = []
        for (index, item) in items.enumerated() where item.isTopLevel || mentionsPage(item, addresses) {
            guard candidates.count < Self.maximumCandidates else { break }
            if let rank = Self.rank(of: item) { candidates.append((index, rank)) }
            for part in centralParts(of: item, title: title) {
                if let rank = Self.rank(of: items[part]), rank < ItemKind.Rank.page { candidates.append((part, rank)) }
            }
        }
        let found = topic(among: candidates, addresses, title) ?? weakTopic(among: candidates, addresses, title)
        guard let chosen = mainEntity(besides: found) ?? found else { return }
        mainRank = chosen.rank
        let name = name(of: chosen.index)
        main = [chosen.index]
        let isTied = mentionsPage(items[chosen.index], addresses)
        // The same thing in another syntax; without a name on one side there is nothing that speaks against it. Of weak
        // topics, only those that are as near to the page.
        for (other, rank) in candidates
        where rank == chosen.rank && !main.contains(where: { items[$0].syntax == items[other].syntax }) {
            let otherName = self.name(of: other)
            guard otherName == name || otherName == nil || name == nil else { continue }
            if rank < ItemKind.Rank.page || !isTied || mentionsPage(items[other], addresses) { main.append(other) }
        }
    }

    /// What the page's own WebPage names as its main entity. That settles of which kind the topic is; a list of questions is
    /// none. A person or an organization is one if the page has nothing stronger. An entity of the same kind as what was found
    /// is often the shorter copy of it. A recipe stays one in the post around it.
    private func mainEntity(besides found: Candidate?) -> Candidate? {
        for item in items where item.isTopLevel && isItem(item, .webPage) {
            var entities: Set<Int> = []
            for case .item(let entity) in item.values("mainEntity") where items.indices.contains(entity) {
                entities.insert(entity)
            }
            guard entities.count == 1, let entity = entities.first, let rank = Self.rank(of: items[entity]),
                rank <= ItemKind.Rank.organization, rank != found?.rank,
                rank < ItemKind.Rank.page || (found?.rank ?? .max) >= ItemKind.Rank.page,
                rank != ItemKind.Rank.article || found?.rank != ItemKind.Rank.recipe
            else { continue }
            return (entity, rank)
        }
        return nil
    }

    /// What an item is made for: its main entity; of a blog, the post that the page shows.
    private func centralParts(of item: StructuredItem, title: String) -> [Int] {
        var parts: [Int] = []
        if limits.isInterrupted(after: item.properties.count) { return [] }
        for property in item.properties {
            guard case .item(let part) = property.value, items.indices.contains(part),
                ["mainEntity", "blogPost", "blogPosts"].contains(property.name)
            else { continue }
            parts.append(part)
            if parts.count == Self.maximumParts { break }
        }
        if parts.count <= 1 { return parts }
        return parts.filter { name(of: $0).map { $0.utf8.count >= 4 && title.contains($0) } ?? false }
    }

    /// The best kind of which one item stands out. Behind a list of equals, only what has the page's address does.
    private func topic(among candidates: [Candidate], _ addresses: Set<String>, _ title: String) -> Candidate? {
        var isBehindList = false
        for rank in Set(candidates.map(\.rank)).sorted() where rank < ItemKind.Rank.page {
            let equals = Self.items(of: rank, in: candidates)
            var chosen: Int?
            if isBehindList {
                chosen = equals.first { mentionsPage(items[$0], addresses) }
            } else {
                chosen = choose(among: equals, addresses: addresses, title: title)
            }
            guard let chosen else {
                isBehindList = true
                continue
            }
            // An article with a video is an article, unless the page is the video's.
            if rank == ItemKind.Rank.media {
                let articles = Self.items(of: ItemKind.Rank.article, in: candidates)
                if let article = choose(among: articles, addresses: addresses, title: title),
                    mentionsPage(items[article], addresses) || !mentionsPage(items[chosen], addresses)
                {
                    return (article, ItemKind.Rank.article)
                }
            }
            return (chosen, rank)
        }
        // A page with a list is itself.
        let pages = Self.items(of: ItemKind.Rank.page, in: candidates)
        return isBehindList && pages.count == 1 ? (pages[0], ItemKind.Rank.page) : nil
    }

    /// The page itself, an organization, the site, if the page has nothing else.
    private func weakTopic(among candidates: [Candidate], _ addresses: Set<String>, _ title: String) -> Candidate? {
        guard var best = candidates.map(\.rank).min(), best >= ItemKind.Rank.page else { return nil }
        var equals = Self.items(of: best, in: candidates)
        // A home page is its site's or its organization's: the one that has the page as its address.
        let tied = candidates.filter { mentionsPage(items[$0.index], addresses) }
        if let first = tied.min(by: { $0.rank < $1.rank }) {
            best = first.rank
            equals = Self.items(of: best, in: tied)
        }
        return choose(among: equals, addresses: addresses, title: title).map { ($0, best) }
    }

    private static func items(of rank: Int, in candidates: [Candidate]) -> [Int] {
        var seen: Set<Int> = []
        return candidates.lazy.filter { $0.rank == rank }.map(\.index).filter { seen.insert($0).inserted }
    }

    /// Of several things of one kind the one that is tied to the page by its address or by the page's title; a list of
    /// things that are all alike has none.
    private func choose(among indices: [Int], addresses: Set<String>, title: String) -> Int? {
        guard indices.count > 1 else { return indices.first }
        if let tied = indices.first(where: { mentionsPage(items[$0], addresses) }) { return tied }
        var names: Set<String> = []
        for index in indices {
            guard let name = name(of: index) else { continue }
            names.insert(name)
            // Shorter names turn up in titles by chance.
            if name.utf8.count >= 4 && title.contains(name) { return index }
        }
        return names.count <= 1 ? indices.first : nil
    }

    private func name(of index: Int) -> String? {
        guard let name = text(items[index], "name") ?? text(items[index], "headline") else { return nil }
        return Self.folded(name)
    }

    private static func folded(_ text: String) -> String {
        String(text.prefix(300)).lowercased().collapsingHTMLSpace()
    }

    /// Whether `url`, `mainEntityOfPage` or the item's own identifier is the page.
    private func mentionsPage(_ item: StructuredItem, _ addresses: Set<String>) -> Bool {
        func isPage(_ address: String) -> Bool { addresses.contains(Self.withoutFragment(address)) }
        if limits.isInterrupted(after: item.isIndexed ? 1 : item.properties.count) { return false }
        if let id = item.id, isPage(id) { return true }
        func mentions(_ value: StructuredItem.Value) -> Bool {
            switch value {
            case .url(let address), .text(let address, _): return isPage(address)
            case .number: return false
            case .item(let index): return items.indices.contains(index) && items[index].id.map(isPage) ?? false
            }
        }
        if item.isIndexed {
            return ["url", "mainEntityOfPage"].contains { name in
                item.firstPositions(of: name).contains { mentions(item.properties[$0].value) }
            }
        }
        for property in item.properties where property.name == "url" || property.name == "mainEntityOfPage" {
            if mentions(property.value) { return true }
        }
        return false
    }

    private static func withoutFragment(_ address: String) -> String {
        address.utf8.firstIndex(of: UInt8(ascii: "#")).map { String(address[..<$0]) } ?? address
    }

    // MARK: Asking items

    /// What the page is about.
    public var mainItem: StructuredItem? { main.first.map { items[$0] } }

    /// Whether the main item is of a kind.
    func mainIs(_ kind: ItemKind) -> Bool {
        main.contains { isItem($0, kind) }
    }

    /// Whether the item at an index is of a kind.
    public func isItem(_ index: Int, _ kind: ItemKind) -> Bool {
        items.indices.contains(index) && isItem(items[index], kind)
    }

    /// Whether an item has a type of a kind.
    public func isItem(_ item: StructuredItem, _ kind: ItemKind) -> Bool {
        if limits.isInterrupted(after: item.types.count) { return false }
        return item.types.contains { ItemKind.traits(of: $0)?.kinds.contains(kind) == true }
    }

    /// Values of a property of the main item; of its twins where it has none.
    func mainValues(_ name: String) -> [StructuredItem.Value] {
        for index in main {
            let values = items[index].values(name)
            if !values.isEmpty { return values }
        }
        return []
    }

    /// The first value of a property of the main item, or of its twins, that is text.
    public func mainText(_ name: String) -> String? { mainLiteral(name)?.text }

    /// As `mainText`, with whether it is a number.
    func mainLiteral(_ name: String) -> StructuredItem.Literal? {
        for value in mainValues(name) {
            if let literal = literal(of: value) { return literal }
        }
        return nil
    }

    /// The first value of a property that is text, trimmed. Only the first 20 values are looked at.
    public func text(_ item: StructuredItem, _ name: String) -> String? { literal(item, name)?.text }

    /// As `text(_:_:)`, with whether it is a number.
    public func literal(_ item: StructuredItem, _ name: String) -> StructuredItem.Literal? {
        if item.isIndexed {
            let positions = item.firstPositions(of: name)
            if limits.isInterrupted(after: positions.count + 1) { return nil }
            return positions.lazy.compactMap { literal(of: item.properties[$0].value) }.first
        }
        if limits.isInterrupted(after: item.properties.count) { return nil }
        var left = StructuredItem.maximumTexts
        for property in item.properties where property.name == name {
            if let literal = literal(of: property.value) { return literal }
            left -= 1
            if left == 0 { break }
        }
        return nil
    }

    /// A value as text: its own, a URL, or the name or value of an item. nil when nothing is left without white space.
    public func text(of value: StructuredItem.Value) -> String? { literal(of: value)?.text }

    /// As `text(of:)`, with whether it is a number.
    func literal(of value: StructuredItem.Value) -> StructuredItem.Literal? {
        switch value {
        case .text(let text, _):
            let trimmed = text.trimmingHTMLSpace()
            return trimmed.isEmpty || Self.isPlaceholder(trimmed) ? nil : StructuredItem.Literal(trimmed)
        case .number(let text): return StructuredItem.Literal(text.trimmingHTMLSpace(), isNumber: true)
        case .url(let url): return url.isEmpty ? nil : StructuredItem.Literal(url)
        case .item(let index):
            guard items.indices.contains(index) else { return nil }
            return label(of: items[index])
        }
    }

    /// The first `name` or `value` of an item that is a text or a number.
    private func label(of item: StructuredItem) -> StructuredItem.Literal? {
        func label(_ property: StructuredItem.Property) -> StructuredItem.Literal? {
            guard let literal = property.value.literal else { return nil }
            let trimmed = literal.text.trimmingHTMLSpace()
            return trimmed.isEmpty ? nil : StructuredItem.Literal(trimmed, isNumber: literal.isNumber)
        }
        if item.isIndexed {
            let positions = (item.firstPositions(of: "name") + item.firstPositions(of: "value")).sorted()
            if limits.isInterrupted(after: positions.count + 1) { return nil }
            return positions.lazy.compactMap { label(item.properties[$0]) }.first
        }
        if limits.isInterrupted(after: item.properties.count) { return nil }
        for property in item.properties where property.name == "name" || property.name == "value" {
            if let literal = label(property) { return literal }
        }
        return nil
    }

    /// `{{ title }}` or `${title}`: what a template was to fill in and did not.
    private static func isPlaceholder(_ text: String) -> Bool {
        guard let first = text.utf8.first, first == UInt8(ascii: "{") || first == UInt8(ascii: "$") else {
            return false
        }
        return text.hasPrefix("{{") && text.hasSuffix("}}") || text.hasPrefix("${") && text.hasSuffix("}")
    }

    /// The items a property refers to.
    public func items(_ values: [StructuredItem.Value]) -> [StructuredItem] {
        if limits.isInterrupted(after: values.count) { return [] }
        return values.compactMap { value in
            guard case .item(let index) = value, items.indices.contains(index) else { return nil }
            return items[index]
        }
    }

    /// The values that several items have for a property, each item that they refer to once.
    ///
    /// A path of properties costs as much as the items on it, not as much as the ways through them: a thousand offers may share
    /// one list of a thousand prices.
    func values(of owners: some Sequence<StructuredItem>, _ name: String) -> [StructuredItem.Value] {
        var seen: Set<Int> = []
        var found: [StructuredItem.Value] = []
        for owner in owners {
            let values = owner.values(name)
            if limits.isInterrupted(after: values.count + 1) { return found }
            found += values.filter { value in
                guard case .item(let index) = value else { return true }
                return seen.insert(index).inserted
            }
        }
        return found
    }

    /// The items that several items refer to by a property, each once.
    public func items(of owners: some Sequence<StructuredItem>, _ name: String) -> [StructuredItem] {
        items(values(of: owners, name))
    }

    func firstItem(of kind: ItemKind) -> StructuredItem? {
        items.first { isItem($0, kind) }
    }
}
