import Foundation
import GRDB
import PippinCrawl
import PippinPage

/// Checks the search index of a job in itself, and against the storages that it follows.
struct SearchIndexCheck {
    private let parts: [JobStorages.Part]
    private let folder: URL
    private let isFull: Bool

    /// - Parameters:
    ///   - parts: the storages that are here.
    ///   - folder: of the index.
    init(_ parts: [JobStorages.Part], in folder: URL, isFull: Bool) {
        (self.parts, self.folder, self.isFull) = (parts, folder, isFull)
    }

    func verdict() throws -> StorageCheck.Finding.Verdict {
        guard SearchIndexer.hasIndex(in: folder) else { return .ok("there is none; pippin index update makes it") }
        let path = folder.appending(path: SearchSchema.fileName).path
        let index = try DatabaseQueue(path: path, configuration: SearchSchema.configuration(isReader: true))
        do {
            return try index.read { index in
                guard try SearchSchema.version(of: index) == SearchSchema.version else {
                    return .wrong("another version of Pippin has made it", advice: "the next search builds it anew")
                }
                let problems = try problems(of: index)
                guard problems.isEmpty else {
                    return .wrong(problems.prefix(5).joined(separator: "; "), advice: StorageCheck.fixAdvice)
                }
                let documents = try Int.fetchOne(index, sql: "SELECT documents FROM state") ?? 0
                return .ok(Wording.count(documents, "document"))
            }
        } catch let error as DatabaseError {
            return .wrong("\(error)", advice: StorageCheck.fixAdvice)
        }
    }

    private func problems(of index: Database) throws -> [String] {
        let check = isFull ? "integrity_check" : "quick_check"
        let lines = try String.fetchAll(index, sql: "PRAGMA \(check)(5)")
        guard lines == ["ok"] else { return lines }
        var problems = try SearchCounts.problems(index, isFull: isFull)
        for part in parts { problems += try self.problems(of: index, part) }
        return problems
    }

    /// What the index has of one storage, which is read later than the index: what changed meanwhile has a number after the index's.
    private func problems(of index: Database, _ part: JobStorages.Part) throws -> [String] {
        let name = part.shard.map { "shard \($0.number): " } ?? ""
        let state = try StoreStatement(index, "SELECT identity, sequence FROM source WHERE shard = ?")
            .first(.integer(Int64(part.source))) { ChangeFeed.Cursor(identity: $0.text(0), sequence: $0.integer(1)) }
        guard let state else {
            // A shard whose storage has come since.
            return part.shard == nil ? ["it does not say how far it is"] : []
        }
        // Nothing was read yet.
        if state.identity.isEmpty { return [] }
        var problems: [String] = []
        try StorageReader(part).read { storage in
            do {
                try ChangeFeed.check(state, storage)
            } catch let error as StorageError {
                problems.append("\(name)\(error)")
                return
            }
            let listed = try StoreStatement(
                storage, "SELECT state = 0, sequence FROM record WHERE identifier = ?")
            var (there, foreign): (Int, Int) = (0, 0)
            let condition = part.shard.map { "WHERE shard = \($0.number)" } ?? ""
            try StoreStatement(index, "SELECT identifier FROM document \(condition)").rows { row in
                let record = try listed.first(.text(row.text(0))) { ($0.integer(0) != 0, $0.optionalInteger(1) ?? 0) }
                guard let record, record.1 <= state.sequence else {
                    if record == nil { foreign += 1 }
                    return
                }
                if record.0 { there += 1 } else { foreign += 1 }
            }
            let all =
                try Int.fetchOne(
                    storage, sql: "SELECT count(*) FROM record WHERE state = 0 AND sequence <= ?",
                    arguments: [state.sequence]) ?? 0
            if foreign > 0 { problems.append("\(name)\(Wording.count(foreign, "document")) of records that are gone") }
            if there != all { problems.append("\(name)\(Wording.count(all - there, "record")) without document") }
        }
        return problems
    }
}
