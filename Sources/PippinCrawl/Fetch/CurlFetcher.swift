import CCurl
import Foundation
import PippinPage

/// Makes HTTP exchanges over real sockets: HTTP/1.1, and HTTP/2 over TLS. Certificates are always verified.
///
/// A separate thread drives curl (`CurlLoop`). `fetch` puts an order into its mailbox and waits for the answer. Connections, name
/// look-ups and TLS sessions are reused.
public final class CurlFetcher: Fetcher {
    /// Identity, limits and trust of a fetcher.
    public struct Configuration: Sendable {
        /// The whole `User-Agent` field.
        public var userAgent: String
        /// The time limit for look-up, TCP and TLS together.
        var connectTimeout: Duration = .seconds(10)
        /// The longest time from the start of the exchange to the first byte of the response.
        var firstByteTimeout: Duration = .seconds(20)
        /// The time after which a slow exchange ends: one with less than `minimumBytesPerSecond`. Whole seconds, at least one.
        var lowSpeedTimeout: Duration = .seconds(20)
        var minimumBytesPerSecond = 100
        /// The limit of status line and fields of a response, with the 1xx responses before it. curl itself stops at 100 KB per line.
        var maximumHeaderBytes = 128 * 1024
        var maximumHeaderCount = 256
        /// Whether loopback, private and other special addresses are allowed: for tests and intranets.
        public var allowPrivateNetworks = false
        /// A PEM file of certificate authorities trusted beside the system's.
        var caFile: String?
        /// The proxy for all exchanges. Nil: none; one of the environment does not count.
        public var proxy: ProxyServer?
        /// The header fields for the operator's own hosts, and user and password for the proxy.
        var credentials = SiteCredentials()
        /// Signs the requests that say so (`FetchRequest.signature`).
        var signer: RequestSigner?
        /// The limit of open connections, with idle ones.
        var maximumConnections = 256
        /// The limit of connections to one host.
        var maximumConnectionsPerHost = 6
        /// The size of one read from a socket. Each running exchange has such a buffer: a large one saves system calls and
        /// wake-ups, and only its used part takes memory.
        var receiveBufferBytes = 256 * 1024

        /// Whether responses have the transferred bytes (`FetchResponse.exchange`), for an archive. Then HTTP/1.1 is used, because
        /// archives have no form for later versions.
        var keepsExchanges = false

        /// Creates a configuration with the defaults.
        public init(userAgent: String) {
            self.userAgent = userAgent
        }
    }

    /// The reason why a fetcher cannot be set up: the configuration or curl.
    public enum SetupError: ReportedError, Sendable {
        case userAgentHasControlCharacters
        case certificatesUnreadable(ConfigurationError)
        case curlUnavailable

        public var exitStatus: ExitStatus { .usage }

        public var description: String {
            switch self {
            case .userAgentHasControlCharacters: "The user agent holds control characters, such as a line end."
            case .certificatesUnreadable(let trouble): "\(trouble)"
            case .curlUnavailable:
                pippin_curl_trouble().map { "libcurl could not be loaded (\(String(cString: $0))). Install it." }
                    ?? "libcurl could not be started."
            }
        }
    }

    /// Checks that the file has a certificate. Without one, every host would seem to have a bad certificate.
    private static func checkAuthorities(at path: String) throws(ConfigurationError) {
        let bytes = try InputFile.bytes(at: path)
        for name in ["CERTIFICATE", "TRUSTED CERTIFICATE", "X509 CERTIFICATE"]
        where bytes.firstRange(of: Array("-----BEGIN \(name)-----".utf8)) != nil { return }
        throw ConfigurationError(
            file: path,
            problem: "holds no certificate; an authority's is a PEM file, with a line -----BEGIN CERTIFICATE-----")
    }

    static let curlIsReady =
        pippin_curl_trouble() == nil && curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    private let mailbox: CurlMailbox
    private let lookUps: NameLookUps<[NetworkAddress]>
    private let addressGuard: AddressGuard

