/// The items of a page's microdata, and the elements that are their properties (WHATWG HTML §5.2.5).
///
/// Elements with microdata attributes are listed once, in document order. An item's properties are the entries in its subtree
/// outside of inner items, and those in the subtrees that its `itemref` names:
///
///     element          scope  property         items
///     div itemscope      x                     0: properties h1, span
///       h1 itemprop             x
///       div itemscope    x                     1: (top-level) properties b
///         b itemprop            x
///       span itemprop           x
struct MicrodataItems {
    struct Item {
        let element: HTMLDocument.Index
        /// Whether it has no `itemprop`. In lenient reading, also if no item is around it.
        var isTopLevel: Bool
        /// The properties in tree order.
        var properties: [Property] = []
    }

    struct Property {
        let element: HTMLDocument.Index
        /// The item of the element, if it has `itemscope`.
        let item: Int?
        /// Whether the name is in `itemprop`, and not only in `itemprop-reverse`.
        let isForward: Bool
    }

    private struct Entry {
        let element: HTMLDocument.Index
        var isScope = false
        var isProperty = false
        var isReverse = false
        var refersToOthers = false
        /// The index of the item that the entry begins, for an entry with a scope.
        var item: Int?
        var isOwned = false
    }

    private(set) var items: [Item] = []
    /// Properties outside of any item, in tree order.
    private(set) var orphans: [Property] = []
    private(set) var notes: BoundedNotes

    private let document: HTMLDocument
    private let limits: ReadingLimits
    private var entries: [Entry] = []

    /// Finds all items of a document.
    ///
    /// - Parameter lenient: an `itemtype` makes an item even without `itemscope`, and an item outside any other is top-level
    ///   even with an `itemprop`.
    init(_ document: HTMLDocument, lenient: Bool, limits: ReadingLimits) {
        self.document = document
        self.limits = limits
        notes = BoundedNotes(maximum: limits.maximumNotes)
        listEntries(lenient: lenient)
        assignToEnclosingItems()
        if document.hasAttribute(.itemref) { followReferences() }
        for entry in entries where entry.isProperty && !entry.isOwned {
            if let item = entry.item {
                if lenient && !items[item].isTopLevel {
                    items[item].isTopLevel = true
                    let name = document.value(of: .itemprop, on: entry.element) ?? ""
                    note(
                        .microdata(.orphanItem),
                        "An item with the itemprop \"\(name.prefix(60))\" stands in no other item.", entry.element)
                }
            } else if !entry.isScope {
                orphans.append(Property(element: entry.element, item: nil, isForward: true))
            }
        }
        if let first = orphans.first {
            let name = document.value(of: .itemprop, on: first.element) ?? ""
            note(
                .microdata(.orphanProperty), "The itemprop \"\(name.prefix(60))\" stands in no item.", first.element)
        }
    }

    // MARK: Entries

    private mutating func listEntries(lenient: Bool) {
        for element in document.elements.indices {
            var entry = Entry(element: element)
            var hasType = false
            for i in document.attributeRange(of: element) {
                switch document.attributes[i].nameNumber {
                case HTMLName.itemscope.rawValue: entry.isScope = true
                case HTMLName.itemprop.rawValue: entry.isProperty = true
                case HTMLName.itempropReverse.rawValue: entry.isReverse = true
                case HTMLName.itemref.rawValue: entry.refersToOthers = true
                case HTMLName.itemtype.rawValue: hasType = true
                default: break
                }
            }
            if hasType && !entry.isScope {
                let type = document.value(of: .itemtype, on: element) ?? ""
                note(
                    .microdata(.itemscopeMissing),
                    "An element has the itemtype \"\(type.prefix(80))\" but no itemscope.", element)
                entry.isScope = lenient
            }
            guard entry.isScope || entry.isProperty || entry.isReverse else { continue }
            entries.append(entry)
            if limits.isInterrupted { return }
        }
    }

    private mutating func assignToEnclosingItems() {
        /// The items whose elements are open at the current entry.
        var open: [(item: Int, end: Int)] = []
        for i in entries.indices {
            let element = entries[i].element
            while let last = open.last, last.end <= element { open.removeLast() }
            let owner = open.last?.item
            if entries[i].isScope {
                if items.count < limits.maximumItems {
                    entries[i].item = items.count
                    items.append(Item(element: element, isTopLevel: !entries[i].isProperty))
                } else {
                    note(
                        .microdata(.tooManyItems),
                        "The page has more than \(limits.maximumItems) microdata items; the rest was not read.", element
                    )
                }
            }
            if let owner, entries[i].isProperty || entries[i].isReverse { own(i, by: owner) }
            if let item = entries[i].item { open.append((item, Int(document.elements[element].subtreeEnd))) }
        }
    }

