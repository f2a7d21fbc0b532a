/// Builds the arena from a page's tags and texts by the rules of HTML (WHATWG HTML §13.2.6, "tree construction"): it implies
/// elements, closes elements, and moves misplaced ones.
///
/// As long as every new node is the last one of the tree, the arena is written directly. The first node that is not (a text
/// before its table, a block that extends beyond the `b` around it) turns the tree into linked nodes (`MovableTree`), and the
/// arena is written again at the end. One real page in ten needs this.
///
/// - This file: the stack of open elements and the list of formatting elements.
/// - TreeBuilder+Modes.swift, TreeBuilder+Body.swift, TreeBuilder+Tables.swift: the handling of each tag in each mode.
/// - TreeBuilder+Formatting.swift: wrongly nested formatting.
struct TreeBuilder {
    enum Mode {
        case initial, beforeHead, inHead, inHeadNoscript, afterHead, inBody, text, inTable, inCaption, inColumnGroup
        case inTableBody, inRow, inCell, inTemplate, afterBody, inFrameset, afterFrameset
    }

    enum Namespace { case html, svg, math }

    struct OpenElement {
        let index: UInt32
        var number: UInt16
        let namespace: Namespace
        var rules: ElementRules
        /// Whether the element was removed from the stack while elements inside it are open. It is still their parent.
        var isGone = false

        var name: HTMLName { HTMLName(rawValue: number) ?? .other }

        func `is`(_ name: HTMLName) -> Bool { number == name.rawValue && namespace == .html && !isGone }
    }

    struct StartTag {
        let number: UInt16
        let isSelfClosing: Bool
        /// Offsets of the tag in the page: its `<`, and its `>` or the `/` before it.
        let start: UInt32
        let end: UInt32

        var name: HTMLName { HTMLName(rawValue: number) ?? .other }
        var rules: ElementRules { name.rules }
    }

    struct TagAttribute {
        let number: UInt16
        /// The offset of the value in the page.
        let start: UInt32
        /// The value as written, with its references.
        let written: UnsafeBufferPointer<UInt8>
    }

    /// An entry of the list of active formatting elements.
    enum FormattingEntry {
        /// The start of a cell, a caption or an `object`. Entries before it do not change until its end.
        case marker
        /// `likeness`: elements of the same name and attributes have the same, and few others; 0 if it was not computed.
        case element(index: UInt32, isOpen: Bool, likeness: Int)

        /// Makes it stand for a copy of its element, or for the same element that is open or not.
        mutating func become(_ index: UInt32, isOpen: Bool) {
            guard case .element(_, _, let likeness) = self else { return }
            self = .element(index: index, isOpen: isOpen, likeness: likeness)
        }
    }

    var document = HTMLDocument()
    let limits: ReadingLimits
    /// As if without a document type, until there is one.
    var isQuirky = true
    /// Attributes of the current start tag.
    var tagAttributes: [TagAttribute] = []
    /// Whether a limit was reached; the rest of the page is ignored.
    private(set) var isFull = false

    /// Open elements, outermost first.
    var stack: [OpenElement] = []
    var formatting: [FormattingEntry] = []
    var mode = Mode.initial
    /// The mode to return to after a text that is not markup.
    var modeAfterText = Mode.inBody
    var templateModes: [Mode] = []
    var hasTemplates = false
    var head: UInt32?
    var form: UInt32?
    var mayHaveFrameset = true
    var isFostering = false
    /// The text collected in a table. It is kept until its end shows whether it is only white space.
    var tableText: [UInt8] = []
    var moved: MovableTree?
    /// The number of open `p` elements. If it is 0, blocks need not search the stack.
    private var openParagraphs = 0
    private var clones = 0
    private var isTooDeep = false
    /// Attributes of a second `html` or `body` tag; they belong to the first element.
    private var lateAttributes: [(element: UInt32, attribute: HTMLDocument.Attribute)] = []

