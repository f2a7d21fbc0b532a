import Foundation
import Synchronization

/// A consumer of the followed NDJSON file, such as `tail -F`: it takes whole lines as they come, and never goes back.
final class TailingConsumer: Sendable {
    fileprivate struct State {
        var seen: [UInt8] = []
        /// What the index has: the last document of each record that is not deleted.
        var index: [String: String] = [:]
        var last: [String: String] = [:]
        var lines = 0
        var deletions = 0
        var violations: [String] = []
    }

    private let state = Mutex(State())

    var index: [String: String] { state.withLock { $0.index } }
    var lines: Int { state.withLock { $0.lines } }
    var deletions: Int { state.withLock { $0.deletions } }
    var bytes: [UInt8] { state.withLock { $0.seen } }
    var violations: [String] { state.withLock { $0.violations } }

    /// Reads what is new.
    func look(at file: URL) {
        let bytes = (try? Data(contentsOf: file)).map { [UInt8]($0) } ?? []
        state.withLock { state in
            guard bytes.count >= state.seen.count, bytes[..<state.seen.count].elementsEqual(state.seen) else {
                let same = zip(bytes, state.seen).prefix { $0 == $1 }.count
                // What a crash has taken may come again as it was: `finish` looks whether it did.
                if same == bytes.count { return }
                state.violations.append(
                    "lines changed: the consumer saw \(state.seen.count) bytes, and byte \(same) is another now")
                return
            }
            guard let end = bytes[state.seen.count...].lastIndex(of: 0x0A) else { return }
            for line in bytes[state.seen.count...end].split(separator: 0x0A) {
                state.take(String(decoding: line, as: UTF8.self))
            }
            state.seen = Array(bytes[...end])
        }
    }

    /// Says what lacks once the file has caught up.
    func finish(_ file: URL) {
        look(at: file)
        let count = (try? Data(contentsOf: file))?.count ?? 0
        state.withLock { state in
            guard count < state.seen.count else { return }
            state.violations.append("lines vanished: the consumer saw \(state.seen.count) bytes, the file has \(count)")
        }
    }
}

extension TailingConsumer.State {
    fileprivate mutating func take(_ line: String) {
        lines += 1
        guard let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
            let identifier = object["uniqueIdentifier"] as? String
        else {
            violations.append("line is no record: \(line.prefix(200))")
            return
        }
        if last[identifier] == line { violations.append("line twice: \(line.prefix(200))") }
        last[identifier] = line
        if object["deleted"] as? Bool == true {
            deletions += 1
            if index[identifier] == nil { violations.append("deletion of nothing: \(identifier)") }
            index[identifier] = nil
        } else {
            index[identifier] = object["title"] as? String ?? ""
        }
    }
}
