import CCurl  // Its headers are where the compiler finds the kinds of sockets.
import Foundation
import Glibc
import Synchronization

/// Looks names up with the system's resolver, on separate threads: `getaddrinfo` and `getnameinfo` block and cannot be cancelled. After
/// the time limit the caller gets a failure; the thread takes the next name when the system returns.
final class NameLookUps<Found: Sendable>: Sendable {
    typealias Answer = Result<Found, FetchError>

    private struct State {
        var queue: [(id: UInt64, host: String)] = []
        var waiting: [UInt64: CheckedContinuation<Answer, Never>] = [:]
        var lastID: UInt64 = 0
        var threads = 0
    }

    /// The limit of threads. The system waits up to 30 s for a dead name server, three times the usual limit, and a crawl looks up
    /// 16 names at a time (`LookUpLines.maximumLookUps`), so a thread is always free.
    private static var maximumThreads: Int { 64 }

    private let limit: Duration
    private let what: String
    private let resolve: @Sendable (String) -> Answer
    private let state = Mutex(State())

    /// Prepares look-ups; no thread is started yet.
    ///
    /// - Parameters:
    ///   - what: what is looked for, "address", for the failure.
    ///   - limit: the time limit of a look-up.
    ///   - resolve: the blocking look-up.
    init(of what: String, limit: Duration, resolve: @escaping @Sendable (String) -> Answer) {
        self.what = what
        self.limit = limit
        self.resolve = resolve
    }

    /// What a name leads to, or the failure. Cancelling the task ends the wait with `.cancelled`.
    func answer(for host: String) async -> Answer {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        let (what, limit) = (what, limit)
        let timer = Task {
            try? await Task.sleep(for: limit)
            guard !Task.isCancelled else { return }
            self.end(id, .failure(.timedOut("no \(what) within \(limit.words)")))
        }
        defer { timer.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                submit(host, id, continuation)
                // The handler below may have run before there was anything to cancel.
                if Task.isCancelled { end(id, .failure(.cancelled)) }
            }
        } onCancel: {
            end(id, .failure(.cancelled))
        }
    }

    private func submit(_ host: String, _ id: UInt64, _ continuation: CheckedContinuation<Answer, Never>) {
        let needsThread = state.withLock { state in
            state.waiting[id] = continuation
            state.queue.append((id, host))
            guard state.threads < Self.maximumThreads else { return false }
            state.threads += 1
            return true
        }
        guard needsThread else { return }
        let thread = Thread { self.work() }
        thread.name = "names"
        thread.start()
    }

    /// Looks names up until none are left; then the thread ends.
    private func work() {
        while true {
            let next = state.withLock { state in
                // Names are skipped if nobody waits for them any more.
                while let first = state.queue.first, state.waiting[first.id] == nil { state.queue.removeFirst() }
                guard !state.queue.isEmpty else {
                    state.threads -= 1
                    return nil as (id: UInt64, host: String)?
                }
                return state.queue.removeFirst()
            }
            guard let next else { return }
            end(next.id, resolve(next.host))
        }
    }

    private func end(_ id: UInt64, _ answer: Answer) {
        state.withLock { $0.waiting.removeValue(forKey: id) }?.resume(returning: answer)
    }
}

// MARK: The system

extension NameLookUps where Found == [NetworkAddress] {
    /// The limit of addresses per name; large services have up to eight.
    private static var maximumAddresses: Int { 16 }

    /// Prepares look-ups of the addresses of names.
    ///
    /// - Parameter resolve: the blocking look-up; tests use their own.
    convenience init(limit: Duration, resolve: @escaping @Sendable (String) -> Answer = NameLookUps.ask) {
        self.init(of: "address", limit: limit, resolve: resolve)
    }

    /// The addresses of a name, as `answer(for:)` finds them.
    func addresses(of host: String) async -> Answer { await answer(for: host) }

    /// Calls the system's resolver and waits.
    static func ask(_ host: String) -> Answer {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, nil, &hints, &list)
        guard code == 0 else {
            // The name has no address: EAI_NONAME, EAI_NODATA, EAI_ADDRFAMILY (netdb.h; two of them are GNU's own).
            guard ![EAI_NONAME, -5, -9].contains(code) else { return .failure(.hostNotFound) }
            return .failure(.lookUpFailed(gai_strerror(code).map { String(cString: $0) } ?? "error \(code)"))
        }
        defer { freeaddrinfo(list) }
        var found: [NetworkAddress] = []
        var next = list
        while let entry = next?.pointee {
            next = entry.ai_next
            guard
                let address = NetworkAddress(
                    family: entry.ai_family,
                    socketAddress: UnsafeRawBufferPointer(start: entry.ai_addr, count: Int(entry.ai_addrlen))),
                !found.contains(address)
            else { continue }
            found.append(address)
        }
        guard !found.isEmpty else { return .failure(.hostNotFound) }
        return .success(Array(ordered(found).prefix(maximumAddresses)))
    }

    /// The addresses in order of preference. IPv4 comes first if this machine has a route: a server has few IPv4 addresses, so
    /// it can be paced as one, but it may have any number of IPv6 addresses. Each family is sorted by number, so that the order
    /// of the answer does not matter.
    private static func ordered(_ addresses: [NetworkAddress]) -> [NetworkAddress] {
        let sorted = addresses.sorted(by: <)
        guard let first = sorted.first, first.isV4, sorted.last?.isV4 == false, !hasWay(to: first) else {
            return sorted
        }
        return sorted.filter { !$0.isV4 } + sorted.filter(\.isV4)
    }

    /// Whether this machine has a route to the address; nothing is sent.
    private static func hasWay(to address: NetworkAddress) -> Bool {
        guard case .v4(let number) = address else { return true }
        let probe = socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard probe >= 0 else { return true }
        defer { close(probe) }
        var target = sockaddr_in()
        target.sin_family = sa_family_t(AF_INET)
        target.sin_port = UInt16(9).bigEndian
        target.sin_addr.s_addr = number.bigEndian
        return withUnsafePointer(to: &target) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(probe, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
