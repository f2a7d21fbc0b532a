import Dispatch

/// Runs blocking work: SQLite, `fsync`, files, and pipes with a slow reader.
///
/// An actor that blocks uses one as its executor, so that it blocks neither Swift's shared threads, of which there are as many
/// as cores, nor the threads of a crawl. Its thread exists only while there is work.
public final class BlockingExecutor: SerialExecutor, TaskExecutor {
    private let queue: DispatchQueue

    /// Creates an executor.
    ///
    /// - Parameter name: the name of the queue, for debuggers.
    public init(_ name: String) { queue = DispatchQueue(label: name) }

    /// Runs a job after the earlier ones.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async {
            job.runSynchronously(
                isolatedTo: self.asUnownedSerialExecutor(), taskExecutor: self.asUnownedTaskExecutor())
        }
    }
}
