import Foundation

/// Prevents two runs from writing the same output, because they would replace or mix each other's lines.
///
/// The lock is a file beside the output (`records.ndjson.lock`, in a folder `.lock`). The kernel frees it when its holder ends
/// in any way. Outputs that are not files, like pipes and devices, are not locked.
public final class OutputLock: Sendable {
    /// An output that a run will write.
    public struct Claim: Sendable {
        let path: String
        /// The kind of output, for messages: `the records`.
        let what: String
        let isFolder: Bool

        /// A file.
        public static func file(_ path: String, _ what: String) -> Claim {
            Claim(path: path, what: what, isFolder: false)
        }

        /// A folder.
        public static func folder(_ path: String, _ what: String) -> Claim {
            Claim(path: path, what: what, isFolder: true)
        }
    }

    /// Another run writes the output.
    public struct Held: ReportedError {
        /// The path of the output.
        public let path: String
        let what: String
        /// The name that the other run gave itself.
        let owner: String

        public var exitStatus: ExitStatus { .held }

        public var description: String {
            "\(path): another run writes \(what) there\(owner.isEmpty ? "" : " (\(owner))"). Wait for it to end, or "
                + "give this run another place for \(what)."
        }
    }

    /// One run was given one path for two outputs.
    struct Shared: ReportedError {
        let path: String
        let first: String
        let second: String

        var exitStatus: ExitStatus { .usage }

        var description: String {
            "\(path) is given for \(first) and for \(second): each needs a place of its own"
        }
    }

    private let locks: [(path: String, descriptor: Int32)]

    /// Takes all locks, or none.
    ///
    /// - Parameter owner: this run's name for other runs, after the process number: `storage crawl-data`.
    /// - Throws: `Held`, `Shared`, or `OutputError` if no lock can be made.
    public init(_ claims: [Claim], owner: String) throws {
        var taken: [(path: String, descriptor: Int32)] = []
        var names: [String: String] = [:]
        do {
            for claim in claims {
                guard let place = try Self.place(of: claim) else { continue }
                if let other = names.updateValue(claim.what, forKey: place) {
                    throw Shared(path: claim.path, first: other, second: claim.what)
                }
                guard let descriptor = try Self.lock(place, claim, owner: owner) else { continue }
                taken.append((place, descriptor))
            }
        } catch {
            Self.release(taken)
            throw error
        }
        locks = taken
    }

    deinit { Self.release(locks) }

    private static func release(_ locks: [(path: String, descriptor: Int32)]) {
        for (path, descriptor) in locks {
            // The file is removed before the lock is freed. Another run that has opened it meanwhile checks whether it still
            // exists.
            unlink(path)
            flock(descriptor, LOCK_UN)
            close(descriptor)
        }
    }

    /// The path of the lock file, the same for all spellings of the output's path. Nil if there is nothing to lock.
    private static func place(of claim: Claim) throws -> String? {
        let url = URL(filePath: claim.path)
        let folder = claim.isFolder ? url.path : url.deletingLastPathComponent().path
        if let number = OutputFolder.make(folder) {
            throw OutputError(path: claim.path, what: claim.what, errorNumber: number)
        }
        if claim.isFolder { return try resolved(folder, claim) + "/.lock" }
        var status = stat()
        if stat(claim.path, &status) == 0 {
            switch status.st_mode & S_IFMT {
            case S_IFREG: return try resolved(claim.path, claim) + ".lock"
            // Reported before the crawl, not only when the file is written at the end.
            case S_IFDIR: throw OutputError(path: claim.path, what: claim.what, errorNumber: EISDIR)
            default: return nil
            }
        }
        return try resolved(folder, claim) + "/" + url.lastPathComponent + ".lock"
    }

    private static func resolved(_ path: String, _ claim: Claim) throws -> String {
        guard let pointer = realpath(path, nil) else {
            throw OutputError(path: claim.path, what: claim.what, errorNumber: errno)
        }
        defer { free(pointer) }
        return String(cString: pointer)
    }

    /// Makes and locks a lock file.
    ///
    /// - Returns: the locked descriptor. Nil if no file can be made beside the output and the output itself does not exist;
    ///   the writer of the output then reports the problem.
    private static func lock(_ path: String, _ claim: Claim, owner: String) throws -> Int32? {
        // A run that ends at this moment removes its lock file, so it must be made again.
        for _ in 0..<100 {
            let descriptor = OutputFile.open(path, flags: O_RDWR | O_CREAT)
            if descriptor < 0, [EACCES, EPERM, EROFS].contains(errno), !claim.isFolder {
                return try lockItself(claim)
            }
            guard descriptor >= 0 else { throw OutputError(path: path, what: claim.what, errorNumber: errno) }
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                defer { close(descriptor) }
                throw Held(path: claim.path, what: claim.what, owner: text(in: descriptor))
            }
            guard let own = FileIdentity(of: descriptor), own == FileIdentity(of: path) else {
                close(descriptor)
                continue
            }
            let text = Array("process \(getpid()), \(owner)".utf8)
            ftruncate(descriptor, 0)
            // If the disk is full, the lock works too, only without the name of its holder.
            _ = pwrite(descriptor, text, text.count, 0)
            return descriptor
        }
        throw OutputError(path: path, what: claim.what, errorNumber: EAGAIN)
    }

    /// Locks the output file itself, if no file can be made in its folder.
    private static func lockItself(_ claim: Claim) throws -> Int32? {
        let descriptor = OutputFile.open(claim.path, flags: O_WRONLY)
        guard descriptor >= 0 else { return nil }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw Held(path: claim.path, what: claim.what, owner: "")
        }
        return descriptor
    }

    private static func text(in descriptor: Int32) -> String {
        var buffer = [UInt8](repeating: 0, count: 1024)
        let count = max(0, pread(descriptor, &buffer, buffer.count, 0))
        return String(decoding: buffer[..<count], as: UTF8.self)
    }
}
