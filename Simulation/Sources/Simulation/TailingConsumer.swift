import Foundation
import Synchronization

/// A consumer of the followed NDJSON file, such as `tail -F`: it takes whole lines as they come, and never goes back. When the file
/// was rotated, it takes the rest of what it has become, and goes on with the new one.
final class TailingConsumer: Sendable {
    fileprivate struct State {
        /// The bytes of the whole lines that it has taken.
        var seen = Data()
        var consumer = IndexConsumer(name: "the followed file", seesAll: true)
        /// How often the file ended within a line.
        var halfLines = 0
        /// How many files it found that were rotated.
        var rotations = 0
        var violations: [String] = []
    }

    private let state = Mutex(State())

    var halfLines: Int { state.withLock { $0.halfLines } }
    var rotations: Int { state.withLock { $0.rotations } }
    var index: [String: String] { state.withLock { $0.consumer.index } }
    var lines: Int { state.withLock { $0.consumer.lines } }
    var deletions: Int { state.withLock { $0.consumer.deletions } }
    var bytes: Data { state.withLock { $0.seen } }
    /// The bytes of the records that are not deleted.
    var bytesOfRecords: Int { state.withLock { $0.consumer.bytes } }
    var violations: [String] { state.withLock { $0.violations + $0.consumer.violations } }

    /// How much of what it has seen it compares each time. `finish` compares all of it.
    private static let compared = 1 << 12

    /// Reads what is new.
    func look(at file: URL) { state.withLock { $0.look(at: file, comparing: Self.compared) } }

    /// Says what lacks once the file has caught up.
    func finish(_ file: URL) {
        state.withLock { state in
            state.look(at: file, comparing: .max)
            let count = TailingConsumer.files(of: file).reduce(0) { $0 + $1.count }
            guard count < state.seen.count else { return }
            state.violations.append("lines vanished: the consumer saw \(state.seen.count) bytes, there are \(count)")
        }
    }

    /// The files that were rotated, in the order of the number at the end of their names, then the file itself.
    fileprivate static func files(of file: URL) -> [(url: URL, count: Int)] {
        let stem = file.deletingPathExtension().lastPathComponent + "-"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: file.deletingLastPathComponent().path)) ?? []
        let rotated = names.filter { $0.hasPrefix(stem) && $0.hasSuffix("." + file.pathExtension) }.map { name in
            let number = name.split(separator: "-").last?.prefix { $0.isNumber } ?? ""
            return (number: Int(number) ?? 0, url: file.deletingLastPathComponent().appending(path: name))
        }
        return (rotated.sorted { $0.number < $1.number }.map(\.url) + [file]).map { url in
            var status = stat()
            return (url, stat(url.path, &status) == 0 ? Int(status.st_size) : 0)
        }
    }
}

extension TailingConsumer.State {
    fileprivate mutating func look(at file: URL, comparing compared: Int) {
        let files = TailingConsumer.files(of: file)
        rotations = max(rotations, files.count - 1)
        let start = max(0, seen.count - compared)
        var (bytes, before) = (Data(), 0)
        for (url, count) in files {
            defer { before += count }
            guard before + count > start, let handle = try? FileHandle(forReadingFrom: url) else { continue }
            defer { try? handle.close() }
            guard (try? handle.seek(toOffset: UInt64(max(0, start - before)))) != nil else { return }
            // An empty file has no end to read to.
            if let part = try? handle.readToEnd() { bytes += part }
        }
        if let last = bytes.last, last != 0x0A { halfLines += 1 }
        let known = seen.count - start
        guard bytes.prefix(known) == seen[start...] else {
            let same = zip(bytes, seen[start...]).prefix { $0 == $1 }.count
            // What a crash has taken may come again as it was: `finish` looks whether it did.
            if same == bytes.count { return }
            violations.append(
                "lines changed: the consumer saw \(seen.count) bytes, and byte \(start + same) is another now")
            return
        }
        guard let end = bytes[(bytes.startIndex + known)...].lastIndex(of: 0x0A) else { return }
        let new = bytes[(bytes.startIndex + known)...end]
        for line in new.split(separator: 0x0A) { consumer.take(line) }
        seen.append(new)
    }
}

/// What a consumer of records makes of them: the last title of each record that is not deleted.
struct IndexConsumer {
    let name: String
    private(set) var index: [String: String] = [:]
    private(set) var lines = 0
    private(set) var deletions = 0
    private(set) var violations: [String] = []
    private var last: [String: UInt64] = [:]
    /// The lengths of the records that are not deleted, and their sum.
    private var lengths: [String: Int] = [:]
    private(set) var bytes = 0
    /// Whether it sees each change. Who asks now and then may find that a record is gone which it never had.
    private let seesAll: Bool

    init(name: String, seesAll: Bool) { (self.name, self.seesAll) = (name, seesAll) }

    /// From here on, lines may come that came before.
    mutating func forgetLines() { last = [:] }

    /// Takes a record, its deletion or its popularity, as the feed writes them.
    mutating func take(_ line: Data) {
        lines += 1
        guard let object = try? JSONSerialization.jsonObject(with: line) as? [String: Any],
            let identifier = object["uniqueIdentifier"] as? String
        else {
            violations.append("line is no record: \(name): \(String(decoding: line.prefix(200), as: UTF8.self))")
            return
        }
        let hash = SeededNumbers.hash(String(decoding: line, as: UTF8.self))
        if last[identifier] == hash {
            violations.append("line twice: \(name): \(String(decoding: line.prefix(200), as: UTF8.self))")
        }
        last[identifier] = hash
        if object.count == 2, object["popularity"] is Double {
            if seesAll, index[identifier] == nil { violations.append("popularity of nothing: \(name): \(identifier)") }
            return
        }
        bytes -= lengths.removeValue(forKey: identifier) ?? 0
        if object["deleted"] as? Bool == true {
            deletions += 1
            if seesAll, index[identifier] == nil { violations.append("deletion of nothing: \(name): \(identifier)") }
            index[identifier] = nil
        } else {
            index[identifier] = object["title"] as? String ?? ""
            lengths[identifier] = line.count
            bytes += line.count
        }
    }
}
