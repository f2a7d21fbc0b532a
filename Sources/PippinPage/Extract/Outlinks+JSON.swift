extension Outlinks {
    public var json: JSONValue {
        JSONObject.with {
            $0["outlinks"] = .array(links.map(\.json))
            $0.put("schemeLinks", schemeLinks) { $0.json }
            $0.put("storeLinks", storeLinks()) { $0.json }
            if let dropped = dropped.json { $0["dropped"] = dropped }
            $0.put(notes)
        }
    }
}

extension Outlink {
    public var json: JSONValue {
        JSONObject.with {
            $0.put("url", url)
            $0.put("kind", kind.rawValue)
            $0.put("relations", relations.trustNames)
            $0.putFlag("isFromHeader", isFromHeader)
            if !anchorText.isEmpty { $0.put("anchorText", anchorText) }
            $0.put("line", line)
        }
    }
}

extension SchemeLink {
    public var json: JSONValue {
        JSONObject.with {
            $0.put("scheme", scheme)
            $0.put("href", href)
            if !anchorText.isEmpty { $0.put("anchorText", anchorText) }
            $0.put("line", line)
        }
    }
}

extension StoreLink {
    public var json: JSONValue {
        JSONObject.with {
            $0.put("store", store.rawValue)
            $0.put("identifier", identifier)
            $0.put("country", country)
        }
    }
}

extension Outlinks.Dropped {
    var json: JSONValue? {
        let counts = [
            ("inert", inert), ("samePage", samePage), ("duplicates", duplicates), ("invalid", invalid),
            ("uncrawled", uncrawled), ("otherTypes", otherTypes), ("beyondLimit", beyondLimit),
        ]
        guard counts.contains(where: { $0.1 > 0 }) else { return nil }
        return JSONObject.with {
            for (reason, count) in counts where count > 0 { $0.put(reason, count) }
        }
    }
}
