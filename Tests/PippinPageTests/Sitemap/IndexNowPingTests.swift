import Testing

@testable import PippinPage

/// What is a ping (indexnow.org, "Documentation"), and what is none.
@Suite struct IndexNowPingTests {
    private static let key = "0123456789abcdef-ABCDEF"

    /// What a message is, in a word: `ok` and the file of its key, or what is wrong.
    private func verdict(_ read: () throws(IndexNowPing.Problem) -> IndexNowPing) -> String {
        do {
            return "ok \(try read().keyFile.href)"
        } catch {
            switch error {
            case .malformed: return "malformed"
            case .unfit: return "unfit"
            }
        }
    }

    private static let root = "ok https://h.example/\(key).txt"

    @Test(
        arguments: [
            ("https://h.example/a", key, nil, root), ("https://h.example", key, nil, root),
            ("HTTPS://H.EXAMPLE/a?b#c", key, nil, root), ("https://h.example:443/", key, nil, root),
            ("http://h.example/a", key, nil, "ok http://h.example/\(key).txt"),
            ("https://h.example:8443/a", key, nil, "ok https://h.example:8443/\(key).txt"),
            ("https://bücher.example/a", key, nil, "ok https://xn--bcher-kva.example/\(key).txt"),
            ("https://h.example/a/b", key, "https://h.example/a/k.txt", "ok https://h.example/a/k.txt"),
            ("http://h.example/a/b", key, "https://h.example/a/k.txt", "ok https://h.example/a/k.txt"),
            ("https://h.example/", String(repeating: "a", count: 8), nil, "ok https://h.example/aaaaaaaa.txt"),
            // Folders
            ("https://h.example/b", key, "https://h.example/a/k.txt", "unfit"),
            ("https://h.example/ab", key, "https://h.example/a/k.txt", "unfit"),
            ("https://h.example/a/../b", key, "https://h.example/a/k.txt", "unfit"),
            ("https://h.example/a/%2e%2e/b", key, "https://h.example/a/k.txt", "unfit"),
            ("https://h.example/A/b", key, "https://h.example/a/k.txt", "unfit"),
            // Hosts
            ("https://h.example/", key, "https://other.example/k.txt", "unfit"),
            ("https://h.example/", key, "https://www.h.example/k.txt", "unfit"),
            ("https://h.example/", key, "https://h.example:8443/k.txt", "unfit"),
            ("https://h.example/", key, "https://h.example@other.example/k.txt", "malformed"),
            ("https://h.example/", key, "/k.txt", "malformed"), ("https://h.example/", key, "", "malformed"),
            ("https://h.example/", key, "ftp://h.example/k.txt", "malformed"),
            ("https://h.example/", key, "https://h.example/echo?text=\(key)", "unfit"),
            ("https://h.example/", key, "https://h.example/k.txt#x", "unfit"),
            // Keys
            ("https://h.example/", "", nil, "unfit"), ("https://h.example/", "1234567", nil, "unfit"),
            ("https://h.example/", String(repeating: "a", count: 129), nil, "unfit"),
            ("https://h.example/", "01234567.", nil, "unfit"), ("https://h.example/", "../../../etc", nil, "unfit"),
            ("https://h.example/", "0123/4567", nil, "unfit"), ("https://h.example/", "0123 4567", nil, "unfit"),
            ("https://h.example/", "schlüssel", nil, "unfit"), ("https://h.example/", "0123\u{0}4567", nil, "unfit"),
            ("https://h.example/", "%30%31%32%33", nil, "unfit"),
            // URLs
            ("", key, nil, "malformed"), ("h.example/a", key, nil, "malformed"), ("/a", key, nil, "malformed"),
            ("javascript:alert(1)", key, nil, "malformed"), ("file:///etc/passwd", key, nil, "malformed"),
            ("https://", key, nil, "malformed"), ("https://u:p@h.example/", key, nil, "malformed"),
            ("https://h.example/" + String(repeating: "x", count: 2_048), key, nil, "malformed"),
        ] as [(String, String, String?, String)])
    func `a ping of one page`(url: String, key: String, location: String?, expected: String) {
        let found = verdict { () throws(IndexNowPing.Problem) in
            try IndexNowPing(url: url, key: key, keyLocation: location)
        }
        #expect(found == expected)
    }

