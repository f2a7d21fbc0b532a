import CSpawn
import Glibc

/// A process that was started in its `Confinement`, and the wire to it. It ends with the thread that starts it
/// (`--die-with-parent`), and the descriptors close with the last reference.
final class ConfinedProcess: Sendable {
    /// Which of the program's descriptors the wire is.
    enum Wire: Int32 {
        /// Its standard input and output.
        case standard = 0
        /// Its descriptors 3 and 4.
        case third = 3
    }

    /// Our end of the wire, a socket.
    let wire: Int32
    let processID: pid_t
    private let errors: Int32

    /// Starts a program.
    ///
    /// - Parameter command: its path, or that of what confines it, and the arguments.
    init(_ command: [String], environment: [String], wire place: Wire) throws(ProgramMissing) {
        var arguments = command.map { strdup($0) } + [nil]
        var variables = environment.map { strdup($0) } + [nil]
        defer {
            for text in arguments + variables { free(text) }
        }
        var (wire, errors, process): (Int32, Int32, pid_t) = (-1, -1, 0)
        let failure = pippin_spawn(&arguments, &variables, place.rawValue, &wire, &errors, &process)
        guard failure == 0 else {
            throw ProgramMissing(problem: "\(command[0]): \(String(cString: strerror(failure)))")
        }
        (self.wire, self.errors, processID) = (wire, errors, process)
    }

    /// What the program, or what confines it, wrote before its end. At most 2,000 bytes.
    func lastWords() -> String {
        var buffer = [UInt8](repeating: 0, count: 2_000)
        let count = Glibc.read(errors, &buffer, buffer.count)
        guard count > 0 else { return "" }
        return String(decoding: buffer[..<count], as: UTF8.self)
    }

    /// Waits for the end of the process, and ends it by force if it does not come. To be called once.
    ///
    /// - Parameter patience: the time that it has to end by itself, once its wire has ended.
    /// - Returns: whether it ended by itself, and without an error.
    @discardableResult
    func waitForEnd(within patience: Duration) -> Bool {
        shutdown(wire, Int32(SHUT_RDWR))
        let clock = ContinuousClock()
        let start = clock.now
        // Until it is reaped, its number and that of its group are nobody else's.
        while !isOver, clock.now - start < patience { usleep(5_000) }
        // The process leads its group, and inside the sandbox all others go with the first. A sandbox whose start failed may have
        // left a child that waits for ever.
        kill(-processID, SIGKILL)
        kill(processID, SIGKILL)
        var status: Int32 = -1
        while waitpid(processID, &status, 0) < 0, errno == EINTR {}
        return status == 0
    }

    private var isOver: Bool {
        var end = siginfo_t()
        return waitid(P_PID, id_t(processID), &end, WEXITED | WNOWAIT | WNOHANG) == 0 && end.si_signo == SIGCHLD
    }

    deinit {
        close(wire)
        close(errors)
    }
}
