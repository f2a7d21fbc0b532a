import Foundation

/// Keeps a second run from writing what a run writes already: two would replace or mix each other's lines.
///
/// The lock is a file beside the output (`records.ndjson.lock`, in a folder `.lock`), which the kernel frees when its
/// holder ends, however it ends. What is no file, like a pipe or a device, is anybody's.
public final class OutputLock: Sendable {
    /// An output that is to be written.
    public struct Claim: Sendable {
        let path: String
        /// What it is, for messages: `the records`.
        let what: String
        let isFolder: Bool

        public static func file(_ path: String, _ what: String) -> Claim {
            Claim(path: path, what: what, isFolder: false)
        }

        public static func folder(_ path: String, _ what: String) -> Claim {
            Claim(path: path, what: what, isFolder: true)
        }
    }

    /// Another run writes there.
    public struct Held: ReportedError {
        public let path: String
        let what: String
        /// As the other run has named itself.
        let owner: String

        public var exitStatus: ExitStatus { .held }

        public var description: String {
            "\(path): another run writes \(what) there\(owner.isEmpty ? "" : " (\(owner))"). Wait for it to end, or "
                + "give this run another place for \(what)."
        }
    }

    /// One run was given one place for two things.
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
    /// - Parameter owner: what the other run is told, after the number of the process: `storage crawl-data`.
    /// - Throws: `Held`, `Shared`, and `OutputError` where no lock can be made.
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
            // Before the lock is free: whoever has opened the file meanwhile looks whether it is still there.
            unlink(path)
            flock(descriptor, LOCK_UN)
            close(descriptor)
        }
    }

    /// Path of the lock's file, the same for all spellings of the output's path; nil when there is nothing to lock.
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
            // Told before the crawl, not when the file is written at its end.
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

    /// - Returns: nil where no lock can be made beside the output, and the output itself cannot be locked either, as it is not
    ///   there; whoever writes it then says what is wrong.
    private static func lock(_ path: String, _ claim: Claim, owner: String) throws -> Int32? {
        // Who has just ended takes the file away: then it must be made anew.
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
            var own = stat()
            var named = stat()
            guard fstat(descriptor, &own) == 0, stat(path, &named) == 0, own.st_ino == named.st_ino,
                own.st_dev == named.st_dev
            else {
                close(descriptor)
                continue
            }
            let text = Array("process \(getpid()), \(owner)".utf8)
            ftruncate(descriptor, 0)
            // On a full disk the lock holds all the same, and only the name of its holder is missing.
            _ = pwrite(descriptor, text, text.count, 0)
            return descriptor
        }
        throw OutputError(path: path, what: claim.what, errorNumber: EAGAIN)
    }

    /// In a folder where nothing can be made, a file that is there can be locked itself.
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
