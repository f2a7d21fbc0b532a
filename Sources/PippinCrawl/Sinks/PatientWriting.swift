import Foundation

/// Writes to descriptors whose reader may be slow, or may read no more: a pipe, a terminal, a socket.
///
/// A write to a full pipe would hold its thread until somebody reads, and nothing could end the run any more. So all such
/// writes wait in `poll`, where `giveUp` reaches all of them, and the cancellation of a task reaches its own.
public enum PatientWriting {
    /// How long a write waits for a reader.
    public enum Patience: Sendable {
        /// Until the reader takes it, or `giveUp` is called.
        case unlimited
        /// Milliseconds at most, for messages that may be lost; then the write ends with `EAGAIN`.
        case milliseconds(Int32)
    }

    /// From now on no write waits for a reader any more, and those that wait end with `ECANCELED`. What a reader takes at
    /// once is still written.
    public static func giveUp() { givenUp.cancel() }

    private static let givenUp = WaitCancellation()

    /// What a pipe takes at once, whole, when `poll` says that it has room (PIPE_BUF of Linux).
    private static let piece = 4096

    /// Writes all the bytes, unless the task is cancelled while it waits for a reader: then it ends with `ECANCELED`.
    ///
    /// - Returns: how many were written, and 0 or the number of the error that ended it.
    static func writeUnlessCancelled(
        _ bytes: [UInt8], to descriptor: Int32, isolation: isolated (any Actor)? = #isolation
    ) async -> (written: Int, error: Int32) {
        guard waits(descriptor) else { return write(bytes, to: descriptor) }
        let cancellation = WaitCancellation()
        return await withTaskCancellationHandler {
            // A closure runs on the executor of its actor only when it captures it.
            _ = isolation
            return write(bytes, to: descriptor, cancellation: cancellation)
        } onCancel: {
            cancellation.cancel()
        }
    }

    /// A file takes what it is given: nobody has to read it first.
    private static func waits(_ descriptor: Int32) -> Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
    }

    /// Writes all the bytes.
    ///
    /// - Returns: how many were written, and 0 or the number of the error that ended it.
    static func write(
        _ bytes: [UInt8], to descriptor: Int32, patience: Patience = .unlimited,
        cancellation: WaitCancellation? = nil
    ) -> (written: Int, error: Int32) {
        let waits = waits(descriptor)
        var written = 0
        while written < bytes.count {
            if waits {
                let error = awaitRoom(descriptor, patience, cancellation)
                if error != 0 { return (written, error) }
            }
            let count = bytes.withUnsafeBytes { all in
                let rest = all.count - written
                return Foundation.write(
                    descriptor, all.baseAddress.map { $0 + written }, waits ? min(rest, piece) : rest)
            }
            if count >= 0 {
                written += count
            } else if errno != EINTR, errno != EAGAIN || !waits {
                return (written, errno)
            }
        }
        return (written, 0)
    }

    private static func awaitRoom(
        _ descriptor: Int32, _ patience: Patience, _ cancellation: WaitCancellation?
    ) -> Int32 {
        let wait: Int32 =
            switch patience {
            case .unlimited: -1
            case .milliseconds(let count): max(0, count)
            }
        while true {
            var requests = [
                pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0),
                pollfd(fd: givenUp.descriptor, events: Int16(POLLIN), revents: 0),
                // Without one, as with any number below zero, the system passes it over.
                pollfd(fd: cancellation?.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
            ]
            let count = poll(&requests, nfds_t(requests.count), wait)
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            // What cannot be waited for says what is wrong when it is written to.
            if count < 0 || requests[0].revents != 0 { return 0 }
            return count == 0 ? EAGAIN : ECANCELED
        }
    }
}

/// Ends waits in `poll`, those that are under way and those that come: a pipe that nobody reads, with a byte in it afterwards.
final class WaitCancellation: Sendable {
    /// To wait for input of, besides others; -1 when the system has no more.
    let descriptor: Int32
    private let end: Int32

    init() {
        var ends: [Int32] = [-1, -1]
        if pipe(&ends) == 0 { for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) } }
        (descriptor, end) = (ends[0], ends[1])
    }

    deinit { for end in [descriptor, end] where end >= 0 { close(end) } }

    func cancel() {
        var byte: UInt8 = 1
        _ = Foundation.write(end, &byte, 1)
    }
}
