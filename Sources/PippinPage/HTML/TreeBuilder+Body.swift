// Tags in the body (WHATWG HTML §13.2.6.4.7), and in SVG and MathML (§13.2.6.5).

extension TreeBuilder {
    // MARK: Start tags

    mutating func startInBody(_ tag: StartTag) {
        let rules = tag.rules
        if rules.contains(.metadata) { return startInHead(tag) }
        if rules.contains(.block) {
            closeParagraph()
            insert(tag)
            return
        }
        if rules.contains(.formatting) { return startFormatting(tag) }
        switch tag.name {
        case .html:
            if !isOpen(.template), !stack.isEmpty { merge(into: stack[0].index) }
        case .body:
            guard stack.count > 1, stack[1].is(.body), !isOpen(.template) else { return }
            mayHaveFrameset = false
            merge(into: stack[1].index)
        case .frameset: startFrameset(tag)
        case .h1, .h2, .h3, .h4, .h5, .h6:
            closeParagraph()
            if current?.rules.contains(.heading) == true { pop() }
            insert(tag)
        case .pre, .listing:
            closeParagraph()
            insert(tag)
            mayHaveFrameset = false
        case .form:
            let isInTemplate = isOpen(.template)
            if form != nil && !isInTemplate { return }
            closeParagraph()
            let index = insert(tag)
            if !isInTemplate { form = index }
        case .li: startItem(tag, closing: .li, or: .li)
        case .dd, .dt: startItem(tag, closing: .dd, or: .dt)
        case .plaintext:
            closeParagraph()
            insertRawText(tag)
        case .button:
            if isInScope(.button) {
                closeImplied()
                popThrough(.button)
            }
            insertInline(tag)
            mayHaveFrameset = false
        case .applet, .marquee, .object:
            insertInline(tag)
            addMarker()
            mayHaveFrameset = false
        case .table:
            if !isQuirky { closeParagraph() }
            insert(tag)
            mayHaveFrameset = false
            mode = .inTable
        case .area, .br, .embed, .img, .keygen, .wbr:
            insertInline(tag)
            pop()
            mayHaveFrameset = false
        case .image:
            startInBody(
                StartTag(
                    number: HTMLName.img.rawValue, isSelfClosing: tag.isSelfClosing, start: tag.start,
                    end: tag.end)
            )
        case .input:
            if isInScope(.select) { popThrough(.select) }
            insertInline(tag)
            pop()
            if !isHidden { mayHaveFrameset = false }
        case .param, .source, .track: insertVoid(tag)
        case .hr:
            closeParagraph()
            if isInScope(.select) { closeImplied() }
            insertVoid(tag)
            mayHaveFrameset = false
        case .textarea, .iframe, .noembed:
            if tag.name != .noembed { mayHaveFrameset = false }
            insertRawText(tag)
        case .xmp:
            closeParagraph()
            reconstructFormatting()
            mayHaveFrameset = false
            insertRawText(tag)
        case .select:
            if isInScope(.select) { return popThrough(.select) }
            insertInline(tag)
            mayHaveFrameset = false
        case .option, .optgroup:
            if isInScope(.select) {
                closeImplied(except: tag.name == .option ? .optgroup : nil)
            } else if isCurrent(.option) {
                pop()
            }
            insertInline(tag)
        case .rb, .rtc, .rp, .rt:
            if isInScope(.ruby) { closeImplied(except: tag.name == .rp || tag.name == .rt ? .rtc : nil) }
            insert(tag)
        case .math, .svg:
            reconstructFormatting()
            insert(tag, namespace: tag.name == .svg ? .svg : .math)
            if tag.isSelfClosing { pop() }
        case .caption, .col, .colgroup, .frame, .head, .tbody, .td, .tfoot, .th, .thead, .tr: break
        default: insertInline(tag)
        }
    }

    private mutating func insertInline(_ tag: StartTag) {
        reconstructFormatting()
        insert(tag)
    }

    /// Whether the current tag is an `input` of type `hidden`.
    var isHidden: Bool {
        guard let type = tagAttributes.first(where: { $0.number == HTMLName.type.rawValue }) else { return false }
        var value: [UInt8] = []
        return CharacterReferences.append(attributeValue: type.written, to: &value)
            ? value[...].equalsIgnoringCase("hidden") : type.written.equalsIgnoringCase("hidden")
    }

    private mutating func startFormatting(_ tag: StartTag) {
        if tag.name == .a, let entry = formattingIndex(tag.number), case .element(let index, _, _) = formatting[entry] {
            // A link ends the link that is still open around it.
            endFormatting(tag.number)
            formatting.removeAll {
                if case .element(let other, _, _) = $0 { return other == index }
                return false
            }
            if let depth = depth(of: index) { remove(at: depth) }
        }
        reconstructFormatting()
        if tag.name == .nobr, isInScope(.nobr) {
            endFormatting(tag.number)
            reconstructFormatting()
        }
        insert(tag)
        pushFormatting()
    }

