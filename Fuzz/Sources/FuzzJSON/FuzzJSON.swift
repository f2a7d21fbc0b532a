import PippinPage

/// What is parsed and written parses to the same value, compact and pretty.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzJSON(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: data, count: count))
    var parser = JSONParser()
    guard let value = try? parser.parse(bytes) else { return 0 }
    for pretty in [false, true] {
        var again = JSONParser()
        guard let written = try? again.parse(value.bytes(pretty: pretty)) else {
            preconditionFailure("what was written does not parse")
        }
        precondition(written == value)
    }
    return 0
}
