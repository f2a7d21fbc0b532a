import OutputChecks
import PippinPage

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzHTML(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt { FuzzedUnit.run(data, count, property) }

/// Any bytes give a document whose elements nest: parents before children, subtrees and texts within their parent's.
private func property(_ bytes: [UInt8]) {
    let text = CharacterEncoding.utf8.decode(bytes).utf8
    var limits = ReadingLimits()
    limits.maximumDepth = 16
    let document = HTMLDocument(utf8: text, limits: limits)
    for element in document.elements.indices.dropFirst() {
        guard let parent = document.parent(of: element) else { continue }
        precondition(parent < element && document.isElement(element, inside: parent))
        precondition(document.descendants(of: element).upperBound <= document.descendants(of: parent).upperBound)
        precondition(document.textBytes(of: element).startIndex >= document.textBytes(of: parent).startIndex)
        precondition(document.textBytes(of: element).endIndex <= document.textBytes(of: parent).endIndex)
    }
    if !document.elements.isEmpty { _ = document.visibleText(of: 0) }
}
