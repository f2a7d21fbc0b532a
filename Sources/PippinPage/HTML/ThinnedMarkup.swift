import Glibc

/// What libxml2 is given of a page: the markup, without what it would only carry through.
///
/// - What scripts and styles hold is more than half of the bytes of real pages, and libxml2 reads it character by character.
///   A longer one is cut out and leaves a mark, in whose place the arena puts the original text when libxml2 hands it over.
///   The mark and not a count ties the two together, so that a script that libxml2 sees otherwise (in a comment, say) loses
///   nothing but a text that was none.
/// - Tags with more attributes than anyone writes are cut short: libxml2 compares every attribute of a tag with all earlier
///   ones of it, so that a single tag of 100,000 attributes takes minutes.
struct ThinnedMarkup {
    private(set) var bytes: [UInt8]
    /// Ranges of the page that a mark stands for, by the mark's number.
    private(set) var cutTexts: [Range<Int>] = []
    private(set) var hasCrowdedTag = false

    /// Shorter texts are not worth a mark.
    private static let shortestCutText = 64
    private static let mark: StaticString = "pippin-cut-"

    init(_ page: [UInt8], maximumAttributes: Int) {
        bytes = []
        page.withUnsafeBufferPointer { source in
            var copied = 0
            var scanner = TagScanner(bytes: source)
            while let tag = scanner.nextTag() {
                // The shortest attribute takes two bytes: ` a`.
                if tag.count > maximumAttributes * 2,
                    let cut = scanner.startOfAttribute(maximumAttributes, in: tag)
                {
                    hasCrowdedTag = true
                    bytes.append(contentsOf: source[copied..<cut])
                    copied = max(cut, tag.upperBound - 1)
                }
                if let text = scanner.rawText, text.count >= Self.shortestCutText {
                    if bytes.isEmpty { bytes.reserveCapacity(source.count / 2) }
                    bytes.append(contentsOf: source[copied..<text.lowerBound])
                    Self.mark.withUTF8Buffer { bytes.append(contentsOf: $0) }
                    bytes.append(contentsOf: String(cutTexts.count).utf8)
                    cutTexts.append(text)
                    copied = text.upperBound
                }
            }
            if copied > 0 { bytes.append(contentsOf: source[copied...]) }
        }
        if bytes.isEmpty { bytes = page }
    }

    /// The text of the page that a text of libxml2 stands for; nil for one that is no mark.
    func cutText(markedBy text: UnsafeBufferPointer<UInt8>) -> Range<Int>? {
        let length = Self.mark.utf8CodeUnitCount
        guard text.count > length, text.count <= length + 8, let start = text.baseAddress,
            memcmp(start, Self.mark.utf8Start, length) == 0
        else { return nil }
        var number = 0
        for digit in text[length...] {
            guard digit >= 0x30, digit <= 0x39 else { return nil }
            number = number * 10 + Int(digit - 0x30)
        }
        return number < cutTexts.count ? cutTexts[number] : nil
    }
}

/// Walks over start tags, passing over text, comments, and what scripts and styles hold.
private struct TagScanner {
    let bytes: UnsafeBufferPointer<UInt8>
    private var position = 0
    /// What the script or style holds that the last tag started.
    private(set) var rawText: Range<Int>?

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
                rawText = nil
                if isTag("script", tag) { readRawText(until: "</script") }
                if isTag("style", tag) { readRawText(until: "</style") }
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

    /// libxml2 takes `<script/>` for an empty element, where HTML does not; whether a `/` before the `>` is one or the end of
    /// an unquoted value is left to it.
    private func isTag(_ name: StaticString, _ tag: Range<Int>) -> Bool {
        let end = tag.lowerBound + 1 + name.utf8CodeUnitCount
        guard isAt(name, tag.lowerBound + 1), end < tag.upperBound, bytes[tag.upperBound - 1] == 0x3E else {
            return false
        }
        return (bytes[end] <= 0x20 || bytes[end] == 0x3E) && bytes[tag.upperBound - 2] != 0x2F
    }

    private mutating func readRawText(until end: StaticString) {
        var i = position
        while let next = find(0x3C, from: i) {
            if isAt(end, next) {
                rawText = position..<next
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
