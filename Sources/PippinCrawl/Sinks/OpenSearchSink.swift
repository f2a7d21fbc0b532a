import DequeModule
import Foundation
import Logging
import PippinPage

/// Writes records to an OpenSearch index with bulk requests, one at a time.
///
/// - **Delivered means acknowledged.** `write` returns when a change is queued. `flush` returns when the index has
///   acknowledged everything that was written before. A job that must not lose a change feeds the sink from its change feed,
///   and moves its cursor after `flush`.
/// - **At least once, harmlessly.** A record is filed under its unique identifier, so writing it again changes nothing.
///   Numbered changes have external versions, so the index itself refuses older ones.
/// - **In order.** For each identifier, at most one change is in flight or queued. A newer change replaces an older one that
///   waits, even one that waits for a retry. So an old record never overtakes a later deletion.
/// - **Back-pressure.** The writer that completes a batch sends it. Other writers wait if several batches are queued.
///
/// Temporary failures (429, 5xx, no answer, single items refused for the moment) are retried with growing pauses, or after the
/// pause that the index asks for, until `OpenSearchSettings.patience` is over. Permanent failures of a record (the index's
/// mapping refuses it) are counted and logged, and not retried. Failures of the index itself (it is missing or closed, or we
/// may not write to it) are not the fault of a record and end the run.
public actor OpenSearchSink: RecordSink {
    /// A change, with its number in a feed if it has one.
    public struct NumberedChange: Sendable {
        /// The change.
        public var change: RecordChange
        /// The number of the change; numbers grow.
        public var number: Int64?

        /// Creates a numbered change.
        public init(_ change: RecordChange, number: Int64? = nil) {
            self.change = change
            self.number = number
        }
    }

    /// The index cannot be fed, which ends the crawl.
    public enum Failure: ReportedError, Sendable, Equatable {
        case noCredentials(String)
        /// The index refused the request, and would refuse it again.
        case refused(status: Int, reason: String)
        case unreachable(String)
        /// The request was retried for as long as `patience` allows.
        case outOfOrder(String)

        public var exitStatus: ExitStatus {
            if case .noCredentials = self { return .usage }
            return .outputFailed
        }

        public var description: String {
            switch self {
            case .noCredentials(let reason): "the search index's credentials: \(reason)"
            case .refused(let status, let reason):
                "the search index refuses bulk requests with status \(status): \(reason)"
            case .unreachable(let reason): "the search index cannot be reached: \(reason)"
            case .outOfOrder(let reason): "the search index takes no records for too long: \(reason)"
            }
        }
    }

    /// A change that the index refuses.
    public struct Rejection: Sendable, Equatable {
        /// The record's identifier.
        public let identifier: String
        /// The HTTP status of the item.
        public let status: Int
        /// The reason of the index.
        public let reason: String
    }

    /// The counts of a run.
    public struct Counts: Sendable, Equatable {
        /// Acknowledged records.
        public var indexed = 0
        /// Acknowledged deletions.
        public var deleted = 0
        /// Changes that were not needed, because a newer change of the same record was in the queue or in the index.
        public var superseded = 0
        /// Changes that the index refused.
        public var rejected = 0
        /// Bulk requests, and items of them, that were sent again.
        var retriedRequests = 0
        var retriedItems = 0
    }

    /// The counts so far.
    public private(set) var counts = Counts()
    /// The refused changes since `takeRejections` was called last, at most a thousand.
    private(set) var rejections: [Rejection] = []

    /// The number of queued batches from which writers wait.
    static let queuedBatches = 4
    /// The time after which an incomplete batch is sent with the next write, counted from its oldest change.
    static let longestLinger = Duration.seconds(5)
    static let firstPause = Duration.milliseconds(500)
    static let longestPause = Duration.seconds(60)
    private static let keptRejections = 1000
    /// The number of refused changes that are logged one by one.
    private static let toldRejections = 100

    private let settings: OpenSearchSettings
    private let connection: IndexConnection
    private let pause: @Sendable (Duration) async throws -> Void
    private let logger: Logger
    private let linger: Duration
    /// The identifiers in the order of sending. `queued` has their changes.
    private var order: Deque<String> = []
    private var queued: [String: BulkItem] = [:]
    private var queuedBytes = 0
    private var queuedSince: ContinuousClock.Instant?
    private var isSending = false
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var failuresInARow = 0
    private var failure: Failure?

    /// Opens the connection's settings; nothing is sent yet.
    public init(_ settings: OpenSearchSettings, logger: Logger = Logger(label: "pippin.index")) throws {
        try self.init(settings, logger: logger, linger: Self.longestLinger) { try await Task.sleep(for: $0) }
    }

    init(
        _ settings: OpenSearchSettings, logger: Logger = Logger(label: "pippin.index"), linger: Duration,
        environment: [String: String] = ProcessInfo.processInfo.environment,
        pause: @escaping @Sendable (Duration) async throws -> Void
    ) throws {
        self.settings = settings
        self.linger = linger
        self.pause = pause
        self.logger = logger
        connection = try IndexConnection(settings, credentials: settings.credentials(environment: environment))
    }

    // MARK: Taking changes

    /// Queues changes without numbers.
    public func write(_ changes: [RecordChange]) async throws {
        try await write(changes.map { NumberedChange($0) })
    }

    /// Queues changes.
    ///
    /// - Parameter changes: in the order in which they happened, with growing numbers.
    public func write(_ changes: [NumberedChange]) async throws {
        for change in changes {
            if let failure { throw failure }
            enqueue(BulkItem(change))
            if hasBatch { try await makeRoom() }
        }
    }

    /// Queues a change whose record is JSON already.
    ///
    /// - Parameter document: the record; nil for a deletion.
    public func write(recordIdentifier: String, document: [UInt8]?) async throws {
        if let failure { throw failure }
        enqueue(BulkItem(recordIdentifier: recordIdentifier, document: document, number: nil))
        if hasBatch { try await makeRoom() }
    }

    /// Queues a change of a record's popularity. If the index does not have the record, it is a rejection.
    public func write(_ change: PopularityChange) async throws {
        // It must not take the place of the record.
        let waiting = queued[OpenSearchBulk.documentIdentifier(change.uniqueIdentifier)]
        if let waiting, waiting.operation != .update { try await flush() }
        if let failure { throw failure }
        enqueue(BulkItem(change))
        if hasBatch { try await makeRoom() }
    }

    /// Sends everything that was written before, and waits until the index has acknowledged it.
    public func flush() async throws {
        // This includes batches in flight. Changes that others write meanwhile are sent too.
        while isSending || !order.isEmpty || failure != nil {
            if let failure { throw failure }
            if isSending { await batchEnd() } else { try await send() }
        }
    }

    /// The number of changes that wait to be sent.
    var queuedCount: Int { order.count }

    private func enqueue(_ item: BulkItem) {
        if let older = queued.updateValue(item, forKey: item.identifier) {
            counts.superseded += 1
            queuedBytes -= older.bytes.count
        } else {
            order.append(item.identifier)
        }
        queuedBytes += item.bytes.count
        if queuedSince == nil { queuedSince = .now }
    }

    private var hasBatch: Bool {
        order.count >= settings.batchRecords || queuedBytes >= settings.batchBytes
            || queuedSince.map { .now - $0 > linger } ?? false
    }

    private var isFull: Bool {
        order.count >= settings.batchRecords * Self.queuedBatches
            || queuedBytes >= settings.batchBytes * Self.queuedBatches
    }

    private func makeRoom() async throws {
        if !isSending { return try await send() }
        while isFull, failure == nil {
            if isSending { await batchEnd() } else { try await send() }
        }
        if let failure { throw failure }
    }

    /// Waits until the batch in flight has ended.
    private func batchEnd() async {
        await withCheckedContinuation { waiting.append($0) }
    }

    // MARK: Sending

    /// Sends one batch, and pauses if the index asks for it. Changes that the index did not take are queued again.
    private func send() async throws {
        let batch = takeBatch()
        guard !batch.isEmpty else { return }
        isSending = true
        defer {
            isSending = false
            let others = waiting
            waiting = []
            for continuation in others { continuation.resume() }
        }
        let verdict = await Self.verdict(of: connection.post(Self.body(of: batch)), on: batch)
        var again: [BulkItem] = []
        var problem = ""
        var refusal: Failure?
        var pauseAtLeast = Duration.zero
        switch verdict {
        case .items(let verdicts):
            for (item, verdict) in zip(batch, verdicts) {
                switch verdict {
                case .taken:
                    if item.isDeletion { counts.deleted += 1 } else { counts.indexed += 1 }
                case .outdated: counts.superseded += 1
                case .rejected(let status, let reason): reject(item, status: status, reason: reason)
                case .later(let reason):
                    again.append(item)
                    problem = reason
                case .indexRefuses(let status, let reason):
                    again.append(item)
                    refusal = .refused(status: status, reason: reason)
                }
            }
            if let refusal {
                queueAgain(again)
                failure = refusal
                throw refusal
            }
            counts.retriedItems += again.count
        case .again(let reason, let retryAfter):
            again = batch
            problem = reason
            pauseAtLeast = retryAfter ?? .zero
            counts.retriedRequests += 1
        case .tooLarge:
            // Halves are sent at once. A single change that is too large is refused for good.
            guard batch.count > 1 else { return reject(batch[0], status: 413, reason: "too large for one request") }
            queueAgain(batch, asBatchesOf: (batch.count + 1) / 2)
            return
        case .failed(let failure):
            queueAgain(batch)
            self.failure = failure
            throw failure
        }
        guard !again.isEmpty else {
            failuresInARow = 0
            return
        }
        try await rest(again, because: problem, atLeast: pauseAtLeast)
    }

    private func rest(_ items: [BulkItem], because problem: String, atLeast: Duration) async throws {
        let growing = min(Self.firstPause * (1 << min(failuresInARow, 10)), Self.longestPause)
        failuresInARow += 1
        let length = max(growing, atLeast)
        var items = items
        for index in items.indices { items[index].waited += length }
        queueAgain(items)
        if items.contains(where: { $0.waited > settings.patience }) {
            let failure = Failure.outOfOrder(problem)
            self.failure = failure
            throw failure
        }
        logger.notice(
            "the search index: \(problem); \(Wording.count(items.count, "change is", "changes are")) tried again in \(DurationText.describe(length))"
        )
        try await pause(length)
    }

    private func takeBatch() -> [BulkItem] {
        var batch: [BulkItem] = []
        var bytes = 0
        let limit = min(settings.batchRecords, splitLimit ?? .max)
        while batch.count < limit, let identifier = order.first, let item = queued[identifier] {
            guard batch.isEmpty || bytes + item.bytes.count <= settings.batchBytes else { break }
            order.removeFirst()
            queued[identifier] = nil
            bytes += item.bytes.count
            batch.append(item)
        }
        queuedBytes -= bytes
        queuedSince = order.isEmpty ? nil : .now
        splitRest -= batch.count
        if splitRest <= 0 { splitLimit = nil }
        return batch
    }

    /// The size of smaller batches and the number of remaining changes, after a batch was too large; otherwise nil and 0.
    private var splitLimit: Int?
    private var splitRest = 0

    /// Puts changes back at the front of the queue, except those that a newer change has replaced meanwhile.
    private func queueAgain(_ items: [BulkItem], asBatchesOf size: Int? = nil) {
        for item in items.reversed() {
            guard queued[item.identifier] == nil else {
                counts.superseded += 1
                continue
            }
            queued[item.identifier] = item
            order.prepend(item.identifier)
            queuedBytes += item.bytes.count
        }
        if let size {
            splitLimit = size
            splitRest = items.count
        }
        if !order.isEmpty, queuedSince == nil { queuedSince = .now }
    }

    private func reject(_ item: BulkItem, status: Int, reason: String) {
        counts.rejected += 1
        let rejection = Rejection(identifier: item.recordIdentifier, status: status, reason: reason)
        if rejections.count < Self.keptRejections { rejections.append(rejection) }
        guard counts.rejected <= Self.toldRejections else { return }
        logger.warning("the search index refuses \(rejection.identifier) with status \(status): \(reason)")
        if counts.rejected == Self.toldRejections {
            logger.warning("more that the search index refuses is counted, and told no longer one by one")
        }
    }

    /// Returns and clears the refused changes.
    public func takeRejections() -> [Rejection] {
        defer { rejections = [] }
        return rejections
    }
}
