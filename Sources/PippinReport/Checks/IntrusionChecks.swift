// Checks of what stands between people and the content: overlays (D18), and text that is not for people (S23).

import PippinPage

extension Discoverability {
    static let d18 = CheckJudge(
        .d18, .discoverability, .warning, "The content is not covered",
        problem: "Something covers the content",
        why: "Search engines rank pages lower that hide their content behind an overlay when they open.",
        page: contentIsNotCovered)

    private static func contentIsNotCovered(_ page: PageExamination) -> [Verdict] {
        let document = page.facts.document
        var verdicts: [Verdict] = []
        for overlay in PageOverlay.all(in: document, visible: page.facts.visibleText, limits: page.facts.limits)
        where overlay.purpose != .required {
            let name = document.spelling(ofName: document.elements[overlay.element].nameNumber)
            let form =
                switch overlay.form {
                case .dialog: "An open <dialog> lies"
                case .fixed: "A <\(name)> that is fixed over the whole screen lies"
                }
            let text = overlay.text.isEmpty ? "." : ": \(Wording.quoted(overlay.text, to: 80))."
            verdicts.append(
                .warning(
                    "\(form) over the content when the page opens\(text)",
                    at: .markup(name, document.place(of: overlay.element)),
                    overlay.purpose == .app
                        ? Finding.Remedy(
                            "Offer the app with a Smart App Banner, which covers nothing.", code: page.bannerMarkup)
                        : Finding.Remedy("Show it in the page or as a banner, or when people ask for it.")))
        }
        return verdicts.isEmpty ? [.pass("No overlay in the markup covers the content.")] : verdicts
    }
}

extension Presentation {
    static let s23 = CheckJudge(
        .s23, .structuredData, .warning, "Text is written for people",
        problem: "Text is written for search engines",
        why: "Repeated keywords and hidden text are spam to search engines, which rank such pages lower or drop them.",
        page: textIsForPeople)

    private static func textIsForPeople(_ page: PageExamination) -> [Verdict] {
        var verdicts: [Verdict] = []
        let hidden = page.facts.hiddenText
        if hidden.isTelling, let first = hidden.parts.max(by: { $0.words < $1.words }) {
            let document = page.facts.document
            let name = document.spelling(ofName: document.elements[first.element].nameNumber)
            verdicts.append(
                .warning(
                    "Styles hide \(Wording.count(hidden.words, "word")) from people, the most in a <\(name)> \(first.way.phrase): \(Wording.quoted(document.visibleText(of: first.element, maximumBytes: 400), to: 80)).",
                    at: .markup(name, document.place(of: first.element)),
                    Finding.Remedy("Show the text, or take it out.")))
        }
        guard let record = page.record else { return verdicts }
        let signs = StuffingSigns(of: record, on: page.facts)
        let tags = [
            (StuffingSigns.titleRepeats, page.place(ofElement: .title), "Name each thing once in the title."),
            (
                .titleLists, page.place(ofElement: .title),
                "Let the title name this page, not all that could be searched for."
            ),
            (.keywordsRepeat, page.place(ofMeta: "keywords"), "Keep three to five keywords that differ."),
            (.keywordsUnseen, page.place(ofMeta: "keywords"), "Keep the keywords that the page is about."),
            (
                .textRepeats, page.place(ofMeta: "description"),
                "Write sentences for people, with each word where it belongs."
            ),
        ]
        for (sign, place, advice) in tags where signs.contains(sign) {
            // A list of names may be a title, a word may be dear to a text: one mild sign is advice.
            let outcome: Finding.Outcome = signs.areTelling ? .warning : .info
            verdicts.append(Verdict(outcome, "\(sign.words).".sentenceStart, at: place, Finding.Remedy(advice)))
        }
        return verdicts.isEmpty
            ? [.pass("Title, keywords and text repeat no word too often, and no style hides text.")] : verdicts
    }
}

extension HiddenText.Way {
    fileprivate var phrase: String {
        switch self {
        case .offScreen: "far off the screen"
        case .clipped: "that is cut away"
        case .noSize: "without size"
        case .sameColor: "in the color of its background"
        case .transparent: "that is transparent"
        case .links: "of links to other sites that is not displayed"
        }
    }
}
