/// The bytes of an HTTP exchange, for an archive.
public struct RawExchange: Sendable {
    var method = "GET"
    /// Request line and fields as they were sent.
    var requestHead: [UInt8] = []
    /// The request's body as it was sent.
    var requestBody: [UInt8] = []
    /// Status line and fields of the final response as they were received, with the empty line.
    var responseHead: [UInt8] = []
    /// The body as it was received, in its transfer and content codings.
    var wireBody: [UInt8] = []

    public init(requestHead: [UInt8] = [], responseHead: [UInt8] = [], wireBody: [UInt8] = []) {
        (self.requestHead, self.responseHead, self.wireBody) = (requestHead, responseHead, wireBody)
    }

    /// Removes fields of the request that an archive must not have: credentials.
    mutating func removeRequestFields(_ names: [String]) {
        guard !names.isEmpty else { return }
        let secret = Set(names.map { $0.lowercased() })
        let lines = requestHead.split(separator: 0x0A, omittingEmptySubsequences: false).filter { line in
            let name = String(decoding: line.prefix { $0 != 0x3A }, as: UTF8.self).lowercased()
            return !secret.contains(name)
        }
        requestHead = Array(lines.joined(separator: [0x0A]))
    }

    /// The response without its transfer coding (RFC 9112 §7), as digests need it. `Transfer-Encoding` is renamed, as usual in web
    /// archives; all other bytes are as received.
    var withoutTransferCoding: (head: [UInt8], body: [UInt8]) {
        guard let range = Self.transferEncodingName(in: responseHead) else { return (responseHead, wireBody) }
        var head = responseHead
        head.replaceSubrange(range, with: Array("X-Crawler-Transfer-Encoding".utf8))
        // A body that is not chunked was decoded before.
        return (head, Self.dechunked(wireBody) ?? wireBody)
    }

    private static func transferEncodingName(in head: [UInt8]) -> Range<Int>? {
        let name = Array("transfer-encoding".utf8)
        var start = 0
        while start < head.count {
            let end = head[start...].firstIndex(of: 0x0A) ?? head.count
            if end - start > name.count, head[start + name.count] == 0x3A,
                zip(name, head[start...]).allSatisfy({ $0 == ($1 | 0x20) || $0 == $1 })
            {
                return start..<(start + name.count)
            }
            start = end + 1
        }
        return nil
    }

    /// The data of a chunked body (RFC 9112 §7.1); nil if it is not chunked.
    ///
    /// - Parameter mayBeCut: whether a body that ends within a chunk counts as well.
    static func dechunked(_ bytes: [UInt8], mayBeCut: Bool = false) -> [UInt8]? {
        var data: [UInt8] = []
        data.reserveCapacity(bytes.count)
        var at = 0
        while let lineEnd = bytes[at...].firstIndex(of: 0x0A) {
            let digits = bytes[at..<lineEnd].prefix { ($0 | 0x20) &- 0x61 < 6 || $0 &- 0x30 < 10 }
            guard (1...8).contains(digits.count), let size = Int(String(decoding: digits, as: UTF8.self), radix: 16)
            else { return nil }
            at = lineEnd + 1
            if size == 0 { return data }
            guard size <= bytes.count - at else { return mayBeCut ? data + bytes[at...] : nil }
            data.append(contentsOf: bytes[at..<(at + size)])
            at += size
            if at < bytes.count, bytes[at] == 0x0D { at += 1 }
            if at == bytes.count { break }
            guard bytes[at] == 0x0A else { return nil }
            at += 1
        }
        return mayBeCut && !data.isEmpty ? data : nil
    }
}
