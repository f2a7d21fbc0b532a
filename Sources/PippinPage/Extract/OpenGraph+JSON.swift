extension OpenGraph {
    /// What is written in Open Graph's own way, in page order: `[{"property":"og:title","content":"…"}]`.
    public var json: JSONValue {
        .array(
            properties.filter(\.isStandard).map { property in
                JSONObject.with {
                    $0.put("property", property.written)
                    $0.put("content", property.content)
                }
            })
    }

    /// What is meant: the properties that Pippin reads, those under a wrong attribute included, and the notes.
    public var readingJSON: JSONValue {
        JSONObject.with {
            $0.put("title", title)
            $0.put("type", type)
            $0.put("url", url)
            $0.put("description", description)
            $0.put("siteName", siteName)
            $0.put("determiner", determiner)
            $0.put("locale", locale)
            $0.put("alternateLocales", alternateLocales)
            $0.put("images", images) { $0.json }
            $0.put("videos", videos) { $0.json }
            $0.put("audios", audios) { $0.json }
            $0.put(notes)
        }
    }
}

extension OpenGraph.Media {
    var json: JSONValue {
        JSONObject.with {
            $0.put("url", url)
            $0.put("secureURL", secureURL)
            $0.put("type", type)
            $0.put("width", width)
            $0.put("height", height)
            $0.put("alt", alt)
        }
    }
}
