/// A character encoding of the WHATWG Encoding Standard: how the bytes of a page become text.
///
/// Reading a page takes two steps: `detect(bytes:headers:)` says which encoding the bytes are in, `decode(_:)` turns
/// them into valid UTF-8, the only thing libxml2 and the extractors ever see.
///
///     CharacterEncoding+Labels    the names people write (`latin1`, `x-sjis`) and the encoding each one means
///     CharacterEncoding+Sniffing  which encoding a page is in: byte order mark, header, meta, the bytes themselves
///     MetaPrescan                 the search for a declaration in the first 1,024 bytes
///     CharacterEncoding+Decoding  bytes to UTF-8: `decode`, UTF-8, UTF-16 and the single-byte encodings
///     CharacterEncoding+Japanese  Shift_JIS, EUC-JP, ISO-2022-JP
///     CharacterEncoding+Chinese   gb18030 (and GBK), Big5, and the Korean EUC-KR, which works like them
///     EncodingIndex               the tables, made from ICU's at first use and corrected to the standard's
///     UTF8Scan                    finds the first byte that a decoder must replace
public struct CharacterEncoding: Sendable, Hashable {
    /// The name in the Encoding Standard (§4.2), lower case: `utf-8`, `windows-1252`, `shift_jis`.
    public let name: String

    public static let utf8 = CharacterEncoding(name: "utf-8")
    static let utf16LE = CharacterEncoding(name: "utf-16le")
    static let utf16BE = CharacterEncoding(name: "utf-16be")
    /// The encoding of a page without any sign of another one; a superset of ISO 8859-1.
    static let windows1252 = CharacterEncoding(name: "windows-1252")
    static let userDefined = CharacterEncoding(name: "x-user-defined")

    /// - Parameter name: a name of the standard. Foreign labels go through `init(label:)`.
    init(name: String) {
        self.name = name
    }

    var isUTF16: Bool { self == .utf16LE || self == .utf16BE }

    /// The encoding of a declaration inside the page (HTML, "prescan a byte stream", steps for charset): UTF-8 for UTF-16,
    /// because the declaration was read as ASCII; windows-1252 for `x-user-defined`, which is only for scripts.
    var asDeclaredInside: CharacterEncoding {
        if isUTF16 { return .utf8 }
        return self == .userDefined ? .windows1252 : self
    }
}
