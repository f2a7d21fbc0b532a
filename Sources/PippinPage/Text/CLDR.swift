import CICU
import Glibc

/// What Unicode's CLDR says of languages and currencies (UTS #35), as ICU's data has it.
enum CLDR {
    /// The texts of a table of a language, in order; empty if the language has no such table.
    ///
    /// - Parameters:
    ///   - language: as ICU names it: `en`, `sr_Latn`.
    ///   - path: the keys that lead to the table: `["calendar", "gregorian", "monthNames", "format", "wide"]`.
    static func texts(of language: String, at path: [String]) -> [String] {
        withResource(language, path) { table in
            (0..<pippin_ures_getSize(table)).compactMap { index in
                string { pippin_ures_getStringByIndex(table, index, $0, $1) }
            }
        } ?? []
    }

    /// The languages of ISO 639-1 that ICU knows, by their two letters.
    static let twoLetterLanguages: [String] = {
        guard var next = pippin_uloc_getISOLanguages() else { return [] }
        var codes: [String] = []
        while let code = next.pointee {
            if strlen(code) == 2 { codes.append(String(cString: code)) }
            next += 1
        }
        return codes
    }()

    /// The name of a language in a language: `de` in `en` is `German`.
    static func name(of language: String, in other: String) -> String? {
        let capacity: Int32 = 100
        var status: Int32 = 0
        let units = [UInt16](unsafeUninitializedCapacity: Int(capacity)) { room, count in
            count = min(
                room.count,
                Int(pippin_uloc_getDisplayLanguage(language, other, room.baseAddress, capacity, &status)))
        }
        // U_USING_DEFAULT_WARNING: the name is in the language of this machine.
        return status <= 0 && status != -127 ? String(decoding: units, as: UTF16.self) : nil
    }

    /// The code of two letters that BCP 47 requires in place of a code of ISO 639-2: `en` for `eng`, `de` for `ger`.
    static func twoLetterCode(for code: String) -> String? {
        withResource("metadata", ["alias", "language", code]) { alias in
            let reason = string { pippin_ures_getStringByKey(alias, "reason", $0, $1) }
            let replacement = string { pippin_ures_getStringByKey(alias, "replacement", $0, $1) }
            // Other reasons are opinions of CLDR: that Mandarin (`cmn`) is Chinese, say.
            let isISO639 = reason == "overlong" || reason == "bibliographic"
            return isISO639 && replacement?.utf8.count == 2 ? replacement : nil
        } ?? nil
    }

    /// A currency that people pay with.
    struct Currency {
        /// Of ISO 4217.
        let code: String
        /// What tells it from others, whoever reads it: `US$`. The code if it has no such sign.
        let sign: String
        /// What stands for it among those who pay with it: `$`. The code if it has no such sign.
        let narrowSign: String
        /// Digits behind the decimal mark.
        let decimals: Int
    }

    /// The currencies that are in use, by their codes.
    static let currencies: [Currency] = {
        var status: Int32 = 0
        guard let codes = pippin_ucurr_openInUse(&status) else { return [] }
        defer { pippin_uenum_close(codes) }
        var currencies: [Currency] = []
        var length: Int32 = 0
        while let units = pippin_uenum_next(codes, &length, &status) {
            let code = String(decoding: UnsafeBufferPointer(start: units, count: Int(length)), as: UTF16.self)
            var ofDecimals: Int32 = 0
            let sign = { (isNarrow: UBool) in string { pippin_ucurr_getSign(units, isNarrow, $0, $1) } ?? code }
            currencies.append(
                Currency(
                    code: code, sign: sign(0), narrowSign: sign(1),
                    decimals: Int(pippin_ucurr_getDecimals(units, &ofDecimals))))
        }
        return currencies.sorted { $0.code < $1.code }
    }()

    /// Calls a closure with a part of a bundle; returns nil if there is no such part.
    private static func withResource<Result>(
        _ bundle: String, _ path: [String], _ use: (OpaquePointer) -> Result
    ) -> Result? {
        var status: Int32 = 0
        guard var part = pippin_ures_openDirect(bundle, &status) else { return nil }
        defer { pippin_ures_close(part) }
        for key in path where status == 0 { part = pippin_ures_getByKey(part, key, part, &status) ?? part }
        return status == 0 ? use(part) : nil
    }

    private static func string(
        _ get: (UnsafeMutablePointer<Int32>, UnsafeMutablePointer<Int32>) -> UnsafePointer<UInt16>?
    ) -> String? {
        var (length, status): (Int32, Int32) = (0, 0)
        guard let units = get(&length, &status), status <= 0 else { return nil }
        return String(decoding: UnsafeBufferPointer(start: units, count: Int(length)), as: UTF16.self)
    }
}
