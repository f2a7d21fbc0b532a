// Tags and texts before, in and after the head, and after the body (WHATWG HTML §13.2.6.4). If a mode has no rule for a tag, it
// switches to the next mode, which handles the tag.

extension TreeBuilder {
    /// Takes a document type before all content.
    mutating func documentType(_ type: DocumentType) {
        isQuirky = type.isQuirky
        document.publicID = type.publicID
    }

    // MARK: Start tags

    mutating func start(_ tag: StartTag) {
        if isFull { return }
        flushTableText()
        if let current = stack.last, current.namespace != .html, !isHTML(in: current, at: tag) {
            return startForeign(tag)
        }
        startHTML(tag, in: mode)
    }

    mutating func startHTML(_ tag: StartTag, in mode: Mode) {
        if isFull { return }
        switch mode {
        case .initial: startFirst(tag)
        case .beforeHead: startBeforeHead(tag)
        case .inHead: startInHead(tag)
        case .inHeadNoscript: startInHeadNoscript(tag)
        case .afterHead: startAfterHead(tag)
        case .inBody: startInBody(tag)
        case .text: break  // The tokenizer reads no tag before the end of the text.
        case .inTable: startInTable(tag)
        case .inCaption: startInCaption(tag)
        case .inColumnGroup: startInColumnGroup(tag)
        case .inTableBody: startInTableBody(tag)
        case .inRow: startInRow(tag)
        case .inCell: startInCell(tag)
        case .inTemplate: startInTemplate(tag)
        case .afterBody:
            // Content after the end of the body still belongs to the body.
            if tag.name != .html { self.mode = .inBody }
            startInBody(tag)
        case .inFrameset, .afterFrameset: startInFrameset(tag)
        }
    }

    /// Handles the same tag in another mode.
    mutating func again(_ tag: StartTag, in next: Mode) {
        mode = next
        startHTML(tag, in: next)
    }

    private mutating func startFirst(_ tag: StartTag) {
        if tag.name == .html {
            insert(tag)
            mode = .beforeHead
        } else {
            beginDocument(at: tag.end)
            startHTML(tag, in: mode)
        }
    }

    private mutating func beginDocument(at end: UInt32) {
        insertImplied(.html, at: end)
        mode = .beforeHead
    }

    private mutating func beginHead(at end: UInt32) {
        head = UInt32(document.elements.count)
        insertImplied(.head, at: end)
        mode = .inHead
    }

    private mutating func endHead() {
        popThrough(.head)
        mode = .afterHead
    }

    private mutating func beginBody(at end: UInt32) {
        insertImplied(.body, at: end)
        mode = .inBody
    }

    private mutating func startBeforeHead(_ tag: StartTag) {
        switch tag.name {
        case .html: startInBody(tag)
        case .head:
            head = insert(tag)
            mode = .inHead
        default:
            beginHead(at: tag.end)
            startHTML(tag, in: mode)
        }
    }

    mutating func startInHead(_ tag: StartTag) {
        switch tag.name {
        case .html: startInBody(tag)
        case .base, .basefont, .bgsound, .link, .meta: insertVoid(tag)
        case .title, .noframes, .style, .script: insertRawText(tag)
        case .noscript:
            // Pippin does not run scripts, so `noscript` contains markup.
            insert(tag)
            mode = .inHeadNoscript
        case .template:
            insert(tag)
            addMarker()
            hasTemplates = true
            mayHaveFrameset = false
            mode = .inTemplate
            if templateModes.count < limits.maximumDepth { templateModes.append(.inTemplate) }
        case .head: break
        default:
            endHead()
            startHTML(tag, in: mode)
        }
    }

    private mutating func startInHeadNoscript(_ tag: StartTag) {
        switch tag.name {
        case .html: startInBody(tag)
        case .basefont, .bgsound, .link, .meta, .noframes, .style: startInHead(tag)
        case .head, .noscript: break
        default:
            popThrough(.noscript)
            again(tag, in: .inHead)
        }
    }