    init(_ lines: SourceLines, limits: ReadingLimits) {
        self.limits = limits
        document.lines = lines
        stack.reserveCapacity(64)
        // Real pages have an element and two attributes in 280 bytes.
        document.elements.reserveCapacity(lines.text.count / 256)
        document.attributes.reserveCapacity(lines.text.count / 128)
        document.text.reserveCapacity(lines.text.count / 2)
        document.attributeNames = Array(repeating: false, count: HTMLName.allCases.count)
    }

    // MARK: What the tokenizer asks

    /// Whether the current element is one of SVG or MathML.
    var isForeign: Bool { stack.last.map { $0.namespace != .html } ?? false }

    /// The current element if its text is not markup.
    var textElement: HTMLName? { mode == .text ? stack.last?.name : nil }

    // MARK: Notes

    mutating func note(_ code: ParseNote.Code, _ message: String) {
        document.notes.append(ParseNote(code, message))
    }

    mutating func stop(_ code: ParseNote.Code, _ message: String) {
        guard !isFull else { return }
        isFull = true
        note(code, message)
    }

    // MARK: The arena

    /// The place of the next node: last in an element, or before a table.
    enum Place {
        case last(in: UInt32)
        case before(UInt32)
    }

    // The next three are inlined: a call would copy the whole builder to hand it over.

    /// The place for a new node (WHATWG HTML §13.2.6.1, "appropriate place for inserting a node").
    @inline(__always) private var place: Place {
        guard let current = stack.last else { return .last(in: 0) }
        return place(in: current)
    }

    @inline(__always) func place(in current: OpenElement) -> Place {
        guard isFostering, current.rules.contains(.fosters), current.namespace == .html else {
            return .last(in: current.index)
        }
        return Self.fosterPlace(in: stack)
    }

    private static func fosterPlace(in stack: [OpenElement]) -> Place {
        guard let table = stack.lastIndex(where: { $0.is(.table) || $0.is(.template) }) else {
            return .last(in: stack[0].index)
        }
        if stack[table].is(.template) || table == 0 { return .last(in: stack[table].index) }
        return .before(stack[table].index)
    }

    /// Whether a node at this place is the last in the arena.
    @inline(__always) private func isAtEnd(_ place: Place) -> Bool {
        guard case .last(let element) = place, let current = stack.last else { return stack.isEmpty }
        return element == current.index
    }

    /// Switches to linked nodes, because the next node does not belong at the end of the arena.
    mutating func moveNodes() {
        if moved == nil { moved = MovableTree(document, open: stack.map { Int($0.index) }) }
    }

    /// Adds an element with the attributes of the current tag, and opens it.
    @discardableResult
    mutating func insert(_ tag: StartTag, namespace: Namespace = .html) -> UInt32 {
        insert(
            tag, namespace: namespace, rules: namespace == .html ? tag.rules : Self.foreignRules(tag.name, namespace))
    }

    private mutating func insert(_ tag: StartTag, namespace: Namespace, rules: ElementRules) -> UInt32 {
        guard let index = makeElement(number: tag.number, tagStart: tag.start, tagEnd: tag.end) else { return 0 }
        if namespace != .html { document.elements[Int(index)].isForeign = true }
        for attribute in tagAttributes { append(attribute) }
        open(index, number: tag.number, namespace: namespace, rules: rules)
        return index
    }

    /// The end of the last start tag that made an element.
    var lastTagEnd: UInt32 { document.elements.last?.tagEnd ?? 0 }

    /// Adds an implied element.
    mutating func insertImplied(_ name: HTMLName, at end: UInt32) {
        guard let index = makeElement(number: name.rawValue, tagStart: end, tagEnd: end) else { return }
        open(index, number: name.rawValue, namespace: .html, rules: name.rules)
    }

    /// Adds an element and closes it at once.
    mutating func insertVoid(_ tag: StartTag) {
        insert(tag)
        pop()
    }

    private mutating func open(_ index: UInt32, number: UInt16, namespace: Namespace, rules: ElementRules) {
        if number == HTMLName.p.rawValue { openParagraphs += 1 }
        stack.append(OpenElement(index: index, number: number, namespace: namespace, rules: rules))
    }

