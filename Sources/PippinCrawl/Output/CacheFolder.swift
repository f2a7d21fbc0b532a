import Foundation

/// What a folder of files has that can be made again, and what has to go: the longest unused files first, when they take too much.
public struct CacheFolder: Sendable {
    private struct File {
        var bytes: Int
        var lastUse: Date
    }

    /// What a file takes at least on most disks. It limits the number of files, too.
    public static let blockBytes = 4096

    private let folder: String
    private let suffix: String
    private let maximumBytes: Int
    /// By name; nil until the folder has been looked at.
    private var files: [String: File]?
    private var bytes = 0

    /// - Parameter suffix: what names of its files end with. Others are left alone.
    public init(folder: String, suffix: String, maximumBytes: Int) {
        (self.folder, self.suffix, self.maximumBytes) = (folder, suffix, maximumBytes)
    }

    /// Notes that a file is used. False if there is none.
    public mutating func use(_ name: String, at date: Date) -> Bool {
        look()
        files?[name]?.lastUse = date
        return files?[name] != nil
    }

    /// Notes a file that was written.
    public mutating func add(_ name: String, bytes size: Int, at date: Date) {
        look()
        note(name, bytes: size, at: date)
        makeRoom()
    }

    /// Removes a file.
    public mutating func remove(_ name: String) {
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
            guard name.hasSuffix(suffix), let values = try? file.resourceValues(forKeys: keys) else {
                // A file that was being written when a run was killed.
                if name.hasSuffix(suffix + ".new") { unlink(file.path) }
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
