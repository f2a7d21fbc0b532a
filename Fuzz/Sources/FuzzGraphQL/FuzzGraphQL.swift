import OutputChecks
import PippinPage

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzGraphQL(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt { FuzzedUnit.run(data, count, property) }

/// No text of queries hides a mutation, before it or after it, in a document or in a batch.
private func property(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    precondition(!GraphQLRequest.onlyReads("mutation{a}" + text))
    guard GraphQLRequest.onlyReads(text), text.contains("{") else { return }
    // A line end, because the text may end with a comment.
    precondition(!GraphQLRequest.onlyReads(text + "\nmutation{a}"))
    precondition(!GraphQLRequest.onlyReads(text + "\nsubscription{a}"))
    precondition(GraphQLRequest.onlyReads(text + "\n" + text))
    let query: JSONValue = ["query": .string(text)]
    precondition(GraphQLRequest.effect(of: query) == .reads)
    precondition(GraphQLRequest.effect(of: [query, ["query": "mutation{a}"]]) == .mayChange)
}
