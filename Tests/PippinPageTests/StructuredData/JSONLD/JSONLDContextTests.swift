import Testing

@testable import PippinPage

/// Context processing, term definitions and IRI expansion (JSON-LD 1.1 API §4).
@Suite struct JSONLDContextTests {
    @Test(arguments: [
        // Prefixes, terms, the vocabulary and the base, each where it counts.
        (
            ##"{"@context":{"ex":"http://e.example/","@vocab":"http://v.example/#"},"@id":"#me","ex:a":1,"b":"ex:c"}"##,
            ##"[{"@id":"https://example.org/dir/doc#me","http://e.example/a":[{"@value":1}],"http://v.example/#b":[{"@value":"ex:c"}]}]"##
        ),
        // A term that does not end like a prefix is none, unless it says so.
        (
            ##"{"@context":{"a":"http://e.example/a","b":{"@id":"http://e.example/b","@prefix":true}},"a:x":1,"b:x":2}"##,
            ##"[{"a:x":[{"@value":1}],"http://e.example/bx":[{"@value":2}]}]"##
        ),
        (
            ##"{"@context":[{"@base":"/x/"},{"@base":"y/z"}],"@id":"../w","http://e.example/p":{"@id":"?q"}}"##,
            ##"[{"@id":"https://example.org/x/w","http://e.example/p":[{"@id":"https://example.org/x/y/z?q"}]}]"##
        ),
        (
            ##"{"@context":{"@base":null,"p":{"@id":"http://e.example/p","@type":"@id"}},"@id":"a","p":"b"}"##,
            ##"[{"@id":"a","http://e.example/p":[{"@id":"b"}]}]"##
        ),
        // Keywords to come name nothing.
        (
            ##"{"@context":{"@vocab":"http://v.example/","@soon":"http://e.example/x","x":"@later"},"@soon":1,"x":2,"@3":3}"##,
            ##"[{"http://v.example/x":[{"@value":2}],"http://v.example/@3":[{"@value":3}]}]"##
        ),
        // A vocabulary behind a vocabulary, and relative to the base.
        (
            ##"{"@context":[{"@vocab":"http://v.example/"},{"@vocab":"w/"}],"a":1}"##,
            ##"[{"http://v.example/w/a":[{"@value":1}]}]"##
        ),
        (##"{"@context":{"@vocab":""},"a":1}"##, ##"[{"https://example.org/dir/doca":[{"@value":1}]}]"##),
    ])
    func `names are expanded by the contexts in force`(document: String, expected: String) throws {
        #expect(try JSONLDExamples.expanded(document) == expected)
    }

    @Test func `a context of a property ends with its value, and a null context is none`() throws {
        let document = ##"""
            {"@context":{"@vocab":"http://v.example/","p":{"@context":{"@vocab":"http://w.example/","q":{"@context":null}}}},
             "p":{"a":1,"q":{"a":2,"http://e.example/b":3}},"a":4}
            """##
        #expect(
            try JSONLDExamples.expanded(document)
                == ##"[{"http://v.example/p":[{"http://w.example/a":[{"@value":1}],"http://w.example/q":[{"http://e.example/b":[{"@value":3}]}]}],"http://v.example/a":[{"@value":4}]}]"##
        )
    }

    @Test func `a context of a type does not reach the nodes below, unless it says so`() throws {
        func document(_ more: String) -> String {
            ##"""
            {"@context":{"@vocab":"http://v.example/","T":{"@context":{"@vocab":"http://t.example/"\##(more)}}},
             "@type":"T","a":{"b":1,"c":{"@value":2}}}
            """##
        }
        #expect(try JSONLDExamples.expanded(document("")).contains("http://v.example/b"))
        #expect(try JSONLDExamples.expanded(document(##","@propagate":true"##)).contains("http://t.example/b"))
        // The type itself is read by the context before.
        #expect(try JSONLDExamples.expanded(document("")).contains(##""@type":["http://v.example/T"]"##))
    }

    @Test func `contexts of several types are applied in the order of their names`() throws {
        let document = ##"""
            {"@context":{"@vocab":"http://v.example/","B":{"@context":{"p":"http://b.example/p"}},
             "A":{"@context":{"p":"http://a.example/p"}}},"@type":["B","A"],"p":1}
            """##
        #expect(try JSONLDExamples.expanded(document).contains("http://b.example/p"))
    }

    @Test func `protected terms stay, except for the same definition and contexts of properties`() throws {
        let protected =
            ##"{"@protected":true,"a":"http://e.example/a","p":{"@id":"http://e.example/p","@context":{"a":"http://e.example/b"}}}"##
        #expect(
            JSONLDExamples.failure("{\"@context\":[\(protected),{\"a\":\"http://e.example/c\"}]}")
                == .protectedTermRedefinition)
        #expect(
            JSONLDExamples.failure("{\"@context\":[\(protected),{\"a\":{\"@reverse\":\"http://e.example/a\"}}]}")
                == .protectedTermRedefinition)
        #expect(JSONLDExamples.failure("{\"@context\":[\(protected),null]}") == .invalidContextNullification)
        #expect(JSONLDExamples.failure("{\"@context\":[\(protected),{\"a\":\"http://e.example/a\"}]}") == nil)
        #expect(
            try JSONLDExamples.expanded("{\"@context\":\(protected),\"p\":{\"a\":1}}").contains("http://e.example/b"))
    }

    @Test func `remote contexts come from the documents at hand, relative to where they are named`() throws {
        let contexts = [
            "https://example.org/dir/c/one":
                ##"{"@context":["two",{"a":"http://e.example/a","@base":"http://no.example/"}]}"##,
            "https://example.org/dir/c/two": ##"{"@context":{"b":"http://e.example/b"}}"##,
        ]
        #expect(
            try JSONLDExamples.expanded(##"{"@context":"c/one","@id":"x","a":1,"b":2}"##, contexts: contexts)
                == ##"[{"@id":"https://example.org/dir/x","http://e.example/a":[{"@value":1}],"http://e.example/b":[{"@value":2}]}]"##
        )
        #expect(
            try JSONLDExamples.expanded(
                ##"{"@context":{"@import":"c/two","b":"http://e.example/c"},"b":2}"##, contexts: contexts)
                == ##"[{"http://e.example/c":[{"@value":2}]}]"##)
    }

    @Test func `schema.org is at hand in all its spellings, and a document given for it goes before`() throws {
        for address in [
            "https://schema.org", "http://schema.org/", "https://www.schema.org/docs/jsonldcontext.jsonld",
        ] {
            let document =
                "{\"@context\":\"\(address)\",\"id\":\"x\",\"url\":\"y\",\"datePublished\":\"2026\",\"dct:x\":1}"
            #expect(
                try JSONLDExamples.expanded(document)
                    == ##"[{"@id":"https://example.org/dir/x","http://schema.org/url":[{"@id":"https://example.org/dir/y"}],"http://schema.org/datePublished":[{"@value":"2026","@type":"http://schema.org/Date"}],"http://purl.org/dc/terms/x":[{"@value":1}]}]"##
            )
        }
        #expect(
            try JSONLDExamples.expanded(
                ##"{"@context":"https://schema.org","a":1}"##,
                contexts: ["https://schema.org": ##"{"@context":{"a":"http://own.example/a"}}"##])
                == ##"[{"http://own.example/a":[{"@value":1}]}]"##)
    }

    @Test func `schema.org's ready-made context is what processing its definition makes`() throws {
        let processor = JSONLDProcessor(baseURL: JSONLDExamples.address)
        let empty = try processor.initialContext()
        let processed = try processor.process(
            try #require(SchemaOrgContext.document["@context"]), on: empty, JSONLDProcessor.Scope(baseURL: ""))
        let readyMade = SchemaOrgContext.applied(to: empty)
        #expect(readyMade.vocabulary == processed.vocabulary)
        let members = try #require(SchemaOrgContext.document["@context"]?.object)
        #expect(members.count == SchemaOrgContext.terms.count + 1)
        for term in SchemaOrgContext.terms {
            let definition = try #require(processed.term(term.name))
            #expect(readyMade.term(term.name)?.says(sameAs: definition) == true, "\(term.name)")
        }
    }

    @Test func `an expand context comes before the document's own`() throws {
        var options = JSONLDConversion.Options()
        options.expandContext = ["@context": ["a": "http://e.example/a", "b": "http://e.example/b"]]
        #expect(
            try JSONLDExamples.expanded(
                ##"{"@context":{"b":"http://f.example/b"},"a":1,"b":2}"##, options: options)
                == ##"[{"http://e.example/a":[{"@value":1}],"http://f.example/b":[{"@value":2}]}]"##)
    }
}
