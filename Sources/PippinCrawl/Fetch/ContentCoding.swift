import PippinPage

/// The meaning of a `Content-Encoding` field.
enum ContentCoding: Equatable {
    case identity
    /// Codings that we can remove: all names, in the order in which they were applied.
    case coded([String])
    /// A name that is not a coding (`utf-8`, `none`). The body is read unchanged, as in browsers.
    case misnamed
    /// A real coding that we cannot remove.
    case unsupported(String)

    private static let supported: Set<String> = ["gzip", "x-gzip", "deflate", "br", "zstd"]
    /// The IANA HTTP Content Coding Registry, and unregistered names of compressors.
    private static let unsupported: Set<String> = [
        "aes128gcm", "compress", "dcb", "dcz", "exi", "pack200-gzip", "x-compress",
        "bzip2", "x-bzip2", "lzma", "xz", "sdch", "snappy", "lz4", "zip",
    ]

    init(_ headers: HTTPHeaders) {
        var names: [String] = []
        var isCoded = false
        var isMisnamed = false
        for field in headers.values("Content-Encoding") {
            for part in field.utf8.split(separator: 0x2C) {
                let trimmed = part.filter { $0 != 0x20 && $0 != 0x09 }
                let name = String(decoding: trimmed, as: UTF8.self).lowercased()
                if !name.isEmpty, name != "identity" { names.append(name) }
                if Self.supported.contains(name) {
                    isCoded = true
                } else if Self.unsupported.contains(name) {
                    self = .unsupported(name)
                    return
                } else if !name.isEmpty, name != "identity" {
                    isMisnamed = true
                }
            }
        }
        // An unknown name beside a real coding cannot be removed.
        self = isCoded ? .coded(names) : isMisnamed ? .misnamed : .identity
    }
}
