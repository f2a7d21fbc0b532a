import Foundation
import Glibc
import Synchronization

/// Prevents a server from occupying curl's thread.
///
/// All exchanges run on one thread. Most data of a server makes curl call back, and there `CurlStopwatch` counts the work. HTTP/2
/// frames without data (empty DATA, PING, WINDOW_UPDATE, GOAWAY …) are different: as long as they arrive faster than they are read,
/// libcurl reads on inside one call, without callbacks and timeouts. So another thread watches: if curl's thread computes for long
/// without a callback, it shuts down the connection that keeps receiving bytes, and curl sees the end of that connection.
final class CurlWatch: Sendable {
    private struct State {
        var sockets: Set<Int32> = []
        /// Local ports of connections that were shut down, until their exchange has been informed.
        var cutPorts: Set<UInt16> = []
        /// The received bytes of each connection when the thread was first found busy.
        var received: [Int32: UInt64]?
        var hasEnded = false
    }

    /// Seconds between two looks while exchanges are running.
    private static let interval = 0.1
    /// Nanoseconds of CPU time without a callback after which a connection is suspected. The largest block takes a hundredth of
    /// this.
    private static let patience = 200_000_000
    /// After this many looks without exchanges, the thread sleeps until there is one.
    private static let idleLooks = 20

    /// Increases with every callback.
    private let pulse = Atomic<Int>(0)
    private let isInRound = Atomic<Bool>(false)
    private let isAsleep = Atomic<Bool>(false)
    private let cuts = Atomic<Int>(0)
    private let state = Mutex(State())
    private let alarm = NSCondition()

    // MARK: - Curl's side

    /// Call it on the watched thread.
    func begin() {
        var clock = clockid_t()
        guard pthread_getcpuclockid(pthread_self(), &clock) == 0 else { return }
        let watch = Thread { [clock] in self.look(at: clock) }
        watch.name = "curl-watch"
        watch.start()
    }

    func end() {
        alarm.lock()
        state.withLock { $0.hasEnded = true }
        alarm.signal()
        alarm.unlock()
    }

    func roundBegins() {
        isInRound.store(true, ordering: .relaxed)
        beat()
        guard isAsleep.load(ordering: .relaxed) else { return }
        alarm.lock()
        isAsleep.store(false, ordering: .relaxed)
        alarm.signal()
        alarm.unlock()
    }

    func roundEnds() { isInRound.store(false, ordering: .relaxed) }

    /// Counts a callback. Only curl's thread writes, so a load and a store are enough.
    func beat() { pulse.store(pulse.load(ordering: .relaxed) &+ 1, ordering: .relaxed) }

    func opened(_ socket: Int32) { state.withLock { _ = $0.sockets.insert(socket) } }

    /// Removes and closes the socket in one step, so that the watch never shuts down a reused descriptor.
    func close(_ socket: Int32) -> Int32 {
        state.withLock {
            $0.sockets.remove(socket)
            return Glibc.close(socket)
        }
    }

    /// Whether the connection from this local port was shut down; true only once.
    func hasCut(localPort: () -> UInt16) -> Bool {
        guard cuts.load(ordering: .relaxed) > 0 else { return false }
        let port = localPort()
        return state.withLock {
            guard $0.cutPorts.remove(port) != nil else { return false }
            cuts.subtract(1, ordering: .relaxed)
            return true
        }
    }

    /// Ends the connection from this local port, so that no later exchange uses it.
    func cut(localPort: UInt16) {
        state.withLock { state in
            for socket in state.sockets where Self.localPort(of: socket) == localPort {
                shutdown(socket, Int32(SHUT_RDWR))
            }
        }
    }

    // MARK: - The thread that looks on

    private func look(at clock: clockid_t) {
        var lastPulse = -1
        var timeOfPulse = 0
        var idle = 0
        while pause(forLong: idle > Self.idleLooks) {
            let now = pulse.load(ordering: .relaxed)
            let busy = isInRound.load(ordering: .relaxed)
            idle = busy || now != lastPulse ? 0 : idle + 1
            let time = Self.nanoseconds(of: clock)
            guard busy, now == lastPulse else {
                (lastPulse, timeOfPulse) = (now, time)
                state.withLock { $0.received = nil }
                continue
            }
            if time - timeOfPulse >= Self.patience, cutBusiest() { timeOfPulse = time }
        }
    }

