// Checks of what the page asks of crawlers in meta elements and headers: indexing, previews, links (D07…D09).

import PippinPage

extension Discoverability {
    static let d07 = CheckJudge(
        .d07, .discoverability, .error, "The page may be indexed",
        problem: "Indexing is forbidden, or its rules are unclear",
        why: "noindex and none keep a page out of search results, and with Applebot out of Spotlight and Siri.",
        page: pageIsIndexable, noteRemedy: { remedy(for: $0, $1) })

    private static func pageIsIndexable(_ page: PageExamination) -> [Verdict] {
        let directives = page.directives
        if directives.noindex {
            return [
                .error(
                    "\(labels(directives, .noindex)) says \(word(.noindex, directives, page)).",
                    at: place(of: .noindex, directives, page),
                    Finding.Remedy(
                        "Remove the directive, or write all in its place.",
                        code: written("all", inPlaceOf: .noindex, directives)))
            ]
        }
        var verdicts = endOfIndexing(directives, page)
        if page.options.profile == .all { verdicts += closedToOthers(page) }
        guard verdicts.isEmpty else { return verdicts }
        return [.pass("Nothing forbids indexing by \(page.options.profile.crawler.name).")]
    }

    /// What to do about a list of directives that is not read, or not as it was meant.
    private static func remedy(for note: ParseNote, _ page: PageExamination?) -> Finding.Remedy? {
        guard case .robotsDirective(let code) = note.code else { return nil }
        switch code {
        case .commaMissing: return Finding.Remedy("Separate directives by commas: noindex, nofollow.")
        case .unknown: return Finding.Remedy("Remove the word, or write the directive that was meant.")
        case .value:
            return Finding.Remedy(
                "Write a number, -1 for no limit, for max-snippet and max-video-preview; none, standard or large for max-image-preview; a date such as 2030-12-31 for unavailable_after."
            )
        case .tooLong: return Finding.Remedy("List each directive once.")
        case .notesLeftOut: return nil
        case .unread:
            let tag = page?.meta.tags.first { $0.line == note.line && $0.column == note.column }
            return Finding.Remedy(
                "Write one meta element for all crawlers, with the name robots, or one for each crawler. X-Robots-Tag is a header that the server sends.",
                code: tag?.text.map { Markup.meta(name: "robots", content: $0) })
        }
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

    /// What `unavailable_after` does once its moment has passed. Google documents it, “About Applebot” does not list it; Pippin
    /// follows it for its own records.
    private static func endOfIndexing(_ directives: RobotsDirectives, _ page: PageExamination) -> [Verdict] {
        guard let end = directives.statements.compactMap(\.moment).min(), end <= page.now else { return [] }
        let what = "unavailable_after names a moment that has passed (\(InternetTime.text(end)))"
        let place = place(of: .unavailableAfter, directives, page)
        let remedy = Finding.Remedy("Remove the directive, or name a later day.")
        return switch page.options.profile {
        case .apple:
            [
                .info(
                    "\(what). Apple does not list the directive among those that Applebot follows; Google no longer shows the page.",
                    at: place, remedy)
            ]
        case .google: [.error("\(what): Google no longer shows the page.", at: place, remedy)]
        default:
            [
                .error(
                    "\(what): Google no longer shows the page, and Pippin keeps no record of it. Apple does not list the directive among those that Applebot follows.",
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
                "\(labels(theirs, .noindex)) says \(theirs.isWrittenNone(.noindex) ? "none" : "noindex"): \(engine) does not index the page.",
                at: place(of: .noindex, theirs, page, readBy: crawler),
                Finding.Remedy("If \(engine) should show the page, remove the directive."))
        }
    }

    static let d08 = CheckJudge(
        .d08, .discoverability, .warning, "A snippet and a picture may be shown",
        problem: "The snippet or the picture is forbidden or limited",
        why:
            "With nosnippet a result shows only its title. Google Discover shows a large picture only if the page allows it.",
        page: previewIsAllowed)

    private static func previewIsAllowed(_ page: PageExamination) -> [Verdict] {
        let directives = page.directives
        var verdicts: [Verdict] = []
        if directives.nosnippet {
            verdicts.append(
                .warning(
                    "\(labels(directives, .nosnippet)) says \(word(.nosnippet, directives, page)): a result has no description.",
                    at: place(of: .nosnippet, directives, page), Finding.Remedy("Remove the directive.")))
        } else if let limit = directives.maxSnippet, limit < 50 {
            verdicts.append(
                .warning(
                    "\(labels(directives, .maxSnippet)) says max-snippet:\(limit): the snippet of a result has at most \(Wording.count(limit, "character")).",
                    at: place(of: .maxSnippet, directives, page),
                    Finding.Remedy(
                        "Allow enough for a sentence or two.",
                        code: written("max-snippet:300", inPlaceOf: .maxSnippet, directives))))
        }
        verdicts += limitsOfPictures(directives, page)
        guard verdicts.isEmpty else { return verdicts }
        let crawler = page.options.profile.crawler.name
        guard let limit = directives.maxSnippet else {
            return [.pass("No directive keeps \(crawler) from showing a snippet and a picture.")]
        }
        return [
            .pass("Directives allow \(crawler) a snippet of up to \(Wording.count(limit, "character")), and a picture.")
        ]
    }

    /// What directives take from a result's picture. “Robots meta tag” of Google Search Central: `none` shows no picture,
    /// `standard`, and no directive, a picture of the usual size. “Get on Discover”: large pictures need `large`.
    private static func limitsOfPictures(_ directives: RobotsDirectives, _ page: PageExamination) -> [Verdict] {
        let remedy = Finding.Remedy(
            "Allow large pictures instead.",
            code: written("max-image-preview:large", inPlaceOf: .maxImagePreview, directives))
        var verdicts: [Verdict] = []
        switch directives.maxImagePreview {
        case RobotsDirectives.ImagePreview.none?:
            verdicts.append(
                .warning(
                    "\(labels(directives, .maxImagePreview)) says max-image-preview:none: Google shows no picture of the page.",
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
                    Finding.Remedy("If they should be found, remove the directive.")))
        }
        guard verdicts.isEmpty else { return verdicts }
        let isArticle = page.structured.mainItem?.types.contains { SchemaOrg.isKind($0, of: "Article") } ?? false
        guard page.options.profile == .google, isArticle, directives.maxImagePreview == nil, page.refusal == nil else {
            return []
        }
        return [
            .info(
                "No directive allows a large picture of the article, so Google Discover shows a small one.", at: nil,
                Finding.Remedy(
                    "Allow large pictures.", code: Markup.meta(name: "robots", content: "max-image-preview:large")))
        ]
    }

    static let d09 = CheckJudge(
        .d09, .discoverability, .warning, "The page's links may be followed",
        problem: "The page's links may not be followed",
        why: "With nofollow a crawler finds no other page from here.",
        page: linksAreFollowed)

    private static func linksAreFollowed(_ page: PageExamination) -> [Verdict] {
        let directives = page.directives
        let crawler = page.options.profile.crawler.name
        guard directives.nofollow else { return [.pass("\(crawler) may follow the page's links.")] }
        let count = page.facts.outlinks.links.count
        let effect =
            switch count {
            case 0: ""
            case 1: ": \(crawler) does not follow the page's only link"
            default: ": \(crawler) follows none of the page's \(count) links"
            }
        return [
            .warning(
                "\(labels(directives, .nofollow)) says \(word(.nofollow, directives, page))\(effect).",
                at: place(of: .nofollow, directives, page),
                Finding.Remedy(
                    "Remove the directive. If only some links should not be followed, give these rel=\"nofollow\"."))
        ]
    }

    /// The directive as the page writes it. `none` is short for several, and not for the same ones everywhere.
    private static func word(
        _ directive: RobotsDirectives.Directive, _ directives: RobotsDirectives, _ page: PageExamination
    ) -> String {
        directives.isWrittenNone(directive)
            ? "none, which for \(page.options.profile.crawler.name) includes \(directive.rawValue)"
            : directive.rawValue
    }

    private static func labels(_ directives: RobotsDirectives, _ directive: RobotsDirectives.Directive) -> String {
        var labels: [String] = []
        for source in directives.sources(of: directive) where !labels.contains(source.label) {
            labels.append(source.label)
        }
        return labels.isEmpty ? "The page" : labels.joined(separator: ", ")
    }

    /// - Parameter crawler: whose reading `directives` is; nil for the crawler of the profile.
    static func place(
        of directive: RobotsDirectives.Directive, _ directives: RobotsDirectives, _ page: PageExamination,
        readBy crawler: ReportCard.Crawler? = nil
    ) -> Finding.Place? {
        switch directives.sources(of: directive).first {
        case .meta(let name)?:
            let agents = (crawler ?? page.options.profile.crawler).directiveAgents
            // Each is read alone: `max-image-preview:none` is not `none`, and `none` is not the same for all.
            let tag = page.facts.metadata.robots.first { tag in
                tag.name == name
                    && !RobotsDirectives(metas: [(tag.name, tag.content)], agents: agents).sources(of: directive)
                        .isEmpty
            }
            return .markup("meta \(name)", line: tag?.line, column: tag?.column)
        case .header?: return Finding.Place(.header, "X-Robots-Tag")
        case nil: return nil
        }
    }
}
