extension AssetLinks {
    /// The file as it was understood.
    public var json: JSONValue {
        JSONObject.with {
            $0.put("kind", "assetlinks.json")
            $0["byteCount"] = .integer(byteCount)
            $0["isUsable"] = .bool(trouble == nil)
            $0["statements"] = .array(statements.map(\.json))
            $0.put("includes", includes) { include in
                JSONObject.with {
                    $0.put("url", include.url)
                    $0.put(include.place)
                }
            }
            $0.put("notes", notes) { $0.associationJSON }
        }
    }
}

extension AssetLinks.Statement {
    var json: JSONValue {
        JSONObject.with {
            $0.put("relations", relations)
            $0["target"] = target.json
            if let dynamicRules { $0["dynamicRules"] = .array(dynamicRules.map(\.json)) }
            $0.put(place)
        }
    }
}

extension AssetLinks.Target {
    var json: JSONValue {
        JSONObject.with {
            switch self {
            case .androidApp(let packageName, let fingerprints):
                $0.put("namespace", "android_app")
                $0.put("packageName", packageName)
                $0.put("fingerprints", fingerprints)
            case .web(let site):
                $0.put("namespace", "web")
                $0.put("site", site)
            case .iOSApp(let storeIdentifier):
                $0.put("namespace", "ios_app")
                $0.put("storeIdentifier", storeIdentifier)
            }
        }
    }

    /// The target in a few words.
    public var text: String {
        switch self {
        case .androidApp(let packageName, _): packageName
        case .web(let site): site
        case .iOSApp(let storeIdentifier): "App Store ID \(storeIdentifier)"
        }
    }
}

extension AssetLinks.DynamicRule {
    var json: JSONValue {
        JSONObject.with {
            $0.put("path", path)
            if !items.isEmpty {
                $0["query"] = JSONObject.with { for item in items { $0[item.name] = .string(item.pattern) } }
            }
            $0.put("fragment", fragment)
            $0.putFlag("exclude", excludes)
            $0.put(place)
        }
    }
}

extension AssetLinks.Decision {
    public func json(packageName: String) -> JSONValue {
        JSONObject.with {
            $0.put("packageName", packageName)
            $0.put("outcome", outcome.rawValue)
            $0.put("pattern", pattern)
            if let place { $0.put(place) }
            $0.put("reason", reason)
        }
    }
}
