/// What a page shows beside its navigation, its notices and its placeholders, and the empty places that scripts may fill.
///
/// One walk over the elements finds the parts that do not count; the blocks of the visible text outside of these are the content.
struct ShownContent {
    /// An element that scripts may fill.
    struct Place {
        enum Kind {
            /// Its identifier is one that frameworks give.
            case mount
            /// An element that only scripts can define.
            case custom
            /// Another element with an identifier, or `main`.
            case named
        }

        let element: HTMLDocument.Index
        /// `#root`, `shop-app`, `main`
        let name: String
        let kind: Kind
    }

    /// Numbers that can be asked of any element: those before each block of text, in page order.
    private struct Sums {
        var characters = [0]
        var blocks = [0]
        var headings = [0]
        /// With navigation, notices and placeholders.
        var allCharacters = [0]
        /// Those in paragraphs, wherever they stand.
        var prose = [0]
    }

    private let document: HTMLDocument
    /// Where each block begins in the document's text.
    private let starts: [Int]
    private var sums = Sums()
    /// Pictures, films, frames and fields, in page order.
    private(set) var things: [HTMLDocument.Index] = []
    private(set) var links: [HTMLDocument.Index] = []
    private(set) var places: [Place] = []
    /// The first element that holds the place of content that has yet to come: `aria-busy`, a skeleton.
    private(set) var placeholder: HTMLDocument.Index?

    init(_ document: HTMLDocument, _ visible: VisibleText, limits: ReadingLimits) {
        self.document = document
        starts = visible.blocks.map(\.textStart)
        let counts = visible.blocks.map { Self.characters(visible.bytes[$0.range]) }
        for (block, count) in zip(visible.blocks, counts) {
            let isProse =
                count >= Self.shortestParagraph && block.linkBytes * 3 <= block.range.count && !visible.isNotice(block)
            sums.allCharacters.append((sums.allCharacters.last ?? 0) + count)
            sums.prose.append((sums.prose.last ?? 0) + (isProse ? count : 0))
        }
        let uncounted = walk(InterruptibleSteps(limits))
        var part = 0
        for (block, count) in zip(visible.blocks, counts) {
            while part < uncounted.count, uncounted[part].upperBound <= block.textStart { part += 1 }
            let counts =
                !(part < uncounted.count && uncounted[part].contains(block.textStart))
                && !(count < Self.longestNotice && visible.isNotice(block))
                && !Self.isLoadingText(visible.bytes[block.range])
            let isHeading = Self.isHeading(document.elements[block.element].name)
            sums.characters.append((sums.characters.last ?? 0) + (counts ? count : 0))
            sums.blocks.append((sums.blocks.last ?? 0) + (counts ? 1 : 0))
            sums.headings.append((sums.headings.last ?? 0) + (counts && isHeading ? count : 0))
        }
    }

    /// A longer block with the word `cookie` in it is a text about cookies.
    private static let longestNotice = 600
    private static let shortestParagraph = 80

    // MARK: Answers

    /// The characters of the page's content.
    var characters: Int { sums.characters.last ?? 0 }
    /// Those with navigation, notices and placeholders.
    var allCharacters: Int { sums.allCharacters.last ?? 0 }
    /// Those of it in headings.
    var headingCharacters: Int { sums.headings.last ?? 0 }

    /// Whether an element shows nothing beside navigation, notices and placeholders, but for a title on its own.
    ///
    /// - Parameter limit: characters from which on it shows something.
    func isEmpty(_ element: HTMLDocument.Index, below limit: Int) -> Bool {
        let range = blocks(of: element)
        let characters = sums.characters[range.upperBound] - sums.characters[range.lowerBound]
        let hasHeading = sums.headings[range.upperBound] > sums.headings[range.lowerBound]
        let blocks = sums.blocks[range.upperBound] - sums.blocks[range.lowerBound]
        return characters < limit && !(hasHeading && blocks > 1) && first(things, in: element) == nil
    }

