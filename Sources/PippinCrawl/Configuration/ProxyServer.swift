import PippinPage

/// The operator's HTTP proxy (`fetch.proxy`).
///
/// Every request, http or https, goes through a tunnel (CONNECT, RFC 9110 §9.3.6) to an *address*: Pippin looks names up itself,
/// as without a proxy, and `AddressGuard` checks the address before the proxy hears of it. The proxy looks nothing up. So it opens
/// no way into private networks, and pauses per address hold. The address of the proxy itself may be private.
public struct ProxyServer: Sendable, Equatable {
    /// The address in the form of CURLOPT_PROXY: `http://proxy.example.org:3128`, without credentials.
    public let href: String

    /// The reason why a text names no proxy.
    struct Fault: Error, CustomStringConvertible {
        let description: String
    }

    static func read(_ text: String) -> Result<ProxyServer, Fault> {
        let example = "expected the proxy's URL, like http://proxy.example.org:3128"
        guard let url = WebURL(text), url.host?.isEmpty == false else {
            return .failure(Fault(description: example))
        }
        // Before the scheme, so that no error quotes a password.
        guard url.username.isEmpty, url.password.isEmpty else {
            return .failure(
                Fault(
                    description:
                        "user and password do not belong here; write them under proxy: in the file of credentials"))
        }
        guard url.scheme == "http" else {
            return .failure(Fault(description: "\(example); other kinds of proxies are not supported"))
        }
        guard url.path == "/", url.query == nil, let origin = url.origin else {
            return .failure(Fault(description: "\(example), without path and query"))
        }
        // curl's usual port of a proxy is 1080, not that of the scheme.
        return .success(ProxyServer(href: url.port == nil ? origin + ":80" : origin))
    }
}
