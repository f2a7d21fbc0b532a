/// Which elements are named after boilerplate by their `class` or `id`, or are not shown.
struct Boilerplate {
    private let parts: MarkedParts

    /// - Parameters:
    ///   - minimumProse: `GuessWeights.Text.boilerplateProse`.
    ///   - weight: how much prose an element holds.
    init(
        _ document: HTMLDocument, _ names: ElementNames, minimumProse: Int, limits: ReadingLimits,
        weight: (HTMLDocument.Index) -> Int
    ) {
        let total = document.elements.isEmpty ? 0 : weight(0)
        let candidates = (names.besideText + names.styled).sorted()
        parts = MarkedParts(of: candidates, in: document, limits: limits) { element in
            let hints = names.hints(of: element)
            guard hints.contains(.besideText) || Self.isNotShown(element, document) else { return false }
            let held = weight(element)
            return held < minimumProse || held * 2 < total
                || hints.contains(.ofConsent) && NameHints.nameConsent(element, in: document)
        }
    }

    /// Whether the element or one around it is boilerplate.
    func surrounds(_ element: HTMLDocument.Index) -> Bool { parts.contain(element) }

    private static func isNotShown(_ element: HTMLDocument.Index, _ document: HTMLDocument) -> Bool {
        guard let style = document.bytes(of: .style, on: element) else { return false }
        // What is transparent is often faded in, what has no letters may have parts with letters.
        let ways: InlineStyle.Hiding = [.notDisplayed, .offScreen, .clipped, .withoutBox]
        return !InlineStyle(style).hiding.isDisjoint(with: ways)
    }
}
