import Foundation
import PippinPage

/// The answer to a page request, as an archive has it.
struct ArchivedAnswer: Sendable {
    enum Content: Sendable {
        /// A page to read. Its body is still in its codings.
        case page(FetchResponse)
        /// The answer has no page to read.
        case ended(VisitOutcome)
        /// The archive has no body of this page, because it has the same one already, or because the server had nothing new.
        case revisit
    }

    let url: WebURL
    let status: Int
    let content: Content

    /// How many bytes of a record's block are wanted.
    static func wantedBytes(_ fields: HTTPHeaders, maximumBodyBytes: Int) -> Int {
        switch fields["WARC-Type"].flatMap({ WARCRecord.Kind(rawValue: $0.lowercased()) }) {
        case .response, .resource: maximumBodyBytes + WARCReader.maximumHeadBytes
        case .revisit: WARCReader.maximumHeadBytes
        case .warcinfo, .request, .metadata, .conversion, .continuation, nil: 0
        }
    }

    /// Why a record has no answer.
    enum Absence: Error {
        /// It is no answer to a page request: a request, a picture, a name look-up.
        case other
        /// It should have one but has not, with the reason as the end of a sentence.
        case malformed(String)
    }

    init(_ record: ArchivedRecord, maximumBodyBytes: Int) throws(Absence) {
        guard let kind = record.kind, let url = record.url, record.fields[WARCRecord.methodField] == nil else {
            throw .other
        }
        guard let date = record.fields["WARC-Date"].flatMap({ W3CDateTime.date(from: $0) }) else {
            throw .malformed("has no WARC-Date that can be read")
        }
        self.url = url
        let head: ResponseHead
        switch kind {
        case .resource:
            status = 200
            let headers = HTTPHeaders(record.fields["Content-Type"].map { [("Content-Type", $0)] } ?? [])
            guard AnswerKind.saysPage(headers) else { throw .other }
            guard record.blockBytes <= UInt64(maximumBodyBytes) else {
                content = .ended(.failed(.bodyTooLarge(limit: maximumBodyBytes)))
                return
            }
            content = .page(FetchResponse(url: url, status: 200, headers: headers, body: record.block, fetchedAt: date))
            return
        case .response, .revisit:
            guard record.fields.mediaType == "application/http" else { throw .other }
            var start = 0
            do throws(Absence) {
                head = try Self.head(of: record.block, end: &start)
            } catch  where kind == .revisit {
                // A revisit need not have one.
                (status, content) = (304, .revisit)
                return
            }
            status = head.status
            let headers = head.headers
            // The body of a redirect or an error is not needed.
            let meaning = StatusMeaning(status, location: headers["Location"])
            if kind == .revisit || meaning != .content {
                guard headers.mediaType == nil || AnswerKind.saysPage(headers) else { throw .other }
                let isRevisit = meaning == .content || kind == .revisit && meaning == .notModified
                let redirect = Redirect(status: status, location: headers["Location"], from: url)
                content =
                    isRevisit
                    ? .revisit : .ended(redirect.map { VisitOutcome($0) } ?? VisitOutcome(statusWithoutPage: status))
                return
            }
            let use = AnswerKind.bodyUse(headers)
            guard use == .read || use == .sniffed else { throw .other }
            guard record.blockBytes - UInt64(start) <= UInt64(maximumBodyBytes) else {
                guard AnswerKind.saysPage(headers) else { throw .other }
                content = .ended(.failed(.bodyTooLarge(limit: maximumBodyBytes)))
                return
            }
            content = .page(
                FetchResponse(
                    url: url, status: status, headers: headers, body: Array(record.block[start...]), fetchedAt: date,
                    httpVersion: head.httpVersion))
        case .warcinfo, .request, .metadata, .conversion, .continuation: throw .other
        }
    }

    /// What follows the fields of an answer; nil if its block does not begin with their whole.
    static func payload(of block: [UInt8]) -> [UInt8]? {
        var start = 0
        do throws(Absence) {
            _ = try head(of: block, end: &start)
        } catch {
            return nil
        }
        return Array(block[start...])
    }

    private static func head(of block: [UInt8], end: inout Int) throws(Absence) -> ResponseHead {
        guard block.starts(with: Array("HTTP/".utf8)) else { throw .malformed("is a response without a status line") }
        var head = ResponseHead(maximumBytes: WARCReader.maximumHeadBytes, maximumCount: 1_000)
        while let lineEnd = block[end...].firstIndex(of: 0x0A) {
            let step = block[end...lineEnd].withUnsafeBytes { head.take($0) }
            end = lineEnd + 1
            switch step {
            case .more: continue
            case .complete: return head
            case .tooLarge: throw .malformed("is a response with more fields than can be")
            }
        }
        throw .malformed("is a response whose fields do not end")
    }

    // MARK: Codings

    /// Removes the codings of a body, as far as they are still there: archives keep the fields of a body that they have
    /// decoded.
    ///
    /// - Parameter isCut: whether the archive has only the beginning of the body (`WARC-Truncated`).
    static func decoded(
        _ response: FetchResponse, isCut: Bool, maximumBodyBytes: Int, memory: Holding
    ) async -> Result<FetchResponse, FetchError> {
        var response = response
        let transferCodings = response.headers.values("Transfer-Encoding").joined(separator: ",").lowercased()
        if transferCodings.contains("chunked"), let data = RawExchange.dechunked(response.body, mayBeCut: isCut) {
            response.body = data
        }
        switch ContentCoding(response.headers) {
        case .identity, .misnamed: return .success(response)
        case .unsupported(let name):
            return isText(response.body) ? .success(response) : .failure(.badContentEncoding(name))
        case .coded(let names):
            if AnswerKind.looksLikeHTML(response.body), isText(response.body) { return .success(response) }
            let body = PackedBody(
                bytes: response.body, codings: names, maximumBytes: maximumBodyBytes, memory: memory, mayBeCut: isCut)
            switch await body.unpacked() {
            case .success(let unpacked):
                response.body = unpacked
                return .success(response)
            case .failure(let error):
                // What cannot be unpacked but is text was unpacked before.
                let wasUnpacked = error.kind == .badContentEncoding || error.kind == .truncatedBody
                return wasUnpacked && isText(response.body) ? .success(response) : .failure(error)
            }
        }
    }

    private static func isText(_ body: [UInt8]) -> Bool {
        !body.withUnsafeBytes { AnswerKind.looksBinary($0) }
    }
}