    /// Whether an element holds no text at all, not even navigation, but for placeholders.
    func isBare(_ element: HTMLDocument.Index) -> Bool {
        isEmpty(element, below: 1) && first(links, in: element) == nil
            && allCharacters(of: element) < Self.longestPlaceholder
    }

    private func allCharacters(of element: HTMLDocument.Index) -> Int {
        let range = blocks(of: element)
        return sums.allCharacters[range.upperBound] - sums.allCharacters[range.lowerBound]
    }

    /// The blocks that begin in an element.
    private func blocks(of element: HTMLDocument.Index) -> Range<Int> {
        let element = document.elements[element]
        let start = firstIndex(starts, from: Int(element.textStart))
        return start..<max(start, firstIndex(starts, from: Int(element.textEnd)))
    }

    private func first(_ sorted: [HTMLDocument.Index], in element: HTMLDocument.Index) -> HTMLDocument.Index? {
        let index = firstIndex(sorted, from: element)
        return index < sorted.count && sorted[index] < Int(document.elements[element].subtreeEnd) ? sorted[index] : nil
    }

    private func firstIndex(_ sorted: [Int], from value: Int) -> Int {
        var (low, high) = (0, sorted.count)
        while low < high {
            let middle = (low + high) / 2
            if sorted[middle] < value { low = middle + 1 } else { high = middle }
        }
        return low
    }

    // MARK: The walk

    /// Finds places, things, links and placeholders.
    ///
    /// - Returns: the parts of the document's text that are no content, in order.
    private mutating func walk(_ steps: InterruptibleSteps) -> [Range<Int>] {
        var steps = steps
        let mounts = mounts()
        /// What navigation and notices do not hold: who puts a whole page into a `header` means nothing by it.
        let anchors = (Array(mounts.keys) + document.elements(named: .main)).sorted()
        let busy = document.ownNames.firstIndex(of: "aria-busy").map { HTMLDocument.firstOwnName + UInt16($0) }
        var nextAnchor = 0
        /// Where the innermost `main` or `article` ends.
        var mainEnd = 0
        var placeholderEnd = 0
        var uncounted: [Range<Int>] = []
        var next = 0
        while next < document.elements.count, !steps.isInterrupted() {
            let index = next
            let element = document.elements[index]
            let name = element.name
            if Self.isPassedOver(name) || document.has(.hidden, on: index) {
                next = document.endOfUnseen(index).next
                continue
            }
            next += 1
            while nextAnchor < anchors.count, anchors[nextAnchor] <= index { nextAnchor += 1 }
            let holdsAnchor = nextAnchor < anchors.count && anchors[nextAnchor] < Int(element.subtreeEnd)
            if !holdsAnchor, mounts[index] == nil, isBeside(index, name, isInMain: index < mainEnd) {
                uncounted.append(Int(element.textStart)..<Int(element.textEnd))
                next = max(next, Int(element.subtreeEnd))
                continue
            }
            if name == .main || name == .article { mainEnd = max(mainEnd, Int(element.subtreeEnd)) }
            if let busy, index >= placeholderEnd, isBusy(index, busy) { placeholder = placeholder ?? index }
            if index < placeholderEnd { continue }
            if let place = place(index, name, mounts[index]) { places.append(place) }
            if mounts[index] == nil, let kind = placeholderKind(index, name), !holdsAnchor {
                if kind == .ofContent { placeholder = placeholder ?? index }
                placeholderEnd = Int(element.subtreeEnd)
                uncounted.append(Int(element.textStart)..<Int(element.textEnd))
                continue
            }
            if isThing(index, name) { things.append(index) }
            if name == .a, document.has(.href, on: index) { links.append(index) }
        }
        return uncounted
    }

    private static func isPassedOver(_ name: HTMLName) -> Bool {
        switch name {
        case .script, .style: true
        case .select, .textarea, .object: false
        default: name.isUnseen
        }
    }

