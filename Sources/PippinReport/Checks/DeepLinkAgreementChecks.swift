// Checks of whether all deep-link markup says the same (L16, L17).

import PippinPage

extension DeepLinks {
    private struct Claim {
        var source: String
        var value: String
        var line: Int?
    }

    private static func storeClaims(_ page: PageExamination) -> [Claim] {
        var claims: [Claim] = []
        func add(_ source: String, _ id: String?, _ line: Int?) {
            guard let id, let reading = AppStoreID.reading(id) else { return }
            claims.append(Claim(source: source, value: reading.id, line: line))
        }
        let facts = page.facts
        if let wanted = page.options.appStoreIdentifier { add("--app-store-id", wanted, nil) }
        add("the banner", facts.smartAppBanner?.appID, facts.smartAppBanner?.line)
        for app in facts.twitterCard?.apps ?? [] where app.platform == .iPhone {
            add("twitter:app:id:iphone", app.id, app.line)
        }
        for target in facts.appLinks?.targets.prefix(50) ?? []
        where target.platform == .iOS || target.platform == .iPhone {
            add("al:\(target.platform.rawValue):app_store_id", target.appStoreID, target.line)
        }
        for alternate in facts.appAlternates.alternates.prefix(50) where alternate.platform == .ios {
            add("the ios-app: alternate", alternate.identifier, alternate.line)
        }
        for item in page.items("SoftwareApplication") where page.structured.main.isEmpty || item.isTopLevel {
            for name in ["installUrl", "downloadUrl"] {
                guard let text = page.text(item, name), let link = StoreLink(href: text), link.store == .appStore else {
                    continue
                }
                claims.append(Claim(source: "\(item.syntax.label) \(name)", value: link.identifier, line: item.line))
            }
        }
        for link in page.deepLinks where link.sources == [.webManifest] {
            add("the web app manifest", link.storeIdentifier, nil)
        }
        return claims
    }

    static let l16 = Check(
        .l16, .deepLinks, .warning, "All markup names the same app",
        problem: "Markup names different apps",
        why: "Each reader takes another tag: people should get the same app from all.",
        page: appsAgree)

    private static func appsAgree(_ page: PageExamination) -> [Verdict] {
        var verdicts: [Verdict] = []
        // An App Links list may hold a second app on purpose (a free one after the paid): its first one counts.
        let claims = firstOfEachSource(storeClaims(page))
        let ids = Set(claims.map(\.value))
        if ids.count > 1 {
            verdicts.append(
                .warning(
                    "The page names \(ids.count) apps of the App Store: " + describe(claims) + ".",
                    at: .markup("page", line: claims.compactMap(\.line).first),
                    Finding.Remedy("Name the same app in all of them.", code: page.bannerMarkup)
                ).inPlaceOf(note: .deepLink(.appsDiffer)))
        }
        let packages = firstOfEachSource(packageClaims(page))
        if Set(packages.map(\.value)).count > 1 {
            verdicts.append(
                .warning(
                    "The page names several Android apps: " + describe(packages) + ".",
                    at: .markup("page", line: packages.compactMap(\.line).first),
                    Finding.Remedy("Name the same package in all of them.")
                ).inPlaceOf(note: .deepLink(.appsDiffer)))
        }
        let names = firstOfEachSource(nameClaims(page))
        if Set(names.map { $0.value.lowercased().collapsingHTMLSpace() }).count > 1, ids.count <= 1 {
            verdicts.append(
                .info(
                    "The app has several names: " + describe(names) + ".",
                    at: .markup("page", line: names.compactMap(\.line).first),
                    Finding.Remedy("Use the name the App Store shows.")))
        }
        if verdicts.isEmpty, claims.count + packages.count > 1 {
            let values = (Array(ids) + Set(packages.map(\.value))).sorted()
            verdicts.append(.pass("All markup names \(Wording.list(values))."))
        }
        return verdicts
    }

    private static func firstOfEachSource(_ claims: [Claim]) -> [Claim] {
        var sources: Set<String> = []
        return claims.filter { sources.insert($0.source).inserted }
    }

