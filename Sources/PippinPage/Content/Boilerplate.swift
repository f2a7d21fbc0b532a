/// Which elements are named after boilerplate by their `class` or `id`, or are not shown.
struct Boilerplate {
    private let document: HTMLDocument
    /// Made once: a page has thousands of blocks, and each question of them would make it again.
    private let isMarked: (HTMLDocument.Index) -> Bool
    private var marked = InheritedMark()

    /// - Parameters:
    ///   - minimumProse: `GuessWeights.Text.boilerplateProse`.
    ///   - weight: how much prose an element holds.
    init(
        _ document: HTMLDocument, _ hints: KnownHints, minimumProse: Int, weight: @escaping (HTMLDocument.Index) -> Int
    ) {
        self.document = document
        let total = document.elements.isEmpty ? 0 : weight(0)
        isMarked = { [hints] element in
            let document = hints.document
            switch document.elements[element].name {
            case .html, .body, .main, .article: return false
            default: break
            }
            guard hints.of(element).contains(.besideText) || Self.isNotShown(element, document) else {
                return false
            }
            let held = weight(element)
            return held < minimumProse || held * 2 < total || NameHints.nameConsent(element, in: document)
        }
    }

    /// Whether the element or one around it is boilerplate.
    mutating func surrounds(_ element: HTMLDocument.Index) -> Bool {
        marked.covers(element, in: document, isMarked: isMarked)
    }

    private static func isNotShown(_ element: HTMLDocument.Index, _ document: HTMLDocument) -> Bool {
        guard let style = document.bytes(of: .style, on: element) else { return false }
        // What is transparent is often faded in, what has no letters may have parts with letters.
        let ways: InlineStyle.Hiding = [.notDisplayed, .offScreen, .clipped, .withoutBox]
        return !InlineStyle(style).hiding.isDisjoint(with: ways)
    }
}
