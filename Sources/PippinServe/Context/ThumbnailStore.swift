import Foundation
import PippinCrawl
import PippinStore
import Synchronization

/// The thumbnails that earlier requests have made, one file each, in a folder of the storage.
///
///     SHA-256 of what follows, 32 bytes ‖ seconds since 1970, 8 bytes ‖ the picture
///
/// The name of a file is a digest too, so no address leads out of the folder or to the file of another. A file appears complete
/// under its name; one that is damaged or old is removed, and its picture fetched again. So nothing here can be worse than an empty
/// folder. Where it cannot be written, such as in a storage that is mounted to be read, nothing is kept.
public final class ThumbnailStore: Sendable {
    /// The name of the folder in that of a job.
    static let folderName = "thumbnails"

    /// Where thumbnails are kept by a server that was started with a folder of a job.
    static func folder(in job: URL) -> URL { job.appending(path: folderName) }

    /// All folders in which servers may have kept thumbnails of a job: one in shards is named by the folder that has `shards`, or by
    /// `shards` itself, and a server may wait for the first shard to come.
    public static func folders(of job: JobStorages) -> [URL] {
        let place = job.folder.absoluteURL.standardizedFileURL
        let isNamedAbove = job.shardCount != nil && place.lastPathComponent == "shards"
        return ([place] + (isNamedAbove ? [place.deletingLastPathComponent()] : [])).map(folder)
    }

    struct Limits: Sendable {
        /// All files. A thumbnail has 10 KB, so this has those of some 20,000 records.
        var bytes = 256 << 20
        /// How long a picture is shown before it is fetched again.
        var keeping = Duration.seconds(7 * 86_400)
    }

    private static let suffix = ".webp"
    private static let headBytes = 40
    /// How far clocks of machines may be apart.
    private static let clockError: TimeInterval = 60

    private let storage: String
    private let folder: String
    private let limits: Limits
    private let report: @Sendable (String) -> Void
    private let executor = BlockingExecutor("pippin.serve.thumbnails")
    private let state: Mutex<(files: CacheFolder, hasFailed: Bool)>

    /// - Parameters:
    ///   - storage: the folder of the job.
    ///   - report: receives, once, why nothing can be written any more.
    init(storage: URL, limits: Limits = Limits(), report: @escaping @Sendable (String) -> Void) {
        (self.storage, self.limits, self.report) = (storage.path, limits, report)
        folder = Self.folder(in: storage).path
        state = Mutex((CacheFolder(folder: folder, suffix: Self.suffix, maximumBytes: limits.bytes), false))
    }

    /// A kept picture that is not too old; nil if there is none.
    func read(_ key: String, now: Date) async -> [UInt8]? {
        await withTaskExecutorPreference(executor) { self.readNow(Self.name(key), now) }
    }

    private func readNow(_ name: String, _ now: Date) -> [UInt8]? {
        guard state.withLock({ $0.files.use(name, at: now) }) else { return nil }
        let path = folder + "/" + name
        guard let file = FileManager.default.contents(atPath: path).map(Array.init),
            let (picture, date) = Self.parts(of: file),
            (-Self.clockError..<(limits.keeping / .seconds(1))).contains(now.timeIntervalSince(date))
        else {
            state.withLock { $0.files.remove(name) }
            return nil
        }
        // For the next run. Without it, the file only seems to be unused for longer.
        utimes(path, nil)
        return picture
    }

    /// Keeps a picture.
    func write(_ picture: [UInt8], _ key: String, now: Date) async {
        await withTaskExecutorPreference(executor) { self.writeNow(picture, Self.name(key), now) }
    }

    private func writeNow(_ picture: [UInt8], _ name: String, _ now: Date) {
        // What others write for us to show is read only.
        guard !state.withLock({ $0.hasFailed }), access(storage, W_OK) == 0 else { return }
        let file = Self.file(picture, now)
        do throws(OutputError) {
            try WholeFile.write(file, to: folder + "/" + name, what: "a thumbnail")
        } catch {
            let isFirst = state.withLock { state in
                defer { state.hasFailed = true }
                return !state.hasFailed
            }
            if isFirst { report("\(error). Thumbnails are kept in memory only.") }
            return
        }
        state.withLock { $0.files.add(name, bytes: file.count, at: now) }
    }

    // MARK: Files

    private static func name(_ key: String) -> String {
        Digest.hexadecimal(Digest.sha256(Array(key.utf8))) + suffix
    }

    private static func file(_ picture: [UInt8], _ date: Date) -> [UInt8] {
        let seconds = UInt64(max(0, date.timeIntervalSince1970))
        let rest = withUnsafeBytes(of: seconds.bigEndian) { Array($0) } + picture
        return Digest.sha256(rest) + rest
    }

    private static func parts(of file: [UInt8]) -> (picture: [UInt8], date: Date)? {
        guard file.count > headBytes else { return nil }
        let rest = Array(file[32...])
        guard Digest.sha256(rest) == Array(file[..<32]) else { return nil }
        let seconds = rest[..<8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return (Array(rest[8...]), Date(timeIntervalSince1970: TimeInterval(seconds)))
    }
}