    @Test(arguments: [
        (#"{"host":"h.example","key":"KEY","urlList":["https://h.example/a","http://h.example/b"]}"#, root),
        (#"{"host":"H.example:443","key":"KEY","urlList":["https://h.example/a"],"more":1}"#, root),
        (
            #"{"host":"bücher.example","key":"KEY","urlList":["https://xn--bcher-kva.example/"]}"#,
            "ok https://xn--bcher-kva.example/\(key).txt"
        ),
        (
            #"{"host":"h.example","key":"KEY","keyLocation":"https://h.example/a/k.txt","urlList":["https://h.example/a/b","https://h.example/a/"]}"#,
            "ok https://h.example/a/k.txt"
        ),
        (
            #"{"host":"h.example","key":"KEY","keyLocation":"https://h.example/a/k.txt","urlList":["https://h.example/a/b","https://h.example/c"]}"#,
            "unfit"
        ),
        (#"{"host":"h.example","key":"KEY","urlList":["https://h.example/a","https://other.example/"]}"#, "unfit"),
        (#"{"host":"other.example","key":"KEY","urlList":["https://h.example/a"]}"#, "unfit"),
        (#"{"host":"h.example:8443","key":"KEY","urlList":["https://h.example/a"]}"#, "unfit"),
        (#"{"host":"h.example","key":"K","urlList":["https://h.example/a"]}"#, "unfit"),
        (#"{"host":"https://h.example","key":"KEY","urlList":["https://h.example/a"]}"#, "malformed"),
        (#"{"host":"h.example/x","key":"KEY","urlList":["https://h.example/a"]}"#, "malformed"),
        (#"{"host":"u@h.example","key":"KEY","urlList":["https://h.example/a"]}"#, "malformed"),
        (#"{"host":"","key":"KEY","urlList":["https://h.example/a"]}"#, "malformed"),
        (#"{"host":7,"key":"KEY","urlList":["https://h.example/a"]}"#, "malformed"),
        (#"{"key":"KEY","urlList":["https://h.example/a"]}"#, "malformed"),
        (#"{"host":"h.example","urlList":["https://h.example/a"]}"#, "malformed"),
        (#"{"host":"h.example","key":123456789,"urlList":["https://h.example/a"]}"#, "malformed"),
        (#"{"host":"h.example","key":["KEY"],"urlList":["https://h.example/a"]}"#, "malformed"),
        (#"{"host":"h.example","key":null,"urlList":["https://h.example/a"]}"#, "malformed"),
        (#"{"host":"h.example","key":"KEY","keyLocation":7,"urlList":["https://h.example/a"]}"#, "malformed"),
        (#"{"host":"h.example","key":"KEY","keyLocation":null,"urlList":["https://h.example/a"]}"#, "malformed"),
        (#"{"host":"h.example","key":"KEY"}"#, "malformed"),
        (#"{"host":"h.example","key":"KEY","urlList":[]}"#, "malformed"),
        (#"{"host":"h.example","key":"KEY","urlList":"https://h.example/a"}"#, "malformed"),
        (#"{"host":"h.example","key":"KEY","urlList":{"0":"https://h.example/a"}}"#, "malformed"),
        (#"{"host":"h.example","key":"KEY","urlList":["https://h.example/a",7]}"#, "malformed"),
        (#"{"host":"h.example","key":"KEY","urlList":[["https://h.example/a"]]}"#, "malformed"),
        (#"{"host":"h.example","key":"KEY","urlList":[null]}"#, "malformed"),
        (#"{"host":"h.example","key":"KEY","urlList":["/a"]}"#, "malformed"),
        ("[]", "malformed"), ("null", "malformed"), ("7", "malformed"),
    ])
    func `a ping of several pages`(text: String, expected: String) throws {
        var parser = JSONParser()
        let json = try parser.parse(text.replacing("KEY", with: Self.key))
        let found = verdict { () throws(IndexNowPing.Problem) in try IndexNowPing(json: json) }
        #expect(found == expected)
    }

    @Test(arguments: [(10_000, true), (10_001, false)]) func `a ping has ten thousand pages at most`(
        count: Int, isPing: Bool
    ) throws {
        let list = (0..<count).map { JSONValue.string("https://h.example/\($0)") }
        let json = JSONObject.with {
            $0.put("host", "h.example")
            $0.put("key", Self.key)
            $0["urlList"] = .array(list)
        }
        let found = verdict { () throws(IndexNowPing.Problem) in try IndexNowPing(json: json) }
        #expect(found.hasPrefix("ok") == isPing && (isPing || found == "malformed"))
    }

    static let keyFiles: [(String, Bool)] = [
        (key, true), ("\(key)\n", true), ("\u{FEFF}\r\n\(key)\r\n ", true), ("", false), ("\(key)x", false),
        ("\(key)\n\(key)", false), ("0123456789ABCDEF-ABCDEF", false), ("<html>\(key)", false),
        ("0123456789abcdef-ABCDE", false),
    ]

    @Test(arguments: keyFiles)
    func `a key file has the key and nothing else`(text: String, isProof: Bool) throws {
        let ping = try IndexNowPing(url: "https://h.example/", key: Self.key, keyLocation: nil)
        #expect(ping.isProved(by: Array(text.utf8)) == isProof)
    }
}
