// JSON for association files to paste, filled with the page's own values.

import PippinPage

extension Markup {
    private static func text(_ value: String) -> String { JSONValue.string(value).text() }

    /// `{ "/": "/mug" }`
    static func component(_ path: String, caseSensitive: Bool = true, percentEncoded: Bool = true) -> String {
        "{ \"/\": \(text(path))" + (caseSensitive ? "" : ", \"caseSensitive\": false")
            + (percentEncoded ? "" : ", \"percentEncoded\": false") + " }"
    }

    /// An element of `details`.
    static func associationEntry(_ appID: String, _ path: String, indentation: String = "") -> String {
        [
            "{", "  \"appIDs\": [\(text(appID))],", "  \"components\": [", "    \(component(path))", "  ]", "}",
        ].map { indentation + $0 }.joined(separator: "\n")
    }

    static func associationFile(_ appID: String, _ path: String) -> String {
        """
        {
          "applinks": {
            "details": [
        \(associationEntry(appID, path, indentation: "      "))
            ]
          }
        }
        """
    }

    static func appClips(_ appID: String) -> String { "\"appclips\": { \"apps\": [\(text(appID))] }" }

    /// An `assetlinks.json`, whose one statement may be put into another.
    static func assetLinks(_ packageName: String) -> String {
        """
        [{
          "relation": ["delegate_permission/common.handle_all_urls"],
          "target": {
            "namespace": "android_app",
            "package_name": \(text(packageName)),
            "sha256_cert_fingerprints": ["SHA-256 OF YOUR SIGNING CERTIFICATE"]
          }
        }]
        """
    }

    /// How a server is told to answer at one address, with nginx for example.
    static func nginx(_ url: WebURL) -> String {
        """
        # nginx
        location = \(url.path) {
            default_type application/json;
            alias /var/www/\(url.host ?? "site")/\(url.path.split(separator: "/").last ?? "");
        }
        """
    }
}
