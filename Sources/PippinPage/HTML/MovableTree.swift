/// A document's tree as linked nodes, for pages in which a node must be inserted before an existing one. The arena can only
/// grow at its end.
///
/// The nodes are made from the arena when the first such insertion happens. At the end, the arena is rewritten from them.
struct MovableTree {
    private struct Node {
        /// The index of the element in the arena; -1 for a text.
        var element: Int32 = -1
        var text: Range<Int> = 0..<0
        var parent: Int32 = -1
        var previous: Int32 = -1
        var next: Int32 = -1
        var first: Int32 = -1
        var last: Int32 = -1
    }

    private var nodes: [Node] = []
    /// The node of each element, by its index.
    private var nodeOfElement: [Int32] = []
    /// The number of children that got another parent. Each wrongly placed end tag of formatting around a large block moves its
    /// whole content.
    private(set) var moves = 0

    /// Makes the nodes of a document.
    ///
    /// - Parameter open: elements that are not closed yet, outermost first.
    init(_ document: HTMLDocument, open: [Int]) {
        nodes.reserveCapacity(document.elements.count * 3)
        nodeOfElement.reserveCapacity(document.elements.count + 64)
        var isOpen = Array(repeating: false, count: document.elements.count)
        for index in open where isOpen.indices.contains(index) { isOpen[index] = true }
        var ancestors: [Int] = []
        var position = 0
        func addText(to end: Int, in element: Int, _ tree: inout Self) {
            if end > position {
                tree.addText(position..<end, at: .last(in: UInt32(element)))
                position = end
            }
        }
        for (index, element) in document.elements.enumerated() {
            while let innermost = ancestors.last, innermost != Int(element.parent) {
                if !isOpen[innermost] { addText(to: Int(document.elements[innermost].textEnd), in: innermost, &self) }
                ancestors.removeLast()
            }
            if let parent = ancestors.last { addText(to: Int(element.textStart), in: parent, &self) }
            addElement(at: .last(in: element.parent), isRoot: index == 0)
            ancestors.append(index)
        }
        while let innermost = ancestors.popLast() {
            let end = isOpen[innermost] ? document.text.count : Int(document.elements[innermost].textEnd)
            addText(to: end, in: innermost, &self)
        }
    }

    // MARK: Adding

    /// Adds the last element of the arena.
    mutating func addElement(at place: TreeBuilder.Place, isRoot: Bool) {
        addDetachedElement()
        if !isRoot { put(Int32(nodes.count - 1), at: place) }
    }

    mutating func addDetachedElement() {
        nodes.append(Node(element: Int32(nodeOfElement.count)))
        nodeOfElement.append(Int32(nodes.count - 1))
    }

    /// Adds the last text of the arena.
    mutating func addText(_ range: Range<Int>, at place: TreeBuilder.Place) {
        let neighbor =
            switch place {
            case .last(let element): nodes[node(element)].last
            case .before(let element): nodes[node(element)].previous
            }
        if neighbor >= 0, nodes[Int(neighbor)].element < 0, nodes[Int(neighbor)].text.upperBound == range.lowerBound {
            nodes[Int(neighbor)].text = nodes[Int(neighbor)].text.lowerBound..<range.upperBound
            return
        }
        nodes.append(Node(text: range))
        put(Int32(nodes.count - 1), at: place)
    }

    private func node(_ element: UInt32) -> Int { Int(nodeOfElement[Int(element)]) }

    private mutating func put(_ node: Int32, at place: TreeBuilder.Place) {
        switch place {
        case .last(let element):
            let parent = self.node(element)
            link(node, parent: Int32(parent), previous: nodes[parent].last, next: -1)
        case .before(let element):
            let next = self.node(element)
            let parent = nodes[next].parent
            // An element that is not in the tree has no place before it.
            if parent < 0 { return }
            link(node, parent: parent, previous: nodes[next].previous, next: Int32(next))
        }
    }

    private mutating func link(_ node: Int32, parent: Int32, previous: Int32, next: Int32) {
        nodes[Int(node)].parent = parent
        nodes[Int(node)].previous = previous
        nodes[Int(node)].next = next
        if previous >= 0 { nodes[Int(previous)].next = node } else { nodes[Int(parent)].first = node }
        if next >= 0 { nodes[Int(next)].previous = node } else { nodes[Int(parent)].last = node }
    }

    // MARK: Moving

    /// Removes an element with its content from the tree.
    mutating func detach(_ element: UInt32) {
        let index = node(element)
        let node = nodes[index]
        guard node.parent >= 0 else { return }
        if node.previous >= 0 {
            nodes[Int(node.previous)].next = node.next
        } else {
            nodes[Int(node.parent)].first = node.next
        }
        if node.next >= 0 {
            nodes[Int(node.next)].previous = node.previous
        } else {
            nodes[Int(node.parent)].last = node.previous
        }
        nodes[index].parent = -1
        nodes[index].previous = -1
        nodes[index].next = -1
    }

    mutating func move(_ element: UInt32, to place: TreeBuilder.Place) {
        detach(element)
        put(Int32(node(element)), at: place)
        moves += 1
    }

    /// Moves all children of an element to another one that has none.
    mutating func moveChildren(of element: UInt32, to other: UInt32) {
        let from = node(element)
        let to = node(other)
        nodes[to].first = nodes[from].first
        nodes[to].last = nodes[from].last
        nodes[from].first = -1
        nodes[from].last = -1
        var child = nodes[to].first
        while child >= 0 {
            nodes[Int(child)].parent = Int32(to)
            child = nodes[Int(child)].next
            moves += 1
        }
    }

    // MARK: Back to the arena

    /// Rewrites elements, attributes and text in the order of the tree.
    func arrange(_ document: inout HTMLDocument) {
        guard let root = nodeOfElement.first else { return }
        let old = document
        document.elements.removeAll(keepingCapacity: true)
        document.attributes.removeAll(keepingCapacity: true)
        document.text.removeAll(keepingCapacity: true)
        var node = root
        /// The elements that are open, by their new index.
        var open: [Int] = []
        while node >= 0 {
            let current = nodes[Int(node)]
            if current.element >= 0 {
                var element = old.elements[Int(current.element)]
                let index = document.elements.count
                element.parent = UInt32(open.last ?? 0)
                element.attributesStart = UInt32(document.attributes.count)
                element.textStart = UInt32(document.text.count)
                document.attributes += old.attributes[old.attributeRange(of: Int(current.element))]
                document.elements.append(element)
                open.append(index)
                if current.first >= 0 {
                    node = current.first
                    continue
                }
            } else {
                document.text += old.text[current.text]
            }
            // Go up until a node has a next one. Texts are never opened.
            while true {
                let ended = nodes[Int(node)]
                if ended.element >= 0, let index = open.popLast() {
                    document.elements[index].subtreeEnd = UInt32(document.elements.count)
                    document.elements[index].textEnd = UInt32(document.text.count)
                }
                if ended.next >= 0 || ended.parent < 0 {
                    node = ended.next
                    break
                }
                node = ended.parent
            }
        }
    }
}
