// The lists of a site's HTML report: deep links, the links to the pages, repetitions, and what was not covered.

import PippinPage

extension SiteReport {
    // MARK: Deep links

    func writeBacking(to page: inout HTMLBuilder) {
        guard !backing.isEmpty else { return }
        let count = backing.reduce(0) { $0 + $1.count }
        let isUnchecked = backing.allSatisfy { $0.status == .unchecked }
        Self.heading(
            isUnchecked ? "Deep links that were not checked" : "Deep links that nothing backs", count, id: "backing",
            to: &page)
        page.element(
            "p", [("class", "say")],
            text: "iOS and Android open an https link in an app only where the site's association file says so.")
        page.element("section", [("class", "card")]) { page in
            for entry in backing.prefix(Self.maximumShown) {
                page.element("details", [("class", "row")]) { page in
                    page.element("summary") { page in
                        let style = entry.status == .blocked || entry.status == .notCovered ? "error" : "unknown"
                        page.element("span", [("class", "badge \(style)")], text: Self.word(for: entry.status))
                        page.element("span", [("class", "name"), ("dir", "auto")]) { page in
                            page.text((entry.reason ?? Self.meaning(of: entry.status)).sentenceStart)
                        }
                        page.element("span", [("class", "share")]) { page in
                            page.text(Self.count(entry.count, "deep link"))
                            Self.bar([(entry.count, style == "error" ? "e" : "b")], of: count, to: &page)
                        }
                    }
                    page.element("div", [("class", "inside")]) { page in
                        page.element("ul", [("class", "plain")]) { page in
                            for example in entry.examples {
                                page.element("li") { page in
                                    page.element("code", text: example.link)
                                    page.element("div", [("class", "dim")]) { page in
                                        page.text("on ")
                                        Self.link(example.page, to: &page)
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    private static func word(for status: DeepLinkRecord.Verification.Status) -> String {
        switch status {
        case .verified: "Backed"
        case .blocked: "Blocked"
        case .notCovered: "Not covered"
        case .unverifiable: "Can't tell"
        case .unchecked: "Unchecked"
        }
    }

    private static func meaning(of status: DeepLinkRecord.Verification.Status) -> String {
        switch status {
        case .verified: "the association file covers the link"
        case .blocked: "the association file excludes the link"
        case .notCovered: "no pattern of the association file matches the link"
        case .unverifiable: "the link cannot be held against a file"
        case .unchecked: "association files were not looked at"
        }
    }

    func writeDeepLinkless(to page: inout HTMLBuilder) {
        guard withoutDeepLinks.count > 0 else { return }
        Self.heading("Pages without deep links", withoutDeepLinks.count, id: "without", to: &page)
        page.element(
            "p", [("class", "say")],
            text: "They can be found, but a result cannot open the app.")
        Self.write(withoutDeepLinks, to: &page)
    }

    // MARK: The way

    func writeWay(to page: inout HTMLBuilder) {
        page.element("h2", [("id", "way")], text: "The way to the pages")
        page.element("div", [("class", "columns")]) { page in
            page.element("section", [("class", "card chart")]) { page in
                page.element("h3", text: "Links from the start")
                let most = depths.map(\.pages).max() ?? 0
                for depth in depths {
                    page.element("div", [("class", "line")]) { page in
                        page.element(
                            "span", text: depth.links.map { $0 == 0 ? "start" : Self.count($0, "link") } ?? "not linked"
                        )
                        Self.bar(
                            [
                                (
                                    depth.pages,
                                    depth.links == nil ? "e" : (depth.links ?? 0) > AmongPages.maximumDepth ? "w" : "b"
                                )
                            ],
                            of: most, to: &page)
                        page.element("span", [("class", "num")], text: Self.number(depth.pages))
                    }
                }
                if depths.isEmpty { page.element("p", [("class", "dim small")], text: "No page was read.") }
            }
            page.element("section", [("class", "card chart")]) { page in
                page.element("h3", text: "Starting addresses")
                page.element("ul", [("class", "plain")]) { page in
                    let sorted = crawl.seeds.enumerated().sorted {
                        ($0.element.failure == nil ? 1 : 0, $0.offset) < ($1.element.failure == nil ? 1 : 0, $1.offset)
                    }
                    for (_, seed) in sorted.prefix(20) {
                        page.element("li") { page in
                            Self.link(seed.url.href, to: &page)
                            page.element("div") { page in
                                let style = seed.failure != nil ? "error" : seed.wasVisited ? "pass" : "unknown"
                                page.element(
                                    "span", [("class", style)],
                                    text: seed.failure.map { "does not work: \(seed.reason ?? $0)" }
                                        ?? (seed.wasVisited ? "works" : "not visited"))
                                if let kind = seed.kind {
                                    page.element("span", [("class", "dim")], text: ", \(kind) URL")
                                }
                            }
                        }
                    }
                }
                if crawl.seeds.count > 20 {
                    page.element(
                        "p", [("class", "dim small")], text: "And \(Self.number(crawl.seeds.count - 20)) more.")
                }
            }
        }
    }

    func writeBroken(to page: inout HTMLBuilder) {
        guard brokenCount > 0 else { return }
        Self.heading("Addresses that give no page", brokenCount, id: "broken", to: &page)
        page.element("section", [("class", "card listing")]) { page in
            page.element("ul", [("class", "plain")]) { page in
                for entry in broken.prefix(Self.maximumShown) {
                    page.element("li") { page in
                        Self.link(entry.url, to: &page)
                        page.element("div", [("class", "dim")]) { page in
                            page.element("span", [("class", "error")], text: entry.why)
                            if let first = entry.linkedFrom.first {
                                page.text(", linked from ")
                                Self.link(first, to: &page)
                                if entry.linkedFrom.count > 1 { page.text(" and others") }
                            }
                            if entry.isInSitemap { page.text(", listed in a sitemap") }
                            writeAge(of: entry.seenAt, "seen", to: &page)
                        }
                    }
                }
                Self.moreLine(brokenCount, shown: min(broken.count, Self.maximumShown), to: &page)
            }
        }
    }

    func writeOrphans(to page: inout HTMLBuilder) {
        guard orphans.count > 0 else { return }
        Self.heading("Orphans", orphans.count, id: "orphans", to: &page)
        page.element(
            "p", [("class", "say")],
            text: isComplete
                ? "A sitemap lists these pages, but no link leads there from the starting addresses."
                : "A sitemap lists these pages, and none of the pages that were read leads there.")
        Self.write(orphans, to: &page)
    }

    // MARK: Said twice

    func writeTwice(to page: inout HTMLBuilder) {
        guard !sameTitle.isEmpty || !sameDescription.isEmpty || !sameContent.isEmpty else { return }
        page.element("h2", [("id", "twice")], text: "Said twice")
        for (title, groups) in [
            ("Copies without a canonical link", sameContent), ("Same title", sameTitle),
            ("Same description", sameDescription),
        ] where !groups.isEmpty {
            page.element("details", [("class", "card")]) { page in
                page.element("summary") { page in
                    page.text(
                        "\(title): \(Self.count(groups.reduce(0) { $0 + $1.count }, "page")) in \(Self.count(groups.count, "group"))"
                    )
                }
                page.element("div", [("class", "listing")]) { page in
                    page.element("ul", [("class", "plain")]) { page in
                        for group in groups.prefix(Self.maximumShown) { Self.write(group, to: &page) }
                        Self.moreLine(groups.count, shown: Self.maximumShown, to: &page)
                    }
                }
            }
        }
    }

    private static func write(_ group: Alike, to page: inout HTMLBuilder) {
        page.element("li") { page in
            page.element("div") { page in
                if let value = group.value {
                    page.element("b", [("dir", "auto")], text: String(value.prefix(160)))
                    page.text(" ")
                }
                page.element("span", [("class", "dim")], text: Self.count(group.count, "page"))
            }
            for url in group.urls.prefix(5) { page.element("div") { Self.link(url, to: &$0) } }
            if group.count > 5 {
                page.element(
                    "div", [("class", "more")], text: "and \(Self.number(group.count - min(5, group.urls.count))) more")
            }
        }
    }

    // MARK: Coverage

    func writeCoverage(to page: inout HTMLBuilder) {
        Self.heading("What was not covered", nil, id: "coverage", to: &page)
        page.element("section", [("class", "card listing")]) { page in
            page.element("ul", [("class", "plain")]) { page in
                if notCovered.isEmpty {
                    page.element(
                        "li",
                        text: "Everything that the starting addresses lead to, within the crawl's scope, was read.")
                }
                for gap in notCovered {
                    page.element("li") { page in
                        page.text(gap.message.sentenceStart + " ")
                        page.element("span", [("class", "source")], text: gap.code)
                    }
                }
                if redirects > 0 {
                    page.element("li", text: "Redirects that were followed: \(Self.number(redirects)).")
                }
                if duplicates > 0 {
                    page.element(
                        "li",
                        text:
                            "Pages that name another address as their canonical one, where they are judged: \(Self.number(duplicates))."
                    )
                }
            }
        }
    }

    // MARK: Pieces

    private static func heading(_ text: String, _ count: Int?, id: String, to page: inout HTMLBuilder) {
        page.element("h2", [("id", id)]) { page in
            page.text(text)
            if let count { page.element("span", [("class", "count")], text: " \(number(count))") }
        }
    }

    private static func write(_ listing: Listing, to page: inout HTMLBuilder) {
        page.element("section", [("class", "card listing")]) { page in
            page.element("ul", [("class", "plain")]) { page in
                for url in listing.urls.prefix(maximumShown) { page.element("li") { link(url, to: &$0) } }
                moreLine(listing.count, shown: min(listing.urls.count, maximumShown), to: &page)
            }
        }
    }

    private static func moreLine(_ count: Int, shown: Int, to page: inout HTMLBuilder) {
        guard count > shown else { return }
        page.element("li", [("class", "more")], text: "and \(number(count - shown)) more")
    }
}
