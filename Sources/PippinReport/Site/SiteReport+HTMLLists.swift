// The lists of a site's HTML report: deep links, the links to the pages, repetitions, and what was not covered.

import PippinPage

extension SiteReport {
    // MARK: Deep links

    var unverifiedList: HTML? {
        guard !unverified.isEmpty else { return nil }
        let all = unverified.reduce(0) { $0 + $1.count }
        let isUnchecked = unverified.allSatisfy { $0.status == .unchecked }
        let heading = Self.heading(
            isUnchecked ? "Deep links that were not checked" : "Deep links that nothing verifies", all, id: "unverified"
        )
        return """
            \(heading)\
            <p class="say">iOS and Android open an https link in an app only where the site's association file says so.</p>\
            <section class="card">\(unverified.prefix(Self.maximumShown).map { Self.row($0, of: all) })</section>
            """
    }

    private static func row(_ entry: Unverified, of all: Int) -> HTML {
        let style = entry.status == .blocked || entry.status == .notCovered ? "error" : "unknown"
        let examples: [HTML] = entry.examples.map { example in
            #"<li><code>\#(example.link)</code><div class="dim">on \#(HTML.link(example.page))</div></li>"#
        }
        return """
            <details class="row"><summary><span class="badge \(style)">\(word(for: entry.status))</span>\
            <span class="name" dir="auto">\((entry.reason ?? meaning(of: entry.status)).sentenceStart)</span>\
            <span class="share">\(count(entry.count, "deep link"))\
            \(HTML.bar([(entry.count, style == "error" ? "e" : "b")], of: all))</span></summary>\
            <div class="inside"><ul class="plain">\(examples)</ul></div></details>
            """
    }

