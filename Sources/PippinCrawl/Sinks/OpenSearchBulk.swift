import Foundation
import PippinPage

/// The action lines of OpenSearch's bulk request.
public enum OpenSearchBulk {
    /// The longest identifier of a document that the index accepts, in bytes.
    static let maximumIdentifierBytes = 512

    /// The line before a record, or a whole deletion, with its line feed.
    ///
    /// - Parameters:
    ///   - number: the change's number in its feed. It becomes the document's external version, so an older change never
    ///     replaces a newer one, and a repeated change does no harm.
    ///   - index: the name of the index; nil if the request's path has it.
    public static func action(
        recordIdentifier: String, isDeletion: Bool, number: Int64?, index: String? = nil
    ) -> [UInt8] {
        var writer = JSONWriter(reservingBytes: 200)
        writer.beginObject()
        writer.key(isDeletion ? "delete" : "index")
        writer.beginObject()
        if let index { writer.member("_index", index) }
        writer.member("_id", documentIdentifier(recordIdentifier))
        if let number {
            writer.member("version", Int(clamping: number))
            writer.member("version_type", "external_gte")
        }
        writer.endObject()
        writer.endObject()
        return writer.bytes + [0x0A]
    }

    /// Both lines of a change of a record's popularity: an update, for which the index takes no external version. Each update makes the version
    /// of the document greater by one, which stays below the number of the next change.
    public static func update(_ change: PopularityChange, index: String? = nil) -> [UInt8] {
        var writer = JSONWriter(reservingBytes: 200)
        writer.object { writer in
            writer.key("update")
            writer.object { writer in
                if let index { writer.member("_index", index) }
                writer.member("_id", documentIdentifier(change.uniqueIdentifier))
            }
        }
        return writer.bytes + Array("\n{\"doc\":".utf8) + change.partialDocument + Array("}\n".utf8)
    }

    /// The record's identifier, or its hash if it is longer than the index accepts.
    static func documentIdentifier(_ identifier: String) -> String {
        guard identifier.utf8.count > maximumIdentifierBytes else { return identifier }
        return "sha256:" + Digest.hexadecimal(Digest.sha256(Array(identifier.utf8)))
    }
}

/// One change in a bulk request.
struct BulkItem: Sendable {
    /// The document's identifier in the index.
    let identifier: String
    let recordIdentifier: String
    enum Operation: String {
        case index, delete, update
    }
    let operation: Operation
    var isDeletion: Bool { operation == .delete }
    /// Whether the change has a number, so that the index can recognize older changes of the record.
    let isNumbered: Bool
    /// The lines of the change, with their line ends.
    let bytes: [UInt8]
    /// The time that it has waited because of failures.
    var waited = Duration.zero

    /// Makes the lines of a change.
    ///
    /// - Parameter document: the record as JSON; nil for a deletion.
    init(recordIdentifier: String, document: [UInt8]?, number: Int64?) {
        self.recordIdentifier = recordIdentifier
        identifier = OpenSearchBulk.documentIdentifier(recordIdentifier)
        operation = document == nil ? .delete : .index
        isNumbered = number != nil
        var bytes = OpenSearchBulk.action(
            recordIdentifier: recordIdentifier, isDeletion: document == nil, number: number)
        if let document { bytes += document + [0x0A] }
        self.bytes = bytes
    }

    init(_ change: PopularityChange) {
        recordIdentifier = change.uniqueIdentifier
        identifier = OpenSearchBulk.documentIdentifier(recordIdentifier)
        operation = .update
        isNumbered = false
        bytes = OpenSearchBulk.update(change)
    }

    init(_ numbered: OpenSearchSink.NumberedChange) {
        switch numbered.change {
        case .upsert(let document):
            self.init(
                recordIdentifier: document.record.uniqueIdentifier, document: document.bytes, number: numbered.number)
        case .delete(let deletion):
            self.init(recordIdentifier: deletion.uniqueIdentifier, document: nil, number: numbered.number)
        }
    }
}

