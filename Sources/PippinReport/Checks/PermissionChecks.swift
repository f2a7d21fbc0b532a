// Checks of what the page asks of crawlers in meta elements and headers: indexing, previews, links (D07…D09).

import PippinPage

extension Discoverability {
    static let d07 = Check(
        .d07, .discoverability, .error, "The page may be indexed",
        problem: "Indexing is forbidden, or its rules are unclear",
        why: "noindex and none keep a page out of search results, Spotlight and Siri.",
        page: pageIsIndexable,
        noteRemedy: { _, _ in Finding.Remedy("Separate directives by commas: noindex, nofollow.") })

    private static func pageIsIndexable(_ page: PageExamination) -> [Verdict] {
        let directives = page.directives
        if directives.noindex {
            return [
                .error(
                    "\(labels(directives, .noindex)) says noindex.", at: place(of: .noindex, directives, page),
                    Finding.Remedy(
                        "Take the directive away, or say all there.",
                        code: written("all", inPlaceOf: .noindex, directives)))
            ]
        }
        var verdicts = endOfIndexing(directives, page)
        if page.options.profile == .all { verdicts += closedToOthers(page) }
        guard verdicts.isEmpty else { return verdicts }
        let reader = page.options.profile == .all ? "" : " by \(page.options.profile.crawler.name)"
        return [.pass("Nothing forbids indexing\(reader).")]
    }

    /// Markup with another directive in the place of one. In any other place it would not overrule it.
    private static func written(
        _ content: String, inPlaceOf directive: RobotsDirectives.Directive, _ directives: RobotsDirectives
    ) -> String {
        switch directives.sources(of: directive).first {
        case .meta(let name)?: Markup.meta(name: name, content: content)
        case .header(let agent)?: "X-Robots-Tag: \(agent.map { $0 + ": " } ?? "")\(content)"
        case nil: Markup.meta(name: "robots", content: content)
        }
    }

    /// What `unavailable_after` does once its moment has passed. Google documents it, "About Applebot" does not; Pippin follows
    /// it for its own records.
    private static func endOfIndexing(_ directives: RobotsDirectives, _ page: PageExamination) -> [Verdict] {
        guard let end = directives.statements.compactMap(\.moment).min(), end <= page.now else { return [] }
        let what = "unavailable_after names a moment that has passed (\(SchemaOrg.internetTime(end)))"
        let place = place(of: .unavailableAfter, directives, page)
        let remedy = Finding.Remedy("Take the directive away, or name a later day.")
        return switch page.options.profile {
        case .apple:
            [
                .info(
                    "\(what). Applebot does not follow the directive; Google and others drop the page.", at: place,
                    remedy)
            ]
        case .google: [.error("\(what): Google no longer shows the page.", at: place, remedy)]
        default:
            [
                .error(
                    "\(what): Google no longer shows the page, and Pippin keeps no record of it. Applebot does not follow the directive.",
                    at: place, remedy)
            ]
        }
    }

    /// Search engines that the page asks by their own names not to index it.
    private static func closedToOthers(_ page: PageExamination) -> [Verdict] {
        ReportCard.Crawler.others.compactMap { engine, crawler in
            let theirs = page.facts.directives(readBy: crawler.directiveAgents)
            guard theirs.noindex else { return nil }
            return .warning(
                "\(labels(theirs, .noindex)) says noindex: \(engine) does not index the page.",
                at: place(of: .noindex, theirs, page),
                Finding.Remedy("If \(engine) is to show the page, take the directive away."))
        }
    }

    static let d08 = Check(
        .d08, .discoverability, .warning, "A snippet and a picture may be shown",
        problem: "The snippet or the picture is forbidden or limited",
        why:
            "With nosnippet a result has its title only, and without large pictures it is left out where pictures count.",
        page: previewIsAllowed)

