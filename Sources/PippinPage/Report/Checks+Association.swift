// Checks of the site's association files: whether the claims of the page are backed.

enum Association {
    static func deepLinkIsCovered(_ page: PageExamination) -> [Verdict] { notLookedAt(page.evidence) }
    static func pageIsCovered(_ page: PageExamination) -> [Verdict] { notLookedAt(page.evidence) }
    static func fileIsServed(_ site: SiteExamination) -> [Verdict] { notLookedAt(site.evidence) }
    static func fileIsWellFormed(_ site: SiteExamination) -> [Verdict] { notLookedAt(site.evidence) }
    static func appIsTheBanners(_ page: PageExamination) -> [Verdict] { notLookedAt(page.evidence) }

    static func androidIsAssociated(_ page: PageExamination) -> [Verdict] {
        page.deepLinks.contains { $0.platform == .android } ? notLookedAt(page.evidence) : []
    }

    static func clipBelongsToApp(_ page: PageExamination) -> [Verdict] {
        page.facts.smartAppBanner?.appClipBundleID == nil ? [] : notLookedAt(page.evidence)
    }

    static func hostsServeFile(_ site: SiteExamination) -> [Verdict] { notLookedAt(site.evidence) }
    static func caseMatches(_ page: PageExamination) -> [Verdict] { notLookedAt(page.evidence) }

    private static func notLookedAt(_ evidence: PageEvidence) -> [Verdict] {
        [.unknown("Not seen: \(evidence.association.reason ?? "association files were not looked at").")]
    }
}
