import Foundation
import PippinPage
import Synchronization

/// Changes of a feed, and the documents that their records make. Reading records and splitting texts takes longer than writing words:
/// it is done on all cores, and while the batch before is written (`SearchBatchReader`).
struct SearchBatch: Sendable {
    let changes: [ChangeFeed.Change]
    /// Of the records among the changes, in their order.
    let documents: [SearchDocument]
    /// Where the next batch begins.
    let end: ChangeFeed.Cursor

    /// - Parameter limit: the most changes.
    init(after place: ChangeFeed.Cursor, limit: Int, of feed: ChangeFeed, _ weights: SearchWeights) throws {
        var changes: [ChangeFeed.Change] = []
        end = try feed.read(since: place, limit: limit) { changes.append($0) }
        self.changes = changes
        documents = try Self.documents(of: changes, in: feed, weights)
    }

    /// The records among changes, as the index holds them.
    static func documents(
        of changes: [ChangeFeed.Change], in feed: ChangeFeed, _ weights: SearchWeights
    ) throws -> [SearchDocument] {
        let mainTexts = try feed.texts(of: changes)
        let pieces = min(ProcessInfo.processInfo.activeProcessorCount, 8, changes.count / 16 + 1)
        let read = Mutex<[Int: [SearchDocument]]>([:])
        DispatchQueue.concurrentPerform(iterations: pieces) { piece in
            let part = changes[changes.count * piece / pieces..<changes.count * (piece + 1) / pieces]
            let documents = SearchText.with { text in
                part.compactMap { change -> SearchDocument? in
                    guard change.isRecord else { return nil }
                    var parser = JSONParser(limits: .ownText)
                    // A stored record is an object; anything else is not searched, and `document` would not be shown either.
                    guard let record = try? parser.parse(change.document) else { return nil }
                    return SearchDocument(
                        identifier: change.identifier, record: record, mainText: mainTexts[change.identifier],
                        weights: weights, text: text)
                }
            }
            read.withLock { $0[piece] = documents }
        }
        return read.withLock { read in (0..<pieces).flatMap { read[$0] ?? [] } }
    }
}

/// Reads the batches of a feed, one ahead: while one is written, the next one is read.
final class SearchBatchReader: Sendable {
    private let feed: ChangeFeed
    private let weights: SearchWeights
    private let queue = DispatchQueue(label: "pippin.search.reading")
    private let ahead = Mutex<Result<SearchBatch, any Error>?>(nil)

    init(_ feed: ChangeFeed, _ weights: SearchWeights) { (self.feed, self.weights) = (feed, weights) }

    /// Begins to read the batch behind a place. Each one is asked for by `next`.
    func begin(after place: ChangeFeed.Cursor, limit: Int) {
        queue.async { [self] in
            let batch = Result { try SearchBatch(after: place, limit: limit, of: feed, weights) }
            ahead.withLock { $0 = batch }
        }
    }

    /// The batch that was begun last, when it is read; nil if none was.
    ///
    /// - Throws: what reading it threw.
    func next() throws -> SearchBatch? {
        queue.sync {}
        let batch = ahead.withLock { ahead in
            defer { ahead = nil }
            return ahead
        }
        return try batch?.get()
    }
}
