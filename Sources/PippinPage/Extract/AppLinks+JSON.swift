extension AppLinks {
    public var json: JSONValue {
        JSONObject.with {
            $0.put("targets", targets) { $0.json }
            $0.put("webURL", webURL)
            $0["allowsWebFallback"] = .bool(allowsWebFallback)
            $0.put(notes)
        }
    }
}

extension AppLinks.Target {
    var json: JSONValue {
        JSONObject.with {
            $0.put("platform", platform.rawValue)
            $0.put("url", url)
            $0.put("appStoreID", appStoreID)
            $0.put("packageName", packageName)
            $0.put("className", className)
            $0.put("appID", appID)
            $0.put("appName", appName)
            $0.put("line", line)
        }
    }
}

extension AppAlternates {
    public var json: JSONValue {
        JSONObject.with {
            $0["alternates"] = .array(alternates.map(\.json))
            $0.put(notes)
        }
    }
}

extension AppAlternate {
    public var json: JSONValue {
        JSONObject.with {
            $0.put("platform", platform.rawValue)
            $0.put("identifier", identifier)
            $0.put("launchURL", launchURL)
            $0.put("href", href)
            $0.putFlag("isFromHeader", isFromHeader)
            $0.put("line", line)
        }
    }
}
