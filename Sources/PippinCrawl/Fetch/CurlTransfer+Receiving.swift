import CCurl
import Glibc
import PippinPage

/// curl's callbacks during an exchange. The C functions only find the transfer; the methods decide.
extension CurlTransfer {
    /// The limit of reserved bytes before the body begins: an announced length may be wrong.
    private static let maximumReservedBytes = 1 << 20
    /// The first size of the body's buffer, enough for most pages.
    private static let firstBytes = 128 * 1024
    /// The transferred bytes may exceed the decoded limit by this much, because a coding can enlarge small bodies.
    private static let wireSlackBytes = 64 * 1024

    func setCallbacks(context: UnsafeMutableRawPointer) {
        pippin_curl_easy_setopt_pointer(easy, CURLOPT_WRITEDATA, context)
        pippin_curl_easy_setopt_write(easy, CURLOPT_WRITEFUNCTION) { data, size, count, context in
            guard let data, let context else { return 0 }
            let block = UnsafeRawBufferPointer(start: data, count: size * count)
            let transfer = Unmanaged<CurlTransfer>.fromOpaque(context)
            return transfer._withUnsafeGuaranteedRef { $0.receiveBody(block) }
        }
        pippin_curl_easy_setopt_pointer(easy, CURLOPT_HEADERDATA, context)
        pippin_curl_easy_setopt_write(easy, CURLOPT_HEADERFUNCTION) { data, size, count, context in
            guard let data, let context else { return 0 }
            let line = UnsafeRawBufferPointer(start: data, count: size * count)
            let transfer = Unmanaged<CurlTransfer>.fromOpaque(context)
            return transfer._withUnsafeGuaranteedRef { $0.receiveHeaderLine(line) } ? line.count : 0
        }
        pippin_curl_easy_setopt_pointer(easy, CURLOPT_XFERINFODATA, context)
        pippin_curl_easy_setopt_xferinfo(easy) { context, _, received, _, _ in
            guard let context else { return 1 }
            let transfer = Unmanaged<CurlTransfer>.fromOpaque(context)
            return transfer._withUnsafeGuaranteedRef { $0.mayContinue(wireBytes: Int(received)) && $0.isWorthItsWork() }
                ? 0 : 1
        }
        if configuration.keepsExchanges {
            pippin_curl_easy_setopt_pointer(easy, CURLOPT_DEBUGDATA, context)
            pippin_curl_easy_setopt_debug(easy) { _, kind, data, count, context in
                guard let data, let context else { return 0 }
                let block = UnsafeRawBufferPointer(start: data, count: count)
                Unmanaged<CurlTransfer>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.keep(block, kind) }
                return 0
            }
        }
        // The connection and the watch outlive this exchange.
        pippin_curl_easy_setopt_pointer(easy, CURLOPT_CLOSESOCKETDATA, Unmanaged.passUnretained(work.watch).toOpaque())
        pippin_curl_easy_setopt_closesocket(easy) { watch, socket in
            guard let watch else { return close(socket) }
            return Unmanaged<CurlWatch>.fromOpaque(watch)._withUnsafeGuaranteedRef { $0.close(socket) }
        }
        pippin_curl_easy_setopt_pointer(easy, CURLOPT_PREREQDATA, context)
        pippin_curl_easy_setopt_prereq(easy) { context, _, _, _, _ in
            guard let context else { return CURL_PREREQFUNC_ABORT }
            let transfer = Unmanaged<CurlTransfer>.fromOpaque(context)
            return transfer._withUnsafeGuaranteedRef { $0.mayRequest() } ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
        }
        pippin_curl_easy_setopt_pointer(easy, CURLOPT_OPENSOCKETDATA, context)
        pippin_curl_easy_setopt_opensocket(easy) { context, _, address in
            guard let context, let address else { return CURL_SOCKET_BAD }
            return Unmanaged<CurlTransfer>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.openSocket(to: address) }
        }
    }

    // MARK: - Archive

    private func keep(_ block: UnsafeRawBufferPointer, _ kind: curl_infotype) {
        switch kind {
        case CURLINFO_HEADER_OUT:
            // curl repeats a request if a reused connection was closed: the last one counts.
            if exchange?.requestHead.suffix(4).elementsEqual("\r\n\r\n".utf8) == true { exchange?.requestHead = [] }
            exchange?.requestBody = []
            exchange?.requestHead.append(contentsOf: block)
        case CURLINFO_DATA_OUT: exchange?.requestBody.append(contentsOf: block)
        case CURLINFO_DATA_IN:
            // `mayContinue` ends larger exchanges, and then nothing is archived.
            guard (exchange?.wireBody.count ?? 0) <= maximumBodyBytes + 2 * Self.maximumReservedBytes else { return }
            exchange?.wireBody.append(contentsOf: block)
        default: break
        }
    }

    // MARK: - Request

    /// Allows one repetition, because a reused connection may have been closed just then. Without this limit, curl would repeat a
    /// request up to six times at once if a server refuses every stream. Only GET is repeated.
    private func mayRequest() -> Bool {
        requestsMade += 1
        let mayRepeat = order?.request.method == .get
        guard requestsMade > (mayRepeat ? 2 : 1) else { return true }
        return end(.failure(.connectionFailed("the request was refused\(mayRepeat ? " twice" : "")")))
    }

    // MARK: - Address

    private func openSocket(to address: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t {
        let family = address.pointee.family
        guard let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr) else { return CURL_SOCKET_BAD }
        // The address is longer than the struct, which only has room for the smallest kind.
        let bytes = UnsafeRawBufferPointer(
            start: UnsafeRawPointer(address) + offset, count: Int(address.pointee.addrlen))
        guard let peer = NetworkAddress(family: family, socketAddress: bytes) else { return CURL_SOCKET_BAD }
        // Every connection goes to the proxy, if there is one; `begin` has checked the host's address.
        guard configuration.proxy != nil || addressGuard.allows(peer) else {
            refusedAddress = peer
            return CURL_SOCKET_BAD
        }
        hasOpenedSocket = true
        let closeOnExec = Int32(SOCK_CLOEXEC.rawValue)
        let opened = socket(family, address.pointee.socktype | closeOnExec, address.pointee.protocol)
        if opened >= 0 { work.watch.opened(opened) }
        return opened
    }

    // MARK: - Header

    private func receiveHeaderLine(_ line: UnsafeRawBufferPointer) -> Bool {
        work.watch.beat()
        // Trailer fields follow the body and are not part of the head.
        if exchange != nil, !head.isComplete {
            // A status line begins a new head: the lines before were a 1xx response.
            if line.starts(with: "HTTP/".utf8) { exchange?.responseHead = [] }
            exchange?.responseHead.append(contentsOf: line)
        }
        switch head.take(line) {
        case .more: return true
        case .tooLarge: return end(.failure(.headersTooLarge))
        case .complete: return prepareForBody()
        }
    }

    /// Decides by the header whether and how the body is read.
    private func prepareForBody() -> Bool {
        let headers = head.headers
        let announced = headers["Content-Length"].flatMap { Int($0) }
        // RFC 9112 §6.3: these have no body, whatever the fields say.
        guard head.status != 204, head.status != 304, announced != 0 else { return true }
        if order?.request.purpose == .page {
            switch AnswerKind.bodyUse(headers) {
            case .read: break
            case .sniffed: sniffsFirstBlock = true
            case .feedOnly: isForFeed = true
            case .unwanted: return end(.bodyNotWanted)
            }
        }
        // An answer without the wanted part may be a file of gigabytes.
        if let request = order?.request, request.range != nil, !request.purpose.isAnswered(by: head.status) {
            return end(.bodyNotWanted)
        }
        let coding = ContentCoding(headers)
        switch coding {
        case .identity, .misnamed: break
        case .unsupported(let name): return end(.failure(.badContentEncoding(name)))
        case .coded(let names):
            do throws(ContentDecoder.Failure) {
                let decoder = try ContentDecoder(names, maximumBytes: maximumBodyBytes)
                if takesBeginning || sniffsFirstBlock || isForFeed { self.decoder = decoder } else { codings = names }
            } catch {
                return end(.failure(.badContentEncoding(error.coding)))
            }
        }
        if let announced, announced > 0 {
            if announced > maximumKeptBytes, decoder == nil, !takesBeginning {
                return end(.failure(.bodyTooLarge(limit: maximumBodyBytes)))
            }
            // Compressed text usually has a quarter of the length or less.
            announcedBytes = min(
                decoder == nil ? announced : announced < maximumBodyBytes / 4 ? announced * 4 : 0, maximumKeptBytes)
        }
        return true
    }

    // MARK: - Body

    /// The result of the write callback: the block's size, or curl's code to pause or end.
    private func receiveBody(_ block: UnsafeRawBufferPointer) -> Int {
        work.watch.beat()
        var rest = UnsafeRawBufferPointer(rebasing: block.dropFirst(usedBytes))
        let isTaken = decoder == nil ? take(&rest) : unpack(&rest)
        if let isTaken {
            usedBytes = max(0, usedBytes - block.count)
            return isTaken ? block.count : 0
        }
        usedBytes = max(usedBytes, block.count - rest.count)
        pause()
        return pippin_curl_pause
    }

    /// The limit of the bytes in `body`, before or after decoding.
    private var maximumKeptBytes: Int { maximumBodyBytes + (codings.isEmpty ? 0 : Self.wireSlackBytes) }

    /// Takes the bytes as they are. Returns nil if the rest must wait for memory.
    private func take(_ rest: inout UnsafeRawBufferPointer) -> Bool? {
        guard !rest.isEmpty else { return true }
        let room = maximumKeptBytes - body.count
        guard rest.count <= room || takesBeginning else { return end(.failure(.bodyTooLarge(limit: maximumBodyBytes))) }
        guard makeRoom(for: min(rest.count, room)) else { return nil }
        return append(rest)
    }

    private func unpack(_ rest: inout UnsafeRawBufferPointer) -> Bool? {
        guard let decoder else { return true }
        while true {
            // One byte more than allowed, to distinguish a body at the limit from a larger one.
            let room = min(CurlWork.unpackedBytes, maximumBodyBytes - body.count + 1)
            guard makeRoom(for: room) else { return nil }
            let count: Int
            do throws(ContentDecoder.Failure) {
                count = try decoder.read(&rest, into: UnsafeMutableRawBufferPointer(rebasing: work.unpacked[..<room]))
            } catch {
                return end(.failure(.badContentEncoding(error.coding)))
            }
            guard count > 0 else { return true }
            guard append(UnsafeRawBufferPointer(rebasing: work.unpacked[..<count])) else { return false }
        }
    }

    private func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
        if sniffsFirstBlock {
            sniffsFirstBlock = false
            if AnswerKind.looksBinary(bytes) { return end(.bodyNotWanted) }
        }
        let room = maximumKeptBytes - body.count
        guard bytes.count > room else {
            body.append(contentsOf: bytes)
            // A shorter body is looked at when it is read (`AnswerKind`).
            if isForFeed, body.count >= AnswerKind.feedMarkBytes {
                isForFeed = false
                if !body.withUnsafeBytes({ AnswerKind.looksLikeJSONFeed($0) }) { return end(.bodyNotWanted) }
            }
            return true
        }
        guard takesBeginning else { return end(.failure(.bodyTooLarge(limit: maximumBodyBytes))) }
        body.append(contentsOf: bytes.prefix(room))
        return end(.bodyCut)
    }

    /// Grows the body's buffer. Memory is taken before each step, for two copies: the growing array is copied.
    private func makeRoom(for more: Int) -> Bool {
        let needed = body.count + more
        guard needed > body.capacity else { return true }
        let announced = announcedBytes ?? 0
        // An announced length may be wrong: it counts only in proportion to the received bytes.
        let expected = announced >= needed ? min(announced, max(4 * body.capacity, Self.maximumReservedBytes)) : 0
        let larger = max(needed, expected > 0 ? expected : max(body.capacity + body.capacity / 2, Self.firstBytes))
        let capacity = min(larger, max(needed, maximumKeptBytes))
        if let memory = order?.request.memory {
            let total =
                capacity + body.capacity + (exchange?.wireBody.capacity ?? 0)
                + (decoder?.keptBytes(after: body.count) ?? 0)
            guard memory.grow(to: total, orWake: { [mailbox] in mailbox.memoryIsFreed() }) else { return false }
        }
        body.reserveCapacity(capacity)
        return true
    }

    /// Limits the transferred bytes. The body is limited after decoding, but some bytes decode to nothing.
    private func mayContinue(wireBytes: Int) -> Bool {
        guard wireBytes > maximumBodyBytes, wireBytes - maximumBodyBytes > Self.wireSlackBytes else { return true }
        if takesBeginning { return end(.bodyCut) }
        return end(.failure(.bodyTooLarge(limit: maximumBodyBytes)))
    }

    private var takesBeginning: Bool { order?.request.takesBeginning ?? false }

    // MARK: - Work

    /// Counts the work of this step. An exchange that costs much work for few bytes ends, with its connection.
    private func isWorthItsWork() -> Bool {
        work.watch.beat()
        workDone += work.stopwatch.lap()
        let isWorth = workDone <= CurlStopwatch.allowance + body.count * CurlStopwatch.allowancePerByte
        if isWorth, !work.watch.hasCut(localPort: { localPort }) { return true }
        // curl would keep the connection, because only a stream ends.
        work.watch.cut(localPort: localPort)
        return end(.failure(costly))
    }

    var costly: FetchError { .tooCostly("\(body.count) bytes came") }

    var localPort: UInt16 {
        var port = 0
        pippin_curl_easy_getinfo_long(easy, CURLINFO_LOCAL_PORT, &port)
        return UInt16(clamping: port)
    }

    private func end(_ reason: Stop) -> Bool {
        stop = reason
        return false
    }
}
