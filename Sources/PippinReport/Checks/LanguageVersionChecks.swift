// The check of a page's versions in other languages (D19): its own list of hreflang links, and after a crawl whether the other
// versions list the page too.

import PippinPage

/// Source: “Localized versions of your pages” (Google Search Central). Each version lists itself and all others, addresses have a
/// scheme, languages are codes of ISO 639-1 and regions of ISO 3166-1 alpha-2, and links of two pages that do not point to each
/// other are ignored. “About Applebot” says nothing about hreflang.
extension Discoverability {
    static let d19 = CheckJudge(
        .d19, .discoverability, .warning, "Language versions list each other",
        problem: "The list of language versions is incomplete or unclear",
        why:
            "A search engine shows each reader the version in their language. Google ignores hreflang links between pages that do not list each other.",
        page: versionsAreListed, crawl: AmongPages.versionsReturn)

    private static func versionsAreListed(_ page: PageExamination) -> [Verdict] {
        let versions = Array(page.facts.metadata.languageAlternates.prefix(CrawledPage.maximumVersions))
        guard let first = versions.first, page.refusal == nil else { return [] }
        var verdicts: [Verdict] = []
        if let verdict = lackOfItself(versions, page) { verdicts.append(verdict) }
        verdicts += twiceNamed(versions)
        if let part = versions.first(where: { !$0.isWhole }) {
            let more = versions.count { !$0.isWhole } - 1
            let others = more > 0 ? ", as \(more) more \(more == 1 ? "has" : "have")" : ""
            verdicts.append(
                .warning(
                    "hreflang \(Wording.quoted(part.language, to: 40)) has an address without scheme and host\(others).",
                    at: part.findingPlace,
                    Finding.Remedy("Write the whole address.", code: link(part.language, part.url.href))))
        }
        if let verdict = unsupportedCodes(versions) { verdicts.append(verdict) }
        let languages = Set(versions.map { key(of: $0.language) })
        if languages.count > 1, !languages.contains("x-default") {
            // The same on every page of the set, so not the page itself.
            let common = versions.first { key(of: $0.language).split(separator: "-").first == "en" } ?? first
            verdicts.append(
                .info(
                    "No hreflang x-default: readers of other languages have no version.", at: first.findingPlace,
                    Finding.Remedy(
                        "Add it to all versions, with the same address in each: the page where readers choose a language, or the version that everyone else should get.",
                        code: link("x-default", common.url.href))))
        }
        guard verdicts.isEmpty else { return verdicts }
        return [
            .pass(
                "The page lists \(Wording.count(languages.count, "language version")), itself among them.",
                at: first.findingPlace)
        ]
    }

    private static func lackOfItself(
        _ versions: [HTMLMetadata.LanguageAlternate], _ page: PageExamination
    ) -> Verdict? {
        // Relative links and the page's own address mean nothing for a file whose address is unknown.
        guard page.hasAddress else { return nil }
        let own = Set([page.url, page.facts.metadata.canonical].compactMap { $0 }.map { URLKey($0) })
        guard !versions.contains(where: { own.contains(URLKey($0.url)) }) else { return nil }
        let language = page.facts.metadata.language ?? page.record?.languages.first ?? "en"
        let none =
            versions.count == 1
            ? "The page's only hreflang link does not name"
            : "None of the page's \(versions.count) hreflang links names"
        return .warning(
            "\(none) the page itself.",
            at: versions.first?.findingPlace,
            Finding.Remedy("List the page among its versions.", code: link(language, page.address)))
    }

    /// Codes that name more than one address.
    private static func twiceNamed(_ versions: [HTMLMetadata.LanguageAlternate]) -> [Verdict] {
        var addresses: [String: WebURL] = [:]
        var reported: Set<String> = []
        var verdicts: [Verdict] = []
        for version in versions {
            let code = key(of: version.language)
            guard let known = addresses[code] else {
                addresses[code] = version.url
                continue
            }
            guard URLKey(known) != URLKey(version.url), reported.insert(code).inserted else { continue }
            verdicts.append(
                .warning(
                    "hreflang \(Wording.quoted(version.language, to: 40)) names two addresses: \(Wording.list(Wording.quoted(apart: [known.href, version.url.href]))).",
                    at: version.findingPlace, Finding.Remedy("Keep one address for each code.")))
        }
        return verdicts
    }

    /// Codes of BCP 47 that Google does not read. S18 reports codes that are no language tags.
    private static func unsupportedCodes(_ versions: [HTMLMetadata.LanguageAlternate]) -> Verdict? {
        let codes = versions.filter { version in
            let parts = key(of: version.language).split(separator: "-")
            guard parts.first != "x", LanguageTag.flaw(of: version.language) == nil else { return false }
            return parts.first?.utf8.count != 2 || parts.contains { $0.utf8.count == 3 && $0.allSatisfy(\.isNumber) }
        }
        guard let first = codes.first else { return nil }
        return .info(
            "Google does not read hreflang \(Wording.list(codes.map { Wording.quoted($0.language, to: 40) }, shown: 5)): languages need a code of ISO 639-1, regions one of ISO 3166-1.",
            at: first.findingPlace, Finding.Remedy("Add a version with a code of two letters: es, es-MX."))
    }

    private static func key(of code: String) -> String { code.asciiLowercased.replacing("_", with: "-") }

    private static func link(_ language: String, _ address: String) -> String {
        "<link rel=\"alternate\" hreflang=\"\(Markup.attribute(language))\" href=\"\(Markup.attribute(address))\">"
    }
}

extension HTMLMetadata.LanguageAlternate {
    /// The place of the link for a finding.
    var findingPlace: Finding.Place {
        isFromHeader ? Finding.Place(.header, "Link") : .markup("link alternate", line: line, column: column)
    }
}