    // MARK: Places

    /// Identifiers that frameworks and their templates give to the element they fill.
    private static let mountIdentifiers: Set<String> = [
        "app", "root", "__next", "__nuxt", "___gatsby", "app-root", "react-root", "react-app", "vue-app", "ember-app",
        "q-app", "svelte-app", "app-mount", "react-entry-point", "react-container", "react-mount", "mount",
    ]
    private static let longestIdentifier = 17

    private func mounts() -> [HTMLDocument.Index: String] {
        var mounts: [HTMLDocument.Index: String] = [:]
        for element in document.elements.indices {
            guard let id = document.bytes(of: .id, on: element), id.count <= Self.longestIdentifier else { continue }
            let text = String(decoding: id, as: UTF8.self)
            if Self.mountIdentifiers.contains(text.asciiLowercased) { mounts[element] = "#\(text)" }
        }
        return mounts
    }

    private func place(_ index: HTMLDocument.Index, _ name: HTMLName, _ mount: String?) -> Place? {
        if let mount { return Place(element: index, name: mount, kind: .mount) }
        let element = document.elements[index]
        if element.nameNumber >= HTMLDocument.firstOwnName, !element.isForeign {
            let spelling = document.spelling(ofName: element.nameNumber)
            guard spelling.utf8.contains(UInt8(ascii: "-")), !NameHints.of(spelling.utf8).contains(.besideText) else {
                return nil
            }
            return Place(element: index, name: spelling, kind: spelling == "app-root" ? .mount : .custom)
        }
        switch name {
        case .main, .div, .section, .article, .ul, .ol, .dl, .table, .tbody:
            if let id = document.bytes(of: .id, on: index), !id.isEmpty, id.count <= 100 {
                return Place(element: index, name: "#" + String(decoding: id, as: UTF8.self), kind: .named)
            }
            return name == .main ? Place(element: index, name: "main", kind: .named) : nil
        default: return nil
        }
    }

    // MARK: What is no content

    private static let rolesBeside: [StaticString] = [
        "navigation", "banner", "contentinfo", "complementary", "search", "dialog", "alertdialog", "menu",
    ]
    /// Footers and notices are often longer than all else on a shell.
    private static let longParts = NameWords("footer cookie cookies consent gdpr ccpa onetrust didomi usercentrics")
    /// Text in paragraphs from which on an element is content, whatever its name.
    private static let longestPart = 600

    private func holdsProse(_ index: HTMLDocument.Index) -> Bool {
        let range = blocks(of: index)
        return sums.prose[range.upperBound] - sums.prose[range.lowerBound] >= Self.longestPart
    }

    /// Whether an element is navigation, a header, a footer or a notice.
    private func isBeside(_ index: HTMLDocument.Index, _ name: HTMLName, isInMain: Bool) -> Bool {
        switch name {
        case .html, .body, .main, .article: return false
        case .footer, .dialog: return true
        case .nav, .aside, .menu: return !holdsProse(index)
        case .header where !isInMain: return !holdsProse(index)
        default: break
        }
        if let role = document.bytes(of: .role, on: index), Self.rolesBeside.contains(where: role.equalsIgnoringCase) {
            return true
        }
        guard NameHints.of(index, in: document).contains(.besideText) else { return false }
        return !holdsProse(index) || meanings(index, Self.longParts) != 0
    }

    /// What the words of `class` and `id` mean, together.
    private func meanings(_ index: HTMLDocument.Index, _ words: NameWords) -> UInt16 {
        [HTMLName.class, .id].reduce(0) { meanings, name in
            meanings | (document.bytes(of: name, on: index).map { Self.meanings($0, words) } ?? 0)
        }
    }

    private static func meanings(_ names: ArraySlice<UInt8>, _ words: NameWords) -> UInt16 {
        var meanings: UInt16 = 0
        NameWords.forEachWord(in: names.prefix(500)) { hash, _ in
            meanings |= words.meaning(of: hash)
            return true
        }
        return meanings
    }

