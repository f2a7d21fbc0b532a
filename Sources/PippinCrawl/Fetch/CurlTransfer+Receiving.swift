import CCurl
import Glibc
import PippinPage

/// What curl calls while an exchange is under way. The C functions only find the transfer; the methods decide.
extension CurlTransfer {
    /// Reserved at most before a byte of the body has come: what a server announces is no promise.
    private static let maximumReservedBytes = 1 << 20
    /// Room for most pages.
    private static let firstBytes = 128 * 1024
    /// How much more than the decoded limit may cross the wire: a coding may make small bodies a little larger.
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
        // A connection outlives the exchange it was opened for, and so does the watch.
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
            // curl repeats a request whose kept connection was closed: the last one counts.
            if exchange?.requestHead.suffix(4).elementsEqual("\r\n\r\n".utf8) == true { exchange?.requestHead = [] }
            exchange?.requestHead.append(contentsOf: block)
        case CURLINFO_DATA_IN:
            // `mayContinue` ends larger ones; none of them gives a response to keep.
            guard (exchange?.wireBody.count ?? 0) <= maximumBodyBytes + 2 * Self.maximumReservedBytes else { return }
            exchange?.wireBody.append(contentsOf: block)
        default: break
        }
    }

    // MARK: - Request

    /// A kept connection may have been closed just then, so one more request is fair. A server that refuses stream after stream
    /// would have curl ask six times within a moment.
    private func mayRequest() -> Bool {
        requestsMade += 1
        guard requestsMade > 2 else { return true }
        return end(.failure(.connectionFailed("the request was refused twice")))
    }

    // MARK: - Address

    private func openSocket(to address: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t {
        let family = address.pointee.family
        guard let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr) else { return CURL_SOCKET_BAD }
        // The address runs past the end of the struct, which has only room for the smallest kind.
        let bytes = UnsafeRawBufferPointer(
            start: UnsafeRawPointer(address) + offset, count: Int(address.pointee.addrlen))
        guard let peer = NetworkAddress(family: family, socketAddress: bytes) else { return CURL_SOCKET_BAD }
        guard addressGuard.allows(peer) else {
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
        // Trailer fields come after the head, and are no part of it.
        if exchange != nil, !head.isComplete {
            // A status line begins the head anew: what came before was a 1xx response.
            if line.starts(with: "HTTP/".utf8) { exchange?.responseHead = [] }
            exchange?.responseHead.append(contentsOf: line)
        }
        switch head.take(line) {
        case .more: return true
        case .tooLarge: return end(.failure(.headersTooLarge))
        case .complete: return prepareForBody()
        }
    }

    /// Decides from the header whether the body is wanted, and how it is read.
    private func prepareForBody() -> Bool {
        let headers = head.headers
        let announced = headers["Content-Length"].flatMap { Int($0) }
        // RFC 9112 §6.3: these have none, whatever the fields say.
        guard head.status != 204, head.status != 304, announced != 0 else { return true }
        if order?.request.purpose == .page {
            switch PageContentType(headers) {
            case .page: break
            case .unknown: sniffsFirstBlock = true
            case .other: return end(.bodyNotWanted)
            }
        }
        let coding = ContentCoding(headers)
        switch coding {
        case .identity, .misnamed: break
        case .unsupported(let name): return end(.failure(.badContentEncoding(name)))
        case .coded(let names):
            do throws(ContentDecoder.Failure) {
                decoder = try ContentDecoder(names)
            } catch {
                return end(.failure(.badContentEncoding(error.coding)))
            }
        }
        if let announced, announced > 0 {
            if announced > maximumBodyBytes, decoder == nil, !takesBeginning {
                return end(.failure(.bodyTooLarge(limit: maximumBodyBytes)))
            }
            // Text is usually packed to a fourth or less.
            announcedBytes = min(
                decoder == nil ? announced : announced < maximumBodyBytes / 4 ? announced * 4 : 0, maximumBodyBytes)
        }
        return true
    }

    // MARK: - Body

    /// What the write callback is to return: the block's size, or that curl must wait or end.
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

    /// Takes bytes that are in no coding. Nil: the rest has to wait for memory.
    private func take(_ rest: inout UnsafeRawBufferPointer) -> Bool? {
        guard !rest.isEmpty else { return true }
        let room = maximumBodyBytes - body.count
        guard rest.count <= room || takesBeginning else { return end(.failure(.bodyTooLarge(limit: maximumBodyBytes))) }
        guard makeRoom(for: min(rest.count, room)) else { return nil }
        return append(rest)
    }

    private func unpack(_ rest: inout UnsafeRawBufferPointer) -> Bool? {
        guard let decoder else { return true }
        while true {
            // One byte more than allowed, so that a body of exactly the limit is told from a larger one.
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
            if PageContentType.looksBinary(bytes) { return end(.bodyNotWanted) }
        }
        let room = maximumBodyBytes - body.count
        guard bytes.count > room else {
            body.append(contentsOf: bytes)
            return true
        }
        guard takesBeginning else { return end(.failure(.bodyTooLarge(limit: maximumBodyBytes))) }
        body.append(contentsOf: bytes.prefix(room))
        return end(.bodyCut)
    }

    /// Lets the body grow, in steps that are counted before they are made: while it is copied it is in memory twice.
    private func makeRoom(for more: Int) -> Bool {
        let needed = body.count + more
        guard needed > body.capacity else { return true }
        let announced = announcedBytes ?? 0
        // What a server announces is no promise: it is believed as far as it goes with what has come.
        let expected = announced >= needed ? min(announced, max(4 * body.capacity, Self.maximumReservedBytes)) : 0
        let larger = max(needed, expected, body.capacity + body.capacity / 2, Self.firstBytes)
        let capacity = min(larger, max(needed, maximumBodyBytes))
        if let memory = order?.request.memory {
            let total =
                capacity + body.capacity + (exchange?.wireBody.capacity ?? 0)
                + (decoder?.keptBytes(after: body.count) ?? 0)
            guard memory.grow(to: total, orWake: { [mailbox] in mailbox.memoryIsFreed() }) else { return false }
        }
        body.reserveCapacity(capacity)
        return true
    }

    /// The body is counted after decoding; bytes that decode to nothing are counted here.
    private func mayContinue(wireBytes: Int) -> Bool {
        guard wireBytes > maximumBodyBytes, wireBytes - maximumBodyBytes > Self.wireSlackBytes else { return true }
        if takesBeginning { return end(.bodyCut) }
        return end(.failure(.bodyTooLarge(limit: maximumBodyBytes)))
    }

    private var takesBeginning: Bool { order?.request.takesBeginning ?? false }

    // MARK: - Work

    /// What curl has just done is counted. An exchange that makes work without bringing bytes ends, with its connection.
    private func isWorthItsWork() -> Bool {
        work.watch.beat()
        workDone += work.stopwatch.lap()
        let isWorth = workDone <= CurlStopwatch.allowance + body.count * CurlStopwatch.allowancePerByte
        if isWorth, !work.watch.hasCut(localPort: { localPort }) { return true }
        // curl would keep the connection: to it, this is the end of one stream.
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
