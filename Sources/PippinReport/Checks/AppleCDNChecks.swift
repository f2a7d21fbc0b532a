// Check of the copy of Apple's association file that devices get (L26).

import PippinPage

extension Association {
    static let l26 = CheckJudge(
        .l26, .deepLinks, .warning, "Apple's CDN has the site's association file",
        problem: "Apple's CDN has another association file than the site",
        why: "Since iOS 14 devices ask Apple's CDN, not the site.",
        site: appleHasTheFile)

    private static func appleHasTheFile(_ site: SiteExamination) -> [Verdict] {
        let files = site.evidence.association.value?.files ?? SiteAssociations()
        guard let copies = site.evidence.appleCDN.value else {
            let concerns = site.namesAppleApp || files.hosts.contains { $0.apple != nil }
            return concerns ? [.unknown("Not seen: \(site.evidence.appleCDN.reason ?? "it was not asked").")] : []
        }
        return copies.compactMap { verdict($0, files[$0.site]) }
    }

    private static func verdict(_ copy: AppleCDNEvidence, _ found: HostAssociations?) -> Verdict? {
        let host = AssociationVerification.hostName(of: copy.site)
        let own = found?.apple?.file
        let ownIsAbsent = found?.wellKnown.judgement.standing == .refused && own == nil
        let place = Finding.Place(.file, copy.url.href)
        switch copy.answer {
        case .unseen(let clause): return .unknown("Not seen: whether Apple's CDN has the file of \(host): \(clause).")
        case .failure(let failure):
            if ownIsAbsent { return nil }
            guard own != nil else {
                return .unknown("Apple's CDN has no association file of \(host), and the site's was not seen.")
            }
            return .warning(
                "Apple's CDN has no association file of \(host)\(failure.clause), so devices have none.",
                at: failure.reason == nil ? place : Finding.Place(.header, "Apple-Failure-Reason"),
                Finding.Remedy(failure.remedy))
        case .file(let outcome):
            guard let theirs = outcome.file, outcome.isUsable else {
                return .warning(
                    "Apple's CDN answers for \(host) with a file that devices do not use.", at: place,
                    Finding.Remedy(AppleCDNEvidence.Failure.usualRemedy))
            }
            guard let own else {
                guard ownIsAbsent else {
                    return .unknown("Apple's CDN has an association file of \(host), but the site's was not seen.")
                }
                return .warning(
                    "Apple's CDN has an association file of \(host), which the site does not serve any more.",
                    at: place,
                    Finding.Remedy("Serve the file again. Otherwise links stop to open apps when the CDN asks next."))
            }
            guard let difference = AssociationDifference(of: theirs, from: own) else {
                return .pass("Apple's CDN has the association file of \(host) as the site serves it.", at: place)
            }
            return .warning(
                "Apple's CDN has another association file of \(host) than the site: \(difference.clause).", at: place,
                Finding.Remedy(
                    "After a change, wait a day: the CDN asks for the file again, and devices about weekly. "
                        + AppleCDNEvidence.Failure.usualRemedy))
        }
    }
}
