import CCurl
import PippinPage

/// The TLS sessions of hosts, so that a later connection to a host needs no full handshake (RFC 8446 §2.2, RFC 5077).
///
/// libcurl keeps eight sessions in a share, and a crawl asks many hosts in turn. So the hosts are spread over many shares. It is
/// used by curl's thread alone.
final class TLSSessions {
    /// Room for 2,000 hosts, a few kilobytes each. A share is made when its first host is asked.
    private static let shareCount = 256

    private var shares = [UnsafeMutableRawPointer?](repeating: nil, count: TLSSessions.shareCount)

    /// The share with the sessions of a host; nil if libcurl gives none, which costs only handshakes.
    func share(of host: String) -> UnsafeMutableRawPointer? {
        let place = Int(truncatingIfNeeded: FNV1a.hash(host.utf8) % UInt64(Self.shareCount))
        if let share = shares[place] { return share }
        let share = curl_share_init()
        pippin_curl_share_setopt_long(share, CURLSHOPT_SHARE, Int(CURL_LOCK_DATA_SSL_SESSION.rawValue))
        shares[place] = share
        return share
    }

    /// Forgets all sessions. No handle may use them any more.
    func end() {
        for share in shares where share != nil { curl_share_cleanup(share) }
        shares = []
    }
}
