// The page as an app: meta elements for Apple's Home Screen and for Windows.

extension HTMLMetadata {
    /// `apple-mobile-web-app-…`: how the page appears as an app on the Home Screen.
    struct WebApp: Sendable {
        private(set) var isCapable: Bool?
        private(set) var title: String?
        private(set) var statusBarStyle: String?

        /// Takes the first value of each name.
        ///
        /// - Parameter name: without `apple-mobile-web-app-`.
        /// - Returns: false for an unknown name.
        mutating func take(_ name: Substring, _ text: String) -> Bool {
            switch name {
            case "capable": isCapable = isCapable ?? (text.asciiLowercased == "yes")
            case "title": HTMLMetadata.first(&title, text)
            case "status-bar-style": HTMLMetadata.first(&statusBarStyle, text)
            default: return false
            }
            return true
        }

        var json: JSONValue {
            JSONObject.with {
                if let isCapable { $0["isCapable"] = .bool(isCapable) }
                $0.put("title", title)
                $0.put("statusBarStyle", statusBarStyle)
            }
        }
    }

    /// `msApplication-…`: the Windows app of the page.
    struct WindowsApp: Sendable {
        private(set) var id: String?
        private(set) var packageFamilyName: String?
        private(set) var arguments: String?
        private(set) var minimumVersion: String?
        private(set) var optOut: String?
        private(set) var phonePackageURL: String?
        private(set) var tileImage: WebURL?
        private(set) var tileColor: String?
        /// The line of the first property that names the app, 1-based.
        private(set) var line: Int?
        /// The column of that property, 1-based.
        private(set) var column: Int?

        /// Takes the first value of each name.
        ///
        /// - Parameter name: without `msapplication-`.
        /// - Returns: false for an unknown name.
        mutating func take(_ name: Substring, _ text: String, _ tag: MetaTag, baseURL: WebURL) -> Bool {
            switch name {
            case "id": HTMLMetadata.first(&id, text)
            case "packagefamilyname": HTMLMetadata.first(&packageFamilyName, text)
            case "arguments": HTMLMetadata.first(&arguments, text)
            case "minversion": HTMLMetadata.first(&minimumVersion, text)
            case "optout": HTMLMetadata.first(&optOut, text)
            case "winphonepackageurl": HTMLMetadata.first(&phonePackageURL, text)
            case "tileimage": tileImage = tileImage ?? WebURL(written: text, base: baseURL)
            case "tilecolor": HTMLMetadata.first(&tileColor, text)
            default: return false
            }
            if line == nil, !name.hasPrefix("tile") {
                line = tag.line
                column = tag.column
            }
            return true
        }

        var json: JSONValue {
            JSONObject.with {
                $0.put("id", id)
                $0.put("packageFamilyName", packageFamilyName)
                $0.put("arguments", arguments)
                $0.put("minimumVersion", minimumVersion)
                $0.put("optOut", optOut)
                $0.put("phonePackageURL", phonePackageURL)
                $0.put("tileImage", tileImage)
                $0.put("tileColor", tileColor)
            }
        }
    }
}
