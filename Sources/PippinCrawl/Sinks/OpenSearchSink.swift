import DequeModule
import Foundation
import Logging
import PippinPage

/// Writes records to an OpenSearch index with bulk requests, one at a time.
///
/// - **Delivered means acknowledged.** `write` returns when a change is queued, `flush` when the index has acknowledged
///   everything written before. A job that must not lose a change feeds the sink from its change feed, and moves its
///   cursor after `flush`.
/// - **At least once, harmlessly.** A record is filed under its unique identifier, so that writing it again changes
///   nothing. Numbered changes are sent with external versions, and the index itself refuses older ones.
/// - **In order.** Of each identifier one change at most is in flight or queued: a newer one takes the place of an older one
///   that waits, also of one that waits to be tried again. So an old record never overtakes a later deletion.
/// - **Back-pressure.** Whoever fills a batch sends it; others wait when several batches are queued.
///
/// What may pass (429, 5xx, no answer, single items refused for the moment) is tried again with growing pauses, or after as
/// long as the index asks for, until `OpenSearchSettings.patience` is over. What will not pass (a record that the index's
/// mapping refuses) is counted and told, and not tried again. What is wrong with the index itself (it is not there, it is
/// closed, it is not ours to write to) is nothing that a record could be blamed for, and ends the run.
public actor OpenSearchSink: RecordSink {
    /// A change with its number in a feed, if it has one.
    public struct NumberedChange: Sendable {
        public var change: RecordChange
        public var number: Int64?

        public init(_ change: RecordChange, number: Int64? = nil) {
            self.change = change
            self.number = number
        }
    }

    /// The index cannot be fed: trouble of our own, which ends the crawl.
    public enum Failure: ReportedError, Sendable, Equatable {
        case noCredentials(String)
        /// It answered, and will answer the same again.
        case refused(status: Int, reason: String)
        case unreachable(String)
        /// It was tried as long as `patience` allows.
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

    /// A change that the index will not take.
    public struct Rejection: Sendable, Equatable {
        public let identifier: String
        public let status: Int
        public let reason: String
    }

    public struct Counts: Sendable, Equatable {
        /// Acknowledged records and deletions.
        public var indexed = 0
        public var deleted = 0
        /// Changes that a newer one of the same identifier made needless, here or in the index.
        public var superseded = 0
        public var rejected = 0
        /// Bulk requests, and items of them, that were made again.
        var retriedRequests = 0
        var retriedItems = 0
    }

    public private(set) var counts = Counts()
    /// Since they were taken last; the first thousand.
    private(set) var rejections: [Rejection] = []

    /// Batches that may be queued before writers wait.
    static let queuedBatches = 4
    /// A batch that is not full is sent when its oldest change has waited this long and another one is written.
    static let longestLinger = Duration.seconds(5)
    static let firstPause = Duration.milliseconds(500)
    static let longestPause = Duration.seconds(60)
    private static let keptRejections = 1000
    /// After so many, messages would say nothing new.
    private static let toldRejections = 100

    private let settings: OpenSearchSettings
    private let connection: IndexConnection
    private let pause: @Sendable (Duration) async throws -> Void
    private let logger: Logger
    private let linger: Duration
    /// Document identifiers in the order in which they are sent, and what is to be sent.
    private var order: Deque<String> = []
    private var queued: [String: BulkItem] = [:]
    private var queuedBytes = 0
    private var queuedSince: ContinuousClock.Instant?
    private var isSending = false
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var failuresInARow = 0
    private var failure: Failure?

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

    public func write(_ changes: [RecordChange]) async throws {
        try await write(changes.map { NumberedChange($0) })
    }

    /// - Parameter changes: in the order in which they happened; their numbers grow.
    public func write(_ changes: [NumberedChange]) async throws {
        for change in changes {
            if let failure { throw failure }
            enqueue(BulkItem(change))
            if hasBatch { try await makeRoom() }
        }
    }

    /// Takes a change whose record is JSON already.
    ///
    /// - Parameter document: nil for a deletion.
    public func write(recordIdentifier: String, document: [UInt8]?) async throws {
        if let failure { throw failure }
        enqueue(BulkItem(recordIdentifier: recordIdentifier, document: document, number: nil))
        if hasBatch { try await makeRoom() }
    }

    public func flush() async throws {
        // What is in flight when this is called belongs to it; what others write meanwhile is sent along.
        while isSending || !order.isEmpty || failure != nil {
            if let failure { throw failure }
            if isSending { await turn() } else { try await send() }
        }
    }

    /// Changes that wait to be sent.
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
            if isSending { await turn() } else { try await send() }
        }
        if let failure { throw failure }
    }

    /// Returns when a batch that is on its way has ended.
    private func turn() async {
        await withCheckedContinuation { waiting.append($0) }
    }

    // MARK: Sending

    /// Sends one batch, and waits if the index wants that; what it did not take is queued again.
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
            // Halves are tried at once; what is too large alone is refused for good.
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
            "the search index: \(problem); \(items.count) changes are tried again in \(DurationText.describe(length))")
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

    /// Set while a batch that was too large goes in smaller ones: their size, and how many changes of it are left.
    private var splitLimit: Int?
    private var splitRest = 0

    /// Puts changes back before all others, but for those that a newer one has replaced meanwhile.
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

    /// What was rejected since this was called last.
    public func takeRejections() -> [Rejection] {
        defer { rejections = [] }
        return rejections
    }
}
