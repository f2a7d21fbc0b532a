import Foundation

/// Writes to descriptors whose reader may be slow, or may read no more: a pipe, a terminal, a socket.
///
/// A write to a full pipe would hold its thread until somebody reads, and nothing could end the run any more. So all such
/// writes wait in `poll`, where `giveUp` reaches them.
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
    public static func giveUp() {
        var byte: UInt8 = 1
        _ = Foundation.write(wake.write, &byte, 1)
    }

    /// A pipe that nobody reads: once a byte is in it, every wait ends.
    private static let wake: (read: Int32, write: Int32) = {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return (-1, -1) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }()

    /// What a pipe takes at once, whole, when `poll` says that it has room (PIPE_BUF of Linux).
    private static let piece = 4096

    /// Writes all the bytes.
    ///
    /// - Returns: how many were written, and 0 or the number of the error that ended it.
    static func write(
        _ bytes: [UInt8], to descriptor: Int32, patience: Patience = .unlimited
    ) -> (written: Int, error: Int32) {
        var status = stat()
        // A file takes what it is given: nobody has to read it first.
        let waits = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
        var written = 0
        while written < bytes.count {
            if waits {
                let error = awaitRoom(descriptor, patience)
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

    private static func awaitRoom(_ descriptor: Int32, _ patience: Patience) -> Int32 {
        let wait: Int32 =
            switch patience {
            case .unlimited: -1
            case .milliseconds(let count): max(0, count)
            }
        while true {
            var requests = [
                pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0),
                pollfd(fd: wake.read, events: Int16(POLLIN), revents: 0),
            ]
            let count = poll(&requests, nfds_t(requests.count), wait)
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            // What cannot be waited for says what is wrong when it is written to.
            if count < 0 || requests[0].revents != 0 { return 0 }
            return count == 0 ? EAGAIN : ECANCELED
        }
    }
}
