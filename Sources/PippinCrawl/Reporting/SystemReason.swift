import Foundation

/// Why a file operation failed, in the system's words. Foundation's own description of such an error says only that "the
/// operation could not be completed".
public enum SystemReason {
    public static func of(_ error: any Error) -> String {
        number(of: error).map { words($0) } ?? "\(error)"
    }

    /// The system's number of the error; nil where there is none.
    public static func number(of error: any Error) -> Int32? {
        if let error = error as? POSIXError { return error.code.rawValue }
        guard let error = error as? CocoaError else { return nil }
        if let reason = error.userInfo[NSUnderlyingErrorKey] as? POSIXError { return reason.code.rawValue }
        // Some of Foundation's calls keep no reason.
        return switch error.code {
        case .fileNoSuchFile, .fileReadNoSuchFile: ENOENT
        case .fileReadNoPermission, .fileWriteNoPermission: EACCES
        case .fileWriteFileExists: EEXIST
        case .fileWriteOutOfSpace: ENOSPC
        case .fileWriteVolumeReadOnly: EROFS
        default: nil
        }
    }
}

extension OutputError {
    /// What Foundation threw of a file.
    public init(_ error: CocoaError) {
        self.init(
            path: error.userInfo[NSFilePathErrorKey] as? String ?? "a file", what: "it",
            errorNumber: SystemReason.number(of: error) ?? EIO)
    }
}

/// A folder that something is written to.
public enum OutputFolder {
    /// Makes a folder, with those above it; one that is there already will do.
    ///
    /// - Returns: nil, or the system's number of what went wrong.
    public static func make(_ path: String) -> Int32? {
        if path.isEmpty { return nil }
        if OutputFile.leadsAway(path) { return ELOOP }
        if OutputFile.makeFolder(path) { return nil }
        switch errno {
        case EEXIST:
            var status = stat()
            return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR ? nil : ENOTDIR
        case ENOENT:
            // The root, and where a relative path begins, are there.
            var above = path[...]
            while above.last == "/" { above.removeLast() }
            guard let slash = above.lastIndex(of: "/"), slash != above.startIndex else { return ENOENT }
            above = above[..<slash]
            if let number = make(String(above)) { return number }
            return OutputFile.makeFolder(path) || errno == EEXIST ? nil : errno
        default: return errno
        }
    }
}
