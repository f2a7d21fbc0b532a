// Checks of how the markup begins, of small screens, and of conditional requests (T09, T10, T11).

import PippinPage

extension Technical {
    // MARK: Head

    static let t09 = CheckJudge(
        .t09, .technical, .warning, "The head holds what belongs there",
        problem: "The markup is broken or beyond limits",
        why: "A stray element ends the head early, and tags behind it are not looked at.",
        page: headIsWhole)

    private static func headIsWhole(_ page: PageExamination) -> [Verdict] {
        var verdicts: [Verdict] = []
        if let verdict = displacedTags(page) ?? tagsBehindNoscript(page) { verdicts.append(verdict) }
        if let verdict = swallowedTags(page) { verdicts.append(verdict) }
        if let verdict = repeatedHead(page) { verdicts.append(verdict) }
        return verdicts.isEmpty
            ? [.pass("\(Wording.count(page.meta.tags.count, "meta tag")) in the head.")] : verdicts
    }

    private static func displacedTags(_ page: PageExamination) -> Verdict? {
        let names: Set<String> = ["description", "viewport", "robots", "applebot", "keywords", "theme-color"]
        let displaced = page.meta.tags.filter { tag in
            tag.isInBody && (names.contains(tag.name) || tag.name.hasPrefix("twitter:") || tag.name.hasPrefix("al:"))
        }
        guard let first = displaced.first else { return nil }
        let document = page.facts.document
        // The first element in the body that precedes the displaced tag has ended the head.
        let culprit = document.elements(named: .body).first.flatMap { body in
            document.children(of: body).first { $0 < first.element }
        }
        let cause =
            culprit.map { index in
                let name = document.spelling(ofName: document.elements[index].nameNumber)
                return "the <\(name)> on line \(document.line(of: index)), or text before it, ended the head."
            } ?? "text, or an element that a head may not hold, ended the head before."
        return .warning(
            "\(Wording.count(displaced.count, "meta tag")) stand\(displaced.count == 1 ? "s" : "") in the body, from \(Wording.quoted(first.written)) on: \(cause)",
            at: .markup("meta \(first.name)", line: first.line, column: first.column),
            Finding.Remedy("Move the stray element behind </head>, or the meta tags before it."))
    }

    /// Advice about a `noscript` in the head with what a head may not hold. Browsers that run scripts take it for text; readers
    /// that run none end the head there (WHATWG HTML §13.2.6.4.5), and Google's documentation of metadata warns of it.
    private static func tagsBehindNoscript(_ page: PageExamination) -> Verdict? {
        let document = page.facts.document
        guard let noscript = document.noscriptThatEndsHead,
            page.meta.tags.contains(where: { !$0.isInBody && $0.element > noscript })
        else { return nil }
        let what =
            document.elementThatEndsHead.map { "<\(document.spelling(ofName: document.elements[$0].nameNumber))>" }
            ?? "text"
        return .info(
            "The <noscript> in the head contains \(what), which is not allowed in a head: readers without scripts end the head there.",
            at: .markup("noscript", document.place(of: noscript)),
            Finding.Remedy("Move the <noscript> into the body, behind <body>."))
    }

    /// An error if an element that is not closed has taken the tags after it as its text. A `<style>` does so for every
    /// reader. A `<title>` does so in browsers, which read on to the next `</title>`.
    private static func swallowedTags(_ page: PageExamination) -> Verdict? {
        let document = page.facts.document
        if let title = document.elements(named: .title).first, !hasTitleEnd(page.facts.source.bytes) {
            return .error(
                "The <title> is not closed: browsers take the rest of the page for its text.",
                at: .markup("title", document.place(of: title)),
                Finding.Remedy("Close it.", code: "</title>"))
        }
        for index in document.elements(named: .style).prefix(20) {
            let text = String(decoding: document.textBytes(of: index).prefix(50_000), as: UTF8.self)
            guard let tag = ["<meta ", "<link ", "<script", "</head>"].first(where: text.contains) else { continue }
            return .error(
                "The <style> is not closed: it holds \(Wording.quoted(tag)) and what follows as its text.",
                at: .markup("style", document.place(of: index)),
                Finding.Remedy("Close it.", code: "</style>"))
        }
        return nil
    }