    private mutating func own(_ entry: Int, by owner: Int) {
        entries[entry].isOwned = true
        // An item beyond the limit is not a value either.
        if entries[entry].isScope && entries[entry].item == nil { return }
        items[owner].properties.append(
            Property(
                element: entries[entry].element, item: entries[entry].item, isForward: entries[entry].isProperty))
    }

    // MARK: References

    /// Adds the properties that `itemref` names. The standard's algorithm gives the set of reached elements; walking the named
    /// subtrees and sorting gives the same.
    private mutating func followReferences() {
        let elementsByID = firstElements()
        /// For each entry, the last item that reached it.
        var reachedFor = Array(repeating: -1, count: entries.count)
        // All items may name the same subtree, so there is one limit of work for all items together.
        var work = 0
        let maximumWork = limits.maximumItems.multipliedReportingOverflow(by: 10).partialValue
        for scope in entries.indices where entries[scope].refersToOthers {
            guard !limits.isInterrupted, let item = entries[scope].item,
                let tokens = document.bytes(of: .itemref, on: entries[scope].element)?.splitOnHTMLSpace()
            else { continue }
            var reached: [Int] = []
            let root = items[item].element
            let inside = entryRange(below: root, includingRoot: false)
            walk(inside, for: item, root: root, &reachedFor, &reached, &work)
            if tokens.count > limits.maximumTokens {
                note(
                    .microdata(.tooManyNames),
                    "An itemref has \(tokens.count) names; the first \(limits.maximumTokens) are read.", root)
            }
            for token in tokens.prefix(limits.maximumTokens) {
                guard let target = elementsByID[String(decoding: token, as: UTF8.self)] else {
                    let name = String(decoding: token.prefix(100), as: UTF8.self)
                    note(.microdata(.itemrefMissing), "itemref names \"\(name)\", which no element has as id.", root)
                    continue
                }
                walk(
                    entryRange(below: target, includingRoot: true), for: item, root: root, &reachedFor, &reached, &work)
                if work > maximumWork {
                    note(.microdata(.tooManyReferences), "itemref leads to too many elements.", root)
                    return
                }
            }
            items[item].properties.removeAll()
            for entry in reached.sorted() where entries[entry].isProperty || entries[entry].isReverse {
                own(entry, by: item)
            }
        }
    }

    /// Visits all entries of a range, except those inside inner items.
    private func walk(
        _ range: Range<Int>, for item: Int, root: HTMLDocument.Index, _ reachedFor: inout [Int], _ reached: inout [Int],
        _ work: inout Int
    ) {
        var next = range.lowerBound
        while next < range.upperBound {
            work += 1
            let entry = entries[next]
            if entry.element != root && reachedFor[next] != item {
                reachedFor[next] = item
                reached.append(next)
            }
            next =
                entry.isScope
                ? firstEntry(atOrAfter: Int(document.elements[entry.element].subtreeEnd), from: next + 1) : next + 1
        }
    }

    private func entryRange(below root: HTMLDocument.Index, includingRoot: Bool) -> Range<Int> {
        let start = firstEntry(atOrAfter: includingRoot ? root : root + 1, from: 0)
        return start..<firstEntry(atOrAfter: Int(document.elements[root].subtreeEnd), from: start)
    }

    /// The first entry at or after an element, by binary search. Entries are in document order.
    private func firstEntry(atOrAfter element: HTMLDocument.Index, from start: Int) -> Int {
        var low = start
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].element < element { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private func firstElements() -> [String: HTMLDocument.Index] {
        var result: [String: HTMLDocument.Index] = [:]
        for element in document.elements.indices {
            guard let id = document.value(of: .id, on: element), !id.isEmpty, result[id] == nil else { continue }
            result[id] = element
        }
        return result
    }

    private mutating func note(_ code: ParseNote.Code, _ message: String, _ element: HTMLDocument.Index) {
        let document = document
        notes.add(code, message, at: document.place(of: element))
    }
}
