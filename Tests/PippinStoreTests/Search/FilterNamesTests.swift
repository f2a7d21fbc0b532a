import Foundation
import PippinPage
import PippinTestSupport
import Testing

@testable import PippinStore

@Suite struct FilterNamesTests {
    private struct Types: Decodable {
        let called: [String: String]
        let below: [String: String]
    }

    /// `type:` asks an index of OpenSearch for what it asks Pippin's own.
    @Test func `the example for OpenSearch has the types that the filter knows`() throws {
        let file = Repository.root.appending(path: "Examples/opensearch/types.json")
        let types = try JSONDecoder().decode(Types.self, from: Data(contentsOf: file))
        #expect(types.called == FilterNames.otherNames)
        var parents: [String: Set<String>] = [:]
        for (parent, children) in types.below {
            for child in children.split(separator: " ") { parents[String(child), default: []].insert(parent) }
        }
        func ancestors(of type: String) -> Set<String> {
            (parents[type] ?? []).reduce(into: []) { $0.formUnion(ancestors(of: $1).union([$1])) }
        }
        #expect(Set(SchemaOrg.knownTypes) == Set(parents.keys).union(["Thing"]))
        for type in SchemaOrg.knownTypes {
            #expect(ancestors(of: type) == SchemaOrg.supertypes(of: type), "\(type)")
        }
    }
}
