import OutputChecks
import PippinPage

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzJSON(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt { FuzzedUnit.run(data, count, property) }

/// What is parsed and written parses to the same value, compact and pretty.
private func property(_ bytes: [UInt8]) {
    var parser = JSONParser()
    guard let value = try? parser.parse(bytes) else { return }
    for pretty in [false, true] {
        var again = JSONParser()
        guard let written = try? again.parse(value.bytes(pretty: pretty)) else {
            preconditionFailure("what was written does not parse")
        }
        precondition(written == value)
    }
}
