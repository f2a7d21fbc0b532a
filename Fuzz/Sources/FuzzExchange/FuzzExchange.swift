import Foundation
import OutputChecks

@testable import PippinCrawl
@testable import PippinPage

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzExchange(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt { FuzzedUnit.run(data, count, property) }

/// What a server says around a body: heads within their limits, whatever order their lines come in; and the heads of WARC records,
/// which an earlier run has written from the same words.
private func property(_ bytes: [UInt8]) {
    var head = ResponseHead(maximumBytes: 4_000, maximumCount: 50)
    var rest = bytes[...]
    reading: while !rest.isEmpty {
        let end = rest.firstIndex(of: 0x0A).map { $0 + 1 } ?? rest.endIndex
        let line = Array(rest[..<end])
        rest = rest[end...]
        switch line.withUnsafeBytes({ head.take($0) }) {
        case .more: continue
        case .complete, .tooLarge: break reading
        }
    }
    precondition((0...999).contains(head.status), "a status of more than three digits")
    let headers = head.headers
    precondition(headers.fields.count <= 50, "more fields than may be")
    let now = Date(timeIntervalSince1970: 1_800_000_000)
    if let wait = RetryAfter.duration(headers, receivedAt: now) { precondition(wait >= .zero, "a wait that is over") }
    _ = ContentCoding(headers)
    _ = AnswerKind.bodyUse(headers)
    if let address = NetworkAddress(String(decoding: bytes.prefix(64), as: UTF8.self)) {
        precondition(NetworkAddress(address.description) == address, "an address that reads otherwise")
    }
    if let record = WARCHead(Array("WARC/1.1\r\nWARC-Type: response\r\n".utf8) + bytes) {
        _ = record.line(offset: 0, length: 1, file: "x.warc.gz")
    }
    compareGlob(bytes)
}

/// A short glob matches what an exponential matcher says.
private func compareGlob(_ bytes: [UInt8]) {
    guard let first = bytes.first else { return }
    let letters = Array("ab*?".utf8)
    let drawn = bytes.dropFirst().prefix(24).map { letters[Int($0 & 3)] }
    let pattern = Array(drawn.prefix(Int(first % 13)))
    let text = drawn.dropFirst(pattern.count).prefix(11).map { $0 & 1 == 0 ? UInt8(ascii: "a") : UInt8(ascii: "b") }
    let matches = URLGlob(String(decoding: pattern, as: UTF8.self)).matches(text)
    precondition(matches == naive(pattern[...], text[...]), "the two matchers differ")
}

private func naive(_ pattern: ArraySlice<UInt8>, _ text: ArraySlice<UInt8>) -> Bool {
    guard let first = pattern.first else { return text.isEmpty }
    let rest = pattern.dropFirst()
    if first == UInt8(ascii: "*") { return naive(rest, text) || !text.isEmpty && naive(pattern, text.dropFirst()) }
    guard let byte = text.first, first == UInt8(ascii: "?") || first == byte else { return false }
    return naive(rest, text.dropFirst())
}
