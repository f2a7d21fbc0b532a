import Foundation
import PippinPage
import Synchronization

/// The kept answers of earlier runs, one file each, in a folder of the storage.
///
///     {"id":"…","bytes":1234,"digest":…, …}⏎
///     the body
///
/// A file appears complete under its name. One that is damaged, or belongs to another answer, is removed; its answer is fetched again.
/// So nothing here can be worse than an empty folder, also after `kill -9` and a loss of power.
public final class SubresourceStore: Sendable {
    /// The name of the folder in a storage.
    public static let folderName = "subresources"

    private struct Head: Codable {
        var id: String
        var status: Int
        var fields: [[String]]
        var fetchedAt: Double
        var freshUntil: Double
        var isForAllOrigins: Bool
        var bytes: Int
        var digest: UInt64
    }

    /// The longest first line.
    private static let maximumHeadBytes = 200_000
    fileprivate static let suffix = ".answer"

    private let folder: String
    private let maximumBytes: Int
    private let clock: CrawlClock
    private let executor = BlockingExecutor("pippin.subresources")
    /// Called with the first file that cannot be written. After that, nothing is written any more.
    private let onFailure: @Sendable (OutputError) -> Void
    private let contents: Mutex<Contents>

    init(
        folder: String, maximumBytes: Int, clock: CrawlClock,
        onFailure: @escaping @Sendable (OutputError) -> Void = { _ in }
    ) {
        (self.folder, self.maximumBytes, self.clock, self.onFailure) = (folder, maximumBytes, clock, onFailure)
        contents = Mutex(Contents(folder: folder, maximumBytes: maximumBytes))
    }

    /// Runs what waits for the disk on a thread of its own, if time is not made up.
    private func blocking<Value: Sendable>(_ body: @Sendable @escaping () -> Value) async -> Value {
        if clock.isMadeUp { return body() }
        return await withTaskExecutorPreference(executor) { body() }
    }

    // MARK: Read

    /// A kept answer, fresh or not; nil if there is none.
    func read(_ id: SiteFileID) async -> SubresourceCache.Entry? {
        await blocking { [self] in
            readNow(id) ?? (id.pageOrigin == nil ? nil : readNow(id.forAllOrigins, requiresAllOrigins: true))
        }
    }

    private func readNow(_ id: SiteFileID, requiresAllOrigins: Bool = false) -> SubresourceCache.Entry? {
        let (name, date) = (Self.name(id), clock.date())
        guard contents.withLock({ $0.use(name, at: date) }) else { return nil }
        let path = folder + "/" + name
        guard let data = FileManager.default.contents(atPath: path), let (head, body) = Self.parse(data, id),
            let url = WebURL(id.url)
        else {
            contents.withLock { $0.remove(name) }
            return nil
        }
        guard head.isForAllOrigins || !requiresAllOrigins else { return nil }
        // For the next run. Without it, the file only seems to be unused for longer.
        utimes(path, nil)
        let response = FetchResponse(
            url: url, status: head.status,
            headers: HTTPHeaders(head.fields.map { (name: $0[0], value: $0[1]) }), body: Array(body),
            fetchedAt: Date(timeIntervalSince1970: head.fetchedAt))
        return SubresourceCache.Entry(
            response: response, freshUntil: Date(timeIntervalSince1970: head.freshUntil),
            isForAllOrigins: head.isForAllOrigins)
    }

    private static func parse(_ data: Data, _ id: SiteFileID) -> (Head, Data)? {
        guard let end = data.prefix(maximumHeadBytes).firstIndex(of: UInt8(ascii: "\n")),
            let head = try? JSONDecoder().decode(Head.self, from: data[..<end])
        else { return nil }
        let body = data[(end + 1)...]
        guard head.id == key(id), head.bytes == body.count, head.digest == digest(body),
            head.fields.allSatisfy({ $0.count == 2 }), head.freshUntil.isFinite, head.fetchedAt.isFinite
        else { return nil }
        return (head, body)
    }

    // MARK: Write

    /// Keeps an answer for later runs.
    func write(_ entry: SubresourceCache.Entry, _ id: SiteFileID) async {
        await blocking { [self] in writeNow(entry, id) }
    }

