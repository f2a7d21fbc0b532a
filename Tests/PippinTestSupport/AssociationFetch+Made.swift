import PippinPage

/// Association files as servers answer them.
extension AssociationFetch {
    /// Apple's file whose `details` are given, each an app ID and its components.
    public static func apple(_ entries: (app: String, components: String)..., clips: [String] = []) -> AssociationFetch
    {
        let details = entries.map { #"{"appIDs":["\#($0.app)"],"components":[\#($0.components)]}"# }
        let clipApps = clips.map { "\"\($0)\"" }.joined(separator: ",")
        let text =
            #"{"applinks":{"details":[\#(details.joined(separator: ","))]},"appclips":{"apps":[\#(clipApps)]}}"#
        return .fetched(bytes: Array(text.utf8), mediaType: "application/json")
    }

    /// A file that vouches for packages with `handle_all_urls`; `rules` are its `dynamic_app_link_components`.
    public static func assetLinks(_ packages: String..., rules: String? = nil) -> AssociationFetch {
        let relation = "delegate_permission/common.handle_all_urls"
        let print = Array(repeating: "AB", count: 32).joined(separator: ":")
        let dynamic = rules.map {
            #","relation_extensions":{"\#(relation)":{"dynamic_app_link_components":[\#($0)]}}"#
        }
        let statements = packages.map {
            #"{"relation":["\#(relation)"],"target":{"namespace":"android_app","package_name":"\#($0)","sha256_cert_fingerprints":["\#(print)"]}\#(dynamic ?? "")}"#
        }
        return .fetched(bytes: Array("[\(statements.joined(separator: ","))]".utf8), mediaType: "application/json")
    }
}
