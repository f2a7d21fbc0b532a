/// How much text may be copied into values. Elements inside each other repeat the text of the inner ones, so that values can
/// be far longer than the page.
struct TextBudget {
    private let elements: [HTMLDocument.Element]
    private let maximumBytes: Int
    private var bytes = 0
    private(set) var isExhausted = false

    /// Passing over an element costs about as much as copying so many bytes.
    private static let bytesPerElement = 16

    /// Eight times what the page has: real pages, articles with all their parts marked up, copy it two or three times.
    init(_ document: HTMLDocument, _ limits: ReadingLimits) {
        elements = document.elements
        let size = document.text.count + document.attributeBytes.count + Self.bytesPerElement * document.elements.count
        maximumBytes = min(100_000 + 8 * size, 2 * limits.maximumBodyBytes)
    }

    /// False when the text of an element is too much.
    mutating func takeText(of element: HTMLDocument.Index) -> Bool {
        let node = elements[element]
        let inside = Int(node.subtreeEnd) - element
        return take(Int(node.textEnd - node.textStart) + Self.bytesPerElement * inside)
    }

    /// False when so many bytes are too much.
    mutating func take(_ count: Int) -> Bool {
        guard count <= maximumBytes - bytes else {
            isExhausted = true
            return false
        }
        bytes += count
        return true
    }

    func note(_ code: ParseNote.Code) -> ParseNote {
        ParseNote(
            code,
            "The texts of all properties together have more than \(maximumBytes) bytes; some were left empty.")
    }
}