    private static func hasTitleEnd(_ bytes: [UInt8]) -> Bool {
        // UTF-16 has zero bytes between letters, so the search would find nothing. It then counts as closed.
        guard !bytes.prefix(2_000).contains(0) else { return true }
        return bytes.indices.contains { bytes[$0] == 0x3C && matches(bytes, $0, "</title") }
    }

    /// A warning about a second `<head>`. The parser joins heads, so it only shows in the bytes.
    private static func repeatedHead(_ page: PageExamination) -> Verdict? {
        let bytes = page.facts.source.bytes
        let end = min(bytes.count, 2_000_000)
        var line = 1
        var count = 0
        var position = 0
        while position < end {
            if bytes[position] == 0x0A { line += 1 }
            guard bytes[position] == 0x3C else {
                position += 1
                continue
            }
            // Scripts, templates and comments may contain the heads of other documents.
            if matches(bytes, position, "<!--") {
                let after = bytes.withUnsafeBufferPointer { HTMLComment.end(ofCommentAt: position, in: $0) }
                line += bytes[position..<min(after, end)].count { $0 == 0x0A }
                position = after
                continue
            }
            if let (_, closing) = enclosures.first(where: { matches(bytes, position, $0.opening) }) {
                while position < end, !matches(bytes, position, closing) {
                    if bytes[position] == 0x0A { line += 1 }
                    position += 1
                }
            }
            if matches(bytes, position, "<head"), position + 5 < end,
                bytes[position + 5] == 0x3E || bytes[position + 5].isHTMLSpace
            {
                count += 1
                if count == 2 {
                    return .warning(
                        "The page has a second <head>: some readers leave out what stands in it.",
                        at: .markup("head", line: line, column: nil), Finding.Remedy("Join the two."))
                }
            }
            position += 1
        }
        return nil
    }

    private static let enclosures: [(opening: StaticString, closing: StaticString)] = [
        ("<script", "</script"), ("<template", "</template"), ("<textarea", "</textarea"),
        ("<iframe", "</iframe"), ("<svg", "</svg"),
    ]

    private static func matches(_ bytes: [UInt8], _ position: Int, _ word: StaticString) -> Bool {
        guard position + word.utf8CodeUnitCount <= bytes.count else { return false }
        for offset in 0..<word.utf8CodeUnitCount
        where bytes[position + offset].asciiLowercased != word.utf8Start[offset] { return false }
        return true
    }

    // MARK: Phone

    static let t10 = CheckJudge(
        .t10, .technical, .info, "The page fits a phone",
        problem: "The page does not fit a phone",
        why: "Apple counts a page's design among what ranks it.",
        page: fitsPhone)

    private static func fitsPhone(_ page: PageExamination) -> [Verdict] {
        var verdicts = [viewport(page)]
        if page.options.isMobile { verdicts += phoneSigns(page) }
        if verdicts.contains(where: { $0.outcome >= .info }) { verdicts.removeAll { $0.outcome == .pass } }
        return verdicts
    }

    private static func viewport(_ page: PageExamination) -> Verdict {
        let place = page.place(ofMeta: "viewport")
        let remedy = Finding.Remedy(
            "Let the page take the phone's width.",
            code: Markup.meta(name: "viewport", content: "width=device-width, initial-scale=1"))
        func verdict(_ sentence: String, isGrave: Bool) -> Verdict {
            page.options.isMobile && isGrave
                ? .warning(sentence, at: place, remedy) : .info(sentence, at: place, remedy)
        }
        guard let viewport = page.facts.metadata.viewport else {
            if let other = phoneAlternate(page) {
                return verdict(
                    "The page has no viewport; a phone is to take \(Wording.quoted(other)) instead.", isGrave: false)
            }
            return verdict(
                "The page has no viewport: a phone shows it as on a desk, in small print.", isGrave: true)
        }
        let plain = viewport.lowercased().filter { !$0.isWhitespace }
        if !plain.contains("width=device-width"), !plain.contains("initial-scale=1") {
            let isFixed = plain.contains("width=")
            return verdict(
                "The viewport is \(Wording.quoted(viewport))"
                    + (isFixed ? ": of one width on all phones." : ", which does not name the phone's width."),
                isGrave: true)
        }
        if plain.contains("user-scalable=no") || plain.contains("user-scalable=0") || plain.contains("maximum-scale=1,")
            || plain.hasSuffix("maximum-scale=1") || plain.contains("maximum-scale=1.0")
        {
            return verdict("The viewport keeps people from zooming: \(Wording.quoted(viewport)).", isGrave: true)
        }
        return .pass("The viewport is \(Wording.quoted(viewport)).", at: place)
    }

