import Testing

@testable import PippinPage

/// Each error code of the standard, from a document that has just this error.
@Suite struct JSONLDErrorTests {
    @Test(arguments: [
        (##"{"@context":{"id":"@id"},"@id":"a","id":"b"}"##, JSONLDErrorCode.collidingKeywords),
        (##"{"@context":{"a":"b:x","b":"a:x"}}"##, .cyclicIRIMapping),
        (##"{"@id":[]}"##, .invalidIDValue),
        (##"{"@context":{"@import":5}}"##, .invalidImportValue),
        (##"{"http://e.example/p":{"@included":"x"}}"##, .invalidIncludedValue),
        (##"{"http://e.example/p":{"@index":5}}"##, .invalidIndexValue),
        (##"{"@nest":"x"}"##, .invalidNestValue),
        (##"{"@nest":{"@value":1}}"##, .invalidNestValue),
        (##"{"@context":{"a":{"@id":"http://e.example/a","@nest":"@id"}}}"##, .invalidNestValue),
        (##"{"@context":{"a":{"@id":"http://e.example/a","@prefix":"yes"}}}"##, .invalidPrefixValue),
        (##"{"@context":{"@propagate":"yes"}}"##, .invalidPropagateValue),
        (##"{"@context":{"a":{"@id":"http://e.example/a","@protected":1}}}"##, .invalidProtectedValue),
        (##"{"@reverse":"x"}"##, .invalidReverseValue),
        (##"{"@context":{"@version":1.0}}"##, .invalidVersionValue),
        (##"{"@context":{"@direction":"up"}}"##, .invalidBaseDirection),
        (##"{"@context":{"@base":true}}"##, .invalidBaseIRI),
        (##"{"@context":[{"@base":null},{"@base":"a"}]}"##, .invalidBaseIRI),
        (##"{"@context":{"a":{"@id":"http://e.example/a","@container":"@none"}}}"##, .invalidContainerMapping),
        (
            ##"{"@context":{"a":{"@id":"http://e.example/a","@container":["@list","@set"]}}}"##,
            .invalidContainerMapping
        ),
        (##"{"@context":{"@language":5}}"##, .invalidDefaultLanguage),
        (##"{"@context":{"a":{"@id":5}}}"##, .invalidIRIMapping),
        (##"{"@context":{"a":{"@id":"nothing"}}}"##, .invalidIRIMapping),
        (##"{"@context":{"http://e.example/a":"http://e.example/b"}}"##, .invalidIRIMapping),
        (##"{"@context":{"a":"@context"}}"##, .invalidKeywordAlias),
        (
            ##"{"@context":{"a":{"@id":"http://e.example/a","@container":"@language"}},"a":{"en":5}}"##,
            .invalidLanguageMapValue
        ),
        (##"{"@context":{"a":{"@id":"http://e.example/a","@language":5}}}"##, .invalidLanguageMapping),
        (##"{"http://e.example/p":{"@value":"x","@language":5}}"##, .invalidLanguageTaggedString),
        (##"{"http://e.example/p":{"@value":5,"@language":"en"}}"##, .invalidLanguageTaggedValue),
        (##"{"@context":5}"##, .invalidLocalContext),
        (##"{"@context":"https://example.org/no-context"}"##, .invalidRemoteContext),
        (
            ##"{"@context":{"a":{"@reverse":"http://e.example/a","@id":"http://e.example/b"}}}"##,
            .invalidReverseProperty
        ),
        (##"{"@reverse":{"@id":"x"}}"##, .invalidReversePropertyMap),
        (##"{"@reverse":{"http://e.example/p":"text"}}"##, .invalidReversePropertyValue),
        (##"{"@context":{"a":{"@id":"http://e.example/a","@context":{"b":5}}}}"##, .invalidScopedContext),
        (##"{"http://e.example/p":{"@list":[],"@id":"x"}}"##, .invalidSetOrListObject),
        (##"{"@context":{"a":5}}"##, .invalidTermDefinition),
        (##"{"@context":{"":"http://e.example/a"}}"##, .invalidTermDefinition),
        (##"{"@context":{"a":{"@id":"http://e.example/a","@what":1}}}"##, .invalidTermDefinition),
        (##"{"@context":{"a":{"@id":"http://e.example/a","@type":"_:b"}}}"##, .invalidTypeMapping),
        (##"{"@type":5}"##, .invalidTypeValue),
        (##"{"http://e.example/p":{"@value":"x","@type":"_:b"}}"##, .invalidTypedValue),
        (##"{"http://e.example/p":{"@value":"x","@id":"y"}}"##, .invalidValueObject),
        (##"{"http://e.example/p":{"@value":["x"]}}"##, .invalidValueObjectValue),
        (##"{"@context":{"@vocab":5}}"##, .invalidVocabMapping),
        (##"{"@context":{"@type":{"@id":"http://e.example/a"}}}"##, .keywordRedefinition),
        (##"{"@context":{"@id":"http://e.example/a"}}"##, .keywordRedefinition),
        (##"{"@context":"https://example.org/nowhere"}"##, .loadingRemoteContextFailed),
        (##"{"@context":"https://example.org/loop"}"##, .contextOverflow),
        (##"{"@context":{"@import":"https://example.org/imports"}}"##, .invalidContextEntry),
        ("{", .loadingDocumentFailed),
    ])
    func `a document with one error ends with its code`(document: String, code: JSONLDErrorCode) {
        let contexts = [
            "https://example.org/no-context": "{}",
            "https://example.org/loop": ##"{"@context":"loop"}"##,
            "https://example.org/imports": ##"{"@context":{"@import":"no-context"}}"##,
        ]
        #expect(JSONLDExamples.failure(document, contexts: contexts) == code, "\(document)")
    }

    @Test(arguments: [
        (##"{"@context":{"@version":1.1}}"##, JSONLDErrorCode.processingModeConflict),
        (##"{"@context":{"@import":"x"}}"##, .invalidContextEntry),
        (##"{"@context":{"@propagate":true}}"##, .invalidContextEntry),
        (##"{"@context":{"a":{"@id":"http://e.example/a","@context":{}}}}"##, .invalidTermDefinition),
        (##"{"@context":{"a":{"@id":"http://e.example/a","@container":["@set"]}}}"##, .invalidContainerMapping),
        (##"{"@context":{"a":{"@id":"http://e.example/a","@type":"@json"}}}"##, .invalidTypeMapping),
        (##"{"@context":{"@vocab":"rel/"}}"##, .invalidVocabMapping),
    ])
    func `JSON-LD 1.0 has none of what is new in 1.1`(document: String, code: JSONLDErrorCode) {
        var options = JSONLDConversion.Options()
        options.isVersion10 = true
        #expect(JSONLDExamples.failure(document, options: options) == code, "\(document)")
    }

    @Test func `an error says where it is`() throws {
        let error = try #require(throws: JSONLDError.self) {
            _ = try JSONLDExamples.conversion(
                ##"{"@context":{"@vocab":"http://v.example/"},"a/b":[1,{"c":{"@id":7}}]}"##
            ).expanded()
        }
        #expect(error.pointer == "/a~1b/1/c/@id")
        #expect(error.description == "invalid @id value: @id is a text, not 7. At /a~1b/1/c/@id.")
        #expect(JSONLDErrorCode.invalidIDValue.noteCode == "json-ld-invalid-id-value")
        #expect(JSONLDErrorCode.cyclicIRIMapping.noteCode == "json-ld-cyclic-iri-mapping")
    }

    @Test func `a script of HTML is chosen, and must be there and be JSON`() throws {
        let page = ##"""
            <base href="/b/"><script type="application/ld+json; profile=x">{"@id":"1","http://e.example/p":"&amp;"}</script>
            <script type="application/ld+json" id="two words">[{"@id":"2","http://e.example/p":2}]</script>
            <script type="application/ld+json" id="bad"><!-- {} --></script><script id="js"></script>
            """##
        func run(_ fragment: String, all: Bool = false) throws -> String {
            var options = JSONLDConversion.Options()
            options.extractsAllScripts = all
            return JSONValue.array(
                try JSONLDExamples.conversion(
                    page, name: "page", options: options, address: JSONLDExamples.address + fragment
                ).expanded()
            ).text()
        }
        #expect(try run("") == ##"[{"@id":"https://example.org/b/1","http://e.example/p":[{"@value":"&amp;"}]}]"##)
        #expect(try run("#two%20words").contains("https://example.org/b/2"))
        for (fragment, all, code) in [
            ("#bad", false, JSONLDErrorCode.invalidScriptElement), ("", true, .invalidScriptElement),
            ("#js", false, .loadingDocumentFailed), ("#none", false, .loadingDocumentFailed),
        ] {
            let error = try #require(throws: JSONLDError.self) { _ = try run(fragment, all: all) }
            #expect(error.code == code)
        }
    }
}
