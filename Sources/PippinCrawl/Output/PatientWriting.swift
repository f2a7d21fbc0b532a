import Foundation

/// Writes to descriptors whose reader may be slow or stop reading: a pipe, a terminal, a socket.
///
/// A write to a full pipe would block its thread until somebody reads, and the run could not be stopped any more. So all such
/// writes wait in `poll`. `giveUp` ends all of these waits, and the cancellation of a task ends its own.
public enum PatientWriting {
    /// The time that a write waits for a reader.
    public enum Patience: Sendable {
        /// Without a limit, until the reader reads or `giveUp` is called.
        case unlimited
        /// A limit in milliseconds, for messages that may be lost. The write then ends with `EAGAIN`.
        case milliseconds(Int32)
    }

    /// Ends all waits for readers with `ECANCELED`, now and in the future. Bytes that a reader takes at once are still written.
    public static func giveUp() { givenUp.cancel() }

    private static let givenUp = WaitCancellation()

    /// The number of bytes that a pipe takes at once if `poll` reports room (PIPE_BUF of Linux).
    private static let piece = 4096

    /// Writes all bytes. If the task is cancelled while it waits for a reader, the write ends with `ECANCELED`.
    ///
    /// - Returns: the number of written bytes, and 0 or the number of the error that ended the write.
    static func writeUnlessCancelled(
        _ bytes: [UInt8], to descriptor: Int32, isolation: isolated (any Actor)? = #isolation
    ) async -> (written: Int, error: Int32) {
        guard waits(descriptor) else { return write(bytes, to: descriptor) }
        let cancellation = WaitCancellation()
        return await withTaskCancellationHandler {
            // A closure only runs on its actor's executor if it captures the actor.
            _ = isolation
            return write(bytes, to: descriptor, cancellation: cancellation)
        } onCancel: {
            cancellation.cancel()
        }
    }

    /// Whether a write may have to wait for a reader. Writes to files never do.
    private static func waits(_ descriptor: Int32) -> Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
    }

    /// Writes all bytes.
    ///
    /// - Returns: the number of written bytes, and 0 or the number of the error that ended the write.
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
                // `poll` ignores negative descriptors, so -1 means that there is no cancellation.
                pollfd(fd: cancellation?.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
            ]
            let count = poll(&requests, nfds_t(requests.count), wait)
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            // If waiting fails, the write that follows reports the reason.
            if count < 0 || requests[0].revents != 0 { return 0 }
            return count == 0 ? EAGAIN : ECANCELED
        }
    }
}

/// Ends current and future waits in `poll`. It is a pipe that nobody reads, and gets a byte when the waits must end.
final class WaitCancellation: Sendable {
    /// The descriptor whose input ends a wait in `poll`; -1 if the system had none left.
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