    /// The address of a separate page for phones: `<link rel=alternate media="only screen and (max-width: 640px)">`.
    private static func phoneAlternate(_ page: PageExamination) -> String? {
        let document = page.facts.document
        for index in document.elements(named: .link).prefix(500) {
            guard document.value(of: .rel, on: index)?.asciiLowercased == "alternate",
                let media = document.attributes(of: index).first(where: { $0.name == "media" })?.value.lowercased(),
                media.contains("max-width") || media.contains("handheld"),
                let href = document.value(of: .href, on: index),
                let url = WebURL(written: href, base: page.facts.baseURL)
            else { continue }
            return url.href
        }
        return nil
    }

    /// The width in pixels of the narrowest phones in use.
    private static let phoneWidth = 320
    /// The size in pixels below which text is hard to read on a phone.
    private static let smallestFont = 12.0

    /// Signs in the markup that the page does not fit a small screen. Style sheets and scripts are not examined.
    private static func phoneSigns(_ page: PageExamination) -> [Verdict] {
        var wide: [(String, SourcePlace)] = []
        var small = 0
        var firstSmall: SourcePlace?
        var dead: (String, SourcePlace)?
        let document = page.facts.document
        for index in document.elements.indices.prefix(50_000) {
            let element = document.elements[index]
            let name = document.spelling(ofName: element.nameNumber)
            switch name {
            case "applet", "frameset", "marquee": if dead == nil { dead = (name, document.place(of: index)) }
            case "embed", "object":
                let type = document.value(of: .type, on: index)?.asciiLowercased ?? ""
                if dead == nil, type.contains("flash") { dead = (name, document.place(of: index)) }
            case "table", "td", "div", "iframe":
                if let width = document.attributes(of: index).first(where: { $0.name == "width" })?.value,
                    let pixels = Int(width.trimmingHTMLSpace()), pixels > phoneWidth, name != "iframe" || pixels > 600
                {
                    wide.append(("<\(name)> of \(pixels) pixels", document.place(of: index)))
                }
            default: break
            }
            guard let style = document.bytes(of: .style, on: index) else { continue }
            for declaration in InlineStyle(style) {
                guard let pixels = declaration.pixels else { continue }
                if declaration.declares("min-width") || declaration.declares("width"), pixels > Double(phoneWidth),
                    name != "img"
                {
                    wide.append(("<\(name)> of \(Int(min(pixels, 100_000))) pixels", document.place(of: index)))
                } else if declaration.declares("font-size"), pixels > 0, pixels < smallestFont {
                    small += 1
                    if firstSmall == nil { firstSmall = document.place(of: index) }
                }
            }
        }
        var verdicts: [Verdict] = []
        if let first = wide.first {
            verdicts.append(
                .warning(
                    "\(Wording.count(wide.count, "element")) \(wide.count == 1 ? "is" : "are") wider than a phone's \(phoneWidth) pixels: \(Wording.list(wide.map(\.0))).",
                    at: .markup("page", first.1),
                    Finding.Remedy("Let the width follow the screen.", code: "max-width: 100%")))
        }
        if small > 0 {
            verdicts.append(
                .info(
                    "\(Wording.count(small, "element")) \(small == 1 ? "has" : "have") letters of less than 12 pixels.",
                    at: .markup("page", firstSmall),
                    Finding.Remedy("Write text in 16 pixels, small print in 12.", code: "font-size: 1rem")))
        }
        if let dead {
            verdicts.append(
                .warning(
                    "<\(dead.0)> is nothing that a phone shows.", at: .markup(dead.0, dead.1),
                    Finding.Remedy("Say it with HTML, or with a video.")))
        }
        return verdicts
    }

    // MARK: Repeated requests

