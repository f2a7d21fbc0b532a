import Testing

@testable import PippinPage

/// What the suites of JSON-LD share: a document in, expanded form or statements out, at `https://example.org/dir/doc`.
enum JSONLDExamples {
    static let address = "https://example.org/dir/doc"

    static func conversion(
        _ text: String, contexts: [String: String] = [:], name: String = "doc.jsonld",
        options: JSONLDConversion.Options = JSONLDConversion.Options(), address: String = address
    ) -> JSONLDConversion {
        var documents = JSONLDDocuments()
        for (address, context) in contexts { documents.add(address, bytes: Array(context.utf8)) }
        return JSONLDConversion(
            bytes: Array(text.utf8), address: address, name: name, documents: documents, options: options)
    }

    static func expanded(
        _ text: String, contexts: [String: String] = [:],
        options: JSONLDConversion.Options = JSONLDConversion.Options()
    ) throws -> String {
        JSONValue.array(try conversion(text, contexts: contexts, options: options).expanded()).text()
    }

    /// N-Quads without the dots at the ends of the lines, in order.
    static func statements(
        _ text: String, options: JSONLDConversion.Options = JSONLDConversion.Options()
    ) throws -> [String] {
        String(decoding: try conversion(text, options: options).dataset().nquads, as: UTF8.self)
            .split(separator: "\n").map { String($0.dropLast(2)) }.sorted()
    }

    /// The code of the error that a document ends with; nil without one.
    static func failure(
        _ text: String, contexts: [String: String] = [:],
        options: JSONLDConversion.Options = JSONLDConversion.Options()
    ) -> JSONLDErrorCode? {
        do throws(JSONLDError) {
            _ = try conversion(text, contexts: contexts, options: options).expanded()
            return nil
        } catch {
            return error.code
        }
    }
}