    /// Starts a list item, which ends the item before it.
    private mutating func startItem(_ tag: StartTag, closing name: HTMLName, or other: HTMLName) {
        mayHaveFrameset = false
        for element in stack.reversed() where !element.isGone {
            if element.is(name) || element.is(other) {
                closeImplied(except: element.name)
                popThrough(element.name)
                break
            }
            let isPassed = element.is(.address) || element.is(.div) || element.is(.p)
            if element.rules.contains(.special), !isPassed { break }
        }
        closeParagraph()
        insert(tag)
    }

    /// A frameset replaces a body that is still empty.
    private mutating func startFrameset(_ tag: StartTag) {
        guard stack.count > 1, stack[1].is(.body), mayHaveFrameset else { return }
        moveNodes()
        moved?.detach(stack[1].index)
        pop(toDepth: 1)
        insert(tag)
        mode = .inFrameset
    }

    // MARK: End tags

    mutating func endInBody(_ number: UInt16) {
        let name = HTMLName(rawValue: number) ?? .other
        if name.rules.contains(.formatting) { return endFormatting(number) }
        if name.rules.contains(.block), name != .p { return endBlock(name) }
        switch name {
        case .template: endTemplate()
        case .body, .html: if isInScope(.body) { mode = .afterBody }
        case .p:
            if !isInScope(.p, border: .buttonScopeBorder) { insertMissing(.p) }
            closeParagraph()
        case .li:
            guard isInScope(.li, border: .listScopeBorder) else { return }
            closeImplied(except: .li)
            popThrough(.li)
        case .dd, .dt:
            guard isInScope(name) else { return }
            closeImplied(except: name)
            popThrough(name)
        case .h1, .h2, .h3, .h4, .h5, .h6:
            guard isInScope(.heading) else { return }
            closeImplied()
            popThrough(.heading)
        case .button, .listing, .pre, .select: endBlock(name)
        case .form: endForm()
        case .applet, .marquee, .object:
            guard isInScope(name) else { return }
            closeImplied()
            popThrough(name)
            clearToMarker()
        case .br:
            reconstructFormatting()
            insertMissing(.br)
            pop()
            mayHaveFrameset = false
        default: endOther(number)
        }
    }

    private mutating func endBlock(_ name: HTMLName) {
        guard isInScope(name) else { return }
        closeImplied()
        popThrough(name)
    }

    /// `</p>` and `</br>` without a start tag make an element.
    private mutating func insertMissing(_ name: HTMLName) {
        insertImplied(name, at: lastTagEnd)
    }

    private mutating func endForm() {
        if isOpen(.template) {
            guard isInScope(.form) else { return }
            closeImplied()
            return popThrough(.form)
        }
        let index = form
        form = nil
        guard let index, depthInScope(where: { $0.index == index && !$0.isGone }) != nil else { return }
        closeImplied()
        if let depth = depth(of: index) { remove(at: depth) }
    }

    mutating func endOther(_ number: UInt16) {
        for depth in stack.indices.reversed() where !stack[depth].isGone {
            if stack[depth].number == number, stack[depth].namespace == .html {
                // The root always stays open.
                if depth > 0 { pop(toDepth: depth) }
                return
            }
            if stack[depth].rules.contains(.special) {
                if number == HTMLName.noscript.rawValue { endLooseNoscript() }
                return
            }
        }
    }

    /// `<noscript><p>…</noscript>`: without scripts the end tag is ignored, and the element holds the rest of the page. For a
    /// browser that runs scripts it ends here.
    private mutating func endLooseNoscript() {
        guard let open = stack.last(where: { $0.is(.noscript) }) else { return }
        let start = document.elements[Int(open.index)].tagStart
        if document.looseEnds[start] == nil {
            document.looseEnds[start] = HTMLDocument.LooseEnd(tag: lastTagEnd, text: UInt32(document.text.count))
        }
    }

    // MARK: SVG and MathML

    /// Whether an element of SVG or MathML contains HTML or text; then texts in it follow HTML's rules.
    func holdsText(_ element: OpenElement) -> Bool {
        element.rules.contains(.scopeBorder) && element.name != .annotationXML
    }

    func isHTML(in element: OpenElement, at tag: StartTag) -> Bool {
        if element.namespace == .svg { return holdsText(element) }
        if element.name == .annotationXML { return tag.name == .svg }
        return holdsText(element) && tag.name != .mglyph && tag.name != .malignmark
    }

    mutating func startForeign(_ tag: StartTag) {
        let isHTMLFont =
            tag.name == .font
            && tagAttributes.contains { [HTMLName.color, .face, .size].map(\.rawValue).contains($0.number) }
        if tag.rules.contains(.endsForeign) || isHTMLFont {
            leaveForeign()
            return startHTML(tag, in: mode)
        }
        insert(tag, namespace: stack.last?.namespace ?? .html)
        if tag.isSelfClosing { pop() }
    }

    private mutating func leaveForeign() {
        while let current = stack.last, current.namespace != .html, !holdsText(current), stack.count > 1 { pop() }
    }

    mutating func endForeign(_ number: UInt16) {
        if number == HTMLName.p.rawValue || number == HTMLName.br.rawValue {
            leaveForeign()
            return endHTML(number, in: mode)
        }
        for depth in stack.indices.reversed() {
            if stack[depth].namespace == .html, !stack[depth].isGone { return endHTML(number, in: mode) }
            if stack[depth].number == number, depth > 0 { return pop(toDepth: depth) }
        }
    }
}