    static let t11 = CheckJudge(
        .t11, .technical, .info, "The server says when the page changed",
        problem: "The server does not say when the page changed",
        why: "With ETag or Last-Modified a crawler need not fetch again what it has.",
        site: hasValidators)

    private static func hasValidators(_ site: SiteExamination) -> [Verdict] {
        guard site.evidence.fetch.value != nil else {
            return [.unknown("Not seen: \(site.evidence.fetch.reason ?? "the page was not fetched").")]
        }
        if let answer = site.answer, StatusMeaning(answer.status) == .throttled { return retryAdvice(answer) }
        guard let page = site.page else { return [.unknown(site.unreadReason)] }
        let headers = page.facts.source.headers
        var verdicts: [Verdict] = []
        guard let name = ["ETag", "Last-Modified"].first(where: { headers[$0] != nil }) else {
            verdicts.append(
                .info(
                    "The answer has neither ETag nor Last-Modified.", at: nil,
                    Finding.Remedy(
                        "Send one of them, and 304 to who has the page already.",
                        code: "Last-Modified: Fri, 20 Nov 2026 20:00:00 GMT")))
            return verdicts
        }
        let place = Finding.Place(.header, name)
        let seen = "\(name) is \(Wording.quoted(headers[name] ?? "", to: 60))"
        if name == "Last-Modified", let text = headers[name], HTTPDate.date(from: text) == nil {
            verdicts.append(
                .info(
                    "\(seen), which is no date of HTTP.", at: place,
                    Finding.Remedy("Write it so.", code: "Last-Modified: Fri, 20 Nov 2026 20:00:00 GMT")))
        }
        guard let again = page.evidence.revalidation.value else {
            let reason = page.evidence.revalidation.reason.map { " Whether it answers 304 was not seen: \($0)." } ?? ""
            return verdicts.isEmpty ? [.pass("\(seen).\(reason)", at: place)] : verdicts
        }
        if again.status == 304 {
            return verdicts.isEmpty
                ? [.pass("\(seen), and who has the page already gets 304.", at: place)] : verdicts
        }
        if again.status != 200 {
            verdicts.append(
                .warning(
                    "\(seen); asked with it, the server answers with status \(again.status).", at: place,
                    Finding.Remedy("Answer 304 to who has the page already.")))
        } else if again.entityTag != again.newEntityTag || again.lastModified != again.newLastModified {
            let isSame = again.isSameBody ? " though the page is the same" : ""
            verdicts.append(
                .info(
                    "\(seen), and is another one at the next request\(isSame): crawlers fetch the page whole each time.",
                    at: place,
                    Finding.Remedy("Let it change when the content does, not with each answer.")))
        } else {
            verdicts.append(
                .info(
                    "\(seen), but who asks with it gets the page whole again (200 instead of 304).", at: place,
                    Finding.Remedy("Compare If-None-Match and If-Modified-Since, and answer 304 without a body.")))
        }
        return verdicts
    }

    /// Judges `Retry-After`, in which a server that wants to be left alone says for how long.
    private static func retryAdvice(_ answer: PageSource) -> [Verdict] {
        let status = answer.status
        let place = Finding.Place(.header, "Retry-After")
        guard let text = answer.headers["Retry-After"]?.trimmingHTMLSpace(), !text.isEmpty else {
            return [
                .info(
                    "The answer with status \(status) does not say when to come again.", at: place,
                    Finding.Remedy("Say it in seconds.", code: "Retry-After: 120"))
            ]
        }
        let wait = Double(text) ?? HTTPDate.date(from: text)?.timeIntervalSince(answer.fetchedAt)
        guard let wait, wait.isFinite, wait > -86_400 else {
            return [
                .info(
                    "Retry-After \(Wording.quoted(text, to: 60)) is neither seconds nor a date to come.", at: place,
                    Finding.Remedy("Say it in seconds.", code: "Retry-After: 120"))
            ]
        }
        guard wait > 86_400 else { return [.pass("Retry-After says when to come again.", at: place)] }
        return [
            .info(
                "Retry-After \(Wording.quoted(text, to: 60)) keeps crawlers away for more than a day.", at: place,
                Finding.Remedy("Name the time it really takes.", code: "Retry-After: 120"))
        ]
    }
}
