extension PageFacts {
    /// What the page says in each syntax, as `pippin extract` prints it, and as JSONPath of a configuration finds it.
    ///
    /// - Parameter wanted: only these members; nil for all.
    public func json(only wanted: Set<String>? = nil) -> JSONObject {
        var object = JSONObject()
        func put(_ key: String, _ value: @autoclosure () -> JSONValue?) {
            guard wanted?.contains(key) ?? true, let value = value() else { return }
            object[key] = value
        }
        put("smartAppBanner", smartAppBanner?.json)
        put("twitterCard", twitterCard?.json)
        put("appLinks", appLinks?.json)
        put("appAlternates", appAlternates.json)
        put("openGraph", openGraph?.json ?? [])
        put("microdata", microdata.json)
        put("rdfa", rdfa.json)
        put("jsonLD", jsonLD.json)
        put("microformats", microformats.json)
        put("dublinCore", dublinCore.json)
        put("metadata", metadata.json(charset: encoding.name))
        put("links", outlinks.json)
        return object
    }
}
