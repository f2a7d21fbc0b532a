import Glibc

/// Finds and cuts tags with more attributes than anyone writes.
///
/// libxml2 compares every attribute of a tag with all earlier ones of it, so that a single tag of 100,000 attributes takes
/// minutes. Reading the tags once before, with `memchr` over text and quoted values, costs about a fiftieth of the parsing.
enum CrowdedTags {
    /// The page with every crowded tag cut after its last allowed attribute; nil when it has none.
    static func thinned(_ bytes: [UInt8], maximumAttributes: Int) -> [UInt8]? {
        bytes.withUnsafeBufferPointer { source in
            var result: [UInt8]?
            var copied = 0
            var scanner = TagScanner(bytes: source)
            while let tag = scanner.nextTag() {
                // The shortest attribute takes two bytes: ` a`.
                guard tag.count > maximumAttributes * 2,
                    let cut = scanner.startOfAttribute(maximumAttributes, in: tag)
                else { continue }
                result = result ?? []
                result?.append(contentsOf: source[copied..<cut])
                copied = max(cut, tag.upperBound - 1)
            }
            result?.append(contentsOf: source[copied...])
            return result
        }
    }
}

/// Walks over start tags, passing over text, comments, and what scripts and styles hold.
private struct TagScanner {
    let bytes: UnsafeBufferPointer<UInt8>
    private var position = 0

    init(bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
    }

    private func find(_ byte: UInt8, from start: Int) -> Int? {
        guard let base = bytes.baseAddress, start < bytes.count,
            let found = memchr(base + start, Int32(byte), bytes.count - start)
        else { return nil }
        return UnsafeRawPointer(base).distance(to: UnsafeRawPointer(found))
    }

    private func isAt(_ text: StaticString, _ start: Int) -> Bool {
        guard start + text.utf8CodeUnitCount <= bytes.count else { return false }
        for i in 0..<text.utf8CodeUnitCount where bytes[start + i] | 0x20 != text.utf8Start[i] { return false }
        return true
    }

    /// The next start tag: from its `<` to past its `>`, or to the end of the page.
    mutating func nextTag() -> Range<Int>? {
        while let start = find(0x3C, from: position) {
            position = start + 1
            guard position < bytes.count else { return nil }
            let first = bytes[position]
            if first == 0x21, isAt("--", position + 1) {
                skipComment()
            } else if first | 0x20 >= 0x61 && first | 0x20 <= 0x7A {
                position = endOfTag(from: position)
                let tag = start..<position
                if isAt("script", start + 1) { skip(past: "</script") }
                if isAt("style", start + 1) { skip(past: "</style") }
                return tag
            }
        }
        return nil
    }

    private mutating func skipComment() {
        var i = position + 3
        while let dash = find(0x2D, from: i) {
            if dash + 2 < bytes.count, bytes[dash + 1] == 0x2D, bytes[dash + 2] == 0x3E {
                position = dash + 3
                return
            }
            i = dash + 1
        }
        position = bytes.count
    }

    private mutating func skip(past end: StaticString) {
        var i = position
        while let next = find(0x3C, from: i) {
            if isAt(end, next) {
                position = next
                return
            }
            i = next + 1
        }
        position = bytes.count
    }

    /// Past the `>` that ends a tag. A quote opens a value only after `=`, as libxml2 reads it.
    private func endOfTag(from start: Int) -> Int {
        var i = start
        var last: UInt8 = 0
        while i < bytes.count {
            let byte = bytes[i]
            if byte == 0x3E { return i + 1 }
            if (byte == 0x22 || byte == 0x27) && last == 0x3D {
                guard let close = find(byte, from: i + 1) else { return bytes.count }
                i = close
            }
            if byte > 0x20 { last = byte }
            i += 1
        }
        return bytes.count
    }

    /// Where the attribute of that number begins in a tag; nil when the tag has fewer.
    func startOfAttribute(_ number: Int, in tag: Range<Int>) -> Int? {
        var count = 0
        var i = tag.lowerBound
        var last: UInt8 = 0
        var isBetween = false
        while i < tag.upperBound {
            let byte = bytes[i]
            if (byte == 0x22 || byte == 0x27) && last == 0x3D {
                guard let close = find(byte, from: i + 1) else { return nil }
                i = close
                isBetween = true
            } else if byte <= 0x20 || byte == 0x2F {
                isBetween = true
            } else if isBetween && byte != 0x3D && last != 0x3D {
                if count == number { return i }
                count += 1
                isBetween = false
            } else {
                isBetween = false
            }
            if byte > 0x20 { last = byte }
            i += 1
        }
        return nil
    }
}
