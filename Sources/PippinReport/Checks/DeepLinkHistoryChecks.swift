// Check of deep links that worked at the last crawl (L27).

import Foundation
import PippinPage

extension DeepLinks {
    private static let shownBrokenLinks = 5

    static let l27 = CheckJudge(
        .l27, .deepLinks, .warning, "Deep links work as at the last crawl",
        problem: "Deep links broke since the last crawl",
        why: "People have results and messages with these links, which now open the browser.",
        page: linksStillWork)

    private static func linksStillWork(_ page: PageExamination) -> [Verdict] {
        guard let earlier = page.evidence.earlierDeepLinks.value else {
            guard !page.deepLinks.isEmpty else { return [] }
            return [.unknown("Not seen: \(page.evidence.earlierDeepLinks.reason ?? "no crawl was looked at").")]
        }
        guard !earlier.isEmpty else { return [] }
        guard page.record != nil else {
            return [.unknown("The page asks not to be indexed, so its deep links do not count.")]
        }
        let links = page.deepLinks.map(DeepLinkState.init)
        var verdicts: [Verdict] = []
        var working = 0
        for link in earlier.prefix(200) {
            let since = InternetTime.day(link.since)
            switch link.ending(among: links) {
            case .works: working += 1
            case .never: break
            case .unseen(let reason):
                verdicts.append(.unknown("\(link.name) was verified since \(since). Now it is not known: \(reason)"))
            case .gone:
                let found = link.removedAt.map { ", as a crawl saw on \(InternetTime.day($0))" } ?? ""
                verdicts.append(
                    .warning(
                        "\(link.name) is gone from the page\(found). It was verified since \(since).", at: nil,
                        Finding.Remedy(
                            "Put its markup back, unless the app has gone.",
                            code: link.state.platform.isApple ? page.bannerMarkup : nil)))
            case .broken:
                let now = links.first { $0.isSameLink(as: link.state) } ?? link.state
                let before =
                    link.state.status == .verified
                    ? "was verified since \(since), and is \(now.status.words) now"
                    : "was verified, and is \(now.status.words) since \(since)"
                verdicts.append(
                    .warning(
                        "\(link.name) \(before)\(now.reason.map { ": \($0)" } ?? ".")", at: page.bannerPlace,
                        Finding.Remedy("Fix the association file (see L11 and L20), or the address of the link.")))
            }
        }
        guard verdicts.isEmpty else { return verdicts.gravest(upTo: shownBrokenLinks) }
        guard working > 0 else { return [.pass("No deep link was verified at the last crawl.")] }
        return [
            .pass("\(Wording.count(working, "deep link")) of the last crawl \(working == 1 ? "works" : "work") still.")
        ]
    }
}

extension DeepLinkRecord.Verification.Status {
    fileprivate var words: String { self == .notCovered ? "not covered" : rawValue }
}

extension EarlierDeepLink {
    fileprivate enum Ending {
        case works
        case gone
        case broken
        case unseen(String)
        /// It did not work before either.
        case never
    }

    fileprivate func ending(among links: [DeepLinkState]) -> Ending {
        let isBroken = state.status == .blocked || state.status == .notCovered
        guard state.status == .verified || isBroken && previous == .verified else { return .never }
        guard let now = links.first(where: { $0.isSameLink(as: state) }) else {
            // What was broken first and went then was taken away on purpose.
            return isBroken ? .never : .gone
        }
        return switch now.status {
        case .verified: .works
        case .blocked, .notCovered: .broken
        case .unverifiable, .unchecked: .unseen(now.reason ?? "its files were not looked at")
        }
    }

    fileprivate var name: String {
        let app = state.storeIdentifier ?? state.packageName ?? state.bundleIdentifier ?? state.appName
        let opening = state.url.map { " to \(Wording.quoted($0))" } ?? ""
        return "The \(state.platform.name) deep link\(app.map { " of \(Wording.quoted($0, to: 60))" } ?? "")\(opening)"
    }
}
