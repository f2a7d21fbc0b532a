import Testing

@testable import PippinPage

/// Web app manifests: W3C Web Application Manifest and its app-information supplement, and how they are really written.
@Suite struct WebAppManifestTests {
    private func read(_ text: String) throws -> WebAppManifest {
        let url = try #require(WebURL("https://shows.example/static/app.webmanifest"))
        return WebAppManifest(bytes: Array(text.utf8), url: url)
    }

    @Test func `facts are read, and addresses start from the manifest's own`() throws {
        let manifest = try read(
            #"""
            {"name":" The  Shows ","short_name":"Shows","id":"/?app","start_url":"../?from=home","scope":"/",
             "prefer_related_applications":true,"related_applications":[
              {"platform":"itunes","url":"https://apps.apple.com/de/app/shows/id901"},
              {"platform":"play","id":"org.example.shows","min_version":"2.1","url":"https://play.google.com/store/apps/details?id=org.example.shows",
               "fingerprints":[{"type":"sha256_cert","value":"92:5A"}]},
              {"platform":"windows","url":"https://apps.microsoft.com/detail/9nblggh4nns1"},
              {"platform":"f-droid","url":"https://f-droid.org/en/packages/org.example.free/"},
              {"platform":"amazon","url":"https://www.amazon.com/gp/mas/dl/android?p=org.example.kindle"},
              {"platform":"webapp","url":"/other.webmanifest"},
              {"platform":"chrome_web_store","id":"abcdefghijklmnop"}]}
            """#)
        #expect(manifest.notes.isEmpty)
        #expect(manifest.name == "The Shows" && manifest.shortName == "Shows" && manifest.id == "/?app")
        #expect(manifest.startURL?.href == "https://shows.example/?from=home")
        #expect(manifest.scope?.href == "https://shows.example/")
        #expect(manifest.prefersRelatedApplications)
        let apps = manifest.relatedApplications
        #expect(
            apps.map(\.platform) == ["itunes", "play", "windows", "f-droid", "amazon", "webapp", "chrome_web_store"])
        #expect(apps.map(\.appStoreID) == ["901", nil, nil, nil, nil, nil, nil])
        #expect(
            apps.map(\.packageName) == [
                nil, "org.example.shows", nil, "org.example.free", "org.example.kindle", nil, nil,
            ])
        #expect(apps[2].microsoftStoreID == "9NBLGGH4NNS1")
        #expect(apps[1].minimumVersion == "2.1" && apps[1].fingerprints.first?.value == "92:5A")
        #expect(apps[5].url?.href == "https://shows.example/other.webmanifest")
    }

    @Test func `related apps become app-only deep links behind all that the page says itself`() throws {
        let manifest = try read(
            #"""
            {"related_applications":[{"platform":"itunes","url":"https://itunes.apple.com/app/id901"},
             {"platform":"play","id":"org.example.shows","min_version":"2"},{"platform":"windows","id":"9NBLGGH4NNS1"},
             {"platform":"webapp","url":"https://shows.example/m"}]}
            """#)
        let html = "<meta name=apple-itunes-app content='app-id=901, app-argument=https://shows.example/s/1'>"
        let facts = try RecordBuilderTests.facts(html, url: "https://shows.example/s/1")
        let record = try #require(
            RecordBuilder.conclusion(from: facts, manifest: manifest, now: RecordBuilderTests.fetchedAt).record)
        let found = record.deepLinks.map {
            "\($0.platform.rawValue) \($0.storeIdentifier ?? $0.packageName ?? "-") \($0.url ?? "-") \($0.minimumVersion ?? "-") "
                + $0.sources.map(\.rawValue).joined(separator: " ")
        }
        #expect(
            found == [
                "ios 901 https://shows.example/s/1 - smart-app-banner web-manifest",
                "android org.example.shows - 2 web-manifest", "windows 9NBLGGH4NNS1 - - web-manifest",
            ])
    }

    @Test(arguments: [
        ("", "manifest-not-json"), ("  <!doctype html><title>x", "manifest-not-json"), ("[]", "manifest-not-object"),
        ("{\"name\":", "manifest-rejected,manifest-invalid"), ("{\"name\":\"a\",}", "manifest-invalid"),
        ("\u{FEFF}{}", "manifest-bom"), ("{\"name\":7}", "manifest-member-malformed"),
        ("{\"start_url\":\"mailto:x\"}", "manifest-url-malformed"),
        ("{\"start_url\":\"/a\",\"scope\":\"/b/\"}", "manifest-start-outside-scope"),
        ("{\"prefer_related_applications\":\"true\"}", "manifest-prefer-text"),
        ("{\"prefer_related_applications\":1}", "manifest-prefer-malformed"),
        ("{\"related_applications\":7}", "manifest-related-malformed"),
        ("{\"related_applications\":{\"platform\":\"play\",\"id\":\"a.b\"}}", "manifest-related-not-array"),
        ("{\"related_applications\":[7]}", "manifest-related-no-platform"),
        ("{\"related_applications\":[{\"platform\":\"play\"}]}", "manifest-related-empty"),
        ("{\"related_applications\":[{\"platform\":\"play\",\"id\":\"x\"}]}", "manifest-related-id-malformed"),
        ("{\"related_applications\":[{\"platform\":\"itunes\",\"id\":901}]}", "manifest-related-id-number"),
        ("{\"related_applications\":[{\"platform\":\"zune\",\"id\":\"x\"}]}", "manifest-related-id-malformed"),
    ])
    func `what is not as it should be is noted with its place`(text: String, codes: String) throws {
        let manifest = try read(text)
        let wanted = codes.split(separator: ",").map(String.init)
        #expect(manifest.notes.contains { wanted.contains($0.code.rawValue) && $0.line == 1 && $0.column != nil })
    }

    @Test func `a broken manifest still says what it can`() throws {
        let manifest = try read(
            "{ // ours\n 'name': 'Shows', \"related_applications\": [{\"platform\": \"Play\", \"id\": \" org.example.a \"},]}"
        )
        #expect(manifest.name == "Shows")
        #expect(manifest.relatedApplications.map(\.packageName) == ["org.example.a"])
        let places = try read("{\n  \"ä\": 1, \"related_applications\": 7}").notes.map {
            "\($0.line ?? 0):\($0.column ?? 0)"
        }
        #expect(places == ["2:11"])
    }

    @Test func `hostile manifests are read in time`() throws {
        let apps = String(repeating: "{\"platform\":\"play\"},", count: 50_000)
        #expect(try read("{\"related_applications\":[\(apps)7]}").relatedApplications.isEmpty)
        #expect(try read(String(repeating: "[", count: 100_000)).notes.count == 1)
        #expect(try read("{\"name\":\"" + String(repeating: "x", count: 500_000) + "\"}").name?.utf8.count == 1_000)
    }
}
