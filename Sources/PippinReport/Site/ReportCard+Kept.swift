// The card of a page in the form in which a job stores it, for reports of runs that do not visit the page. The parts that
// depend only on the page and its evidence are stored as markup, made by this program. Findings are stored as values, because
// each report compares the page with the others again.

import PippinPage

extension ReportCard {
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
                sections: sections(partOf: Self.overviewOfSite), crawled: crawled,
                findings: findings.map(Finding.Kept.init), notApplicable: notApplicable.map(\.id),
                judging: Finding.judging))
    }

    /// Reads a card from its stored form. Throws if another version wrote it in another form.
    init(kept bytes: [UInt8]) throws {
        let form = try PackedJSON.unpack(Form.self, from: bytes)
        self.init(
            url: form.crawled.url, options: Options(),
            evidence: PageEvidence(missing: "the page was read by an earlier run"), crawled: form.crawled,
            isPageRead: true, keptSections: form.sections)
        replaceFindings(
            with: Finding.list(form.findings, judging: form.judging),
            notApplicable: form.notApplicable.compactMap(Check.withID))
    }
}

extension Finding {
    /// The form in which a job stores a finding. It has the check's identifier.
    struct Kept: Codable {
        let check: String
        let outcome: String
        let sentence: String
        let place: Place?
        let remedy: String?
        let code: String?
        let note: ParseNote.Code?
        let unlisted: [Int]?

        enum CodingKeys: String, CodingKey {
            case check = "c"
            case outcome = "o"
            case sentence = "s"
            case place = "p"
            case remedy = "r"
            case code = "x"
            case note = "n"
            case unlisted = "u"
        }

        init(_ finding: Finding) {
            check = finding.check.id
            outcome = finding.outcome.rawValue
            sentence = finding.sentence
            place = finding.place
            remedy = finding.remedy?.text
            code = finding.remedy?.code
            note = finding.noteCode
            unlisted = finding.unlisted.isEmpty ? nil : Outcome.allCases.map { finding.unlisted[$0] }
        }
    }

    /// The version of the judging, which is stored with findings. Increase it, and add the check to `judgedOtherwise`, when what
    /// a check found before is not true any more.
    static let judging = 1

    /// Checks that judged otherwise, with the first version whose findings stand. Before version 1, L01 was found without a look
    /// at association files, and on pages where nothing suggests an app.
    private static let judgedOtherwise: [Check.Code: Int] = [.l01: 1]

    /// The findings of a stored page.
    ///
    /// - Parameter judging: the version that made them; nil for those from before versions were stored.
    static func list(_ kept: [Kept], judging: Int?) -> [Finding] {
        kept.compactMap { Finding($0) }.filter { (judging ?? 0) >= judgedOtherwise[$0.check.code] ?? 0 }
    }

    /// nil if this version does not have the check.
    private init?(_ kept: Kept) {
        guard let check = Check.withID(kept.check), let outcome = Outcome(rawValue: kept.outcome) else { return nil }
        var verdict = Verdict(
            outcome, kept.sentence, at: kept.place, kept.remedy.map { Remedy($0, code: kept.code) }, noteCode: kept.note
        )
        for (outcome, count) in zip(Outcome.allCases, kept.unlisted ?? []) {
            verdict.unlisted.count(outcome, times: count)
        }
        self.init(check, verdict)
    }
}