    private mutating func startAfterHead(_ tag: StartTag) {
        switch tag.name {
        case .html: startInBody(tag)
        case .body:
            insert(tag)
            mayHaveFrameset = false
            mode = .inBody
        case .frameset:
            insert(tag)
            mode = .inFrameset
        case let name where name.rules.contains(.metadata):
            // The tag belongs to the head, which is opened once more.
            reopenHead()
            startInHead(tag)
            if let head, let depth = depth(of: head) { remove(at: depth) }
        case .head: break
        default:
            beginBody(at: tag.end)
            startHTML(tag, in: mode)
        }
    }

    private mutating func reopenHead() {
        guard let head else { return }
        stack.append(
            OpenElement(index: head, number: HTMLName.head.rawValue, namespace: .html, rules: HTMLName.head.rules))
    }

    mutating func insertRawText(_ tag: StartTag) {
        insert(tag)
        modeAfterText = mode
        mode = .text
    }

    // MARK: End tags

    mutating func end(_ number: UInt16) {
        if isFull { return }
        flushTableText()
        if let current = stack.last, current.namespace != .html { return endForeign(number) }
        endHTML(number, in: mode)
    }

    mutating func endHTML(_ number: UInt16, in mode: Mode) {
        let name = HTMLName(rawValue: number) ?? .other
        switch mode {
        case .initial, .beforeHead, .inHead, .inHeadNoscript, .afterHead: endAroundHead(number, name)
        case .inBody: endInBody(number)
        case .text:
            pop()
            self.mode = modeAfterText
        case .inTable: endInTable(number, name)
        case .inCaption: endInCaption(number, name)
        case .inColumnGroup: endInColumnGroup(number, name)
        case .inTableBody: endInTableBody(number, name)
        case .inRow: endInRow(number, name)
        case .inCell: endInCell(number, name)
        case .inTemplate: if name == .template { endTemplate() }
        case .afterBody:
            if name == .html { return }
            self.mode = .inBody
            endInBody(number)
        case .inFrameset, .afterFrameset:
            if name == .frameset, mode == .inFrameset, stack.count > 1 {
                pop()
                if !isCurrent(.frameset) { self.mode = .afterFrameset }
            } else if name == .noframes {
                endInBody(number)
            }
        }
    }

    private mutating func endAroundHead(_ number: UInt16, _ name: HTMLName) {
        switch (mode, name) {
        case (_, .template):
            if mode != .initial { endTemplate() }
        case (.inHead, .head): endHead()
        case (.inHeadNoscript, .noscript):
            popThrough(.noscript)
            mode = .inHead
        case (_, .body) where mode != .inHeadNoscript, (_, .html) where mode != .inHeadNoscript, (_, .br),
            (.initial, .head), (.beforeHead, .head):
            let end = lastTagEnd
            switch mode {
            case .initial: beginDocument(at: end)
            case .beforeHead: beginHead(at: end)
            case .inHead: endHead()
            case .inHeadNoscript:
                popThrough(.noscript)
                mode = .inHead
            default: beginBody(at: end)
            }
            endHTML(number, in: mode)
        default: break
        }
    }

    // MARK: Text

    mutating func text(_ bytes: UnsafeBufferPointer<UInt8>) {
        if isFull || bytes.isEmpty { return }
        switch mode {
        case .text: return insert(bytes)
        case .inBody where stack.last?.namespace == .html:
            reconstructFormatting()
            insert(bytes)
            // Whether a frameset is allowed only matters until the first text.
            if mayHaveFrameset, !bytes.allSatisfy(\.isHTMLSpace) { mayHaveFrameset = false }
        default: textElsewhere(bytes)
        }
    }

