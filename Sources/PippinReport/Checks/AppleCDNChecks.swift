// Check of the copy of Apple's association file that devices get (L26).

import PippinPage

extension Association {
    static let l26 = Check(
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

/// What Apple's CDN has of a host's association file.
struct AppleCDNEvidence: Sendable {
    enum Answer: Sendable {
        case file(AppleAssociationOutcome)
        /// The CDN has no file.
        case failure(Failure)
        /// The CDN was not seen; a clause that says why.
        case unseen(String)
    }

    /// What the CDN's headers say of its own request to the site. The codes are from real answers; Apple documents none.
    struct Failure: Sendable, Hashable {
        let status: Int
        /// `Apple-Failure-Reason`: `SWCERR00301 Timeout`.
        let reason: String?
        /// `Apple-Failure-Details`.
        let details: String?
        /// `Apple-From`: the address that the CDN asked for.
        let source: String?

        init(status: Int, reason: String? = nil, details: String? = nil, source: String? = nil) {
            self.status = status
            self.reason = reason
            self.details = details
            self.source = source
        }

        /// ` (status 404, “SWCERR00301 Timeout”, asking “https://…”)`
        var clause: String {
            var parts = ["status \(status)"]
            if let reason { parts.append(Wording.quoted(reason)) }
            if let details { parts.append(Wording.quoted(details)) }
            if let source { parts.append("asking \(Wording.quoted(source))") }
            return " (\(parts.joined(separator: ", ")))"
        }

        static let usualRemedy =
            "If it stays so, let Apple's AASA-Bot fetch the file: no bot wall, no login, no closed country."

        var remedy: String {
            let code = (reason ?? "").utf8.prefix(11)
            return switch String(decoding: Array(code), as: UTF8.self) {
            case "SWCERR00101": "The site answered the CDN with an error. \(Self.usualRemedy)"
            case "SWCERR00202": "The host's name leads to a private or reserved address. Give it a one."
            case "SWCERR00301": "The site took too long: answer within five seconds. \(Self.usualRemedy)"
            case "SWCERR00401": "The CDN got what is no JSON, perhaps an error page. \(Self.usualRemedy)"
            default: "The CDN asks the site within a day after the first device asks for it. \(Self.usualRemedy)"
            }
        }
    }

    /// The root of the host over https.
    let site: WebURL
    /// The address at the CDN.
    let url: WebURL
    let answer: Answer
}
