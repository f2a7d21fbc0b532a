import Testing

@testable import PippinPage

/// The expansion algorithm (JSON-LD 1.1 API §5).
@Suite struct JSONLDExpansionTests {
    private static func document(_ term: String, _ members: String) -> String {
        "{\"@context\":{\"@vocab\":\"http://v.example/\",\"p\":\(term)},\(members)}"
    }

    @Test(arguments: [
        ("{}", ##""p":[1,[2,null]]"##, ##"{"@value":1},{"@value":2}"##),
        (##"{"@container":"@list"}"##, ##""p":[1,[2]]"##, ##"{"@list":[{"@value":1},{"@list":[{"@value":2}]}]}"##),
        (##"{"@container":"@set"}"##, ##""p":[]"##, ""),
        (##"{"@type":"@id"}"##, ##""p":["x",5]"##, ##"{"@id":"https://example.org/dir/x"},{"@value":5}"##),
        (##"{"@type":"@vocab"}"##, ##""p":"x""##, ##"{"@id":"http://v.example/x"}"##),
        (##"{"@type":"@none","@language":"en"}"##, ##""p":"x""##, ##"{"@value":"x"}"##),
        (##"{"@type":"http://t.example/"}"##, ##""p":true"##, ##"{"@value":true,"@type":"http://t.example/"}"##),
        (##"{"@type":"@json"}"##, ##""p":[null,{"b":1}]"##, ##"{"@value":[null,{"b":1}],"@type":"@json"}"##),
        (##"{"@type":"@json"}"##, ##""p":null"##, ##"{"@value":null,"@type":"@json"}"##),
        (
            ##"{"@language":"de","@direction":"rtl"}"##, ##""p":["x",1]"##,
            ##"{"@value":"x","@language":"de","@direction":"rtl"},{"@value":1}"##
        ),
        (
            ##"{"@container":"@language"}"##, ##""p":{"en":["a",null],"@none":"b"}"##,
            ##"{"@value":"a","@language":"en"},{"@value":"b"}"##
        ),
        (
            ##"{"@container":"@index"}"##, ##""p":{"i":["a",{"@id":"b"}],"@none":"c"}"##,
            ##"{"@value":"a","@index":"i"},{"@id":"https://example.org/dir/b","@index":"i"},{"@value":"c"}"##
        ),
        (
            ##"{"@container":"@index","@index":"q"}"##, ##""p":{"i":{"@id":"b","q":"j"}}"##,
            ##"{"@id":"https://example.org/dir/b","http://v.example/q":[{"@value":"i"},{"@value":"j"}]}"##
        ),
        (
            ##"{"@container":"@id"}"##, ##""p":{"b":{"q":1},"@none":{"q":2}}"##,
            ##"{"http://v.example/q":[{"@value":1}],"@id":"https://example.org/dir/b"},{"http://v.example/q":[{"@value":2}]}"##
        ),
        (
            ##"{"@container":"@type"}"##, ##""p":{"T":[{"@id":"b","@type":"U"},"c"]}"##,
            ##"{"@id":"https://example.org/dir/b","@type":["http://v.example/T","http://v.example/U"]},{"@id":"https://example.org/dir/c","@type":["http://v.example/T"]}"##
        ),
        (##"{"@container":"@graph"}"##, ##""p":{"q":1}"##, ##"{"@graph":[{"http://v.example/q":[{"@value":1}]}]}"##),
        (
            ##"{"@container":["@graph","@id"]}"##, ##""p":{"b":{"q":1}}"##,
            ##"{"@graph":[{"http://v.example/q":[{"@value":1}]}],"@id":"https://example.org/dir/b"}"##
        ),
        (
            "{}", ##""p":{"@value":"x","@language":"en","@index":"i"}"##,
            ##"{"@value":"x","@language":"en","@index":"i"}"##
        ),
        ("{}", ##""p":{"@value":{"a":[]},"@type":"@json"}"##, ##"{"@value":{"a":[]},"@type":"@json"}"##),
        ("{}", ##""p":{"@set":["x",{"@set":["y"]}]}"##, ##"{"@value":"x"},{"@value":"y"}"##),
    ])
    func `values become what their term says`(term: String, members: String, values: String) throws {
        #expect(
            try JSONLDExamples.expanded(Self.document(term, members)) == "[{\"http://v.example/p\":[\(values)]}]")
    }

    @Test(arguments: [
        // Nothing is left of texts without a property, of lone identifiers and of nulls.
        (##"[5,"x",{"@id":"a"},{"@value":"v"},{"@list":["l"]},{},null]"##, "[]"),
        (##"{"@graph":[{"@id":"a"},{"@id":"b","http://e.example/p":null}]}"##, "[]"),
        (
            ##"{"@graph":{"@id":"a","@type":"http://e.example/T"}}"##,
            ##"[{"@id":"https://example.org/dir/a","@type":["http://e.example/T"]}]"##
        ),
        (##"{"name":"dropped","http://e.example/p":{"@value":null}}"##, "[]"),
        (
            ##"{"@id":"a","@graph":[{"@id":"b","http://e.example/p":1}]}"##,
            ##"[{"@id":"https://example.org/dir/a","@graph":[{"@id":"https://example.org/dir/b","http://e.example/p":[{"@value":1}]}]}]"##
        ),
        // An index that is a property, of a reverse term too.
        (
            ##"{"@context":{"@vocab":"http://v.example/","r":{"@reverse":"p","@container":"@index","@index":"q"}},"@id":"s","r":{"x":{"@id":"a"},"y":[{"@id":"b","q":"z"}],"@none":{"@id":"c"}}}"##,
            ##"[{"@id":"https://example.org/dir/s","@reverse":{"http://v.example/p":[{"@id":"https://example.org/dir/a","http://v.example/q":[{"@value":"x"}]},{"@id":"https://example.org/dir/b","http://v.example/q":[{"@value":"y"},{"@value":"z"}]},{"@id":"https://example.org/dir/c"}]}}]"##
        ),
        (
            ##"{"@context":{"@vocab":"http://v.example/","r":{"@reverse":"p","@container":"@set","@index":"q"}},"r":{"@id":"a"}}"##,
            "error"
        ),
        // Reversed twice is forward.
        (
            ##"{"@context":{"r":{"@reverse":"http://e.example/p"}},"r":{"@id":"a"},"@reverse":null}"##, "error"
        ),
        (
            ##"{"@context":{"r":{"@reverse":"http://e.example/p"}},"@reverse":{"r":{"@id":"a"},"http://e.example/q":{"@id":"b"}}}"##,
            ##"[{"http://e.example/p":[{"@id":"https://example.org/dir/a"}],"@reverse":{"http://e.example/q":[{"@id":"https://example.org/dir/b"}]}}]"##
        ),
        (
            ##"{"@context":{"@vocab":"http://v.example/","n":"@nest"},"a":1,"n":{"a":2,"n":[{"b":3}]},"@nest":{"a":4}}"##,
            ##"[{"http://v.example/a":[{"@value":1},{"@value":2},{"@value":4}],"http://v.example/b":[{"@value":3}]}]"##
        ),
        (
            ##"{"@context":{"@vocab":"http://v.example/"},"a":1,"@included":[{"@id":"b","a":2}]}"##,
            ##"[{"http://v.example/a":[{"@value":1}],"@included":[{"@id":"https://example.org/dir/b","http://v.example/a":[{"@value":2}]}]}]"##
        ),
        (
            ##"{"@context":{"@language":"en","@direction":"ltr","@vocab":"http://v.example/"},"a":["x",{"@value":"y"}]}"##,
            ##"[{"http://v.example/a":[{"@value":"x","@language":"en","@direction":"ltr"},{"@value":"y"}]}]"##
        ),
    ])
    func `documents are expanded`(document: String, expected: String) throws {
        guard expected != "error" else {
            #expect(JSONLDExamples.failure(document) != nil)
            return
        }
        #expect(try JSONLDExamples.expanded(document) == expected)
    }
}