    private static func previewIsAllowed(_ page: PageExamination) -> [Verdict] {
        let directives = page.directives
        var verdicts: [Verdict] = []
        if directives.nosnippet {
            verdicts.append(
                .warning(
                    "\(labels(directives, .nosnippet)) says nosnippet: a result has no description.",
                    at: place(of: .nosnippet, directives, page), Finding.Remedy("Take the directive away.")))
        } else if let limit = directives.maxSnippet, limit < 50 {
            verdicts.append(
                .warning(
                    "\(labels(directives, .maxSnippet)) leaves \(limit) characters for a snippet.",
                    at: place(of: .maxSnippet, directives, page),
                    Finding.Remedy(
                        "Leave room for a sentence.",
                        code: written("max-snippet:300", inPlaceOf: .maxSnippet, directives))))
        }
        verdicts += limitsOfPictures(directives, page)
        return verdicts.isEmpty ? [.pass("A snippet may be shown.")] : verdicts
    }

    /// What directives take from a result's picture. “Robots meta tag” of Google Search Central: `none` shows no picture,
    /// `standard`, and no directive, a picture of the usual size. “Get on Discover”: large pictures need `large`.
    private static func limitsOfPictures(_ directives: RobotsDirectives, _ page: PageExamination) -> [Verdict] {
        let remedy = Finding.Remedy(
            "Allow large pictures in its place.",
            code: written("max-image-preview:large", inPlaceOf: .maxImagePreview, directives))
        var verdicts: [Verdict] = []
        switch directives.maxImagePreview {
        case RobotsDirectives.ImagePreview.none?:
            verdicts.append(
                .warning(
                    "\(labels(directives, .maxImagePreview)) says max-image-preview:none: a result has no picture.",
                    at: place(of: .maxImagePreview, directives, page), remedy))
        case .standard?:
            verdicts.append(
                .info(
                    "\(labels(directives, .maxImagePreview)) says max-image-preview:standard: Google shows only a small picture, also in Discover.",
                    at: place(of: .maxImagePreview, directives, page), remedy))
        case .large?, nil: break
        }
        if directives.noimageindex {
            verdicts.append(
                .info(
                    "\(labels(directives, .noimageindex)) says noimageindex: searches for pictures do not find those of the page.",
                    at: place(of: .noimageindex, directives, page),
                    Finding.Remedy("If they are to be found, take the directive away.")))
        }
        guard verdicts.isEmpty else { return verdicts }
        let isArticle = page.structured.mainItem?.types.contains { SchemaOrg.isKind($0, of: "Article") } ?? false
        guard page.options.profile == .google, isArticle, directives.maxImagePreview == nil, page.refusal == nil else {
            return []
        }
        return [
            .info(
                "Nothing allows large pictures of the article, so Discover shows a small one.", at: nil,
                Finding.Remedy(
                    "Allow them.", code: Markup.meta(name: "robots", content: "max-image-preview:large")))
        ]
    }

    static let d09 = Check(
        .d09, .discoverability, .warning, "The page's links may be followed",
        problem: "The page's links may not be followed",
        why: "With nofollow a crawler finds no other page from here.",
        page: linksAreFollowed)

    private static func linksAreFollowed(_ page: PageExamination) -> [Verdict] {
        let directives = page.directives
        guard directives.nofollow else { return [.pass("Links may be followed.")] }
        let count = page.facts.outlinks.links.count
        return [
            .warning(
                "\(labels(directives, .nofollow)) says nofollow; none of \(Wording.count(count, "link")) is followed.",
                at: place(of: .nofollow, directives, page),
                Finding.Remedy("Take the directive away; single links can have rel=\"nofollow\"."))
        ]
    }

    private static func labels(_ directives: RobotsDirectives, _ directive: RobotsDirectives.Directive) -> String {
        var labels: [String] = []
        for source in directives.sources(of: directive) where !labels.contains(source.label) {
            labels.append(source.label)
        }
        return labels.isEmpty ? "The page" : labels.joined(separator: ", ")
    }

    static func place(
        of directive: RobotsDirectives.Directive, _ directives: RobotsDirectives, _ page: PageExamination
    ) -> Finding.Place? {
        switch directives.sources(of: directive).first {
        case .meta(let name)?:
            // `none` means noindex, nofollow and nosnippet together.
            let words = [directive.rawValue, "none"]
            let tag = page.facts.metadata.robots.first { tag in
                tag.name == name && words.contains { tag.content.asciiLowercased.contains($0) }
            }
            return .markup("meta \(name)", line: tag?.line, column: tag?.column)
        case .header?: return Finding.Place(.header, "X-Robots-Tag")
        case nil: return nil
        }
    }
}
