import Foundation
import Synchronization

/// Writes records as NDJSON: one JSON object a line, in UTF-8.
///
/// Only whole lines leave the buffer, so a reader that follows the file never sees half a record, unless the disk fills
/// up in the middle of one; that is thrown, with the path.
///
/// Lines are gathered where they are made; only a full buffer goes to the sink's thread, where a slow reader may hold it up. A
/// task that is cancelled waits for no reader, and loses nothing: what was not written is written by the next `flush`.
public actor NDJSONSink: RecordSink {
    /// The output could not be written.
    public struct WriteError: ReportedError, Equatable {
        public let path: String
        public let errorNumber: Int32

        public init(path: String, errorNumber: Int32) {
            self.path = path
            self.errorNumber = errorNumber
        }

        /// The reader of a pipe has gone: nobody wants more, which is not a fault.
        var isClosedPipe: Bool { errorNumber == EPIPE }

        /// The operator stopped the run while it waited for a reader.
        var wasGivenUp: Bool { errorNumber == ECANCELED }

        public var exitStatus: ExitStatus {
            if isClosedPipe { return .done }
            return wasGivenUp ? .interrupted : .outputFailed
        }

        public var description: String {
            if wasGivenUp { return "\(path): nobody reads it, and the run was stopped: the last records are not in it" }
            return "\(path): cannot be written: \(SystemReason.words(errorNumber))"
        }
    }

    /// What is gathered before it is written: few system calls, and little to lose.
    static let bufferBytes = 64 * 1024

    private let descriptor: Int32
    private let path: String
    private let closesDescriptor: Bool
    private let executor = BlockingExecutor("pippin.records")
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private struct Buffer {
        var bytes: [UInt8] = []
        /// The first failure; what was to be written afterwards would leave a hole.
        var failure: WriteError?
    }

    private let buffer = Mutex(Buffer())

    /// Opens a file, creating it and the folders above it.
    ///
    /// - Parameter appending: keep what is in the file; otherwise it is emptied.
    public init(path: String, appending: Bool = false) throws {
        descriptor = try Self.open(path, mode: appending ? O_APPEND : O_TRUNC)
        self.path = path
        closesDescriptor = true
    }

    /// Writes to an open descriptor, such as standard output, and leaves it open. The process must ignore SIGPIPE to get
    /// a closed pipe as an error.
    public init(descriptor: Int32, name: String) {
        self.descriptor = descriptor
        path = name
        closesDescriptor = false
    }

    deinit {
        if closesDescriptor { close(descriptor) }
    }

    public nonisolated func write(_ changes: [RecordChange]) async throws {
        var lines: [UInt8] = []
        for change in changes {
            switch change {
            case .upsert(let record): record.appendLine(to: &lines)
            case .delete(let deletion): deletion.appendLine(to: &lines)
            }
        }
        let isFull = try buffer.withLock { [lines] buffer in
            if let failure = buffer.failure { throw failure }
            buffer.bytes.append(contentsOf: lines)
            return buffer.bytes.count >= Self.bufferBytes
        }
        if isFull { try await flush() }
    }

    public func flush() async throws {
        let bytes = try buffer.withLock { buffer in
            if let failure = buffer.failure { throw failure }
            defer { buffer.bytes = [] }
            return buffer.bytes
        }
        let (written, number) = await PatientWriting.writeUnlessCancelled(bytes, to: descriptor)
        guard number != 0 else { return }
        let error = WriteError(path: path, errorNumber: number)
        buffer.withLock { buffer in
            if error.wasGivenUp {
                buffer.bytes.insert(contentsOf: bytes[written...], at: 0)
            } else {
                buffer = Buffer(failure: error)
            }
        }
        throw error
    }

    /// Writes all the bytes to an open descriptor; to what is no file, as fast as its reader takes them.
    public static func write(
        _ bytes: [UInt8], to descriptor: Int32, path: String, patience: PatientWriting.Patience = .unlimited
    ) throws(WriteError) {
        let error = PatientWriting.write(bytes, to: descriptor, patience: patience).error
        if error != 0 { throw WriteError(path: path, errorNumber: error) }
    }

    /// The same, unless the task is cancelled while it waits for a reader.
    public static func writeUnlessCancelled(
        _ bytes: [UInt8], to descriptor: Int32, path: String, isolation: isolated (any Actor)? = #isolation
    ) async throws(WriteError) {
        let error = await PatientWriting.writeUnlessCancelled(bytes, to: descriptor).error
        if error != 0 { throw WriteError(path: path, errorNumber: error) }
    }

    /// Opens a file for writing, creating it and the folders above it.
    ///
    /// - Parameter mode: flags of `open(2)` besides those for writing and creating.
    public static func open(_ path: String, mode: Int32) throws(WriteError) -> Int32 {
        let folder = URL(filePath: path).deletingLastPathComponent().path
        if let number = OutputFolder.make(folder) { throw WriteError(path: path, errorNumber: number) }
        let descriptor = OutputFile.open(path, flags: O_WRONLY | O_CREAT | mode)
        guard descriptor >= 0 else { throw WriteError(path: path, errorNumber: errno) }
        return descriptor
    }
}
