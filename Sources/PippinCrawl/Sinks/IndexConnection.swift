import CCurl
import Dispatch
import Foundation
import PippinPage

/// Posts bodies to the operator's search index, one after the other on one connection. `CurlFetcher` is for the web; this
/// connection has credentials and a single destination.
// `@unchecked` because the curl handle is used on the serial queue only.
final class IndexConnection: @unchecked Sendable {
    struct Answer: Sendable {
        var status: Int
        /// The pause that the index asks for, if any.
        var retryAfter: Duration?
        var body: [UInt8]
    }

    enum PostError: Error, Sendable, Equatable {
        /// No complete answer came. It is not known whether the index took the body.
        case noAnswer(String)
        /// A failure that retries cannot cure: a certificate, an answer that is far too large.
        case hopeless(String)
    }

    /// The limit of one answer. A bulk answer has some hundred bytes per item.
    private static let maximumAnswerBytes = 64_000_000

    /// The data from curl, written by its callbacks.
    private final class Receiver {
        var head = ResponseHead(maximumBytes: 64 * 1024, maximumCount: 200)
        var body: [UInt8] = []
    }

    private let easy: UnsafeMutableRawPointer
    private let server: String
    /// The buffer for curl's error message.
    private let complaint = UnsafeMutableBufferPointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    private var fields: UnsafeMutablePointer<curl_slist>?
    private let queue = DispatchQueue(label: "pippin.index")

