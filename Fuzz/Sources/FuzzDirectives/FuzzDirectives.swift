import OutputChecks
import PippinPage

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzDirectives(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    FuzzedUnit.run(data, count, property)
}

/// Directives only ever add up: what one header says, it also says beside another.
private func property(_ bytes: [UInt8]) {
    let parts = bytes.split(separator: 0x0A, maxSplits: 1).map { String(decoding: $0, as: UTF8.self) }
    guard let header = parts.first else { return }
    let agents = ["Pippin", "Applebot", "Googlebot"]
    let alone = RobotsDirectives(metas: [], headers: HTTPHeaders([("X-Robots-Tag", header)]), agents: agents)
    let both = RobotsDirectives(
        metas: [(name: "robots", content: parts.last ?? "")], headers: HTTPHeaders([("X-Robots-Tag", header)]),
        agents: agents)
    precondition(!alone.noindex || both.noindex)
    precondition(!alone.nofollow || both.nofollow)
    precondition(!alone.nosnippet || both.nosnippet)
}