    /// Makes an element without attributes at the current place.
    private mutating func makeElement(number: UInt16, tagStart: UInt32, tagEnd: UInt32) -> UInt32? {
        if isFull { return nil }
        guard document.elements.count < limits.maximumNodes else {
            stop(
                .document(.tooManyElements),
                "The page has more than \(limits.maximumNodes) elements; the rest was not read.")
            return nil
        }
        if stack.count >= limits.maximumDepth { replaceInnermost() }
        let place = place
        let index = UInt32(document.elements.count)
        let text = UInt32(document.text.count)
        let parent = stack.last?.index ?? 0
        if !isAtEnd(place) { moveNodes() }
        document.elements.append(
            HTMLDocument.Element(
                nameNumber: number, tagStart: tagStart, tagEnd: tagEnd, parent: parent, subtreeEnd: index + 1,
                attributesStart: UInt32(document.attributes.count), textStart: text, textEnd: text))
        moved?.addElement(at: place, isRoot: index == 0)
        return index
    }

    private mutating func append(_ attribute: TagAttribute) {
        guard let attribute = kept(attribute) else { return }
        document.attributes.append(attribute)
    }

    /// Stores the attribute's value in the document.
    private mutating func kept(_ attribute: TagAttribute) -> HTMLDocument.Attribute? {
        guard document.attributes.count + lateAttributes.count < limits.maximumAttributes else {
            stop(
                .document(.tooManyAttributes),
                "The page has more than \(limits.maximumAttributes) attributes; the rest was not read.")
            return nil
        }
        let number = Int(attribute.number)
        if number < document.attributeNames.count { document.attributeNames[number] = true }
        let before = document.decodedValues.count
        let range: Range<UInt32>
        if CharacterReferences.append(attributeValue: attribute.written, to: &document.decodedValues) {
            let page = UInt32(document.lines.text.count)
            range = page + UInt32(before)..<page + UInt32(document.decodedValues.count)
        } else {
            range = attribute.start..<attribute.start + UInt32(attribute.written.count)
        }
        document.valueByteCount += range.count
        return HTMLDocument.Attribute(
            nameNumber: attribute.number, valueStart: range.lowerBound, valueEnd: range.upperBound)
    }

    /// Adds the tag's attributes that the element does not have yet.
    mutating func merge(into element: UInt32) {
        for attribute in tagAttributes {
            let own = document.attributeRange(of: Int(element))
            if document.attributes[own].contains(where: { $0.nameNumber == attribute.number })
                || lateAttributes.contains(where: {
                    $0.element == element && $0.attribute.nameNumber == attribute.number
                })
            {
                continue
            }
            // Only two elements can get late attributes, and pages give them few.
            guard lateAttributes.count < limits.maximumAttributesPerElement, let attribute = kept(attribute) else {
                return
            }
            lateAttributes.append((element, attribute))
        }
    }

    /// Adds text at the current place.
    mutating func insert(_ text: UnsafeBufferPointer<UInt8>) {
        if isFull { return }
        let place = place
        if !isAtEnd(place) { moveNodes() }
        let start = document.text.count
        document.text.append(contentsOf: text)
        moved?.addText(start..<document.text.count, at: place)
    }

    /// Adds text that was decoded, or collected until now.
    mutating func insert(_ text: [UInt8]) {
        text.withUnsafeBufferPointer { insert($0) }
    }

    // MARK: The stack of open elements

    var current: OpenElement? { stack.last }

    func isCurrent(_ name: HTMLName) -> Bool { stack.last?.is(name) == true }

    /// Closes the innermost element.
    mutating func pop() {
        guard let element = stack.popLast() else { return }
        close(element)
        while let gone = stack.last, gone.isGone {
            stack.removeLast()
            close(gone)
        }
    }

    private mutating func close(_ element: OpenElement) {
        let index = Int(element.index)
        guard document.elements.indices.contains(index) else { return }
        document.elements[index].subtreeEnd = UInt32(document.elements.count)
        document.elements[index].textEnd = UInt32(document.text.count)
        if !element.isGone { forget(element) }
    }

