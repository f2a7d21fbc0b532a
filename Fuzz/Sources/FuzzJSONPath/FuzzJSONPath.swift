import OutputChecks
import PippinPage

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzJSONPath(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt { FuzzedUnit.run(data, count, property) }

/// The first line is a query, the rest a document. However they are, the search ends within its steps; and what a query finds is what
/// the same query finds again.
private func property(_ bytes: [UInt8]) {
    let lines = bytes.split(separator: 0x0A, maxSplits: 1, omittingEmptySubsequences: false)
    let text = String(decoding: lines.first ?? [], as: UTF8.self)
    var steps = 50_000
    if let expression = try? RegularExpression(text) {
        _ = expression.isFound(in: String(decoding: bytes, as: UTF8.self), steps: &steps)
        // One round may go over the limit, by no more than the instructions of a program.
        precondition(steps > -20_000)
    }
    guard let path = try? JSONPath(text) else { return }
    var parser = JSONParser()
    guard lines.count == 2, let document = try? parser.parse(lines[1]) else { return }
    let result = path.values(in: document, limit: 100, steps: 50_000)
    precondition(result.values.count <= 100)
    precondition(path.values(in: document, limit: 100, steps: 50_000).values == result.values)
}