    private static func describe(_ claims: [Claim]) -> String {
        Wording.list(claims.map { "\(Wording.quoted($0.value, to: 60)) in \($0.source)" }, shown: 5)
    }

    private static func packageClaims(_ page: PageExamination) -> [Claim] {
        let facts = page.facts
        var claims: [Claim] = []
        for app in facts.twitterCard?.apps ?? [] where app.platform == .googlePlay {
            if let id = app.id, ASCIIText.isReverseDomain(id) {
                claims.append(Claim(source: "twitter:app:id:googleplay", value: id, line: app.line))
            }
        }
        for target in facts.appLinks?.targets.prefix(50) ?? [] {
            if let package = target.packageName {
                claims.append(Claim(source: "al:android:package", value: package, line: target.line))
            }
        }
        for alternate in facts.appAlternates.alternates.prefix(50) where alternate.platform == .android {
            claims.append(
                Claim(source: "the android-app: alternate", value: alternate.identifier, line: alternate.line))
        }
        if let package = facts.metadata.googlePlayPackage {
            claims.append(Claim(source: "google-play-app", value: package))
        }
        for link in page.deepLinks where link.sources == [.webManifest] {
            if let package = link.packageName {
                claims.append(Claim(source: "the web app manifest", value: package))
            }
        }
        return claims
    }

    private static func nameClaims(_ page: PageExamination) -> [Claim] {
        var claims: [Claim] = []
        for app in page.facts.twitterCard?.apps ?? [] where app.platform == .iPhone {
            if let name = app.name {
                claims.append(Claim(source: "twitter:app:name:iphone", value: name, line: app.line))
            }
        }
        for target in page.facts.appLinks?.targets.prefix(50) ?? []
        where target.platform == .iOS || target.platform == .iPhone {
            if let name = target.appName {
                claims.append(Claim(source: "al:\(target.platform.rawValue):app_name", value: name, line: target.line))
            }
        }
        return claims
    }

    static let l17 = Check(
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
        var claims: [Claim] = []
        let facts = page.facts
        if let banner = facts.smartAppBanner, let url = banner.appArgumentURL {
            claims.append(Claim(source: "app-argument", value: url.href, line: banner.line))
        }
        for app in facts.twitterCard?.apps ?? [] where app.platform == .iPhone {
            if let url = app.url { claims.append(Claim(source: "twitter:app:url:iphone", value: url, line: app.line)) }
        }
        for target in facts.appLinks?.targets.prefix(50) ?? []
        where target.platform == .iOS || target.platform == .iPhone {
            if let url = target.url {
                claims.append(Claim(source: "al:\(target.platform.rawValue):url", value: url, line: target.line))
            }
        }
        for alternate in facts.appAlternates.alternates.prefix(50) where alternate.platform == .ios {
            if let url = alternate.launchURL {
                claims.append(Claim(source: "the ios-app: alternate", value: url, line: alternate.line))
            }
        }
        claims = firstOfEachSource(claims)
        guard claims.count > 1 else { return [] }
        // Addresses of the web are compared with each other, and an app's own scheme with itself: whether one stands for the
        // other only the app knows.
        var byScheme: [String: Set<String>] = [:]
        for claim in claims {
            guard let url = WebURL(claim.value) else { continue }
            byScheme[url.isHTTP ? "https" : url.scheme, default: []].insert(comparable(url))
        }
        if byScheme.values.contains(where: { $0.count > 1 }) {
            return [
                .warning(
                    "Markup leads to different places: " + describe(claims) + ".",
                    at: .markup("page", line: claims.compactMap(\.line).first),
                    Finding.Remedy("Give all of them the same address.", code: page.bannerMarkup)
                ).inPlaceOf(note: .deepLink(.urlsDiffer))
            ]
        }
        // The record's note compares addresses of all schemes.
        return [.pass("\(claims.count) sources lead to the same place.").inPlaceOf(note: .deepLink(.urlsDiffer))]
    }
}
