import Foundation
import Glibc
import Synchronization

/// Sees to it that no server keeps curl's thread for itself.
///
/// Every exchange is made on one thread. Most of what a server can send makes curl call back, and there `CurlStopwatch` counts the
/// work. HTTP/2 frames that bring no bytes (empty DATA, PING, WINDOW_UPDATE, GOAWAY …) are different: as long as they come faster
/// than they are read, libcurl reads on inside one call, without a callback and without looking at its own timeouts. So a thread of
/// its own looks on: when curl's thread has computed for long without a sign of life, the connection that brings bytes all
/// the while is shut down, and curl meets its end.
final class CurlWatch: Sendable {
    private struct State {
        var sockets: Set<Int32> = []
        /// Local ports of the connections that were shut down, until the exchange they belonged to has heard of it.
        var cutPorts: Set<UInt16> = []
        /// Bytes that each connection had received when the thread was first found busy.
        var received: [Int32: UInt64]?
        var hasEnded = false
    }

    /// How often the thread looks, while exchanges are under way.
    private static let interval = 0.1
    /// CPU time without a callback after which a connection is suspected. A block of the largest size takes a hundredth of it.
    private static let patience = 200_000_000
    /// Without exchanges for so many looks, the thread sleeps until there is one.
    private static let idleLooks = 20

    /// Grows with every sign of life.
    private let pulse = Atomic<Int>(0)
    private let isInTurn = Atomic<Bool>(false)
    private let isAsleep = Atomic<Bool>(false)
    private let cuts = Atomic<Int>(0)
    private let state = Mutex(State())
    private let alarm = NSCondition()

    // MARK: - Curl's side

    /// To be called on the thread that is watched.
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

    func turnBegins() {
        isInTurn.store(true, ordering: .relaxed)
        beat()
        guard isAsleep.load(ordering: .relaxed) else { return }
        alarm.lock()
        isAsleep.store(false, ordering: .relaxed)
        alarm.signal()
        alarm.unlock()
    }

    func turnEnds() { isInTurn.store(false, ordering: .relaxed) }

    /// A sign of life. Only curl's thread writes, so a load and a store are enough.
    func beat() { pulse.store(pulse.load(ordering: .relaxed) &+ 1, ordering: .relaxed) }

    func opened(_ socket: Int32) { state.withLock { _ = $0.sockets.insert(socket) } }

    /// Forgets and closes the socket: one that is shut down here must still be the one that was meant.
    func close(_ socket: Int32) -> Int32 {
        state.withLock {
            $0.sockets.remove(socket)
            return Glibc.close(socket)
        }
    }

    /// Whether the connection from this local port was shut down; told once.
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
            let busy = isInTurn.load(ordering: .relaxed)
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

    /// False when there is nothing more to watch.
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

    /// Shuts down the connection that has received most since the look before. The thread reads one connection at a time, and the
    /// others stop when their buffers are full.
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
        // IPv4 and IPv6 have the port in the same place, behind the family.
        return withUnsafeBytes(of: address) { UInt16(bigEndian: $0.loadUnaligned(fromByteOffset: 2, as: UInt16.self)) }
    }
}

/// Measures what curl's thread computes for one exchange: curl calls back after every step it makes for one.
struct CurlStopwatch {
    /// For an exchange whatever it brings. A common page costs a thousandth of it.
    static let allowance = 1_000_000_000
    /// In addition for each byte of the body: 20 MB/s, a tenth of what a slow machine decodes and decrypts.
    static let allowancePerByte = 50
    /// Steps without anything to read are shorter, and not worth asking the kernel for.
    private static let shortestStep = 4_000

    private var time = 0
    private var computed = 0

    mutating func start() {
        time = CurlWatch.nanoseconds(of: CLOCK_MONOTONIC)
        computed = CurlWatch.nanoseconds(of: CLOCK_THREAD_CPUTIME_ID)
    }

    /// Nanoseconds of CPU time since the call before.
    mutating func lap() -> Int {
        let now = CurlWatch.nanoseconds(of: CLOCK_MONOTONIC)
        guard now - time >= Self.shortestStep else { return 0 }
        let used = CurlWatch.nanoseconds(of: CLOCK_THREAD_CPUTIME_ID)
        defer { (time, computed) = (now, used) }
        return used - computed
    }
}

/// What curl's thread shares with its exchanges to bound the work of each.
final class CurlWork {
    let watch = CurlWatch()
    var stopwatch = CurlStopwatch()
    /// Where the exchanges unpack, one after the other.
    static let unpackedBytes = 64 * 1024
    let unpacked = UnsafeMutableRawBufferPointer.allocate(byteCount: unpackedBytes, alignment: 16)

    deinit { unpacked.deallocate() }

    func turnBegins() {
        watch.turnBegins()
        stopwatch.start()
    }
}
