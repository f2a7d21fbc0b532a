// Tags in tables (WHATWG HTML §13.2.6.4.9 … 15). Content that is not allowed in a table is moved before it.

extension TreeBuilder {
    private mutating func startBeforeTable(_ tag: StartTag) {
        isFostering = true
        startInBody(tag)
        isFostering = false
    }

    mutating func startInTable(_ tag: StartTag) {
        switch tag.name {
        case .caption:
            clearStack(to: .table)
            addMarker()
            insert(tag)
            mode = .inCaption
        case .colgroup:
            clearStack(to: .table)
            insert(tag)
            mode = .inColumnGroup
        case .col:
            clearStack(to: .table)
            insertImplied(.colgroup, at: tag.end)
            again(tag, in: .inColumnGroup)
        case .tbody, .tfoot, .thead:
            clearStack(to: .table)
            insert(tag)
            mode = .inTableBody
        case .td, .th, .tr:
            clearStack(to: .table)
            insertImplied(.tbody, at: tag.end)
            again(tag, in: .inTableBody)
        case .table: if endTable() { startHTML(tag, in: mode) }
        case .style, .script, .template: startInHead(tag)
        case .input where isHidden: insertVoid(tag)
        case .form:
            guard form == nil, !isOpen(.template) else { return }
            form = insert(tag)
            pop()
        default: startBeforeTable(tag)
        }
    }

    mutating func endInTable(_ number: UInt16, _ name: HTMLName) {
        switch name {
        case .table: _ = endTable()
        case .template: endTemplate()
        case .body, .caption, .col, .colgroup, .html, .tbody, .td, .tfoot, .th, .thead, .tr: break
        default:
            isFostering = true
            endInBody(number)
            isFostering = false
        }
    }

    private mutating func endTable() -> Bool {
        guard isInScope(.table, border: .tableScopeBorder) else { return false }
        popThrough(.table)
        resetMode()
        return true
    }

    // MARK: Captions and columns

    mutating func startInCaption(_ tag: StartTag) {
        if tag.rules.contains(.tablePart) {
            if endCaption() { startHTML(tag, in: mode) }
        } else {
            startInBody(tag)
        }
    }

    mutating func endInCaption(_ number: UInt16, _ name: HTMLName) {
        switch name {
        case .caption: _ = endCaption()
        case .table: if endCaption() { endHTML(number, in: mode) }
        case .body, .col, .colgroup, .html, .tbody, .td, .tfoot, .th, .thead, .tr: break
        default: endInBody(number)
        }
    }

    private mutating func endCaption() -> Bool {
        guard isInScope(.caption, border: .tableScopeBorder) else { return false }
        closeImplied()
        popThrough(.caption)
        clearToMarker()
        mode = .inTable
        return true
    }

    mutating func startInColumnGroup(_ tag: StartTag) {
        switch tag.name {
        case .html: startInBody(tag)
        case .col: insertVoid(tag)
        case .template: startInHead(tag)
        default: if endColumnGroup() { startHTML(tag, in: mode) }
        }
    }

    mutating func endInColumnGroup(_ number: UInt16, _ name: HTMLName) {
        switch name {
        case .colgroup: _ = endColumnGroup()
        case .col: break
        case .template: endTemplate()
        default: if endColumnGroup() { endHTML(number, in: mode) }
        }
    }

    mutating func endColumnGroup() -> Bool {
        guard isCurrent(.colgroup) else { return false }
        pop()
        mode = .inTable
        return true
    }

    // MARK: Bodies, rows, cells

    mutating func startInTableBody(_ tag: StartTag) {
        switch tag.name {
        case .tr:
            clearStack(to: .tbody, .tfoot, .thead)
            insert(tag)
            mode = .inRow
        case .td, .th:
            clearStack(to: .tbody, .tfoot, .thead)
            insertImplied(.tr, at: tag.end)
            again(tag, in: .inRow)
        case .caption, .col, .colgroup, .tbody, .tfoot, .thead: if endTableBody() { startHTML(tag, in: mode) }
        default: startInTable(tag)
        }
    }

    mutating func endInTableBody(_ number: UInt16, _ name: HTMLName) {
        switch name {
        case .tbody, .tfoot, .thead:
            guard isInScope(name, border: .tableScopeBorder) else { return }
            clearStack(to: .tbody, .tfoot, .thead)
            pop()
            mode = .inTable
        case .table: if endTableBody() { endHTML(number, in: mode) }
        case .body, .caption, .col, .colgroup, .html, .td, .th, .tr: break
        default: endInTable(number, name)
        }
    }

    private mutating func endTableBody() -> Bool {
        guard isInScope(.tableBody, border: .tableScopeBorder) else { return false }
        clearStack(to: .tbody, .tfoot, .thead)
        if current?.rules.contains(.tableBody) == true { pop() }
        mode = .inTable
        return true
    }

    mutating func startInRow(_ tag: StartTag) {
        switch tag.name {
        case .td, .th:
            clearStack(to: .tr)
            insert(tag)
            mode = .inCell
            addMarker()
        case .caption, .col, .colgroup, .tbody, .tfoot, .thead, .tr: if endRow() { startHTML(tag, in: mode) }
        default: startInTable(tag)
        }
    }

    mutating func endInRow(_ number: UInt16, _ name: HTMLName) {
        switch name {
        case .tr: _ = endRow()
        case .table: if endRow() { endHTML(number, in: mode) }
        case .tbody, .tfoot, .thead:
            guard isInScope(name, border: .tableScopeBorder) else { return }
            if endRow() { endHTML(number, in: mode) }
        case .body, .caption, .col, .colgroup, .html, .td, .th: break
        default: endInTable(number, name)
        }
    }

    private mutating func endRow() -> Bool {
        guard isInScope(.tr, border: .tableScopeBorder) else { return false }
        clearStack(to: .tr)
        if isCurrent(.tr) { pop() }
        mode = .inTableBody
        return true
    }

    mutating func startInCell(_ tag: StartTag) {
        if tag.rules.contains(.tablePart) {
            if endCell() { startHTML(tag, in: mode) }
        } else {
            startInBody(tag)
        }
    }

    mutating func endInCell(_ number: UInt16, _ name: HTMLName) {
        switch name {
        case .td, .th:
            guard isInScope(name, border: .tableScopeBorder) else { return }
            closeImplied()
            popThrough(name)
            clearToMarker()
            mode = .inRow
        case .body, .caption, .col, .colgroup, .html: break
        case .table, .tbody, .tfoot, .thead, .tr:
            guard isInScope(name, border: .tableScopeBorder) else { return }
            if endCell() { endHTML(number, in: mode) }
        default: endInBody(number)
        }
    }

    private mutating func endCell() -> Bool {
        guard isInScope(.tableCell, border: .tableScopeBorder) else { return false }
        closeImplied()
        popThrough(.tableCell)
        clearToMarker()
        mode = .inRow
        return true
    }
}
