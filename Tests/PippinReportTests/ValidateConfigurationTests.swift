import Testing

@testable import PippinCrawl
@testable import PippinPage
@testable import PippinReport

/// `pippin.yaml`: read as strictly as a crawl's configuration.
@Suite struct ValidateConfigurationTests {
    private func message(_ yaml: String) -> String {
        do {
            _ = try ValidateConfiguration(yaml: yaml, file: "site/pippin.yaml")
            return "accepted"
        } catch {
            return "\(error)"
        }
    }

    @Test func `every key is read`() throws {
        let read = try ValidateConfiguration(
            yaml: """
                validate:
                  ignore: [S14, t10]
                  only: deep-links, S14
                  severities: { technical: info, T01: error }
                  fail_on: warning
                  url_base: https://example.org/site
                  root: dist
                  rules:
                    - { paths: ["/blog/**", "*.{html,htm}"], ignore: [deep-links], severities: { S01: info } }
                """, file: "/work/site/pippin.yaml")
        #expect(read.tuning.ignored == [.s14, .t10])
        #expect(read.tuning.only?.contains(.l01) == true && read.tuning.only?.contains(.s14) == true)
        #expect(read.tuning.only?.contains(.s01) == false)
        #expect(read.tuning.severities[.t02] == .info && read.tuning.severities[.t01] == .error)
        #expect(read.failsOn == .warning)
        #expect(read.base?.href == "https://example.org/site/")
        #expect(read.rootPath == "/work/site/dist")
        #expect(read.tuning.rules.count == 1)
        // Without `root`, the URL is that of the file's folder, and another URL is not.
        var beside = try ValidateConfiguration(
            yaml: "validate: { url_base: \"https://example.org/\" }", file: "/work/site/pippin.yaml")
        #expect(beside.rootPath == "/work/site" && !beside.namesRoot)
        try beside.take("https://example.net/", key: "url_base", flag: "--url-base")
        #expect(beside.rootPath == nil && beside.base?.href == "https://example.net/")
        #expect(try ValidateConfiguration(yaml: "# nothing\n", file: "pippin.yaml") == ValidateConfiguration())
    }

    @Test(arguments: [
        (
            "validate: { ignores: [S14] }",
            "site/pippin.yaml:1:13: unknown key \"ignores\" in validate; did you mean \"ignore\"?"
        ),
        (
            "validate:\n  ignore: [S14, S9x]",
            "site/pippin.yaml:2:17: validate.ignore: \"S9x\" is neither a check nor a group"
        ),
        ("validate:\n  severities: { S14: inof }", "did you mean \"info\"?"),
        ("validate:\n  severities: { deep-link: info }", "did you mean \"deep-links\"?"),
        ("validate:\n  url_base: example.org", "site/pippin.yaml:2:13: validate.url_base: expected an http"),
        ("validate:\n  rules: [{ ignore: [S14] }]", "validate.rules[1]: needs paths"),
        ("validate:\n  rules: [{ paths: [\"a{b\"] }]", "is no pattern; close each brace"),
        ("validate:\n  only: []", "leave it out for all"),
        ("validate:\n  rules: { paths: [a] }", "validate.rules: expected a list"),
        ("validate:\n  rules: [{ path: [a] }]", "did you mean \"paths\"?"),
        ("validat: {}", "did you mean \"validate\"?"), ("validate: [", "not valid YAML"),
    ])
    func `a mistake has its place and what to do`(yaml: String, sentence: String) {
        #expect(message(yaml).contains(sentence), "\(message(yaml))")
    }

    @Test func `flags are read by the same rules, and ignoring adds up`() throws {
        var read = try ValidateConfiguration(
            yaml: "validate: { ignore: [S14], only: [technical] }", file: "pippin.yaml")
        try read.take("T10, S15", key: "ignore", flag: "--ignore")
        try read.take("S01", key: "only", flag: "--only")
        try read.take(nil, key: "ignore", flag: "--ignore")
        #expect(read.tuning.ignored == [.s14, .t10, .s15] && read.tuning.only == [.s01])
        let error = #expect(throws: ConfigurationError.self) {
            try read.take("deep-likns", key: "only", flag: "--only")
        }
        #expect(
            "\(error.map(\.description) ?? "")"
                == "--only: \"deep-likns\" is neither a check nor a group; did you mean \"deep-links\"?")
    }
}