    // MARK: Placeholders

    private enum PlaceholderKind {
        /// It has the shape of what has yet to come.
        case ofContent
        /// It says that something comes. Many pages lay one over themselves until they are loaded.
        case ofPage
    }

    private static let ofContent: UInt16 = 1
    private static let placeholderWords = NameWords([
        (ofContent, "skeleton skeletons shimmer placeholder placeholders"),
        (2, "spinner spinners loader loaders loading preloader preload splash progress"),
    ])
    /// Text from which on an element is no placeholder, whatever its name, in characters.
    private static let longestPlaceholder = 100

    private func placeholderKind(_ index: HTMLDocument.Index, _ name: HTMLName) -> PlaceholderKind? {
        switch name {
        case .html, .body, .main, .a, .img, .picture, .video, .iframe, .input, .select, .textarea, .form: return nil
        case .progress: return .ofPage
        default: break
        }
        guard !Self.isHeading(name) else { return nil }
        let meanings = meanings(index, Self.placeholderWords)
        // Tailwind's name for the skeletons that it makes.
        let pulses = document.value(of: .class, on: index)?.has("animate-pulse") == true
        guard
            meanings != 0 || pulses || document.bytes(of: .role, on: index)?.equalsIgnoringCase("progressbar") == true,
            allCharacters(of: index) < Self.longestPlaceholder
        else { return nil }
        return pulses || meanings & Self.ofContent != 0 ? .ofContent : .ofPage
    }

    private func isBusy(_ index: HTMLDocument.Index, _ busy: UInt16) -> Bool {
        document.attributeRange(of: index).contains {
            document.attributes[$0].nameNumber == busy
                && document.value(of: document.attributes[$0]).equalsIgnoringCase("true")
        }
    }

    /// `Loading…`
    private static func isLoadingText(_ text: ArraySlice<UInt8>) -> Bool {
        guard text.count <= 60 else { return false }
        let said = String(decoding: text, as: UTF8.self).lowercased()
        let isUnfinished = said.hasSuffix("…") || said.hasSuffix("..")
        return PageOverlay.loadingWords.contains { isUnfinished ? said.contains($0) : said == $0 }
    }

    // MARK: Things

    private func isThing(_ index: HTMLDocument.Index, _ name: HTMLName) -> Bool {
        switch name {
        case .img: return !isTiny(index) && !isSign(index)
        case .iframe: return !isTiny(index)
        case .video, .audio, .object, .embed, .select, .textarea: return true
        case .input: return document.bytes(of: .type, on: index)?.equalsIgnoringCase("hidden") != true
        default: return false
        }
    }

    /// Counters of visitors are pictures and frames of a pixel.
    private func isTiny(_ index: HTMLDocument.Index) -> Bool {
        [HTMLName.width, .height].contains { name in
            guard let value = document.bytes(of: name, on: index) else { return false }
            return value.count == 1 && value.first.map { UInt8(ascii: "0")...UInt8(ascii: "2") ~= $0 } == true
        }
    }

    /// A logo, or the picture that shows loading.
    private func isSign(_ index: HTMLDocument.Index) -> Bool {
        let source = (document.bytes(of: .src, on: index) ?? []).suffix(100)
        return NameHints.of(index, in: document).union(NameHints.of(source)).contains(.besidePicture)
            || meanings(index, Self.placeholderWords) | Self.meanings(source, Self.placeholderWords) != 0
    }

    private static func isHeading(_ name: HTMLName) -> Bool {
        switch name {
        case .h1, .h2, .h3, .h4, .h5, .h6: true
        default: false
        }
    }

    /// The number of characters (Unicode scalars) of a text.
    private static func characters(_ text: ArraySlice<UInt8>) -> Int { text.count { $0 & 0xC0 != 0x80 } }
}
