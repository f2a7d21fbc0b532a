import Foundation

extension SearchIndex {
    /// How many bytes the index of a storage folder takes on the disk, with its log.
    public static func bytes(in folder: URL) -> Int {
        ["", "-wal"].reduce(0) { sum, suffix in
            var status = stat()
            let path = folder.appending(path: SearchSchema.fileName + suffix).path
            return stat(path, &status) == 0 ? sum + Int(status.st_size) : sum
        }
    }
}
