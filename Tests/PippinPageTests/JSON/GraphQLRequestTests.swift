import Testing

@testable import PippinPage

/// What requests in JSON ask for, as far as GraphQL says it.
@Suite struct GraphQLRequestTests {
    private static let queries = [
        "{ a }", "query { a }",
        "query Q($a: [Int!] = [1, 2], $b: In = {mutation: 1}) @d(mutation: true) { a(b: $b) { c } }",
        "query mutation { a }", "query subscription { mutation }", "{ mutation(x: \"}\") { mutation } }",
        "# mutation { a }\nquery { a } # }", "fragment mutation on Mutation { a } { ...mutation }",
        "query A { a } query B { b } fragment C on D { e }", "{ a(x: \"\"\"mutation { \\\"\"\" } \"\"\") }",
        "{ a(x: \"\\\"{\") }", "{a(x:\"\"),b}", "\u{FEFF}{ a }", "\"about\" query { a }", "query,{,a,}",
        "{ ... on A { b } }",
        "{ a(x: 1e5, y: -2.0, z: ENUM) }",
    ]

    @Test(arguments: queries) func `a query reads`(_ text: String) {
        #expect(GraphQLRequest.effect(of: ["query": .string(text)]) == .reads)
        #expect(!GraphQLRequest.onlyReads("mutation{a}" + text))
        #expect(!GraphQLRequest.onlyReads(text + "\nmutation{a}"))
    }

    private static let changes = [
        "mutation { a }", "mutation M($a: Int) { a }", "subscription { a }", "query A { a } mutation B { b }",
        "mutation B { b } query A { a }", "{ a } mutation { b }", "#\nmutation{a}", "# x\rmutation { a }",
        "fragment F on T { a } mutation { ...F }", "\"\"\"query {\"\"\" mutation { a }", "\"query\" mutation { a }",
        "{ a(x: \"\\\\\") } mutation { b }", "{ a(x: \"\"\"\\\\\"\"\") } mutation { b }", ",,mutation,{a}",
        // What is not understood.
        "{ a", "a } {", "{ a ) }", "{ a(x: \"} }", "{ a(x: \"\n\") }", "{ a(x: \"\"\" }", "query", "query { a } query",
        "type A { b: C }", "extend schema { mutation: M }", "QUERY { a }", "5 { a }", "({ a })", "[{a}]",
        "mutation of {genes",
        "query\u{0} { a }; mutation { b }",
    ]

    @Test(arguments: changes) func `what is not all queries may change something`(_ text: String) {
        // A text without a selection set is no document, but words to search for.
        let expected: GraphQLRequest.Effect = text.contains("{") ? .mayChange : .reads
        #expect(GraphQLRequest.effect(of: ["query": .string(text)]) == expected)
    }

    private static let bodies: [(String, GraphQLRequest.Effect)] = [
        (#"{"query":"{a}","variables":{},"operationName":"A"}"#, .reads),
        (#"{"query":"query A{a} mutation B{b}","operationName":"A"}"#, .mayChange),
        (#"[{"query":"{a}"},{"query":"{b}"}]"#, .reads), ("[]", .reads), ("{}", .reads), ("1", .reads),
        ("null", .reads),
        (#"[{"query":"{a}"},{"query":"mutation{b}"}]"#, .mayChange),
        (#"[[{"query":"{a}"}]]"#, .mayChange),
        (#"[{"extensions":{"persistedQuery":{}}},{"query":"mutation{b}"}]"#, .mayChange),
        // Searches.
        (#"{"query":"mutation of genes"}"#, .reads), (#"{"query":{"match":{"mutation":"{"}}}"#, .reads),
        (#"{"q":"mutation { a }","page":2}"#, .reads),
        // A hash may stand for a mutation.
        (#"{"extensions":{"persistedQuery":{"version":1,"sha256Hash":"x"}},"operationName":"A"}"#, .isHidden),
        (#"{"query":"{a}","extensions":{"persistedQuery":{"version":1,"sha256Hash":"x"}}}"#, .reads),
        (#"{"query":"","extensions":{"persistedQuery":{}}}"#, .isHidden), (#"{"doc_id":"1"}"#, .isHidden),
        (#"{"query":null,"documentId":"1"}"#, .isHidden), (#"{"id":"1","variables":{}}"#, .isHidden),
        (#"[{"query":"{a}"},{"documentId":"1"}]"#, .isHidden),
    ]

    @Test(arguments: bodies.indices) func `a body is judged by all its requests`(_ index: Int) throws {
        let (body, effect) = Self.bodies[index]
        var parser = JSONParser()
        #expect(GraphQLRequest.effect(of: try parser.parse(body)) == effect, "\(body)")
    }

    @Test func `a text of brackets takes no depth and no time`() {
        let deep = String(repeating: "{(", count: 30_000)
        #expect(!GraphQLRequest.onlyReads(deep))
        #expect(!GraphQLRequest.onlyReads(String(repeating: "\"\"\"\\", count: 30_000) + "{"))
    }
}