    /// Starts curl's thread. `shutdown` ends it.
    public init(configuration: Configuration) throws(SetupError) {
        guard !configuration.userAgent.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
            throw .userAgentHasControlCharacters
        }
        if let path = configuration.caFile {
            do throws(ConfigurationError) {
                try Self.checkAuthorities(at: path)
            } catch {
                throw .certificatesUnreadable(error)
            }
        }
        guard Self.curlIsReady, let multi = curl_multi_init() else { throw .curlUnavailable }
        let mailbox = CurlMailbox(multi: multi)
        self.mailbox = mailbox
        lookUps = NameLookUps(limit: configuration.connectTimeout)
        addressGuard = AddressGuard(allowPrivateNetworks: configuration.allowPrivateNetworks)
        let thread = Thread { CurlLoop(mailbox: mailbox, configuration: configuration).run() }
        thread.name = "curl"
        thread.start()
    }

    deinit {
        mailbox.close()
    }

    /// Makes one exchange.
    public func fetch(_ request: FetchRequest) async -> Result<FetchResponse, FetchError> {
        guard request.url.isHTTP else { return .failure(.unsupportedScheme(request.url.scheme)) }
        switch await exchange(request) {
        case .failure(let error): return .failure(error)
        case .success(let answer) where answer.codings.isEmpty: return .success(answer.response)
        case .success(var answer):
            let body = PackedBody(
                bytes: answer.response.body, codings: answer.codings, maximumBytes: max(0, request.maximumBodyBytes),
                memory: request.memory)
            answer.response.body = []
            return await body.unpacked().map {
                answer.response.body = $0
                return answer.response
            }
        }
    }

    private func exchange(_ request: FetchRequest) async -> Result<CurlAnswer, FetchError> {
        let id = mailbox.nextID()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                mailbox.submit(CurlOrder(id: id, request: request, continuation: continuation))
                // The handler below may have run before there was anything to cancel.
                if Task.isCancelled { mailbox.cancel(id) }
            }
        } onCancel: {
            mailbox.cancel(id)
        }
    }

    /// Looks a name up and removes addresses that are not allowed. The decisive check comes when a socket is opened.
    public func addresses(of host: String) async -> Result<[NetworkAddress], FetchError> {
        switch HostAddress(host) {
        // curl needs no look-up for these.
        case .literal, .loopback: return .success([])
        case .none: return .failure(.hostNotFound)
        case .name: break
        }
        return await lookUps.addresses(of: host).flatMap { found in
            let allowed = found.filter(addressGuard.allows)
            if allowed.isEmpty, let refused = found.last { return .failure(.addressRefused(refused.description)) }
            return .success(allowed)
        }
    }

    /// Ends running exchanges with `.cancelled`, closes all connections, and returns when the thread has ended. Later fetches
    /// also end with `.cancelled`.
    public func shutdown() async {
        mailbox.close()
        await mailbox.waitForEnd()
    }
}

extension CurlFetcher.Configuration {
    /// Takes what a crawl's configuration says of requests.
    ///
    /// - Throws: `ConfigurationError` if the file of credentials or the signing key cannot be used; `ReportedFailure` if there is no
    ///   OpenSSL to sign with.
    public init(_ configuration: CrawlConfiguration) throws {
        self.init(userAgent: configuration.agent.userAgent)
        connectTimeout = configuration.fetch.connectTimeout
        firstByteTimeout = configuration.fetch.timeout
        allowPrivateNetworks = configuration.fetch.allowPrivateNetworks
        keepsExchanges = configuration.output.archivePath != nil
        caFile = configuration.fetch.certificateAuthorityPath
        proxy = configuration.fetch.proxy
        if let path = configuration.fetch.credentialsPath {
            credentials = try SiteCredentials(contentsOf: path)
            if !configuration.fetch.sendsCredentialsToHosts { credentials.forgetHosts() }
        }
        signer = try RequestSigner(configuration.agent)
        maximumConnections = max(configuration.fetch.concurrency * 2, 16)
        maximumConnectionsPerHost = configuration.maximumConnectionsPerHost + 1
    }
}
