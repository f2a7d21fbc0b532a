import OutputChecks
import PippinPage

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRobots(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt { FuzzedUnit.run(data, count, property) }

/// Whatever a robots.txt says, the file itself may be fetched, every rule stands on a line of it, and a decision names a rule
/// that really is in the file.
private func property(_ bytes: [UInt8]) {
    // The first line is the path that is asked about, the rest the file.
    let parts = bytes.split(separator: 0x0A, maxSplits: 1)
    guard let location = WebURL("https://example.org/robots.txt") else { return }
    let robots = RobotsFile(bytes: Array(parts.last ?? []), url: location)
    let agents = ["Pippin", "Applebot", "Googlebot"]
    precondition(robots.decision(for: location, agents: agents).isAllowed)
    guard let url = WebURL(String(decoding: parts.first ?? [], as: UTF8.self), base: location) else { return }
    let decision = robots.decision(for: url, agents: agents)
    if let rule = decision.rule {
        precondition(robots.groups.contains { $0.rules.contains(rule) })
        precondition(decision.isAllowed == (rule.kind == .allow))
    }
    _ = decision.sentence
}
