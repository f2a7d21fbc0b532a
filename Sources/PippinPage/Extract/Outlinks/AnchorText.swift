/// Reads the text of a link. It stops after the part of the page that a name can need.
struct AnchorText {
    static let maximumBytes = 200
    private static let maximumTextBytes = 4_096
    private static let maximumElements = 256

    private var collector = CollapsingText(maximumBytes: maximumBytes)
    /// The ends of open block elements, as offsets in the document's text.
    private var blockEnds: [Int] = []

    mutating func text(of element: HTMLDocument.Index, in document: HTMLDocument) -> String {
        collector.removeAll()
        blockEnds.removeAll(keepingCapacity: true)
        let node = document.elements[element]
        var position = Int(node.textStart)
        let stop = min(Int(node.textEnd), position + Self.maximumTextBytes)
        let end = min(Int(node.subtreeEnd), element + Self.maximumElements)
        document.text.withUnsafeBufferPointer { text in
            var next = element + 1
            while next < end && position < stop && !collector.isFull {
                let child = document.elements[next]
                append(text, from: &position, to: min(Int(child.textStart), stop))
                let name = child.name
                if name == .script || name == .style {
                    position = max(position, Int(child.textEnd))
                    next = Int(child.subtreeEnd)
                } else {
                    if name.separatesText {
                        collector.separate()
                        blockEnds.append(Int(child.textEnd))
                    }
                    next += 1
                }
            }
            if position < stop { append(text, from: &position, to: stop) }
        }
        let found = collector.string
        return found.isEmpty ? substitute(for: element, upTo: end, in: document) : found
    }

    private mutating func append(_ text: UnsafeBufferPointer<UInt8>, from position: inout Int, to end: Int) {
        while let blockEnd = blockEnds.last, blockEnd <= end {
            blockEnds.removeLast()
            if blockEnd > position {
                collector.append(text[position..<blockEnd])
                position = blockEnd
            }
            collector.separate()
        }
        if position < end {
            collector.append(text[position..<end])
            position = end
        }
    }

    /// Uses the `alt` of a picture in the link (or of an `area`) as the text; without one, the `title`.
    private mutating func substitute(
        for element: HTMLDocument.Index, upTo end: HTMLDocument.Index, in document: HTMLDocument
    ) -> String {
        var candidates = [document.bytes(of: .alt, on: element)]
        for child in element..<end where document.elements[child].nameNumber == HTMLName.img.rawValue {
            candidates.append(document.bytes(of: .alt, on: child))
        }
        candidates.append(document.bytes(of: .title, on: element))
        for candidate in candidates {
            guard let candidate else { continue }
            candidate.prefix(Self.maximumTextBytes).withUnsafeBufferPointer { collector.append($0) }
            let found = collector.string
            if !found.isEmpty { return found }
        }
        return ""
    }
}
