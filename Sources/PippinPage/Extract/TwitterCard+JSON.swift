extension TwitterCard {
    public var json: JSONValue {
        JSONObject.with {
            $0.put("card", card)
            $0.put("title", title)
            $0.put("description", description)
            $0.put("site", site)
            $0.put("siteID", siteID)
            $0.put("creator", creator)
            $0.put("creatorID", creatorID)
            $0.put("url", url)
            $0.put("domain", domain)
            $0.put("images", images) { $0.json }
            if let player { $0["player"] = player.json }
            $0.put("apps", apps) { $0.json }
            $0.put("appCountry", appCountry)
            $0.put("labels", labels) { label in
                JSONObject.with {
                    $0.put("label", label.label)
                    $0.put("data", label.data)
                }
            }
            $0.put(notes)
        }
    }
}

extension TwitterCard.Image {
    var json: JSONValue {
        JSONObject.with {
            $0.put("url", url)
            if url == nil && !source.isEmpty { $0.put("source", source) }
            $0.put("alt", alt)
        }
    }
}

extension TwitterCard.Player {
    var json: JSONValue {
        JSONObject.with {
            $0.put("url", url)
            $0.put("width", width)
            $0.put("height", height)
            $0.put("stream", stream)
            $0.put("streamContentType", streamContentType)
        }
    }
}

extension TwitterCard.App {
    var json: JSONValue {
        JSONObject.with {
            $0.put("platform", platform.rawValue)
            $0.put("name", name)
            $0.put("id", id)
            $0.put("url", url)
        }
    }
}
