import Dispatch

/// Runs what blocks: SQLite, `fsync`, files, and pipes whose reader is slow.
///
/// An actor that blocks names one as its executor, and then blocks nobody else: neither Swift's shared threads, of which there
/// are as many as cores, nor the threads of a crawl. Its thread is there while there is something to do.
public final class BlockingExecutor: SerialExecutor, TaskExecutor {
    private let queue: DispatchQueue

    /// - Parameter name: of the queue, for debuggers.
    public init(_ name: String) { queue = DispatchQueue(label: name) }

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async {
            job.runSynchronously(
                isolatedTo: self.asUnownedSerialExecutor(), taskExecutor: self.asUnownedTaskExecutor())
        }
    }
}
