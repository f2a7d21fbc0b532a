import Foundation

/// Opens files for writing and makes folders. All outputs use it.
///
/// Files and folders are only for us and our group (0640 and 0750), even if the umask allows more, because records, logs and
/// archives show whom the crawler visits. Only a report may be for everyone, if the configuration says so. Symbolic links of other users are not followed: otherwise anybody who may write into
/// a folder like `/tmp` could make us empty any of our files. This applies to the last name of the path, to its folder, and to
/// the targets of links.
public enum OutputFile {
    /// Who may read an output beside its owner.
    public enum Readers: String, Sendable, CaseIterable {
        case group
        /// Also a web server that shows the file.
        case everyone

        /// The rights of files, and of folders.
        var mode: mode_t { self == .everyone ? 0o644 : 0o640 }
        var folderMode: mode_t { self == .everyone ? 0o755 : 0o750 }
    }

    static let mode = Readers.group.mode

    /// The limit of links that lead to links, the same as in Linux.
    private static let mostLinks = 40

    /// Opens a file, close-on-exec. With O_CREAT, a missing file is made if its folder exists.
    ///
    /// - Parameter flags: those of `open(2)`.
    /// - Returns: the descriptor, or -1 with `errno`; ELOOP for another user's link.
    public static func open(_ path: String, flags: Int32) -> Int32 {
        guard let place = place(of: path) else { return -1 }
        let parts = place.split(separator: "/", omittingEmptySubsequences: true)
        // Links of the system without a path, like those of /proc/self/fd, can only be followed by the kernel.
        let isFollowed = parts.first == "proc" || parts.first == "dev"
        return Foundation.open(place, flags | O_CLOEXEC | (isFollowed ? 0 : O_NOFOLLOW), mode)
    }

    /// Whether the file, or its folder, is reached through a symbolic link of another user.
    public static func leadsAway(_ path: String) -> Bool { place(of: path) == nil }

    /// Makes one folder. If it exists, the result is false and `errno` is EEXIST.
    static func makeFolder(_ path: String) -> Bool { mkdir(path, Readers.group.folderMode) == 0 }

    /// Whether the path itself is a link that another user owns.
    private static func isForeignLink(_ path: String) -> Bool {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK else { return false }
        return status.st_uid != 0 && status.st_uid != geteuid()
    }

    /// The path after following the links that may be followed; nil with `errno` if one may not.
    public static func place(of path: String) -> String? {
        var path = path
        for _ in 0..<mostLinks {
            let folder = folder(of: path)
            if isForeignLink(path) || isForeignLink(folder) {
                errno = ELOOP
                return nil
            }
            guard let target = target(of: path) else { return path }
            path = target.hasPrefix("/") ? target : folder + "/" + target
        }
        errno = ELOOP
        return nil
    }

    private static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// The target of a link; nil if the path is not a link, or is a link of /proc that has no path.
    private static func target(of path: String) -> String? {
        if path.hasPrefix("/proc/") { return nil }
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let length = readlink(path, &buffer, Int(PATH_MAX))
        guard length > 0 else { return nil }
        return String(decoding: buffer[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

extension SystemReason {
    /// The system's words for an error, with a remedy if they do not make it clear.
    public static func words(_ number: Int32) -> String {
        guard number == ELOOP else { return String(cString: strerror(number)) }
        return "it is, or lies in, a symbolic link that another user owns, and such links are not followed; "
            + "name the file that is meant, or make the link yourself"
    }
}
