extension HTMLDocument {
    /// The arrays of a document, looked up once for a walk over all of it.
    struct Arena {
        let elements: UnsafeBufferPointer<Element>
        let attributes: UnsafeBufferPointer<Attribute>
        let page: UnsafeBufferPointer<UInt8>
        let decodedValues: UnsafeBufferPointer<UInt8>
        let text: UnsafeBufferPointer<UInt8>

        @inline(__always)
        func attributeRange(of element: Int) -> Range<Int> {
            let next = element + 1
            let end = next < elements.count ? Int(elements[next].attributesStart) : attributes.count
            return Int(elements[element].attributesStart)..<end
        }

        func attributes(of element: Int) -> Slice<UnsafeBufferPointer<Attribute>> {
            attributes[attributeRange(of: element)]
        }

        @inline(__always)
        func value(of attribute: Attribute) -> UnsafeBufferPointer<UInt8> {
            let (start, end) = (Int(attribute.valueStart), Int(attribute.valueEnd))
            return end <= page.count
                ? UnsafeBufferPointer(rebasing: page[start..<end])
                : UnsafeBufferPointer(rebasing: decodedValues[start - page.count..<end - page.count])
        }
    }

    /// Lends the arrays to `body`, which must not keep them.
    func withArena<Result>(_ body: (Arena) -> Result) -> Result {
        elements.withUnsafeBufferPointer { elements in
            attributes.withUnsafeBufferPointer { attributes in
                lines.text.withUnsafeBufferPointer { page in
                    decodedValues.withUnsafeBufferPointer { decodedValues in
                        text.withUnsafeBufferPointer { text in
                            body(
                                Arena(
                                    elements: elements, attributes: attributes, page: page,
                                    decodedValues: decodedValues, text: text))
                        }
                    }
                }
            }
        }
    }
}
