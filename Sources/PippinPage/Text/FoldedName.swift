/// A name as it is compared: its letters and digits, without case, accents, spaces and punctuation (`LetterFolding`). `El País`,
/// `EL PAIS` and the `elpais` of a host are one name, and so are `Η ΚΑΘΗΜΕΡΙΝΗ` and `Η Καθημερινή`.
///
/// Hosts write `ä`, `ö`, `ü`, `ø` and `æ` as `ae`, `oe` and `ue`, while `LetterFolding` makes them `a`, `o` and `u`. So an `e`
/// behind one of these never counts: `Münchner Merkur` is `muenchner-merkur`. `Blue` and `Blu` are one name, too.
struct FoldedName: Hashable, Sendable {
    let bytes: [UInt8]

    init(_ text: some StringProtocol) {
        bytes =
            text.utf8.withContiguousStorageIfAvailable { Self.folded($0, keepsSpaces: false) }
            ?? Array(text.utf8).withUnsafeBufferPointer { Self.folded($0, keepsSpaces: false) }
    }

    /// - Parameter ascii: bytes of ASCII alone.
    init(ascii: ArraySlice<UInt8>) {
        bytes = ascii.withUnsafeBufferPointer { Self.folded($0, keepsSpaces: false) }
    }

    var isEmpty: Bool { bytes.isEmpty }
    var count: Int { bytes.count }
    var isNumber: Bool { bytes.allSatisfy(\.isASCIIDigit) }

    func starts(with other: FoldedName) -> Bool { bytes.starts(with: other.bytes) }

    func ends(with other: FoldedName) -> Bool {
        count >= other.count && bytes[(count - other.count)...].elementsEqual(other.bytes)
    }

    func contains(_ other: FoldedName) -> Bool { bytes.position(of: other.bytes) != nil }

    /// The words of a text, each as a hash; words of one or two bytes, and of one character where there are no spaces, are left out
    /// unless there are no others.
    static func words(of text: String) -> Set<UInt64> {
        var text = text
        let folded = text.withUTF8 { Self.folded($0, keepsSpaces: true) }
        var long: Set<UInt64> = []
        var short: Set<UInt64> = []
        for word in folded.split(separator: 0x20) {
            if word.contains(where: { $0 >= firstDenseByte }) {
                let scalars = String(decoding: word, as: UTF8.self).unicodeScalars
                if scalars.contains(where: WordBoundaries.areNeeded(for:)) {
                    WordBoundaries.with {
                        $0.parts(of: scalars) { part in
                            let hash = FNV1a.hash(String(part).utf8)
                            if part.count > 1 { long.insert(hash) } else { short.insert(hash) }
                        }
                    }
                    continue
                }
            }
            if word.count > 2 { long.insert(FNV1a.hash(word)) } else { short.insert(FNV1a.hash(word)) }
        }
        return long.isEmpty ? short : long
    }

    /// Scripts without spaces begin with U+0E00.
    private static let firstDenseByte: UInt8 = 0xE0

    // MARK: Folding

    /// - Parameters:
    ///   - utf8: well-formed, as strings have it.
    ///   - keepsSpaces: whether a space stands between words.
    private static func folded(_ utf8: UnsafeBufferPointer<UInt8>, keepsSpaces: Bool) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(utf8.count)
        var i = 0
        /// Where the word begins in `bytes`.
        var word = 0
        /// Where the part of it begins that is not folded yet as a whole, in the text and in `bytes`.
        var part = (read: 0, written: 0)
        /// Whether the last letter was one of those that keep accents.
        var keepsAccents = false
        func endWord() {
            if keepsSpaces, bytes.count > word { bytes.append(0x20) }
            word = bytes.count
            part = (i, bytes.count)
            keepsAccents = false
        }
        while i < utf8.count {
            let lead = utf8[i]
            if lead < 0x80 {
                i += 1
                if lead.isASCIIAlphanumeric { append(lead.asciiLowercased, to: &bytes) } else { endWord() }
                keepsAccents = false
                continue
            }
            let (value, length) = utf8.character(at: i)
            i += length
            switch LetterFolding.single(value) {
            case .letters(var rest, let count):
                for _ in 0..<count {
                    append(UInt8(truncatingIfNeeded: rest), to: &bytes)
                    rest >>= 8
                }
                if count > 0 { keepsAccents = !LetterFolding.losesAccents(value) }
            case .separator: endWord()
            case .accent where !keepsAccents: break
            case .accent, .dependent:
                // The word at once; a text without spaces in parts.
                var end = i
                while end < utf8.count, end - part.read < maximumPartBytes {
                    let (value, length) = utf8.character(at: end)
                    if value < 0x80 {
                        guard utf8[end].isASCIIAlphanumeric else { break }
                    } else if case .separator = LetterFolding.single(value) {
                        break
                    }
                    end += length
                }
                bytes.removeSubrange(part.written...)
                let text = String(decoding: UnsafeBufferPointer(rebasing: utf8[part.read..<end]), as: UTF8.self)
                for scalar in LetterFolding.folded(text.unicodeScalars).unicodeScalars
                where LetterFolding.isLetter(scalar) {
                    for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter { append(byte, to: &bytes) }
                }
                i = end
                part = (end, bytes.count)
            }
        }
        return bytes
    }

    /// ICU's buffers grow with what it folds at once.
    private static let maximumPartBytes = 2_000

    @inline(__always)
    private static func append(_ byte: UInt8, to bytes: inout [UInt8]) {
        if byte == UInt8(ascii: "e"), let last = bytes.last {
            switch last {
            case UInt8(ascii: "a"), UInt8(ascii: "o"), UInt8(ascii: "u"): return
            default: break
            }
        }
        bytes.append(byte)
    }
}