    private mutating func forget(_ element: OpenElement) {
        if element.number == HTMLName.p.rawValue { openParagraphs -= 1 }
        guard element.rules.contains(.formatting), element.namespace == .html else { return }
        for i in formatting.indices.reversed() {
            if case .element(let index, _, _) = formatting[i], index == element.index {
                formatting[i].become(index, isOpen: false)
                return
            }
        }
    }

    /// Removes an element from the stack, not necessarily the innermost; its content stays in it.
    mutating func remove(at depth: Int) {
        guard depth < stack.count - 1 else { return pop() }
        forget(stack[depth])
        stack[depth].isGone = true
        stack[depth].rules = []
    }

    /// Closes elements until `depth` are open. Removed elements then at the top of the stack are closed too.
    mutating func pop(toDepth depth: Int) {
        while stack.count > max(depth, 0) { pop() }
    }

    /// Closes the innermost element of a name and its content.
    mutating func popThrough(_ name: HTMLName) {
        guard let depth = stack.lastIndex(where: { $0.is(name) }) else { return }
        pop(toDepth: depth)
    }

    mutating func popThrough(_ rules: ElementRules) {
        guard let depth = stack.lastIndex(where: { !$0.rules.isDisjoint(with: rules) && $0.namespace == .html })
        else { return }
        pop(toDepth: depth)
    }

    @inline(__always) func depth(of index: UInt32) -> Int? { stack.lastIndex { $0.index == index && !$0.isGone } }

    @inline(__always) func isOpen(_ name: HTMLName) -> Bool { stack.contains { $0.is(name) } }

    /// The depth of the innermost element with this name that can be closed from here (WHATWG HTML §13.2.4.2, "has an element
    /// in scope"). Nil if there is none.
    @inline(__always) func depthInScope(_ name: HTMLName, border: ElementRules = .scopeBorder) -> Int? {
        if name == .p && openParagraphs == 0 { return nil }
        return depthInScope(border: border) { $0.is(name) }
    }

    @inline(__always)
    func depthInScope(border: ElementRules = .scopeBorder, where isMeant: (OpenElement) -> Bool) -> Int? {
        Self.depthInScope(of: stack, border: border, where: isMeant)
    }

    private static func depthInScope(
        of stack: [OpenElement], border: ElementRules, where isMeant: (OpenElement) -> Bool
    ) -> Int? {
        for depth in stack.indices.reversed() {
            if isMeant(stack[depth]) { return depth }
            if !stack[depth].rules.isDisjoint(with: border) { return nil }
        }
        return nil
    }

    @inline(__always) func isInScope(_ name: HTMLName, border: ElementRules = .scopeBorder) -> Bool {
        depthInScope(name, border: border) != nil
    }

    @inline(__always) func isInScope(_ rules: ElementRules, border: ElementRules = .scopeBorder) -> Bool {
        depthInScope(border: border) { !$0.rules.isDisjoint(with: rules) && $0.namespace == .html } != nil
    }

    /// Closes elements with an optional end tag.
    mutating func closeImplied(except name: HTMLName? = nil, rules: ElementRules = .impliedEnd) {
        while let current = stack.last, !current.rules.isDisjoint(with: rules), current.namespace == .html,
            current.name != name, stack.count > 1
        {
            pop()
        }
    }

    /// Closes the open `p` before a block.
    mutating func closeParagraph() {
        guard let depth = depthInScope(.p, border: .buttonScopeBorder) else { return }
        pop(toDepth: depth)
    }

    /// Closes the content of a part of a table, so that the next part is not inside it.
    mutating func clearStack(to names: HTMLName...) {
        while let current = stack.last, stack.count > 1, !names.contains(where: { current.is($0) }),
            !current.is(.template),
            !current.is(.html)
        {
            pop()
        }
    }

