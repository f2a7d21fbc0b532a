/// The text of one block with the links, code and line ends in it: gathered without markup, then written in a form, so that what
/// would be markup is escaped in one place.
struct InlineText {
    /// What the text becomes; each has marks of its own.
    enum Place {
        case paragraph, heading, cell
    }

    private enum Mark {
        case linkStart, codeStart, codeEnd, lineBreak, superscriptStart, superscriptEnd
        case linkEnd([UInt8])
    }

    private var text: [UInt8] = []
    /// By their places in the text.
    private var marks: [(offset: Int, mark: Mark)] = []
    private var needsSpace = false
    private var needsBreak = false
    /// The open link; its address is written behind its first text.
    private var link: (address: [UInt8], isBegun: Bool)?
    private var codeDepth = 0
    private var isCodeBegun = false
    private var isInSuperscript = false

    // MARK: Gathering

    /// Appends text; white space becomes a space between words, as in `CollapsingText`.
    mutating func append(_ piece: Slice<UnsafeBufferPointer<UInt8>>) {
        var i = piece.startIndex
        while i < piece.endIndex {
            if let end = Self.endOfSpace(in: piece, at: i) {
                needsSpace = true
                i = end
                continue
            }
            var end = i + 1
            while end < piece.endIndex, Self.endOfSpace(in: piece, at: end) == nil { end += 1 }
            beginWord()
            text += piece[i..<end]
            i = end
        }
    }

    private static func endOfSpace(in piece: Slice<UnsafeBufferPointer<UInt8>>, at i: Int) -> Int? {
        if piece[i] <= 0x20 { return i + 1 }
        return piece[i] == 0xC2 && i + 1 < piece.endIndex && piece[i + 1] == 0xA0 ? i + 2 : nil
    }

    /// Writes what stands before a word: a line's end or a space, and what has been opened.
    private mutating func beginWord() {
        if !text.isEmpty {
            if needsBreak {
                marks.append((text.count, .lineBreak))
            } else if needsSpace {
                text.append(0x20)
            }
        }
        needsSpace = false
        needsBreak = false
        if link?.isBegun == false {
            link?.isBegun = true
            marks.append((text.count, .linkStart))
        }
        if codeDepth > 0, !isCodeBegun {
            isCodeBegun = true
            // Code right behind code is the same code: two fences would be one.
            if let last = marks.last, last.offset == text.count, case .codeEnd = last.mark {
                marks.removeLast()
            } else {
                marks.append((text.count, .codeStart))
            }
        }
    }

    /// Keeps words apart.
    mutating func separate() { needsSpace = true }

    mutating func breakLine() {
        if codeDepth > 0 { needsSpace = true } else { needsBreak = true }
    }

    /// In code there are no links.
    mutating func openLink(_ address: String) {
        guard link == nil, codeDepth == 0 else { return }
        link = (Array(address.utf8), false)
    }

    mutating func closeLink() {
        endLink()
        link = nil
    }

    private mutating func endLink() {
        guard let open = link, open.isBegun else { return }
        endCode()
        marks.append((text.count, .linkEnd(open.address)))
        link = nil
    }

    mutating func openCode() { codeDepth += 1 }

    mutating func closeCode() {
        codeDepth -= 1
        if codeDepth == 0 { endCode() }
    }

    private mutating func endCode() {
        guard isCodeBegun else { return }
        isCodeBegun = false
        marks.append((text.count, .codeEnd))
    }

    /// An exponent: digits right behind a digit or a letter, which would be another number without a mark.
    mutating func openExponent() {
        guard !needsSpace, !needsBreak, !isInSuperscript,
            text.last.map({ $0.isASCIIAlphanumeric || $0 >= 0x80 }) == true
        else { return }
        let last = String(decoding: text.suffix(4), as: UTF8.self).last
        guard last?.isLetter == true || last?.isNumber == true else { return }
        guard codeDepth == 0 else { return text.append(UInt8(ascii: "^")) }
        isInSuperscript = true
        marks.append((text.count, .superscriptStart))
    }

    mutating func closeExponent() {
        guard isInSuperscript else { return }
        isInSuperscript = false
        marks.append((text.count, .superscriptEnd))
    }

    // MARK: Writing

    /// The text in a form. What is gathered next is another block: code goes on in it, a link that has text does not.
    mutating func take(_ form: TextForm, _ place: Place) -> [UInt8] {
        endCode()
        closeExponent()
        endLink()
        needsSpace = false
        needsBreak = false
        guard !text.isEmpty else { return [] }
        defer {
            text.removeAll(keepingCapacity: true)
            marks.removeAll(keepingCapacity: true)
        }
        return form == .plain ? plain() : markdown(place)
    }