    private static func word(for status: DeepLinkRecord.Verification.Status) -> String {
        switch status {
        case .verified: "Verified"
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

    var deepLinklessList: HTML? {
        guard withoutDeepLinks.count > 0 else { return nil }
        return """
            \(Self.heading("Pages without deep links", withoutDeepLinks.count, id: "without"))\
            <p class="say">They can be found, but a result cannot open the app.</p>\(Self.list(withoutDeepLinks))
            """
    }

    // MARK: The way

    var way: HTML {
        let most = depths.map(\.pages).max() ?? 0
        let lines: [HTML] = depths.map { depth in
            let style = depth.links.map { $0 > AmongPages.maximumDepth ? "w" : "b" } ?? "e"
            return """
                <div class="line"><span>\(
                    depth.links.map { $0 == 0 ? "start" : Self.count($0, "link") } ?? "not linked")</span>\
                \(HTML.bar([(depth.pages, style)], of: most))<span class="num">\(Wording.number(depth.pages))</span></div>
                """
        }
        let sorted = crawl.seeds.enumerated().sorted {
            ($0.element.failure == nil ? 1 : 0, $0.offset) < ($1.element.failure == nil ? 1 : 0, $1.offset)
        }
        let more = crawl.seeds.count - 20
        return """
            <h2 id="way">The way to the pages</h2><div class="columns">\
            <section class="card chart"><h3>Links from the start</h3>\(lines)\
            \(#"<p class="dim small">No page was read.</p>"#, if: depths.isEmpty)</section>\
            <section class="card chart"><h3>Starting addresses</h3>\
            <ul class="plain">\(sorted.prefix(20).map { Self.line($0.element) })</ul>\
            \(#"<p class="dim small">And \#(Wording.number(more)) more.</p>"#, if: more > 0)</section></div>
            """
    }

    private static func line(_ seed: Seed) -> HTML {
        let style = seed.failure != nil ? "error" : seed.wasVisited ? "pass" : "unknown"
        let words =
            seed.failure.map { "does not work: \(seed.reason ?? $0)" } ?? (seed.wasVisited ? "works" : "not visited")
        return """
            <li>\(HTML.link(seed.url.href))<div><span class="\(style)">\(words)</span>\
            \(seed.kind.map { #"<span class="dim">, \#($0) URL</span>"# })</div></li>
            """
    }

    var brokenList: HTML? {
        guard brokenCount > 0 else { return nil }
        let lines: [HTML] = broken.prefix(Self.maximumShown).map { entry in
            """
            <li>\(HTML.link(entry.url))<div class="dim"><span class="error">\(entry.why)</span>\
            \(entry.linkedFrom.first.map { ", linked from \(HTML.link($0))" })\
            \(" and others", if: entry.linkedFrom.count > 1)\(", listed in a sitemap", if: entry.isInSitemap)\
            \(age(of: entry.seenAt, "seen"))</div></li>
            """
        }
        let heading = Self.heading("Addresses that give no page", brokenCount, id: "broken")
        return "\(heading)\(Self.listing(lines, of: brokenCount))"
    }

    var orphanList: HTML? {
        guard orphans.count > 0 else { return nil }
        return """
            \(Self.heading("Orphans", orphans.count, id: "orphans"))<p class="say">\(
                isComplete
                    ? "A sitemap lists these pages, but no link leads there from the starting addresses."
                    : "A sitemap lists these pages, and none of the pages that were read leads there.")</p>\
            \(Self.list(orphans))
            """
    }

    // MARK: Said twice

    var twiceList: HTML? {
        let all = [
            ("Copies without a canonical link", sameContent), ("Same title", sameTitle),
            ("Same description", sameDescription),
        ].filter { !$0.1.isEmpty }
        guard !all.isEmpty else { return nil }
        let lists: [HTML] = all.map { title, groups in
            let pages = Self.count(groups.reduce(0) { $0 + $1.count }, "page")
            let lines = groups.prefix(Self.maximumShown).map(Self.line)
            return """
                <details class="card"><summary>\(title): \(pages) in \(Self.count(groups.count, "group"))</summary>\
                <div class="listing">\(Self.plainList(lines, of: groups.count))</div></details>
                """
        }
        return #"<h2 id="twice">Said twice</h2>\#(lists)"#
    }

    private static func line(_ group: Alike) -> HTML {
        let more = group.count - min(5, group.urls.count)
        return """
            <li><div>\(group.value.map { #"<b dir="auto">\#(String($0.prefix(160)))</b> "# })\
            <span class="dim">\(count(group.count, "page"))</span></div>\
            \(group.urls.prefix(5).map { "<div>\(HTML.link($0))</div>" })\
            \(#"<div class="more">and \#(Wording.number(more)) more</div>"#, if: group.count > 5)</li>
            """
    }

    // MARK: Coverage

    var coverage: HTML {
        let gaps: [HTML] = notCovered.map { gap in
            #"<li>\#(gap.message.sentenceStart) <span class="source">\#(gap.code)</span></li>"#
        }
        return """
            \(Self.heading("What was not covered", nil, id: "coverage"))<section class="card listing"><ul class="plain">\
            \("<li>Everything that the starting addresses lead to, within the crawl's scope, was read.</li>", if: gaps.isEmpty)\
            \(gaps)\("<li>Redirects that were followed: \(Wording.number(redirects)).</li>", if: redirects > 0)\
            \("""
                <li>Pages that name another address as their canonical one, where they are judged: \
                \(Wording.number(duplicates)).</li>
                """, if: duplicates > 0)</ul></section>
            """
    }

    // MARK: Pieces

    private static func heading(_ text: String, _ count: Int?, id: String) -> HTML {
        #"<h2 id="\#(id)">\#(text)\#(count.map { #"<span class="count"> \#(Wording.number($0))</span>"# })</h2>"#
    }

    private static func list(_ all: Listing) -> HTML {
        listing(all.urls.prefix(maximumShown).map { "<li>\(HTML.link($0))</li>" }, of: all.count)
    }

    private static func listing(_ lines: [HTML], of all: Int) -> HTML {
        #"<section class="card listing">\#(plainList(lines, of: all))</section>"#
    }

    private static func plainList(_ lines: [HTML], of all: Int) -> HTML {
        let more = all - lines.count
        return """
            <ul class="plain">\(lines)\(#"<li class="more">and \#(Wording.number(more)) more</li>"#, if: more > 0)</ul>
            """
    }
}