    private func writeNow(_ entry: SubresourceCache.Entry, _ id: SiteFileID) {
        let response = entry.response
        guard response.body.count + Contents.blockBytes <= maximumBytes / 4, contents.withLock({ !$0.hasFailed })
        else { return }
        let id = entry.isForAllOrigins ? id.forAllOrigins : id
        let head = Head(
            id: Self.key(id), status: response.status, fields: response.headers.fields.map { [$0.name, $0.value] },
            fetchedAt: response.fetchedAt.timeIntervalSince1970, freshUntil: entry.freshUntil.timeIntervalSince1970,
            isForAllOrigins: entry.isForAllOrigins, bytes: response.body.count, digest: Self.digest(response.body))
        guard let line = try? JSONEncoder().encode(head), line.count < Self.maximumHeadBytes else { return }
        let name = Self.name(id)
        do throws(OutputError) {
            try WholeFile.write(
                Array(line) + [UInt8(ascii: "\n")] + response.body, to: folder + "/" + name,
                what: "a file that rendered pages share")
        } catch {
            let isFirst = contents.withLock { contents in
                defer { contents.hasFailed = true }
                return !contents.hasFailed
            }
            if isFirst { onFailure(error) }
            return
        }
        let date = clock.date()
        contents.withLock { $0.add(name, bytes: line.count + 1 + response.body.count, at: date) }
    }

    // MARK: Names

    private static func key(_ id: SiteFileID) -> String {
        "\(id.url) \(id.pageOrigin ?? "-")" + (id.scriptFields.map { " \($0)" } ?? "")
    }

    private static func name(_ id: SiteFileID) -> String {
        var hash = StableHash()
        hash.add(key(id))
        return String(hash.value, radix: 16) + suffix
    }

    private static func digest(_ bytes: some Sequence<UInt8>) -> UInt64 {
        var hash = StableHash()
        hash.add(bytes)
        return hash.value
    }
}

/// What the folder of a `SubresourceStore` has, and what has to go.
private struct Contents {
    private struct File {
        var bytes: Int
        var lastUse: Date
    }

    /// What a file takes at least on most disks. It limits the number of files, too.
    static let blockBytes = 4096

    private let folder: String
    private let maximumBytes: Int
    /// By name; nil until the folder has been looked at.
    private var files: [String: File]?
    private var bytes = 0
    var hasFailed = false

    init(folder: String, maximumBytes: Int) {
        (self.folder, self.maximumBytes) = (folder, maximumBytes)
    }

    /// Notes that a file is used. False if there is none.
    mutating func use(_ name: String, at date: Date) -> Bool {
        look()
        files?[name]?.lastUse = date
        return files?[name] != nil
    }

    /// Notes a file that was written.
    mutating func add(_ name: String, bytes size: Int, at date: Date) {
        look()
        note(name, bytes: size, at: date)
        makeRoom()
    }

    mutating func remove(_ name: String) {
        if let old = files?.removeValue(forKey: name) { bytes -= old.bytes }
        unlink(folder + "/" + name)
    }

    /// Looks at what earlier runs have left, once.
    private mutating func look() {
        guard files == nil else { return }
        files = [:]
        let keys: Set<URLResourceKey> = [.fileSizeKey, .contentModificationDateKey]
        // A missing folder is empty.
        let found =
            (try? FileManager.default.contentsOfDirectory(
                at: URL(filePath: folder), includingPropertiesForKeys: Array(keys))) ?? []
        for file in found {
            let name = file.lastPathComponent
            guard name.hasSuffix(SubresourceStore.suffix),
                let values = try? file.resourceValues(forKeys: keys)
            else {
                // A file that was being written when a run was killed.
                if name.hasSuffix(SubresourceStore.suffix + ".new") { unlink(file.path) }
                continue
            }
            note(name, bytes: values.fileSize ?? 0, at: values.contentModificationDate ?? .distantPast)
        }
        makeRoom()
    }

    private mutating func note(_ name: String, bytes size: Int, at date: Date) {
        if let old = files?[name] { bytes -= old.bytes }
        let size = max(size, Self.blockBytes)
        files?[name] = File(bytes: size, lastUse: date)
        bytes += size
    }

    /// A quarter goes at a time, the longest unused first.
    private mutating func makeRoom() {
        guard bytes > maximumBytes, let files else { return }
        for (name, _) in files.sorted(by: { ($0.value.lastUse, $0.key) < ($1.value.lastUse, $1.key) })
        where bytes > maximumBytes / 4 * 3 {
            remove(name)
        }
    }
}
