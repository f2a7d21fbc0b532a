extension HTMLMetadata {
    /// - Parameter charset: WHATWG name of the page's encoding, which is known before its markup is.
    public func json(charset: String? = nil) -> JSONValue {
        JSONObject.with {
            $0.put("title", title)
            $0.put("description", description)
            $0.put("canonical", canonical)
            $0.put("canonicalLinks", canonicalLinks) { $0.json }
            $0.put("language", language)
            $0.put("languageSource", languageSource?.rawValue)
            $0.put("charset", charset)
            $0.put("icons", icons) { $0.json }
            $0.put("languageAlternates", languageAlternates) { $0.json }
            $0.put("feeds", feeds) { $0.json }
            $0.put("keywords", keywords)
            $0.put("manifest", manifest)
            $0.put("amp", amp)
            $0.put("next", next)
            $0.put("previous", previous)
            $0.put("openSearch", openSearch)
            $0.put("imageSource", imageSource)
            $0.put("applicationName", applicationName)
            $0.put("author", author)
            $0.put("viewport", viewport)
            $0.put("generator", generator)
            $0.put("themeColor", themeColor)
            if let webApp { $0["webApp"] = webApp.json }
            if let windowsApp { $0["windowsApp"] = windowsApp.json }
            $0.put("googlePlayPackage", googlePlayPackage)
            $0.put("facebookAppID", facebookAppID)
            $0.put("branchParameters", branchParameters) { parameter in
                JSONObject.with {
                    $0.put("key", parameter.key)
                    $0.put("value", parameter.value)
                }
            }
            if let refresh { $0["refresh"] = refresh.json }
            $0.put("robots", robots) { tag in
                JSONObject.with {
                    $0.put("name", tag.name)
                    $0.put("content", tag.content)
                    $0.put("line", tag.line)
                }
            }
            $0.put(notes)
        }
    }
}

extension HTMLMetadata.CanonicalLink {
    var json: JSONValue {
        JSONObject.with {
            $0.put("url", url)
            $0.putFlag("isFromHeader", isFromHeader)
            $0.putFlag("isInBody", isInBody)
            $0.put("line", line)
        }
    }
}

extension HTMLMetadata.Icon {
    var json: JSONValue {
        JSONObject.with {
            $0.put("kind", kind.rawValue)
            $0.put("url", url)
            $0.put("sizes", sizes.map { "\($0.width)x\($0.height)" })
            $0.putFlag("isAnySize", isAnySize)
            $0.put("type", type)
        }
    }
}

extension HTMLMetadata.LanguageAlternate {
    var json: JSONValue {
        JSONObject.with {
            $0.put("language", language)
            $0.put("url", url)
            $0.putFlag("isFromHeader", isFromHeader)
        }
    }
}

extension HTMLMetadata.Feed {
    var json: JSONValue {
        JSONObject.with {
            $0.put("url", url)
            $0.put("type", type)
            $0.put("title", title)
        }
    }
}

extension HTMLMetadata.WebApp {
    var json: JSONValue {
        JSONObject.with {
            if let isCapable { $0["isCapable"] = .bool(isCapable) }
            $0.put("title", title)
            $0.put("statusBarStyle", statusBarStyle)
        }
    }
}

extension HTMLMetadata.WindowsApp {
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

extension Refresh {
    var json: JSONValue {
        JSONObject.with {
            $0.put("delay", delay)
            $0.put("url", url)
            $0.putFlag("isFromHeader", isFromHeader)
            $0.put("line", line)
        }
    }
}