    /// False if there is nothing more to watch.
    private func pause(forLong isLong: Bool) -> Bool {
        alarm.lock()
        defer { alarm.unlock() }
        if isLong {
            isAsleep.store(true, ordering: .relaxed)
            while isAsleep.load(ordering: .relaxed), !state.withLock({ $0.hasEnded }) { alarm.wait() }
        } else if !state.withLock({ $0.hasEnded }) {
            _ = alarm.wait(until: Date(timeIntervalSinceNow: Self.interval))
        }
        return !state.withLock { $0.hasEnded }
    }

    /// Shuts down the connection that received most since the last look. curl reads one connection at a time; the others stop when
    /// their buffers are full.
    private func cutBusiest() -> Bool {
        state.withLock { state in
            let received = Dictionary(uniqueKeysWithValues: state.sockets.map { ($0, Self.received(on: $0)) })
            guard let before = state.received else {
                state.received = received
                return false
            }
            state.received = nil
            var busiest: (socket: Int32, bytes: UInt64)?
            for (socket, bytes) in received {
                let more = bytes &- (before[socket] ?? bytes)
                if more > 0, more > busiest?.bytes ?? 0 { busiest = (socket, more) }
            }
            guard let busiest else { return false }
            if state.cutPorts.insert(Self.localPort(of: busiest.socket)).inserted { cuts.add(1, ordering: .relaxed) }
            shutdown(busiest.socket, Int32(SHUT_RDWR))
            return true
        }
    }

    // MARK: - Measures

    static func nanoseconds(of clock: clockid_t) -> Int {
        var time = timespec()
        clock_gettime(clock, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }

    /// `tcpi_bytes_received` of Linux's `tcp_info` (linux/tcp.h): the C library's own header ends before it.
    private static func received(on socket: Int32) -> UInt64 {
        var info = [UInt8](repeating: 0, count: 256)
        var length = socklen_t(info.count)
        guard getsockopt(socket, Int32(IPPROTO_TCP), TCP_INFO, &info, &length) == 0, length >= 136 else { return 0 }
        return info.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 128, as: UInt64.self) }
    }

    private static func localPort(of socket: Int32) -> UInt16 {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let isKnown = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket, $0, &length) == 0 }
        }
        guard isKnown else { return 0 }
        // IPv4 and IPv6 have the port in the same place, after the family.
        return withUnsafeBytes(of: address) { UInt16(bigEndian: $0.loadUnaligned(fromByteOffset: 2, as: UInt16.self)) }
    }
}

/// Measures the CPU time of curl's thread for one exchange: curl calls back after every step.
struct CurlStopwatch {
    /// Nanoseconds for any exchange. A common page costs a thousandth of it.
    static let allowance = 1_000_000_000
    /// Additional nanoseconds per byte of the body: 20 MB/s, a tenth of the speed of a slow machine.
    static let allowancePerByte = 50
    /// Nanoseconds. Shorter steps have nothing to read, and measuring them would cost more.
    private static let shortestStep = 4_000

    private var time = 0
    private var computed = 0

    mutating func start() {
        time = CurlWatch.nanoseconds(of: CLOCK_MONOTONIC)
        computed = CurlWatch.nanoseconds(of: CLOCK_THREAD_CPUTIME_ID)
    }

    /// Nanoseconds of CPU time since the previous call.
    mutating func lap() -> Int {
        let now = CurlWatch.nanoseconds(of: CLOCK_MONOTONIC)
        guard now - time >= Self.shortestStep else { return 0 }
        let used = CurlWatch.nanoseconds(of: CLOCK_THREAD_CPUTIME_ID)
        defer { (time, computed) = (now, used) }
        return used - computed
    }
}

/// The part of curl's thread that its exchanges share to limit the work of each.
final class CurlWork {
    let watch = CurlWatch()
    var stopwatch = CurlStopwatch()
    /// The size of the buffer in which all exchanges unpack, one after the other.
    static let unpackedBytes = 64 * 1024
    let unpacked = UnsafeMutableRawBufferPointer.allocate(byteCount: unpackedBytes, alignment: 16)

    deinit { unpacked.deallocate() }

    func roundBegins() {
        watch.roundBegins()
        stopwatch.start()
    }
}
