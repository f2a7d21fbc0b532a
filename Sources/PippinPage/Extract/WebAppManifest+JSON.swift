extension WebAppManifest {
    public var json: JSONValue {
        JSONObject.with {
            $0.put("url", url)
            $0.put("name", name)
            $0.put("shortName", shortName)
            $0.put("id", id)
            $0.put("startURL", startURL)
            $0.put("scope", scope)
            $0.put("relatedApplications", relatedApplications) { $0.json }
            $0.putFlag("prefersRelatedApplications", prefersRelatedApplications)
            $0.put(notes)
        }
    }
}

extension WebAppManifest.RelatedApplication {
    var json: JSONValue {
        JSONObject.with {
            $0.put("platform", platform)
            $0.put("url", url)
            $0.put("id", id)
            $0.put("appStoreID", appStoreID)
            $0.put("storeCountry", storeCountry)
            $0.put("packageName", packageName)
            $0.put("microsoftStoreID", microsoftStoreID)
            $0.put("minimumVersion", minimumVersion)
            $0.put("fingerprints", fingerprints) { print in
                JSONObject.with {
                    $0.put("type", print.type)
                    $0.put("value", print.value)
                }
            }
        }
    }
}