    private mutating func textElsewhere(_ bytes: UnsafeBufferPointer<UInt8>) {
        if let current = stack.last, current.namespace != .html, !holdsText(current) {
            insert(bytes)
            if !bytes.allSatisfy(\.isHTMLSpace) { mayHaveFrameset = false }
            return
        }
        let space = bytes.prefix(while: \.isHTMLSpace).count
        let rest = UnsafeBufferPointer(rebasing: bytes[space...])
        switch mode {
        case .initial:
            if rest.isEmpty { return }
            beginDocument(at: 0)
            text(rest)
        case .beforeHead:
            if rest.isEmpty { return }
            beginHead(at: 0)
            text(rest)
        case .inHead, .inHeadNoscript, .afterHead:
            if space > 0 { insert(UnsafeBufferPointer(rebasing: bytes[..<space])) }
            if rest.isEmpty { return }
            switch mode {
            case .inHead: endHead()
            case .inHeadNoscript:
                popThrough(.noscript)
                mode = .inHead
            default: beginBody(at: lastTagEnd)
            }
            text(rest)
        case .inTable, .inTableBody, .inRow:
            if current?.rules.contains(.fosters) == true {
                tableText.append(contentsOf: bytes)
            } else {
                isFostering = true
                textInBody(bytes)
                isFostering = false
            }
        case .inColumnGroup:
            if space > 0 { insert(UnsafeBufferPointer(rebasing: bytes[..<space])) }
            if rest.isEmpty || !endColumnGroup() { return }
            text(rest)
        case .afterBody:
            if !rest.isEmpty { mode = .inBody }
            textInBody(bytes)
        case .inFrameset, .afterFrameset: break
        case .inBody, .inCaption, .inCell, .inTemplate, .text: textInBody(bytes)
        }
    }

    private mutating func textInBody(_ bytes: UnsafeBufferPointer<UInt8>) {
        reconstructFormatting()
        insert(bytes)
        if mayHaveFrameset, !bytes.allSatisfy(\.isHTMLSpace) { mayHaveFrameset = false }
    }

    /// Writes the text between two tags of a table: white space stays, other text goes before the table.
    mutating func flushTableText() {
        if tableText.isEmpty { return }
        let text = tableText
        tableText.removeAll(keepingCapacity: true)
        if text.allSatisfy(\.isHTMLSpace) { return insert(text) }
        isFostering = true
        text.withUnsafeBufferPointer { textInBody($0) }
        isFostering = false
    }

    // MARK: The end of the page

    mutating func endOfPage() {
        if isFull { return }
        flushTableText()
        let end = lastTagEnd
        if mode == .text {
            pop()
            mode = modeAfterText
        }
        while isOpen(.template) { closeTemplate() }
        if mode == .initial { beginDocument(at: end) }
        if mode == .beforeHead { beginHead(at: end) }
        if mode == .inHeadNoscript { mode = .inHead }
        if mode == .inHead { endHead() }
        if mode == .afterHead { beginBody(at: end) }
    }

    // MARK: Templates

    mutating func endTemplate() {
        guard isOpen(.template) else { return }
        closeImplied(rules: .impliedEndInTemplate)
        closeTemplate()
    }

    private mutating func closeTemplate() {
        popThrough(.template)
        clearToMarker()
        templateModes.removeLast(min(1, templateModes.count))
        resetMode()
    }

    private mutating func startInTemplate(_ tag: StartTag) {
        let next: Mode
        switch tag.name {
        case let name where name.rules.contains(.metadata): return startInHead(tag)
        case .caption, .colgroup, .tbody, .tfoot, .thead: next = .inTable
        case .col: next = .inColumnGroup
        case .tr: next = .inTableBody
        case .td, .th: next = .inRow
        default: next = .inBody
        }
        if !templateModes.isEmpty { templateModes[templateModes.count - 1] = next }
        again(tag, in: next)
    }

    /// Sets the mode from the open elements (WHATWG HTML §13.2.4.1, "reset the insertion mode appropriately").
    mutating func resetMode() {
        mode = .inBody
        for element in stack.reversed() where element.namespace == .html && !element.isGone {
            switch element.name {
            case .td, .th: mode = .inCell
            case .tr: mode = .inRow
            case .tbody, .thead, .tfoot: mode = .inTableBody
            case .caption: mode = .inCaption
            case .colgroup: mode = .inColumnGroup
            case .table: mode = .inTable
            case .template: mode = templateModes.last ?? .inTemplate
            case .head: mode = .inHead
            case .body: mode = .inBody
            case .frameset: mode = .inFrameset
            case .html: mode = head == nil ? .beforeHead : .afterHead
            default: continue
            }
            return
        }
    }

    // MARK: Frames

    private mutating func startInFrameset(_ tag: StartTag) {
        switch tag.name {
        case .html: startInBody(tag)
        case .frameset where mode == .inFrameset: insert(tag)
        case .frame where mode == .inFrameset: insertVoid(tag)
        case .noframes: insertRawText(tag)
        default: break
        }
    }
}
