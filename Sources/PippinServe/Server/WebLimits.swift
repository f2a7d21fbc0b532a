/// How large and how slow a request may be, and how many there may be.
enum WebLimits {
    /// Longest target (path and query), in bytes: the longest query, of 500 characters that take twelve bytes each when
    /// percent-encoded, and room for the other parameters.
    static let targetBytes = 8_192
    /// All header fields together, in bytes, as other servers have it.
    static let headerBytes = 16_384
    static let headerFields = 100
    /// Forms hold a URL, or a token.
    static let bodyBytes = 16_384
    /// A browser opens up to six connections.
    static let connections = 256
    /// Seconds after which a connection is closed on which no request comes, or no whole header.
    static let idleSeconds: Int64 = 15
    /// Seconds from the header of a request until its answer must be on its way. Fetching a page for its report card takes most.
    static let requestSeconds: Int64 = 90
    /// How long the end of the server waits for requests in flight.
    static let patience = Duration.seconds(5)
    /// Unicode scalars of a search query.
    static let queryLength = 500
    /// Unicode scalars of a URL.
    static let urlLength = 2_000
}
