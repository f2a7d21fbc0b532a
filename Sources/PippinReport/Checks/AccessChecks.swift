// Checks of whether people and crawlers reach the content: without an account (D15), and under an address of its own (D16).

import PippinPage

extension Discoverability {
    static let d15 = CheckJudge(
        .d15, .discoverability, .warning, "The content is open to everyone",
        problem: "The content is closed to some people",
        why: "No crawler passes a login, and Applebot uses nothing behind a paywall.",
        site: contentIsOpen)

    private static func contentIsOpen(_ site: SiteExamination) -> [Verdict] {
        if let edge = site.evidence.fetch.value?.edge { return [verdict(on: edge, site)] }
        if let status = site.status, [401, 402, 403].contains(status) {
            return [
                .error(
                    "The page answers with status \(status): it is not open.", at: Finding.Place(.fetch, "status"),
                    Finding.Remedy(
                        "Show crawlers and people without an account a page that describes the content, with status 200."
                    ))
            ]
        }
        guard let page = site.page else { return [.unknown(site.unreadReason)] }
        // Google shows pages behind a paywall that mark what is paid for; S21 and S22 judge the marks.
        let readsMarks = page.options.profile != .google
        for item in page.structured.items.prefix(500) where readsMarks {
            guard let text = page.text(item, "isAccessibleForFree"), SchemaOrg.boolean(text) == false else { continue }
            let isPart = !item.isTopLevel
            return [
                .warning(
                    isPart
                        ? "A part of the page is marked isAccessibleForFree false; Apple reads the mark of a whole page only."
                        : "isAccessibleForFree is false: the page may be found, but Apple uses nothing of it beyond that.",
                    at: page.place(of: item),
                    Finding.Remedy(
                        "If the whole page is for subscribers, mark the page and not a part; if it is open, say so.",
                        code: "\"isAccessibleForFree\": true"))
            ]
        }
        let document = page.facts.document
        let password = document.elements(named: .input).first {
            document.value(of: .type, on: $0)?.asciiLowercased == "password"
        }
        if let password, page.facts.visibleText.bytes.count < 400 {
            return [
                .warning(
                    "The page asks for a password and has little other text: people who find it see nothing of the content.",
                    at: .markup("input", document.place(of: password)),
                    Finding.Remedy("Show the content, or a part of it, without an account."))
            ]
        }
        return [.pass("Nothing says that the content is closed.")]
    }

    /// What stands between the site and its readers refuses the page. robots.txt says what the site wants of crawlers; if it allows them,
    /// the two contradict each other.
    private static func verdict(on edge: EdgeRefusal, _ site: SiteExamination) -> Verdict {
        let asked = site.evidence.agent.name
        let status = site.status.map { " with status \($0)" } ?? ""
        let wish: String
        let remedy: String
        switch edge.kind {
        case .challenge:
            wish = "wants a proof that a person asks"
            remedy = letIn
        case .payment(let price):
            wish = "wants to be paid" + (price.map { ", \(Wording.quoted($0)) for each request" } ?? "")
            remedy = "If the page is to be found, let search crawlers in for nothing. Pippin pays for no page."
        case .signature:
            wish = "wants a signed request (Web Bot Auth)"
            remedy = "\(letIn) Pippin signs with agent.signing_key."
        case .denied:
            wish = "refuses access"
            remedy = letIn
        }
        let isAllowed = site.evidence.robots.value?.pippin.isAllowed == true
        let contradiction = isAllowed ? ", though robots.txt allows \(asked) to fetch the page" : ""
        let sentence =
            "\(edge.edge ?? "The server") answers \(asked)\(status) and \(wish) (\(edge.mark))\(contradiction)."
        // Told to come later is not told to stay away.
        let isLater = site.status.map { StatusMeaning($0) == .throttled } ?? false
        let place = Finding.Place(.fetch, "status")
        return isLater
            ? .warning(sentence, at: place, Finding.Remedy(remedy))
            : .error(sentence, at: place, Finding.Remedy(remedy))
    }

    private static let letIn =
        "Let known crawlers through: Applebot and Googlebot are verified by their addresses, others by signatures. "
        + "What crawlers shall not fetch, robots.txt forbids."

    static let d16 = CheckJudge(
        .d16, .discoverability, .warning, "The address has no state behind #",
        problem: "The address keeps state behind #",
        why: "Crawlers ignore the fragment: all such addresses are one page to them.",
        page: addressIsWhole)

    private static func addressIsWhole(_ page: PageExamination) -> [Verdict] {
        let addresses: [(String, WebURL?, Finding.Place?)] = [
            ("The page's address", page.url, nil),
            (
                "The canonical link", page.facts.metadata.canonical,
                .markup("link canonical", page.facts.metadata.canonicalLinks.first?.place)
            ),
            ("og:url", page.facts.openGraph?.url, page.place(ofMeta: "og:url")),
        ]
        for (name, url, place) in addresses {
            guard let fragment = url?.fragment, fragment.hasPrefix("!") || fragment.hasPrefix("/") else { continue }
            return [
                .warning(
                    "\(name) keeps its content behind #: \(Wording.quoted(url?.href ?? "")).", at: place,
                    Finding.Remedy(
                        "Give each state a path of its own (history.pushState) and answer it from the server.",
                        code: Markup.link(
                            "canonical", "\(page.url.origin ?? "")/\(fragment.drop { $0 == "!" || $0 == "/" })")))
            ]
        }
        guard page.hasAddress else { return [.unknown("Not seen: it is not known where the page is published.")] }
        return [.pass("The address is whole without a fragment.")]
    }
}
