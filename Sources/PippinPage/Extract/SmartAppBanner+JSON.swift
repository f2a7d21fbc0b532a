extension SmartAppBanner {
    public var json: JSONValue {
        JSONObject.with {
            $0.put("appID", appID)
            $0.put("appArgument", appArgument)
            $0.put("appArgumentURL", appArgumentURL)
            $0.put("affiliateData", affiliateData)
            $0.put("appClipBundleID", appClipBundleID)
            $0.put("appClipDisplay", appClipDisplay)
            $0.put("extras", extras) { extra in
                JSONObject.with {
                    $0.put("key", extra.key)
                    $0.put("value", extra.value)
                }
            }
            $0.put("content", content)
            $0.put("line", line)
            $0.put("otherContents", otherContents)
            $0.put(notes)
        }
    }
}
