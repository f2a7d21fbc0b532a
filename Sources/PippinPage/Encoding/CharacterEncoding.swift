/// A character encoding of the WHATWG Encoding Standard: how the bytes of a page become text.
///
/// Reading a page takes two steps: `detect(bytes:headers:)` finds the encoding, `decode(_:)` turns the bytes into valid UTF-8.
/// libxml2 and the extractors only ever get UTF-8.
///
///     CharacterEncoding+Labels    the names in use (`latin1`, `x-sjis`) and the encoding of each
///     CharacterEncoding+Sniffing  finds a page's encoding: byte order mark, header, meta, the bytes themselves
///     MetaPrescan                 the search for a declaration in the first 1,024 bytes
///     CharacterEncoding+Decoding  bytes to UTF-8: `decode`, UTF-8, UTF-16 and the single-byte encodings
///     CharacterEncoding+Japanese  Shift_JIS, EUC-JP, ISO-2022-JP
///     CharacterEncoding+Chinese   gb18030 (and GBK), Big5, and the Korean EUC-KR, which works like them
///     EncodingIndex               the tables, made from ICU's at first use and corrected to the standard's
///     UTF8Scan                    finds the first byte that a decoder must replace
public struct CharacterEncoding: Sendable, Hashable {
    /// The name in the Encoding Standard (§4.2), lower case: `utf-8`, `windows-1252`, `shift_jis`.
    public let name: String

    /// UTF-8.
    public static let utf8 = CharacterEncoding(name: "utf-8")
    static let utf16LE = CharacterEncoding(name: "utf-16le")
    static let utf16BE = CharacterEncoding(name: "utf-16be")
    /// The encoding of a page that gives no hint of another one; a superset of ISO 8859-1.
    static let windows1252 = CharacterEncoding(name: "windows-1252")
    static let userDefined = CharacterEncoding(name: "x-user-defined")

    /// Makes an encoding without looking it up.
    ///
    /// - Parameter name: a name of the standard. For labels from pages, use `init(label:)`.
    init(name: String) {
        self.name = name
    }

    var isUTF16: Bool { self == .utf16LE || self == .utf16BE }

    /// The effective encoding of a declaration inside the page (HTML, "prescan a byte stream", steps for charset). UTF-16
    /// becomes UTF-8, because the declaration itself was readable as ASCII. `x-user-defined` becomes windows-1252, because it
    /// is only for scripts.
    var asDeclaredInside: CharacterEncoding {
        if isUTF16 { return .utf8 }
        return self == .userDefined ? .windows1252 : self
    }
}
