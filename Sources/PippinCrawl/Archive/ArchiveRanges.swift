import Foundation
import PippinPage

/// Where the records lie that an index names: in files below a folder, or at a host that serves parts of files.
public enum IndexedArchives: Sendable {
    /// A folder; nil for that of each index.
    case folder(String?)
    /// The URL that names of files are appended to, and what makes one exchange there, in the host's turn (`SingleFetch.exchanges`).
    case host(WebURL, Exchange)

    /// Makes one exchange.
    public typealias Exchange = @Sendable (FetchRequest) async -> Result<FetchResponse, RequestFailure>
}

/// Fetches parts of files from one host, in its turns, and believes no answer that is not exactly the part.
struct ArchiveRanges: Sendable {
    /// Why there is no part, as the end of a sentence.
    struct Failure: Error {
        let reason: String
    }

    private let base: WebURL
    private let exchange: IndexedArchives.Exchange
    private let timeout: Duration

    /// - Parameter base: ends with `/`.
    init(_ base: WebURL, timeout: Duration, exchange: @escaping IndexedArchives.Exchange) {
        (self.base, self.timeout, self.exchange) = (base, timeout, exchange)
    }

    /// Fetches a record. No redirect is followed, because only the one host was named.
    func bytes(of place: IndexedPlace) async throws(Failure) -> [UInt8] {
        guard let url = WebURL(place.file, base: base), url.origin == base.origin,
            url.href.hasPrefix(base.href), url.query == nil
        else { throw Failure(reason: "is of a file that is not below \(base.href)") }
        var request = FetchRequest(url: url, purpose: .archive, maximumBodyBytes: place.length, timeout: timeout)
        let last = place.offset + UInt64(place.length) - 1
        request.range = place.offset...last
        let response: FetchResponse
        switch await exchange(request) {
        case .failure(let failure): throw Failure(reason: "cannot be fetched from \(url.href): \(failure.reason)")
        case .success(let answer): response = answer
        }
        func refused(_ reason: String) -> Failure { Failure(reason: "cannot be fetched: \(url.href) \(reason)") }
        switch response.status {
        case 206: break
        case 200: throw refused("gave the whole file, because the host serves no parts (status 200)")
        case 416: throw refused("ends before bytes \(place.offset) to \(last) (status 416)")
        case 300...399: throw refused("leads to another place (status \(response.status)), which is not followed")
        default: throw refused("was answered with status \(response.status)")
        }
        guard ContentCoding(response.headers) == .identity else { throw refused("was packed once more on its way") }
        let said = response.headers["Content-Range"] ?? ""
        guard Self.isRange(said, from: place.offset, to: last) else {
            throw refused("gave \"\(said.prefix(80))\" for bytes \(place.offset) to \(last)")
        }
        guard response.body.count == place.length else {
            throw refused("gave \(response.body.count) bytes for \(place.length)")
        }
        return response.body
    }

    /// Whether a `Content-Range` is exactly of these bytes (RFC 9110 §14.4): `bytes 0-99/1234`, or `/*`.
    private static func isRange(_ field: String, from first: UInt64, to last: UInt64) -> Bool {
        guard field.asciiLowercased.hasPrefix("bytes ") else { return false }
        let sides = field.dropFirst(6).split(separator: "/", omittingEmptySubsequences: false)
        guard sides.count == 2, sides[0] == "\(first)-\(last)" else { return false }
        return sides[1] == "*" || UInt64(sides[1]).map { $0 > last } == true
    }
}
