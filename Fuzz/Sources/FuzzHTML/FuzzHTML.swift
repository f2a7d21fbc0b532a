import PippinPage

/// Any bytes give a document whose elements nest: parents before children, subtrees and texts within their parent's.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzHTML(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: data, count: count))
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
    return 0
}