    private func plain() -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(text.count + marks.count)
        var start = 0
        for (offset, mark) in marks {
            let written: UInt8
            switch mark {
            case .lineBreak: written = 0x0A
            case .superscriptStart: written = UInt8(ascii: "^")
            default: continue
            }
            result += text[start..<offset]
            result.append(written)
            start = offset
        }
        return result + text[start...]
    }

    private func markdown(_ place: Place) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(text.count + text.count / 8)
        var next = 0
        var isLineStart = true
        var offset = 0
        while true {
            while next < marks.count, marks[next].offset == offset {
                switch marks[next].mark {
                case .lineBreak:
                    result += "\\\n".utf8
                    isLineStart = true
                case .linkStart:
                    // `!` before a link would make it a picture.
                    if result.last == UInt8(ascii: "!") { result.insert(UInt8(ascii: "\\"), at: result.count - 1) }
                    result.append(UInt8(ascii: "["))
                    isLineStart = false
                case .linkEnd(let address):
                    result += "](".utf8
                    Self.appendDestination(address, to: &result, isInCell: place == .cell)
                    result.append(UInt8(ascii: ")"))
                case .codeStart:
                    isLineStart = false
                    let end = next + 1 < marks.count ? marks[next + 1].offset : text.count
                    Self.appendCode(text[offset..<end], to: &result, isInCell: place == .cell)
                    offset = end
                case .codeEnd: break
                case .superscriptStart: result += "<sup>".utf8
                case .superscriptEnd: result += "</sup>".utf8
                }
                next += 1
            }
            let end = next < marks.count ? marks[next].offset : text.count
            guard offset < end || next < marks.count else { return result }
            if isLineStart, place != .cell, offset < end {
                offset = appendLineStart(to: &result, from: offset, before: end)
            }
            while offset < end {
                if isSyntax(at: offset, place) { result.append(UInt8(ascii: "\\")) }
                result.append(text[offset])
                offset += 1
            }
            isLineStart = false
        }
    }

    /// Escapes what begins a block where a line begins: `#`, `-`, `+`, `=`, `>`, `1.`.
    private func appendLineStart(to result: inout [UInt8], from start: Int, before end: Int) -> Int {
        switch text[start] {
        case UInt8(ascii: "#"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "="), UInt8(ascii: ">"),
            UInt8(ascii: "|"), UInt8(ascii: ":"):
            result += [UInt8(ascii: "\\"), text[start]]
            return start + 1
        case let byte where byte.isASCIIDigit:
            var i = start
            while i < end, text[i].isASCIIDigit {
                result.append(text[i])
                i += 1
            }
            if i < end, text[i] == UInt8(ascii: ".") || text[i] == UInt8(ascii: ")") {
                result += [UInt8(ascii: "\\"), text[i]]
                i += 1
            }
            return i
        default: return start
        }
    }

    /// Whether a character could be read as markup, wherever it stands in a line.
    private func isSyntax(at i: Int, _ place: Place) -> Bool {
        func next(_ offset: Int) -> UInt8 { i + offset >= 0 && i + offset < text.count ? text[i + offset] : 0x20 }
        switch text[i] {
        case UInt8(ascii: "\\"), UInt8(ascii: "`"), UInt8(ascii: "*"), UInt8(ascii: "["), UInt8(ascii: "]"),
            UInt8(ascii: "~"):
            return true
        case UInt8(ascii: "_"): return !next(-1).isASCIIAlphanumeric || !next(1).isASCIIAlphanumeric
        case UInt8(ascii: "<"):
            return next(1).isASCIILetter || next(1) == UInt8(ascii: "/") || next(1) == UInt8(ascii: "!")
                || next(1) == UInt8(ascii: "?")
        case UInt8(ascii: "&"): return Self.beginsReference(text[i...])
        case UInt8(ascii: "|"): return place == .cell
        case UInt8(ascii: "#"): return place == .heading
        default: return false
        }
    }

    /// The longest name of a character reference has 31 letters.
    private static let maximumReferenceBytes = 34

    /// Whether a text begins with what looks like a character reference: `&amp;`.
    private static func beginsReference(_ text: ArraySlice<UInt8>) -> Bool {
        let name = text.dropFirst().prefix(maximumReferenceBytes).prefix {
            $0.isASCIIAlphanumeric || $0 == UInt8(ascii: "#")
        }
        return !name.isEmpty && name.endIndex < text.endIndex && text[name.endIndex] == UInt8(ascii: ";")
    }

    private static func appendCode(_ code: ArraySlice<UInt8>, to result: inout [UInt8], isInCell: Bool) {
        let fence = repeatElement(UInt8(ascii: "`"), count: longestRun(ofBackticksIn: code) + 1)
        let needsSpace = code.first == UInt8(ascii: "`") || code.last == UInt8(ascii: "`")
        result += fence
        if needsSpace { result.append(0x20) }
        for byte in code {
            if isInCell, byte == UInt8(ascii: "|") { result.append(UInt8(ascii: "\\")) }
            result.append(byte)
        }
        if needsSpace { result.append(0x20) }
        result += fence
    }

    /// How many backticks follow each other at most.
    static func longestRun(ofBackticksIn text: ArraySlice<UInt8>) -> Int {
        var (longest, run) = (0, 0)
        for byte in text {
            run = byte == UInt8(ascii: "`") ? run + 1 : 0
            longest = max(longest, run)
        }
        return longest
    }

    /// An address without what would end a link's destination or mean another character in it.
    private static func appendDestination(_ address: [UInt8], to result: inout [UInt8], isInCell: Bool) {
        for (i, byte) in address.enumerated() {
            switch byte {
            case UInt8(ascii: "("): result += "%28".utf8
            case UInt8(ascii: ")"): result += "%29".utf8
            case UInt8(ascii: "<"): result += "%3C".utf8
            case UInt8(ascii: ">"): result += "%3E".utf8
            case UInt8(ascii: "\\"): result += "%5C".utf8
            case UInt8(ascii: "|") where isInCell: result += "%7C".utf8
            case 0...0x20, 0x7F: continue
            case UInt8(ascii: "&") where beginsReference(address[i...]): result += "&amp;".utf8
            default: result.append(byte)
            }
        }
    }
}
