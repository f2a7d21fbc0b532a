import OutputChecks
import PippinPage

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPing(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt { FuzzedUnit.run(data, count, property) }

/// Whatever is sent as a ping: its pages and its key file are of one host and port, and the file vouches for its folder only.
private func property(_ bytes: [UInt8]) {
    var parser = JSONParser()
    // What is no JSON is no ping.
    guard let json = try? parser.parse(bytes), let ping = try? IndexNowPing(json: json) else { return }
    precondition(!ping.urls.isEmpty && ping.urls.count <= IndexNowPing.maximumURLs)
    precondition((8...128).contains(ping.key.utf8.count) && ping.keyFile.query == nil && ping.keyFile.isHTTP)
    let folder = ping.keyFile.path.lastIndex(of: "/").map { ping.keyFile.path[...$0] } ?? ""
    for url in ping.urls {
        precondition(url.isHTTP && url.host == ping.keyFile.host && url.port == ping.keyFile.port)
        precondition(url.path.hasPrefix(folder) && url.username.isEmpty && WebURL(url.href)?.href == url.href)
    }
    precondition(ping.isProved(by: Array(ping.key.utf8)) && !ping.isProved(by: bytes))
}
