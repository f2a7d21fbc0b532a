/// Limits the text that is copied into values. Nested elements repeat the text of inner ones, so values could be far longer than
/// the page.
struct TextBudget {
    private let elements: [HTMLDocument.Element]
    private let maximumBytes: Int
    private var bytes = 0
    private(set) var isExhausted = false

    /// Visiting an element costs about as much as copying this many bytes.
    private static let bytesPerElement = 16

    /// Eight times the page's text; real pages with all parts of an article marked up copy it two or three times.
    init(_ document: HTMLDocument, _ limits: ReadingLimits) {
        elements = document.elements
        let size = document.text.count + document.valueByteCount + Self.bytesPerElement * document.elements.count
        maximumBytes = min(100_000 + 8 * size, 2 * limits.maximumBodyBytes)
    }

    /// Takes the text of an element; false if it exceeds the rest.
    mutating func takeText(of element: HTMLDocument.Index) -> Bool {
        let node = elements[element]
        let inside = Int(node.subtreeEnd) - element
        return take(Int(node.textEnd - node.textStart) + Self.bytesPerElement * inside)
    }

    /// Takes bytes; false if they exceed the rest.
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
