// Checks of the picture of a result (S03, S04).

import PippinCrawl
import PippinPage

extension Presentation {
    /// In pixels: the smallest side of a thumbnail, and the smallest height of a portrait (ASPG).
    static let minimumImageSide = 180
    static let minimumPortraitHeight = 270
    /// In bytes. Heavier pictures make a list of results slow to fill.
    private static let heavyImageBytes = 1_500_000
    private static let heavyPhoneImageBytes = 600_000

    static let s03 = CheckJudge(
        .s03, .structuredData, .warning, "The page has a picture of its own",
        problem: "The picture is missing, poor or shared",
        why: "Apple strongly advises a picture of the content, at least 180×180 pixels.",
        page: imageIsGood, crawl: AmongPages.imageIsItsOwn)

    private static func imageIsGood(_ page: PageExamination) -> [Verdict] {
        guard page.refusal == nil else { return [] }
        guard let image = page.record?.images.first, let url = WebURL(image.url) else {
            let written = page.place(ofMeta: "og:image") ?? page.place(ofMeta: "twitter:image")
            return [
                .warning(
                    written == nil ? "The page names no picture." : "The page names no picture that can be fetched.",
                    at: written,
                    Finding.Remedy(
                        "Name one of this content, not the logo.",
                        code: Markup.meta(
                            property: "og:image",
                            content: "\(page.url.origin ?? "https://example.org")/PATH/TO/PICTURE.jpg")))
            ]
        }
        let place = page.place(ofMeta: "og:image") ?? page.place(ofMeta: "twitter:image")
        var verdicts: [Verdict] = []
        if url.scheme == "http", page.url.scheme == "https" {
            verdicts.append(
                .warning(
                    "The picture \(Wording.quoted(image.url)) is http on a secure page.", at: place,
                    Finding.Remedy(
                        "Name its https address.",
                        code: Markup.meta(property: "og:image", content: "https" + image.url.dropFirst(4)))))
        }
        let seen = page.evidence.images.value?.first { $0.url == url }
        if seen?.format == nil, url.path.asciiLowercased.hasSuffix(".svg") { verdicts.append(vector(image.url, place)) }
        if let seen { verdicts += answer(seen, place, page) }
        let isSized = (seen?.width ?? image.width).flatMap { width in
            (seen?.height ?? image.height).map { (width: width, height: $0) }
        }
        if let size = isSized, size.width > 0, size.height > 0 {
            let source = seen?.width == nil ? "The markup says the picture is" : "The picture is"
            if min(size.width, size.height) < minimumImageSide {
                verdicts.append(
                    .warning(
                        "\(source) \(size.width)×\(size.height) pixels; results want \(minimumImageSide) on the shorter side.",
                        at: place,
                        Finding.Remedy("Name a larger one: 1200×630 serves everyone.")))
            } else if size.height > size.width, size.height < minimumPortraitHeight {
                verdicts.append(
                    .info(
                        "\(source) \(size.width)×\(size.height) pixels; a portrait is wanted with \(minimumImageSide)×\(minimumPortraitHeight) at least.",
                        at: place,
                        Finding.Remedy("Name a larger one, or a square.")))
            }
        }
        if let others = lostPictures(page, but: url) { verdicts.append(others) }
        if verdicts.contains(where: { $0.outcome >= .info }) { return verdicts }
        if let seen, seen.status == 200, let format = seen.format {
            let size = seen.width.flatMap { width in seen.height.map { ", \(width)×\($0) pixels" } } ?? ""
            return [
                .pass(
                    "The picture is \(Wording.quoted(image.url)): \(format.name)\(size), \(Wording.bytes(seen.byteCount ?? 0)).",
                    at: place)
            ]
        }
        if !verdicts.isEmpty { return verdicts }
        let reason = page.evidence.images.reason ?? "this picture was not fetched"
        return [
            .pass("The picture is \(Wording.quoted(image.url)).", at: place),
            .unknown("Not seen whether the picture is there: \(reason)."),
        ]
    }

    private static func vector(_ address: String, _ place: Finding.Place?) -> Verdict {
        .warning(
            "The picture \(Wording.quoted(address)) is an SVG, which results do not show.", at: place,
            Finding.Remedy("Name a JPEG, PNG or WebP."))
    }

    /// What is wrong with a picture that was fetched, or why it could not be.
    private static func answer(_ seen: ImageEvidence, _ place: Finding.Place?, _ page: PageExamination) -> [Verdict] {
        let address = Wording.quoted(seen.url.href)
        guard let status = seen.status else {
            let reason = seen.failure?.reason ?? "there was no answer"
            // Whether Applebot may fetch it is a matter for D06. Here only Pippin may not.
            if seen.failure?.refusalCode != nil {
                return [.unknown("The picture \(address) was not fetched: \(reason).")]
            }
            let sentence = "The picture \(address) cannot be fetched: \(reason)."
            let remedy = Finding.Remedy("Name a picture that can be fetched.")
            // A redirect to no page is an answer without a picture, as any other status but 200.
            if case .badRedirect = seen.failure?.cause { return [.error(sentence, at: place, remedy)] }
            return [.warning(sentence, at: place, remedy)]
        }
        guard status == 200 else {
            return [
                .error(
                    "The picture \(address) answers with status \(status).", at: place,
                    Finding.Remedy("Name a picture that is there."))
            ]
        }
        let type = seen.mediaType ?? ""
        guard let format = seen.format else {
            return [
                .warning(
                    "What \(address) answers is no picture"
                        + (type.isEmpty ? "." : ", it is served as \(Wording.quoted(type))."),
                    at: place,
                    Finding.Remedy("Name a JPEG, PNG or WebP."))
            ]
        }
        var verdicts: [Verdict] = []
        if format == .svg { verdicts.append(vector(seen.url.href, place)) }
        if format == .heic {
            verdicts.append(
                .warning(
                    "The picture \(address) is HEIC, which few readers show.", at: place,
                    Finding.Remedy("Name a JPEG, PNG or WebP.")))
        }
        let accepted = format == .jpeg ? ["image/jpeg", "image/jpg", "image/pjpeg"] : [format.mediaType]
        if !accepted.contains(type) {
            let served = type.isEmpty ? "without a type" : "as \(Wording.quoted(type))"
            let sentence = "The picture \(address) is \(format.name), but is served \(served)."
            let remedy = Finding.Remedy("Serve it as what it is.", code: "Content-Type: \(format.mediaType)")
            verdicts.append(
                type.hasPrefix("image/") ? .info(sentence, at: place, remedy) : .warning(sentence, at: place, remedy))
        }
        let heavy = page.options.isMobile ? heavyPhoneImageBytes : heavyImageBytes
        if let count = seen.byteCount, count > heavy {
            verdicts.append(
                .info(
                    "The picture \(address) has \(Wording.bytes(count)).", at: place,
                    Finding.Remedy("Name a smaller file: 1200×630 as JPEG takes some 100 KB.")))
        }
        if let last = seen.redirects.last {
            verdicts.append(
                .info(
                    "The picture \(address) is reached over \(Wording.count(seen.redirects.count, "redirect")), at \(last.href).",
                    at: place,
                    Finding.Remedy(
                        "Name its last address.", code: Markup.meta(property: "og:image", content: last.href))))
        }
        return verdicts
    }

    /// A finding about further pictures of the page that do not exist.
    private static func lostPictures(_ page: PageExamination, but first: WebURL) -> Verdict? {
        let lost = (page.evidence.images.value ?? []).filter { $0.url != first && $0.status.map { $0 != 200 } ?? false }
        guard !lost.isEmpty else { return nil }
        let list = lost.map { "\(Wording.quoted($0.url.href)) (status \($0.status ?? 0))" }
        return .info(
            "Other pictures of the page are not there: \(Wording.list(list)).", at: nil,
            Finding.Remedy("Take them out of the markup."))
    }

    static let s04 = CheckJudge(
        .s04, .structuredData, .info, "The picture says its size and what it shows",
        problem: "The picture lacks its size or description",
        why: "With a size a result is laid out before the picture is there; alt speaks to those who cannot see it.",
        page: imageIsDescribed)

    private static func imageIsDescribed(_ page: PageExamination) -> [Verdict] {
        guard page.refusal == nil, let image = page.facts.openGraph?.images.first, let url = image.bestURL else {
            return []
        }
        let place = Finding.Place.markup("meta og:image", line: image.line, column: image.column)
        let seen = page.evidence.images.value?.first { $0.url == url }
        var missing: [String] = []
        var lines: [String] = []
        func need(_ name: String, _ isMissing: Bool, _ content: String) {
            guard isMissing else { return }
            missing.append(name)
            lines.append(Markup.meta(property: name, content: content))
        }
        need("og:image:width", image.width == nil, "\(seen?.width ?? 1_200)")
        need("og:image:height", image.height == nil, "\(seen?.height ?? 630)")
        need("og:image:alt", image.alt == nil, "What the picture shows")
        var verdicts: [Verdict] = []
        if !missing.isEmpty {
            verdicts.append(
                .info(
                    "\(Wording.list(missing)) \(missing.count == 1 ? "is" : "are") not given.", at: place,
                    Finding.Remedy("Add what is missing behind og:image.", code: lines.joined(separator: "\n"))))
        }
        guard let seen, let width = seen.width, let height = seen.height else {
            if verdicts.isEmpty { verdicts.append(.pass("The picture says its size and what it shows.", at: place)) }
            let reason = page.evidence.images.reason ?? seen?.failure?.reason ?? "its size was not read"
            return image.width == nil && image.height == nil
                ? verdicts : verdicts + [.unknown("Not seen whether the size is true: \(reason).")]
        }
        // A camera may store its picture turned by 90 degrees, so width and height may be swapped.
        if let said = image.width, let saidHeight = image.height,
            Set([said, saidHeight]) != Set([width, height])
        {
            verdicts.append(
                .info(
                    "The markup says \(said)×\(saidHeight), the picture has \(width)×\(height) pixels.", at: place,
                    Finding.Remedy(
                        "Say its size.",
                        code: Markup.meta(property: "og:image:width", content: "\(width)") + "\n"
                            + Markup.meta(property: "og:image:height", content: "\(height)"))))
        }
        return verdicts.isEmpty
            ? [.pass("The picture says its size, \(width)×\(height), and what it shows.", at: place)] : verdicts
    }
}