    init(_ settings: OpenSearchSettings, credentials: OpenSearchSettings.Credentials) throws {
        guard CurlFetcher.curlIsReady, let easy = curl_easy_init() else {
            complaint.deallocate()
            throw CurlFetcher.SetupError.curlUnavailable
        }
        self.easy = easy
        server = settings.url.href
        complaint.initialize(repeating: 0)
        pippin_curl_easy_setopt_pointer(easy, CURLOPT_ERRORBUFFER, complaint.baseAddress)
        set(CURLOPT_URL, settings.bulkURL)
        set(CURLOPT_USERAGENT, "Pippin/\(CrawlConfiguration.Agent.programVersion)")
        set(CURLOPT_PROTOCOLS_STR, "http,https")
        set(CURLOPT_POST, 1)
        set(CURLOPT_FOLLOWLOCATION, 0)
        set(CURLOPT_PROXY, "")  // the index is ours and is reached without a proxy
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_TCP_KEEPALIVE, 1)
        set(CURLOPT_CONNECTTIMEOUT_MS, 10_000)
        set(CURLOPT_TIMEOUT_MS, max(1, Int(settings.timeout / .milliseconds(1))))
        set(CURLOPT_SSL_VERIFYPEER, 1)
        set(CURLOPT_SSL_VERIFYHOST, 2)
        if let path = settings.certificateAuthorityPath { set(CURLOPT_CAINFO, path) }
        // Without the empty Expect field, curl would wait for permission of the server before it sends a large body.
        var lines = ["Content-Type: application/x-ndjson", "Accept: application/json", "Expect:"]
        switch credentials {
        case .none: break
        case .basic(let text):
            set(CURLOPT_HTTPAUTH, 1)  // CURLAUTH_BASIC
            set(CURLOPT_USERPWD, text)
        case .field(let value): lines.append("Authorization: \(value)")
        case .netrc(let path):
            set(CURLOPT_NETRC, Int(CURL_NETRC_REQUIRED.rawValue))
            set(CURLOPT_NETRC_FILE, path)
        }
        for line in lines {
            guard let longer = curl_slist_append(fields, line) else { throw CurlFetcher.SetupError.curlUnavailable }
            fields = longer
        }
        pippin_curl_easy_setopt_list(easy, CURLOPT_HTTPHEADER, fields)
        pippin_curl_easy_setopt_write(easy, CURLOPT_HEADERFUNCTION) { data, size, count, context in
            guard let data, let context else { return 0 }
            let line = UnsafeRawBufferPointer(start: data, count: size * count)
            let receiver = Unmanaged<Receiver>.fromOpaque(context).takeUnretainedValue()
            return receiver.head.take(line) == .tooLarge ? 0 : line.count
        }
        pippin_curl_easy_setopt_write(easy, CURLOPT_WRITEFUNCTION) { data, size, count, context in
            guard let data, let context else { return 0 }
            let block = UnsafeRawBufferPointer(start: data, count: size * count)
            let receiver = Unmanaged<Receiver>.fromOpaque(context).takeUnretainedValue()
            guard block.count <= IndexConnection.maximumAnswerBytes - receiver.body.count else { return 0 }
            receiver.body.append(contentsOf: block)
            return block.count
        }
    }

    deinit {
        curl_easy_cleanup(easy)
        curl_slist_free_all(fields)
        complaint.deallocate()
    }

    private func set(_ option: CURLoption, _ value: Int) {
        pippin_curl_easy_setopt_long(easy, option, value)
    }

    private func set(_ option: CURLoption, _ value: String) {
        pippin_curl_easy_setopt_string(easy, option, value)
    }

    func post(_ body: [UInt8]) async -> Result<Answer, PostError> {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: self.perform(body)) }
        }
    }

    private func perform(_ body: [UInt8]) -> Result<Answer, PostError> {
        // OpenSSL writes to sockets without MSG_NOSIGNAL.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)

        complaint[0] = 0
        let receiver = Receiver()
        let context = Unmanaged.passUnretained(receiver).toOpaque()
        pippin_curl_easy_setopt_pointer(easy, CURLOPT_HEADERDATA, context)
        pippin_curl_easy_setopt_pointer(easy, CURLOPT_WRITEDATA, context)
        let code = body.withUnsafeBytes { bytes in
            pippin_curl_easy_setopt_offset(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(bytes.count))
            pippin_curl_easy_setopt_pointer(
                easy, CURLOPT_POSTFIELDS, UnsafeMutableRawPointer(mutating: bytes.baseAddress))
            return withExtendedLifetime(receiver) { curl_easy_perform(easy) }
        }
        let head = receiver.head
        guard code == CURLE_OK else {
            let detail = String(decoding: complaint.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            let text = "\(server): " + (detail.isEmpty ? String(cString: curl_easy_strerror(code)) : detail)
            switch code {
            case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_URL_MALFORMAT, CURLE_WRITE_ERROR,
                CURLE_UNSUPPORTED_PROTOCOL, CURLE_LOGIN_DENIED, CURLE_READ_ERROR:
                return .failure(.hopeless(text))
            default: return .failure(.noAnswer(text))
            }
        }
        let pause = RetryAfter.duration(head.headers, receivedAt: Date())
        return .success(Answer(status: head.status, retryAfter: pause, body: receiver.body))
    }
}

extension OpenSearchSettings {
    enum Credentials: Sendable, Equatable {
        case none
        case basic(String)
        /// A whole Authorization value.
        case field(String)
        case netrc(path: String)
    }

    /// Reads the credentials. They are never in the configuration or on the command line, where others may read them.
    func credentials(
        environment: [String: String]
    ) throws(OpenSearchSink.Failure) -> Credentials {
        let credentials: Credentials
        if let name = credentialsVariable {
            guard let value = environment[name], !value.isEmpty else {
                throw .noCredentials("the environment variable \(name) is not set")
            }
            guard value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
                throw .noCredentials("the environment variable \(name) holds control characters")
            }
            credentials = value.contains(" ") ? .field(value) : .basic(value)
        } else if let path = credentialsPath {
            guard FileManager.default.isReadableFile(atPath: path) else {
                throw .noCredentials("\(path) cannot be read")
            }
            credentials = .netrc(path: path)
        } else {
            return .none
        }
        guard url.scheme == "https" || HostReach(host: url.politenessHost) == .privateHost else {
            throw .noCredentials("\(url.href) is not https, and credentials are not sent in the clear")
        }
        return credentials
    }
}
