@testable import PippinPage
@testable import PippinReport

extension ReportCheckCase {
    private static func apple(_ components: String, app: String = "ABCDE12345.example.shop") -> AssociationFetch {
        AssociationFetch.apple((app: app, components: components))
    }

    private static let everything = apple("{}")
    private static let reply = #"{"results":[{"trackId":123456789,"bundleId":"example.shop","trackName":"Shop"}]}"#
    private static let android = ReportPage(
        "<link rel=\"alternate\" href=\"android-app://example.shop/https/shop.example/mug\">")
    private static let clip = banner("app-id=123456789, app-clip-bundle-id=example.shop.Clip, app-clip-display=card")

    static let association: [ReportCheckCase] = [
        ReportCheckCase(
            "L11", fails: banner(good).associated(apple: apple(#"{"/":"/cup"}"#)),
            passes: banner(good).associated(apple: everything)),
        ReportCheckCase(
            "L12", fails: banner(good).associated(apple: apple(#"{"/":"/mug","exclude":true}"#)),
            passes: ReportPage().associated(apple: everything)),
        ReportCheckCase(
            "L13", fails: banner(good).associated(apple: .redirected(to: "https://www.shop.example/")),
            passes: banner(good).associated(apple: everything)),
        ReportCheckCase(
            "L14", fails: banner(good).associated(apple: apple(#"{},{"/":"/mug"}"#)),
            passes: banner(good).associated(apple: everything)),
        ReportCheckCase(
            "L15",
            fails: banner(good).associated(apple: apple("{}", app: "ABCDE12345.example.other")).with {
                $0.lookup = reply
            },
            passes: banner(good).associated(apple: everything).with { $0.lookup = reply }),
        ReportCheckCase(
            "L20", fails: android.associated(android: AssociationFetch.assetLinks("example.other")),
            passes: android.associated(android: AssociationFetch.assetLinks("example.shop"))),
        ReportCheckCase(
            "L22", fails: clip.associated(apple: everything),
            passes: clip.associated(apple: AssociationFetch.apple(clips: ["ABCDE12345.example.shop.Clip"]))),
        ReportCheckCase(
            "L24",
            fails: ReportPage().associated(apple: everything).associated("https://www.shop.example/"),
            passes: ReportPage().associated(apple: everything)
                .associated("https://www.shop.example/", apple: everything)),
        ReportCheckCase(
            "L25", fails: banner(good).associated(apple: apple(#"{"/":"/Mug"}"#)),
            passes: banner(good).associated(apple: apple(#"{"/":"/mug"}"#))),
        ReportCheckCase(
            "L26", fails: atApple(apple(#"{"/":"/cup"}"#)), passes: atApple(everything)),
        ReportCheckCase(
            "L27", fails: ReportPage().compared(with: earlierLink).associated(),
            passes: banner(good).compared(with: earlierLink).associated(apple: everything).with { $0.lookup = reply }),
    ]

    /// A page whose host serves a file for everything, and has this file at Apple's CDN.
    private static func atApple(_ fetch: AssociationFetch) -> ReportPage {
        banner(good).associated(apple: everything).with { page in
            page.probe = { evidence in
                guard let site = WebURL("https://shop.example/"),
                    let url = AppleAssociationOutcome.locationAtApple(of: site)
                else { return }
                evidence.appleCDN = .made([
                    AppleCDNEvidence(site: site, url: url, answer: .file(AppleAssociationOutcome(fetch, at: url)))
                ])
            }
        }
    }

    private static let earlierLink = EarlierDeepLink(
        state: DeepLinkState(
            platform: .iOS, storeIdentifier: "123456789", url: "https://shop.example/mug", status: .verified),
        since: ReportPage.now)
}
