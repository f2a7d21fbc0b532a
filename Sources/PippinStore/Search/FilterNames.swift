import Foundation
import PippinPage

/// The types and languages that the filters of a query name.
enum FilterNames {
    /// A name as the index has it, and what there is to say about how it was read.
    struct Reading {
        let value: String
        var note: String?
    }

    // MARK: Types

    /// A type by its name in schema.org, in any case, by a part of it (`news`), or as people call it (`film`).
    ///
    /// - Parameter written: letters and digits, in lower case.
    static func type(_ written: String) -> Reading {
        if types.contains(written) { return Reading(value: written) }
        if let meant = otherNames[written] {
            return Reading(value: meant.lowercased(), note: "type:\(written) is read as type:\(meant).")
        }
        let near =
            NearestName.of(written, in: SchemaOrg.knownTypes, atMost: 2).map { " Did you mean type:\($0)?" } ?? ""
        return Reading(
            value: written,
            note: "Neither schema.org nor Open Graph has a type \(Wording.quoted(written, to: 60)).\(near)")
    }

    private static let types: Set<String> = {
        var names: Set<String> = []
        for type in Array(SchemaOrg.knownTypes) + openGraphTypes {
            let parts = SearchDocument.parts(ofType: type)
            for count in 1...max(1, parts.count) {
                names.insert(parts.suffix(count).joined())
                names.insert(parts.prefix(count).joined())
            }
        }
        return names
    }()

    /// Types of ogp.me that schema.org has no name for. Their other names are no types that somebody looks for: `song`, `movie`.
    private static let openGraphTypes = ["website", "profile", "video.other", "music.radio_station"]

    /// What people call some types of schema.org.
    static let otherNames = [
        "song": "MusicRecording", "track": "MusicRecording", "album": "MusicAlbum", "band": "MusicGroup",
        "concert": "MusicEvent", "film": "Movie", "show": "TVSeries", "shop": "Store", "company": "Organization",
        "app": "SoftwareApplication", "post": "BlogPosting", "faq": "FAQPage", "howto": "HowTo", "meal": "Recipe",
    ]

    /// Types and all that they are by schema.org (`Festival` → `Event`), without `Thing`, which everything is.
    static func withSupertypes(_ types: [String]) -> [String] {
        var all: [String] = []
        for type in types {
            let known = SchemaOrg.type(type) ?? type
            let supertypes = SchemaOrg.supertypes(of: known).subtracting(["Thing", known])
            for name in [type, known] + supertypes.sorted() where !all.contains(name) { all.append(name) }
        }
        return all
    }

    // MARK: Languages

    /// A language by its tag (BCP 47), its name in English or in itself.
    ///
    /// - Parameter written: in lower case.
    static func language(_ written: String) -> Reading? {
        let tag = written.replacingOccurrences(of: "_", with: "-")
        let isTag = tag.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D }
        if isTag, codes.contains(SearchText.primaryLanguage(of: tag)) { return Reading(value: tag) }
        if let code = codesByName[written] {
            return Reading(value: code, note: "lang:\(written) is read as lang:\(code).")
        }
        guard isTag else { return nil }
        return Reading(value: tag, note: "There is no language with the code \(Wording.quoted(tag, to: 60)).")
    }

    private static let codes = Set(Locale.LanguageCode.isoLanguageCodes.map(\.identifier))

    private static let codesByName: [String: String] = {
        var names: [String: String] = [:]
        let english = Locale(identifier: "en")
        // A shorter code is the one that pages write.
        for code in codes.sorted(by: { ($0.utf8.count, $0) < ($1.utf8.count, $1) }) {
            for locale in [english, Locale(identifier: code)] {
                guard let name = locale.localizedString(forLanguageCode: code)?.lowercased(), name != code else {
                    continue
                }
                if names[name] == nil { names[name] = code }
            }
        }
        return names
    }()
}
