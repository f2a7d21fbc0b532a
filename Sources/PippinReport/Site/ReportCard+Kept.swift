// The card of a page as a job keeps it, for reports of runs that do not visit the page. What only the page and its evidence
// could show stands as markup, which the program itself has made; findings stay findings, because each report holds the page
// against the others anew.

import PippinPage

extension ReportCard {
    /// The parts of the card's page that stay as they are.
    struct Sections: Sendable, Codable {
        let header: HTMLBuilder
        let preview: HTMLBuilder
        let details: HTMLBuilder
        let footer: HTMLBuilder

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

        enum CodingKeys: String, CodingKey {
            case sections = "s"
            case crawled = "c"
            case findings = "f"
            case notApplicable = "n"
        }
    }

    /// The card in the form that it is kept in, as part of a site's report.
    public func kept() throws -> [UInt8] {
        try PackedJSON.pack(
            Form(
                sections: sections(partOf: SiteReport.overview), crawled: crawled,
                findings: findings.map(Finding.Kept.init), notApplicable: notApplicable.map(\.id)))
    }

    public init(kept bytes: [UInt8]) throws {
        let form = try PackedJSON.unpack(Form.self, from: bytes)
        self.init(
            crawled: form.crawled, findings: form.findings.compactMap { Finding($0) },
            notApplicable: form.notApplicable.compactMap(Check.withID), keptSections: form.sections)
    }

    /// Of a page that was read.
    func sections(partOf overview: String?) -> Sections {
        if let keptSections { return keptSections }
        func part(_ write: (inout HTMLBuilder) -> Void) -> HTMLBuilder {
            var part = HTMLBuilder()
            write(&part)
            return part
        }
        return Sections(
            header: part { writeHeader(partOf: overview, to: &$0) }, preview: part { writePreview(to: &$0) },
            details: part {
                writeDeepLinks(to: &$0)
                writeTraces(to: &$0)
                writeRecord(to: &$0)
            },
            footer: part { writeFooter(to: &$0) })
    }
}
