// Checks of whether all deep-link markup agrees (L16, L17).

import PippinPage

extension DeepLinks {
    /// A value of an app claim, and the name of its place in the page.
    private struct Named {
        var source: String
        var value: String
        var line: Int?
        var column: Int?
    }

    /// The values that claims of some sources have, in the order of the claims.
    ///
    /// - Parameter name: returns the name of the value's place in the page, such as `al:ios:app_store_id`.
    private static func values(
        _ page: PageExamination, on platform: Platform, from sources: Set<AppClaim.Source>,
        _ value: (AppClaim) -> String?, name: (AppClaim) -> String
    ) -> [Named] {
        page.facts.appClaims.compactMap { claim in
            guard claim.platform == platform, sources.contains(claim.source), let value = value(claim) else {
                return nil
            }
            return Named(source: name(claim), value: value, line: claim.line, column: claim.column)
        }
    }

    private static func storeIdentifiers(_ page: PageExamination) -> [Named] {
        let asked = page.options.appStoreIdentifier.flatMap { AppStoreID.reading($0)?.id }
        // An application that the page describes may be anybody's.
        let named = values(
            page, on: .iOS, from: [.smartAppBanner, .twitterCard, .appLinks, .alternate]
        ) { claim in
            claim.storeIdentifier.flatMap { AppStoreID.reading($0)?.id }
        } name: { claim in
            switch claim.source {
            case .smartAppBanner: "the banner"
            case .twitterCard: "twitter:app:id:\(claim.key)"
            case .appLinks: "al:\(claim.key):app_store_id"
            default: "the \(claim.key): alternate"
            }
        }
        return (asked.map { [Named(source: "--app-store-id", value: $0)] } ?? []) + named
            + ofManifest(page, on: .iOS)
    }

    private static func packages(_ page: PageExamination) -> [Named] {
        values(page, on: .android, from: [.twitterCard, .appLinks, .alternate, .appMeta], \.packageName) { claim in
            switch claim.source {
            case .twitterCard: "twitter:app:id:\(claim.key)"
            case .appLinks: "al:\(claim.key):package"
            case .alternate: "the \(claim.key): alternate"
            default: claim.key
            }
        } + ofManifest(page, on: .android)
    }

    /// Values that only the web app manifest names.
    private static func ofManifest(_ page: PageExamination, on platform: Platform) -> [Named] {
        page.deepLinks.filter { $0.platform == platform && $0.sources == [.webManifest] }.compactMap { link in
            (platform == .android ? link.packageName : link.storeIdentifier).map {
                Named(source: "the web app manifest", value: $0)
            }
        }
    }

    private static func appNames(_ page: PageExamination) -> [Named] {
        values(page, on: .iOS, from: [.twitterCard, .appLinks], \.appName) { claim in
            claim.source == .twitterCard ? "twitter:app:name:\(claim.key)" : "al:\(claim.key):app_name"
        }
    }

    private static func destinations(_ page: PageExamination) -> [Named] {
        values(page, on: .iOS, from: [.smartAppBanner, .twitterCard, .appLinks, .alternate]) { claim in
            claim.source == .alternate
                ? claim.address.flatMap { AppAlternate($0)?.launchURL } : claim.address
        } name: { claim in
            switch claim.source {
            case .smartAppBanner: "app-argument"
            case .twitterCard: "twitter:app:url:\(claim.key)"
            case .appLinks: "al:\(claim.key):url"
            default: "the \(claim.key): alternate"
            }
        }
    }

    static let l16 = CheckJudge(
        .l16, .deepLinks, .warning, "All markup names the same app",
        problem: "Markup names different apps",
        why: "Each reader takes another tag: people should get the same app from all.",
        page: appsAgree)

    private static func appsAgree(_ page: PageExamination) -> [Verdict] {
        var verdicts: [Verdict] = []
        // An App Links list may have a second app on purpose (a free one after the paid one). Only the first one counts.
        let claims = firstOfEachSource(storeIdentifiers(page))
        let ids = Set(claims.map(\.value))
        if ids.count > 1 {
            verdicts.append(
                .warning(
                    "The page names \(ids.count) apps of the App Store: " + describe(claims) + ".",
                    at: claims.first { $0.line != nil }.map { .markup("page", line: $0.line, column: $0.column) },
                    Finding.Remedy("Name the same app in all of them.", code: page.bannerMarkup)
                ).inPlaceOf(note: .deepLink(.appsDiffer)))
        }
        let packages = firstOfEachSource(packages(page))
        if Set(packages.map(\.value)).count > 1 {
            verdicts.append(
                .warning(
                    "The page names several Android apps: " + describe(packages) + ".",
                    at: packages.first { $0.line != nil }.map { .markup("page", line: $0.line, column: $0.column) },
                    Finding.Remedy("Name the same package in all of them.")
                ).inPlaceOf(note: .deepLink(.appsDiffer)))
        }
        let names = firstOfEachSource(appNames(page))
        if Set(names.map { $0.value.lowercased().collapsingHTMLSpace() }).count > 1, ids.count <= 1 {
            verdicts.append(
                .info(
                    "The app has several names: " + describe(names) + ".",
                    at: names.first { $0.line != nil }.map { .markup("page", line: $0.line, column: $0.column) },
                    Finding.Remedy("Use the name the App Store shows.")))
        }
        if verdicts.isEmpty, claims.count + packages.count > 1 {
            let values = (Array(ids) + Set(packages.map(\.value))).sorted()
            verdicts.append(.pass("All markup names \(Wording.list(values))."))
        }
        return verdicts
    }

    private static func firstOfEachSource(_ claims: [Named]) -> [Named] {
        var sources: Set<String> = []
        return claims.filter { sources.insert($0.source).inserted }
    }

    private static func describe(_ claims: [Named]) -> String {
        let values = Wording.quoted(apart: claims.map(\.value), to: 60)
        return Wording.list(zip(values, claims).map { "\($0) in \($1.source)" }, shown: 5)
    }

    static let l17 = CheckJudge(
        .l17, .deepLinks, .warning, "All markup leads to the same content",
        problem: "Markup leads to different content",
        why: "Each reader takes another tag: people should get the same content from all.",
        page: destinationsAgree,
        noteRemedy: { _, page in
            page.map {
                Finding.Remedy(
                    "If they are to open the same content, give them the same address.", code: $0.universalLink)
            }
        })

    private static func destinationsAgree(_ page: PageExamination) -> [Verdict] {
        let claims = firstOfEachSource(destinations(page))
        guard claims.count > 1 else { return [] }
        // Web addresses are compared with each other, and each custom scheme with itself. Only the app knows whether an
        // address of one scheme stands for one of another.
        var byScheme: [String: Set<String>] = [:]
        for claim in claims {
            guard let url = WebURL(claim.value) else { continue }
            byScheme[url.isHTTP ? "https" : url.scheme, default: []].insert(PageExamination.comparable(url))
        }
        if byScheme.values.contains(where: { $0.count > 1 }) {
            return [
                .warning(
                    "Markup leads to different places: " + describe(claims) + ".",
                    at: claims.first { $0.line != nil }.map { .markup("page", line: $0.line, column: $0.column) },
                    Finding.Remedy("Give all of them the same address.", code: page.bannerMarkup)
                ).inPlaceOf(note: .deepLink(.urlsDiffer))
            ]
        }
        // The record's note compares addresses of all schemes, which is too strict here.
        return [.pass("\(claims.count) sources lead to the same place.").inPlaceOf(note: .deepLink(.urlsDiffer))]
    }
}
