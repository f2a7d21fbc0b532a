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
    private static let suffix = ".answer"

    private let folder: String
    private let maximumBytes: Int
    private let clock: CrawlClock
    private let executor = BlockingExecutor("pippin.subresources")
    /// Called with the first file that cannot be written. After that, nothing is written any more.
    private let onFailure: @Sendable (OutputError) -> Void
    private let contents: Mutex<(files: CacheFolder, hasFailed: Bool)>

    init(
        folder: String, maximumBytes: Int, clock: CrawlClock,
        onFailure: @escaping @Sendable (OutputError) -> Void = { _ in }
    ) {
        (self.folder, self.maximumBytes, self.clock, self.onFailure) = (folder, maximumBytes, clock, onFailure)
        contents = Mutex((CacheFolder(folder: folder, suffix: Self.suffix, maximumBytes: maximumBytes), false))
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
        guard contents.withLock({ $0.files.use(name, at: date) }) else { return nil }
        let path = folder + "/" + name
        guard let data = FileManager.default.contents(atPath: path), let (head, body) = Self.parse(data, id),
            let url = WebURL(id.url)
        else {
            contents.withLock { $0.files.remove(name) }
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
        guard response.body.count + CacheFolder.blockBytes <= maximumBytes / 4, contents.withLock({ !$0.hasFailed })
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
        contents.withLock { $0.files.add(name, bytes: line.count + 1 + response.body.count, at: date) }
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
