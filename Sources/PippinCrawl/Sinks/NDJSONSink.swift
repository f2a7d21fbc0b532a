import Foundation
import Synchronization

/// Writes records as NDJSON: one JSON object per line, in UTF-8.
///
/// Only whole lines leave the buffer, so a reader of the file never sees a part of a record. The exception is a disk that
/// becomes full within a line; that is thrown, with the path.
///
/// The caller adds lines to the buffer. Only a full buffer goes to the sink's thread, where a slow reader may delay it. A
/// cancelled task does not wait for a reader, but nothing is lost: the next `flush` writes the rest.
public actor NDJSONSink: RecordSink {
    /// The output could not be written.
    public struct WriteError: ReportedError, Equatable {
        /// The path, or the name of the descriptor.
        public let path: String
        /// The system's error number.
        public let errorNumber: Int32

        /// Creates an error.
        public init(path: String, errorNumber: Int32) {
            self.path = path
            self.errorNumber = errorNumber
        }

        /// Whether the reader of a pipe has closed it. This is not a fault.
        var isClosedPipe: Bool { errorNumber == EPIPE }

        /// Whether the operator stopped the run while it waited for a reader.
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

    /// The size of the buffer. It keeps the number of system calls low, and little is lost in a crash.
    static let bufferBytes = 64 * 1024

    private let descriptor: Int32
    private let path: String
    private let closesDescriptor: Bool
    private let executor = BlockingExecutor("pippin.records")
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private struct Buffer {
        var bytes: [UInt8] = []
        /// The first failure. Nothing is written after it, because the output would have a gap.
        var failure: WriteError?
    }

    private let buffer = Mutex(Buffer())

    /// Opens a file. Creates it and the folders above it if they are missing.
    ///
    /// - Parameter appending: whether to keep the content of the file. If false, it is emptied.
    public init(path: String, appending: Bool = false) throws {
        descriptor = try Self.open(path, mode: appending ? O_APPEND : O_TRUNC)
        self.path = path
        closesDescriptor = true
    }

    /// Writes to an open descriptor, such as standard output, and leaves it open. The process must ignore SIGPIPE, so that a
    /// closed pipe is reported as an error.
    public init(descriptor: Int32, name: String) {
        self.descriptor = descriptor
        path = name
        closesDescriptor = false
    }

    deinit {
        if closesDescriptor { close(descriptor) }
    }

    /// Adds the changes to the buffer, and writes it if it is full.
    public nonisolated func write(_ changes: [RecordChange]) async throws {
        var lines: [UInt8] = []
        for change in changes {
            switch change {
            case .upsert(let document): document.appendLine(to: &lines)
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

    /// Writes the rest of the buffer.
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

    /// Writes all bytes to an open descriptor. If it is not a file, the reader sets the speed.
    public static func write(
        _ bytes: [UInt8], to descriptor: Int32, path: String, patience: PatientWriting.Patience = .unlimited
    ) throws(WriteError) {
        let error = PatientWriting.write(bytes, to: descriptor, patience: patience).error
        if error != 0 { throw WriteError(path: path, errorNumber: error) }
    }

    /// Like `write`, but returns with an error if the task is cancelled while it waits for a reader.
    public static func writeUnlessCancelled(
        _ bytes: [UInt8], to descriptor: Int32, path: String, isolation: isolated (any Actor)? = #isolation
    ) async throws(WriteError) {
        let error = await PatientWriting.writeUnlessCancelled(bytes, to: descriptor).error
        if error != 0 { throw WriteError(path: path, errorNumber: error) }
    }

    /// Opens a file for writing. Creates it and the folders above it if they are missing.
    ///
    /// - Parameter mode: flags of `open(2)` in addition to those for writing and creating.
    public static func open(_ path: String, mode: Int32) throws(WriteError) -> Int32 {
        let folder = URL(filePath: path).deletingLastPathComponent().path
        if let number = OutputFolder.make(folder) { throw WriteError(path: path, errorNumber: number) }
        let descriptor = OutputFile.open(path, flags: O_WRONLY | O_CREAT | mode)
        guard descriptor >= 0 else { throw WriteError(path: path, errorNumber: errno) }
        return descriptor
    }
}
