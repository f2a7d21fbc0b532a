import OutputChecks
import PippinPage

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzMatching(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt { FuzzedUnit.run(data, count, property) }

/// A short rule of robots.txt matches what an exponential matcher says (RFC 9309 §2.2.3).
private func property(_ bytes: [UInt8]) {
    guard let first = bytes.first, let location = WebURL("https://example.org/robots.txt") else { return }
    let letters = Array("ab*$".utf8)
    let drawn = bytes.dropFirst().prefix(24).map { letters[Int($0 & 3)] }
    let pattern = Array(drawn.prefix(Int(first % 13)))
    let text = drawn.dropFirst(pattern.count).prefix(11).map { $0 & 1 == 0 ? UInt8(ascii: "a") : UInt8(ascii: "b") }
    let rule = "/" + String(decoding: pattern, as: UTF8.self)
    guard let url = WebURL("https://example.org/" + String(decoding: text, as: UTF8.self)) else { return }
    let robots = RobotsFile(bytes: Array("User-agent: *\nDisallow: \(rule)\n".utf8), url: location)
    let isAnchored = pattern.last == UInt8(ascii: "$")
    let matches = naive(Array(pattern.dropLast(isAnchored ? 1 : 0))[...], text[...], isAnchored)
    precondition(robots.decision(for: url, agents: ["Pippin"]).isAllowed == !matches, "the two matchers differ")
}

/// A `$` elsewhere than at the end is a letter that no URL here has.
private func naive(_ pattern: ArraySlice<UInt8>, _ text: ArraySlice<UInt8>, _ isAnchored: Bool) -> Bool {
    guard let first = pattern.first else { return text.isEmpty || !isAnchored }
    let rest = pattern.dropFirst()
    if first == UInt8(ascii: "*") {
        return naive(rest, text, isAnchored) || !text.isEmpty && naive(pattern, text.dropFirst(), isAnchored)
    }
    guard text.first == first else { return false }
    return naive(rest, text.dropFirst(), isAnchored)
}
