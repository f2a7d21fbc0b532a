import CCurl
import PippinPage

extension CurlTransfer {
    /// What an exchange that curl gave up with `code` means for the crawl.
    func failure(_ code: CURLcode, detail: String) -> FetchError {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY:
            return .hostNotFound
        case CURLE_COULDNT_CONNECT:
            if let refusedAddress, !hasOpenedSocket { return .addressRefused(refusedAddress.description) }
            return .connectionFailed(detail)
        case CURLE_INTERFACE_FAILED, CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_NO_CONNECTION_AVAILABLE:
            return .connectionFailed(detail)
        case CURLE_RECV_ERROR:
            return head.isComplete ? .truncatedBody : .connectionFailed(detail)
        case CURLE_OPERATION_TIMEDOUT:
            return .timedOut
        case CURLE_PARTIAL_FILE:
            return .truncatedBody
        case CURLE_FILESIZE_EXCEEDED:
            return .bodyTooLarge(limit: maximumBodyBytes)
        case CURLE_OUT_OF_MEMORY:
            // What curl says when a header line outgrows its own limit.
            return head.isComplete ? .protocolError(detail) : .headersTooLarge
        case CURLE_BAD_CONTENT_ENCODING:
            return .badContentEncoding(detail)
        case CURLE_WRITE_ERROR:
            // Our own callbacks leave a reason in `stop`; without one it is a decoder that could not go on.
            return .badContentEncoding(detail)
        case CURLE_ABORTED_BY_CALLBACK:
            return .cancelled
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
            CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_ENGINE_NOTFOUND,
            CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_SHUTDOWN_FAILED,
            CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CLIENTCERT, CURLE_USE_SSL_FAILED:
            return .tls(detail)
        default:
            // CURLE_UNSUPPORTED_PROTOCOL (HTTP/0.9 comes as that), CURLE_URL_MALFORMAT, CURLE_WEIRD_SERVER_REPLY,
            // CURLE_HTTP2, CURLE_HTTP2_STREAM; the others belong to protocols that are switched off.
            return .protocolError(detail)
        }
    }
}
