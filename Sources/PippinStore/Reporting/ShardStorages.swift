import Foundation
import PippinCrawl

/// The storages of a job in shards, each in a folder that has its number as name (`00`, `01` …), as their driver lays them out.
public struct ShardStorages: Sendable {
    /// How many shards the job has.
    public let count: Int
    /// The folders of those that are here, by their numbers.
    public let folders: [Int: URL]

    /// Looks for storages of shards.
    ///
    /// - Parameter folder: the folder of the storages, or that of their job, which has them in `shards`.
    /// - Returns: nil if the folder is a storage itself, or there is none of a shard.
    /// - Throws: `StorageError`.
    public init?(in folder: URL) throws {
        guard !CrawlStorage.exists(in: folder) else { return nil }
        for place in [folder, folder.appending(path: "shards")] {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: place.path)) ?? []
            var folders: [Int: URL] = [:]
            for name in names.sorted() {
                let storage = place.appending(path: name)
                if let number = Int(name), CrawlStorage.exists(in: storage) { folders[number] = storage }
            }
            guard let any = folders.min(by: { $0.key < $1.key })?.value,
                let shard = try StorageReader(folder: any).shard()
            else { continue }
            (count, self.folders) = (shard.count, folders)
            return
        }
        return nil
    }

    /// The number of the shard that owns a host.
    public func owner(of host: String) -> Int { Shard.number(ofHost: host, among: count) }
}
