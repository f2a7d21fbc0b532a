import CCurl
import Glibc
import PippinPage

extension CurlTransfer {
    /// The failure of an exchange that curl ended with `code`.
    func failure(_ code: CURLcode, detail: String) -> FetchError {
        if let trouble = proxyTrouble(code) { return .connectionFailed(trouble) }
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY:
            return .hostNotFound
        case CURLE_COULDNT_CONNECT:
            if let refusedAddress, !hasOpenedSocket { return .addressRefused(refusedAddress.description) }
            return .connectionFailed(systemError == Int(ECONNREFUSED) ? FetchError.refusedConnection : detail)
        case CURLE_INTERFACE_FAILED, CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_NO_CONNECTION_AVAILABLE:
            return .connectionFailed(detail)
        case CURLE_RECV_ERROR:
            return head.isComplete ? .truncatedBody : .connectionFailed(detail)
        case CURLE_OPERATION_TIMEDOUT:
            return .timedOut(missedTime)
        case CURLE_PARTIAL_FILE:
            return .truncatedBody
        case CURLE_FILESIZE_EXCEEDED:
            return .bodyTooLarge(limit: maximumBodyBytes)
        case CURLE_OUT_OF_MEMORY:
            // curl's code for a header line over its own limit.
            return head.isComplete ? .protocolError(detail) : .headersTooLarge
        case CURLE_BAD_CONTENT_ENCODING:
            return .badContentEncoding(detail)
        case CURLE_WRITE_ERROR:
            // Our callbacks set `stop`; without it, a decoder failed.
            return .badContentEncoding(detail)
        case CURLE_ABORTED_BY_CALLBACK:
            return .cancelled
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS,
            CURLE_SSL_PINNEDPUBKEYNOTMATCH:
            return .tls(certificateFault, reason: detail)
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
            CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE, CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED,
            CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_SHUTDOWN_FAILED, CURLE_SSL_CLIENTCERT, CURLE_USE_SSL_FAILED:
            return .tls(.handshake, reason: detail)
        default:
            // CURLE_UNSUPPORTED_PROTOCOL (HTTP/0.9 comes as that), CURLE_URL_MALFORMAT, CURLE_WEIRD_SERVER_REPLY,
            // CURLE_HTTP2, CURLE_HTTP2_STREAM; the others belong to protocols that are switched off.
            return .protocolError(detail)
        }
    }

    /// The words for a proxy that was not reached, or that opened no tunnel; nil if it is not to blame.
    private func proxyTrouble(_ code: CURLcode) -> String? {
        guard let proxy = configuration.proxy else { return nil }
        var answer = 0
        pippin_curl_easy_getinfo_long(easy, CURLINFO_HTTP_CONNECTCODE, &answer)
        switch (code, answer) {
        case (_, 407): return "the proxy \(proxy.href) wants another user or password (407)"
        case (_, 502...504): return "the proxy \(proxy.href) does not reach the host (\(answer))"
        case (_, 300...): return "the proxy \(proxy.href) opens no tunnel (\(answer))"
        case (CURLE_COULDNT_RESOLVE_PROXY, _): return "the name of the proxy \(proxy.href) has no address"
        case (CURLE_COULDNT_CONNECT, _): return "the proxy \(proxy.href) cannot be reached"
        default: return nil
        }
    }

    /// The error number of the last failed system call while connecting.
    private var systemError: Int {
        var number = 0
        pippin_curl_easy_getinfo_long(easy, CURLINFO_OS_ERRNO, &number)
        return number
    }

    /// The fault of a certificate, by OpenSSL's number (X509_V_ERR_…, x509_vfy.h). Without a number, curl refused it, because it does
    /// not name the host.
    private var certificateFault: FetchError.TLSFault {
        var number = 0
        pippin_curl_easy_getinfo_long(easy, CURLINFO_SSL_VERIFYRESULT, &number)
        return switch number {
        // No error, or not checked yet ("unspecified", curl's initial value).
        case 0, 1: .wrongHost
        // Host, mail and address mismatch.
        case 62, 63, 64: .wrongHost
        case 9: .notYetValid
        case 10: .expired
        default: .untrusted
        }
    }

    /// The step that was not reached in time.
    private var missedTime: String {
        func time(_ info: CURLINFO) -> Duration {
            var microseconds: curl_off_t = 0
            pippin_curl_easy_getinfo_offset(easy, info, &microseconds)
            return .microseconds(microseconds)
        }
        let limit = order?.request.timeout ?? configuration.firstByteTimeout
        let isSecure = order?.request.url.scheme == "https"
        if time(CURLINFO_CONNECT_TIME_T) == .zero || isSecure && time(CURLINFO_APPCONNECT_TIME_T) == .zero {
            return "no connection within \(min(limit, configuration.connectTimeout).words)"
        }
        guard hasFirstByte else { return Self.noAnswer(within: limit) }
        guard time(CURLINFO_TOTAL_TIME_T) < limit else { return "no complete answer within \(limit.words)" }
        return "fewer than \(configuration.minimumBytesPerSecond) bytes a second came"
    }

    static func noAnswer(within limit: Duration) -> String { "no answer within \(limit.words)" }
}
