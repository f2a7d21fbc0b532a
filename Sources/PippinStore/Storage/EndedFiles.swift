import Foundation
import PippinCrawl

/// What a followed file has become each time it was rotated: `records-20261126T080000Z-120.ndjson` is what `records.ndjson` was until
/// then, with all up to change 120. By that number, who finds no `records.ndjson` knows whether it was rotated or taken away.
struct EndedFiles {
    struct File {
        let path: String
        let ended: Date
        let sequence: Int64
    }

    /// Where the followed file is. A link to it stays, and what it leads to is rotated.
    let place: String
    private let folder: URL
    private let prefix: String
    private let suffix: String
    private static let time = Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted)

    init(of path: String) {
        place = OutputFile.place(of: path) ?? path
        let url = URL(filePath: place)
        folder = url.deletingLastPathComponent()
        prefix = url.deletingPathExtension().lastPathComponent + "-"
        suffix = url.pathExtension.isEmpty ? "" : "." + url.pathExtension
    }

    /// The path of a file that ends now.
    func path(endingAt date: Date, sequence: Int64) -> String {
        folder.appending(path: "\(prefix)\(date.formatted(Self.time))-\(sequence)\(suffix)").path
    }

    /// All that are there.
    func all() throws(NDJSONSink.WriteError) -> [File] {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        } catch {
            let number = SystemReason.number(of: error) ?? EIO
            if number == ENOENT { return [] }
            throw NDJSONSink.WriteError(path: folder.path, errorNumber: number)
        }
        return names.compactMap { name in
            guard name.hasPrefix(prefix), name.hasSuffix(suffix) else { return nil }
            let parts = name.dropFirst(prefix.count).dropLast(suffix.count).split(separator: "-")
            guard parts.count == 2, let ended = try? Date(String(parts[0]), strategy: Self.time),
                let sequence = Int64(parts[1])
            else { return nil }
            return File(path: folder.appending(path: name).path, ended: ended, sequence: sequence)
        }
    }

    /// Whether the file with so many bytes up to a change was rotated: it is missing or empty, and what it has become is there. One
    /// without bytes has nothing that could be missing.
    func haveTaken(bytes: Int64, sequence: Int64) throws(NDJSONSink.WriteError) -> Bool {
        guard (Self.bytes(of: place) ?? 0) == 0 else { return false }
        if bytes == 0 { return true }
        return try all().contains { $0.sequence == sequence && Self.bytes(of: $0.path) == bytes }
    }

    /// The bytes of all. Who may not list the folder gets 0.
    var bytes: Int64 {
        do {
            return try all().reduce(0) { $0 + (Self.bytes(of: $1.path) ?? 0) }
        } catch {
            return 0
        }
    }

    /// Brings the names of new and moved files to the disk.
    func syncName() throws(NDJSONSink.WriteError) {
        if let number = OutputFolder.sync(folder.path) {
            throw NDJSONSink.WriteError(path: folder.path, errorNumber: number)
        }
    }

    /// Removes those that ended before a moment.
    func remove(endedBefore date: Date) throws(NDJSONSink.WriteError) {
        for file in try all() where file.ended < date {
            guard unlink(file.path) == 0 || errno == ENOENT else {
                throw NDJSONSink.WriteError(path: file.path, errorNumber: errno)
            }
        }
    }

    private static func bytes(of path: String) -> Int64? {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_size) : nil
    }
}