extension OpenSearchSink {
    /// The meaning of an answer for a whole batch.
    enum Verdict: Equatable {
        /// One verdict per change, in the order of the batch.
        case items([ItemVerdict])
        case again(reason: String, retryAfter: Duration?)
        case tooLarge
        case failed(Failure)
    }

    enum ItemVerdict: Equatable {
        case taken
        /// The index has a newer change of the record.
        case outdated
        case later(reason: String)
        case rejected(status: Int, reason: String)
        /// The index accepts no documents at all.
        case indexRefuses(status: Int, reason: String)
    }

    static func body(of batch: [BulkItem]) -> [UInt8] {
        var body: [UInt8] = []
        body.reserveCapacity(batch.reduce(0) { $0 + $1.bytes.count })
        for item in batch { body.append(contentsOf: item.bytes) }
        return body
    }

    static func verdict(
        of result: Result<IndexConnection.Answer, IndexConnection.PostError>, on batch: [BulkItem]
    ) -> Verdict {
        switch result {
        case .failure(.noAnswer(let reason)): return .again(reason: reason, retryAfter: nil)
        case .failure(.hopeless(let reason)): return .failed(.unreachable(reason))
        case .success(let answer):
            switch answer.status {
            case 200, 201:
                guard let verdicts = itemVerdicts(answer.body, batch: batch) else {
                    // The index may have taken the whole batch. Sending it again does no harm.
                    return .again(reason: "its answer cannot be read", retryAfter: nil)
                }
                return .items(verdicts)
            case 413: return .tooLarge
            case 408, 429, 500...599:
                return .again(reason: "it answers with status \(answer.status)", retryAfter: answer.retryAfter)
            default:
                return .failed(.refused(status: answer.status, reason: excerpt(answer.body)))
            }
        }
    }

    private static func itemVerdicts(_ body: [UInt8], batch: [BulkItem]) -> [ItemVerdict]? {
        var limits = ReadingLimits.standard
        limits.maximumJSONValues = .max  // the answer is as long as our own request
        var parser = JSONParser(limits: limits)
        guard let answer = try? parser.parse(body), let items = answer["items"]?.array, items.count == batch.count
        else {
            return nil
        }
        var verdicts: [ItemVerdict] = []
        for (item, entry) in zip(batch, items) {
            guard let result = entry[item.operation.rawValue], let status = result["status"]?.integer
            else {
                return nil
            }
            verdicts.append(itemVerdict(status, result["error"], of: item))
        }
        return verdicts
    }

    private static func itemVerdict(_ status: Int, _ error: JSONValue?, of item: BulkItem) -> ItemVerdict {
        let type = error?["type"]?.string
        let reason = [type, error?["reason"]?.string].compactMap { $0 }.joined(separator: ": ")
        let told = reason.isEmpty ? "no reason given" : String(reason.prefix(500))
        switch status {
        case 200..<300: return .taken
        // The document to delete does not exist. If the index does not exist, there is an error instead.
        case 404 where item.isDeletion && error == nil: return .taken
        // The index has lost the record, or never took it.
        case 404 where item.operation == .update && type == "document_missing_exception":
            return .rejected(status: status, reason: told)
        case 409 where item.isNumbered: return .outdated
        case 408, 409, 429, 500...599: return .later(reason: "\(status) \(told)")
        // If the disk becomes full, the index is closed to writers until there is room again.
        case 403 where type == "cluster_block_exception": return .later(reason: "\(status) \(told)")
        case 400 where type == "index_closed_exception": return .indexRefuses(status: status, reason: told)
        case 400, 413, 422: return .rejected(status: status, reason: told)
        default: return .indexRefuses(status: status, reason: told)
        }
    }

    private static func excerpt(_ body: [UInt8]) -> String {
        let text = String(decoding: body.prefix(300), as: UTF8.self)
        return String(text.map { $0.isNewline ? " " : $0 })
    }
}
