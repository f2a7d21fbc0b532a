import Foundation

/// The one way in which a file is opened to be written, and a folder made.
///
/// Both are for us and our group alone (0640 and 0750), whatever the umask would allow more: records, logs and archives tell
/// whom the crawler visits. And no symbolic link is followed that another user owns: who may write into a folder like `/tmp`
/// could otherwise let us empty any file of ours. That holds for the last name of the path, for the folder it is in, and for
/// what the links lead to.
public enum OutputFile {
    static let mode: mode_t = 0o640
    static let folderMode: mode_t = 0o750

    /// Links that lead to links, at most; as many as Linux follows.
    private static let mostLinks = 40

    /// Opens a file, close-on-exec; with O_CREAT it is made where it is missing, in a folder that is there.
    ///
    /// - Parameter flags: of `open(2)`.
    /// - Returns: the descriptor, or -1 with `errno`; ELOOP for somebody else's link.
    public static func open(_ path: String, flags: Int32) -> Int32 {
        guard let place = place(of: path) else { return -1 }
        let parts = place.split(separator: "/", omittingEmptySubsequences: true)
        // Links of the system that lead to no path, like those of /proc/self/fd, are followed by the kernel alone.
        let isFollowed = parts.first == "proc" || parts.first == "dev"
        return Foundation.open(place, flags | O_CLOEXEC | (isFollowed ? 0 : O_NOFOLLOW), mode)
    }

    /// Whether a symbolic link on the way, of the file or its folder, belongs to another user.
    public static func leadsAway(_ path: String) -> Bool { place(of: path) == nil }

    /// Makes one folder; where it is there already, `errno` is EEXIST.
    static func makeFolder(_ path: String) -> Bool { mkdir(path, folderMode) == 0 }

    /// Whether the path itself is a link that another user owns.
    private static func isForeignLink(_ path: String) -> Bool {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK else { return false }
        return status.st_uid != 0 && status.st_uid != geteuid()
    }

    /// Where the path leads by links that may be followed; nil with `errno` else.
    private static func place(of path: String) -> String? {
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

    /// What a link says; nil for what is none, and for those of /proc, which name no path.
    private static func target(of path: String) -> String? {
        if path.hasPrefix("/proc/") { return nil }
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let length = readlink(path, &buffer, Int(PATH_MAX))
        guard length > 0 else { return nil }
        return String(decoding: buffer[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

extension SystemReason {
    /// The system's words, and what to do where they do not say it.
    public static func words(_ number: Int32) -> String {
        guard number == ELOOP else { return String(cString: strerror(number)) }
        return "it is, or lies in, a symbolic link that another user owns, and such links are not followed; "
            + "name the file that is meant, or make the link yourself"
    }
}
