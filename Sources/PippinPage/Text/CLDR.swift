import CICU
import Glibc

/// What Unicode's CLDR says of languages and currencies (UTS #35), as ICU's data has it.
enum CLDR {
    /// The languages, and languages in countries or scripts, that ICU has data of: `en`, `en_GB`, `sr_Latn`.
    static var locales: [String] {
        (0..<pippin_uloc_countAvailable()).compactMap { pippin_uloc_getAvailable($0).map { String(cString: $0) } }
    }

    /// What ICU has of one language, opened once for many questions. It has only what differs from its parent.
    struct Bundle: ~Copyable {
        private let resource: OpaquePointer

        /// - Parameter name: as ICU names a language, or one of its tables of other things: `supplementalData`.
        init?(_ name: String) {
            var status: Int32 = 0
            guard let resource = pippin_ures_openDirect(name, &status) else { return nil }
            self.resource = resource
        }

        deinit { pippin_ures_close(resource) }

        /// The texts of a table, in order; empty if there is no such table.
        func texts(at path: [String]) -> [String] {
            with(path) { table in
                (0..<pippin_ures_getSize(table)).compactMap { index in
                    CLDR.string { pippin_ures_getStringByIndex(table, index, $0, $1) }
                }
            } ?? []
        }

        /// A text by its key in a table.
        func text(_ key: String, at path: [String] = []) -> String? {
            with(path) { table in CLDR.string { pippin_ures_getStringByKey(table, key, $0, $1) } } ?? nil
        }

        private func with<Result>(_ path: [String], _ use: (OpaquePointer) -> Result) -> Result? {
            var status: Int32 = 0
            var part: OpaquePointer?
            defer { if let part { pippin_ures_close(part) } }
            for key in path {
                part = pippin_ures_getByKey(part ?? resource, key, part, &status) ?? part
                guard status == 0 else { return nil }
            }
            return use(part ?? resource)
        }
    }

    /// The country in which most of those who write a language live: `IR` for `fa`.
    static func country(of language: String) -> String? {
        var status: Int32 = 0
        var room = [CChar](repeating: 0, count: 64)
        let length = pippin_uloc_addLikelySubtags(language, &room, Int32(room.count), &status)
        guard status == 0, length > 0, Int(length) < room.count else { return nil }
        let tags = String(decoding: room.prefix(Int(length)).map { UInt8(bitPattern: $0) }, as: UTF8.self).split(
            separator: "_")
        return tags.dropFirst().first { $0.utf8.count == 2 }.map(String.init)
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
        guard let metadata = Bundle("metadata") else { return nil }
        let alias = ["alias", "language", code]
        // Other reasons are opinions of CLDR: that Mandarin (`cmn`) is Chinese, say.
        guard let reason = metadata.text("reason", at: alias), reason == "overlong" || reason == "bibliographic",
            let replacement = metadata.text("replacement", at: alias)
        else { return nil }
        return replacement.utf8.count == 2 ? replacement : nil
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

    fileprivate static func string(
        _ get: (UnsafeMutablePointer<Int32>, UnsafeMutablePointer<Int32>) -> UnsafePointer<UInt16>?
    ) -> String? {
        var (length, status): (Int32, Int32) = (0, 0)
        guard let units = get(&length, &status), status <= 0 else { return nil }
        return String(decoding: UnsafeBufferPointer(start: units, count: Int(length)), as: UTF16.self)
    }
}
