// The card of a page in the form in which a job stores it, for reports of runs that do not visit the page. The parts that
// depend only on the page and its evidence are stored as markup, made by this program. Findings are stored as values, because
// each report compares the page with the others again.

import PippinPage

extension ReportCard {
    /// The stored parts of the card's page.
    struct Sections: Sendable, Codable {
        let header: HTML
        let preview: HTML
        let details: HTML
        let footer: HTML

        enum CodingKeys: String, CodingKey {
            case header = "h"
            case preview = "p"
            case details = "d"
            case footer = "f"
        }
    }

    private struct Form: Codable {
        let sections: Sections
        let crawled: CrawledPage
        let findings: [Finding.Kept]
        let notApplicable: [String]
        let judging: Int?

        enum CodingKeys: String, CodingKey {
            case sections = "s"
            case crawled = "c"
            case findings = "f"
            case notApplicable = "n"
            case judging = "v"
        }
    }

    /// The card in its stored form, as part of a site's report.
    func kept() throws -> [UInt8] {
        try PackedJSON.pack(
            Form(
                sections: sections(partOf: SiteReport.overview), crawled: crawled,
                findings: findings.map(Finding.Kept.init), notApplicable: notApplicable.map(\.id),
                judging: Finding.judging))
    }

    /// Reads a card from its stored form. Throws if another version wrote it in another form.
    init(kept bytes: [UInt8]) throws {
        let form = try PackedJSON.unpack(Form.self, from: bytes)
        self.init(
            crawled: form.crawled, findings: Finding.list(form.findings, judging: form.judging),
            notApplicable: form.notApplicable.compactMap(Check.withID), keptSections: form.sections)
    }

    /// The sections of a page that was read.
    func sections(partOf overview: String?, called title: String = "Site report") -> Sections {
        if let keptSections { return keptSections }
        return Sections(
            header: header(partOf: overview, called: title), preview: preview,
            details: "\(deepLinkTable)\(traceList)\(recordTable)", footer: footer)
    }
}