    /// Closes the innermost element, because the tree is too deep. The next element becomes its sibling.
    private mutating func replaceInnermost() {
        pop()
        if !isTooDeep {
            isTooDeep = true
            note(
                .document(.tooDeep),
                "Elements nest deeper than \(limits.maximumDepth); deeper ones were read as siblings.")
        }
    }

    /// The elements of SVG and MathML that contain HTML or text.
    private static func foreignRules(_ name: HTMLName, _ namespace: Namespace) -> ElementRules {
        let borders: ElementRules = [.special, .scopeBorder, .listScopeBorder, .buttonScopeBorder]
        switch (namespace, name) {
        case (.svg, .foreignObject), (.svg, .desc), (.svg, .title): return borders
        case (.math, .mi), (.math, .mo), (.math, .mn), (.math, .ms), (.math, .mtext), (.math, .annotationXML):
            return borders
        default: return []
        }
    }

    // MARK: Copies of formatting elements

    /// Copies an element without its content; nil if the limit of copies is reached.
    mutating func clone(_ index: UInt32) -> UInt32? {
        guard !isFull else { return nil }
        // The limit grows with the page, so that a page of a few bytes cannot become a document of a million elements.
        guard clones <= 1_000 + document.elements.count / 2 else { return nil }
        let original = document.elements[Int(index)]
        let attributes = document.attributeRange(of: Int(index))
        guard document.elements.count < limits.maximumNodes,
            document.attributes.count + attributes.count <= limits.maximumAttributes
        else {
            stop(
                .document(.tooManyElements),
                "The page has more than \(limits.maximumNodes) elements; the rest was not read.")
            return nil
        }
        clones += 1
        let text = UInt32(document.text.count)
        let clone = UInt32(document.elements.count)
        document.elements.append(
            HTMLDocument.Element(
                nameNumber: original.nameNumber, tagStart: original.tagStart, tagEnd: original.tagEnd, parent: 0,
                subtreeEnd: clone + 1, attributesStart: UInt32(document.attributes.count), textStart: text,
                textEnd: text))
        for i in attributes { document.attributes.append(document.attributes[i]) }
        return clone
    }

    /// Opens a copy of a formatting element at the current place.
    mutating func reopen(_ index: UInt32) -> UInt32? {
        if stack.count >= limits.maximumDepth { return nil }
        let place = place
        if !isAtEnd(place) { moveNodes() }
        guard let clone = clone(index) else { return nil }
        document.elements[Int(clone)].parent = stack.last?.index ?? 0
        moved?.addElement(at: place, isRoot: false)
        open(clone, number: document.elements[Int(clone)].nameNumber, namespace: .html, rules: .formatting)
        return clone
    }

    // MARK: The end

    mutating func finish() -> HTMLDocument {
        noteNeverClosed()
        while !stack.isEmpty { pop() }
        insertLateAttributes()
        if moved != nil {
            for start in document.looseEnds.keys { document.looseEnds[start]?.text = nil }
        }
        moved?.arrange(&document)
        if hasTemplates { document.removeTemplateContents() }
        document.groupByName()
        return document
    }

    /// Browsers show what stands behind a `button` that is never closed.
    private mutating func noteNeverClosed() {
        for open in stack where !open.isGone && open.namespace == .html {
            switch open.name {
            case .button, .noscript, .object, .select:
                let element = document.elements[Int(open.index)]
                if document.looseEnds[element.tagStart] == nil {
                    document.looseEnds[element.tagStart] = HTMLDocument.LooseEnd(tag: element.tagEnd)
                }
            default: break
            }
        }
    }

    private mutating func insertLateAttributes() {
        guard !lateAttributes.isEmpty else { return }
        var attributes: [HTMLDocument.Attribute] = []
        attributes.reserveCapacity(document.attributes.count + lateAttributes.count)
        for index in document.elements.indices {
            let own = document.attributeRange(of: index)
            document.elements[index].attributesStart = UInt32(attributes.count)
            // The ranges of later elements are not changed yet, so this element's range is right.
            attributes += document.attributes[own]
            for late in lateAttributes where late.element == index { attributes.append(late.attribute) }
        }
        document.attributes = attributes
    }
}
