import Glibc

// Wrongly nested formatting, `<b><p>…</b>…</p>`. Formatting that is closed by the end of a block is opened again after it.

extension TreeBuilder {
    /// The limit of open formatting elements, more than any page has. Beyond it, the oldest are removed, because all are
    /// searched for every tag.
    private static let maximumFormatting = 256
    /// So many are compared without a hash.
    private static let fewFormatting = 8
    /// The limit of nodes that get another parent. Beyond it, wrongly nested elements are just closed.
    private static let maximumMoves = 1_000_000

    /// Adds the innermost element to the list of active formatting elements (WHATWG HTML §13.2.4.3). If four are equal, the
    /// first is removed.
    mutating func pushFormatting() {
        guard let element = stack.last, element.rules.contains(.formatting) else { return }
        var same = 0
        var first: Int?
        // Real pages have few at a time; a page of nothing else has each compared with all.
        let likeness = formatting.count < Self.fewFormatting ? 0 : likeness(of: element.index)
        for i in formatting.indices.reversed() {
            guard case .element(let index, _, let other) = formatting[i] else { break }
            if other == likeness || other == 0 || likeness == 0, isSame(index, element.index) {
                same += 1
                first = i
            }
        }
        if same >= 3, let first { formatting.remove(at: first) }
        if formatting.count >= Self.maximumFormatting { formatting.removeFirst() }
        formatting.append(.element(index: element.index, isOpen: true, likeness: likeness))
    }

    /// A hash of an element's name and attributes; never 0.
    private func likeness(of index: UInt32) -> Int {
        var hasher = Hasher()
        hasher.combine(document.elements[Int(index)].nameNumber)
        for i in document.attributeRange(of: Int(index)) {
            let attribute = document.attributes[i]
            hasher.combine(attribute.nameNumber)
            document.value(of: attribute).withUnsafeBytes { hasher.combine(bytes: $0) }
        }
        let hash = hasher.finalize()
        return hash == 0 ? 1 : hash
    }

    /// Whether two elements have the same name and attributes.
    private func isSame(_ a: UInt32, _ b: UInt32) -> Bool {
        guard document.elements[Int(a)].nameNumber == document.elements[Int(b)].nameNumber else { return false }
        let (mine, others) = (document.attributeRange(of: Int(a)), document.attributeRange(of: Int(b)))
        guard mine.count == others.count else { return false }
        // Attributes in another order count as different, which gives at most three more copies.
        for (i, j) in zip(mine, others) {
            let (one, other) = (document.attributes[i], document.attributes[j])
            guard one.nameNumber == other.nameNumber, one.valueLength == other.valueLength else { return false }
        }
        return zip(mine, others).allSatisfy { i, j in
            document.value(of: document.attributes[i]).withUnsafeBytes { one in
                document.value(of: document.attributes[j]).withUnsafeBytes { other in
                    guard let first = one.baseAddress, let second = other.baseAddress else { return true }
                    return memcmp(first, second, one.count) == 0
                }
            }
        }
    }

    mutating func addMarker() {
        if formatting.count >= Self.maximumFormatting { formatting.removeFirst() }
        formatting.append(.marker)
    }

    mutating func clearToMarker() {
        while let last = formatting.popLast() {
            if case .marker = last { return }
        }
    }

    /// Opens formatting elements again that were closed ("reconstruct the active formatting elements").
    mutating func reconstructFormatting() {
        guard case .element(_, isOpen: false, _) = formatting.last, stack.count < limits.maximumDepth else { return }
        var i = formatting.count - 1
        while i > 0, case .element(_, isOpen: false, _) = formatting[i - 1] { i -= 1 }
        while i < formatting.count {
            guard case .element(let index, _, _) = formatting[i], let clone = reopen(index) else { return }
            formatting[i].become(clone, isOpen: true)
            i += 1
        }
    }

    /// The index of the last element of a name in the list, after the last marker.
    @inline(__always) func formattingIndex(_ number: UInt16) -> Int? {
        for i in formatting.indices.reversed() {
            guard case .element(let index, _, _) = formatting[i] else { return nil }
            if document.elements[Int(index)].nameNumber == number { return i }
        }
        return nil
    }

    @inline(__always) private func formattingIndex(of element: UInt32) -> Int? {
        formatting.lastIndex {
            if case .element(let index, _, _) = $0 { return index == element }
            return false
        }
    }

    /// Handles the end tag of a formatting element (WHATWG HTML §13.2.6.4.7, "adoption agency algorithm").
    mutating func endFormatting(_ number: UInt16) {
        if let current = stack.last, current.number == number, current.namespace == .html,
            formattingIndex(of: current.index) == nil
        {
            return pop()
        }
        for _ in 0..<8 {
            guard let entry = formattingIndex(number), case .element(let element, _, _) = formatting[entry]
            else {
                return endOther(number)
            }
            guard let depth = depth(of: element) else {
                formatting.remove(at: entry)
                return
            }
            guard depthInScope(where: { $0.index == element }) != nil else { return }
            let block = (depth + 1..<stack.count).first { stack[$0].rules.contains(.special) }
            guard let block, (moved?.moves ?? 0) < Self.maximumMoves else {
                pop(toDepth: depth)
                if let entry = formattingIndex(of: element) { formatting.remove(at: entry) }
                return
            }
            guard adopt(element, at: depth, block: block) else { return }
        }
    }

    /// One round of the algorithm's outer loop: the formatting element ends before the block, and a copy of it gets the block's
    /// content. False if the limit of copies is reached.
    private mutating func adopt(_ element: UInt32, at depth: Int, block: Int) -> Bool {
        guard depth > 0, var bookmark = formattingIndex(of: element) else { return false }
        moveNodes()
        let ancestor = stack[depth - 1]
        let furthest = stack[block]
        var block = block
        var last = furthest.index
        var rounds = 0
        // Elements between the two, innermost first.
        for i in (depth + 1..<block).reversed() {
            rounds += 1
            let node = stack[i]
            let entry = formattingIndex(of: node.index)
            guard let entry, rounds <= 3 else {
                if let entry {
                    formatting.remove(at: entry)
                    if entry < bookmark { bookmark -= 1 }
                }
                stack.remove(at: i)
                block -= 1
                continue
            }
            guard let copy = detachedClone(node.index) else { return false }
            formatting[entry].become(copy, isOpen: true)
            stack[i] = OpenElement(index: copy, number: node.number, namespace: .html, rules: .formatting)
            if last == furthest.index { bookmark = entry + 1 }
            moved?.move(last, to: .last(in: copy))
            last = copy
        }
        let place = place(in: ancestor)
        moved?.move(last, to: place)
        guard let copy = detachedClone(element) else { return false }
        moved?.moveChildren(of: furthest.index, to: copy)
        moved?.move(copy, to: .last(in: furthest.index))
        var entry = FormattingEntry.element(index: element, isOpen: true, likeness: 0)
        if let place = formattingIndex(of: element) {
            entry = formatting.remove(at: place)
            if place < bookmark { bookmark -= 1 }
        }
        entry.become(copy, isOpen: true)
        formatting.insert(entry, at: min(bookmark, formatting.count))
        let number = stack[depth].number
        stack.remove(at: depth)
        stack.insert(OpenElement(index: copy, number: number, namespace: .html, rules: .formatting), at: block)
        return true
    }

    private mutating func detachedClone(_ element: UInt32) -> UInt32? {
        guard let copy = clone(element) else { return nil }
        moved?.addDetachedElement()
        return copy
    }
}
