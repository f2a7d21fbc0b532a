import Foundation

/// The reason of a failed file operation, in the system's words. Foundation's own description of such an error is only "the
/// operation could not be completed".
public enum SystemReason {
    /// The reason of an error.
    public static func of(_ error: any Error) -> String {
        number(of: error).map { words($0) } ?? "\(error)"
    }

    /// The system's number of an error; nil if it has none.
    public static func number(of error: any Error) -> Int32? {
        if let error = error as? POSIXError { return error.code.rawValue }
        guard let error = error as? CocoaError else { return nil }
        if let reason = error.userInfo[NSUnderlyingErrorKey] as? POSIXError { return reason.code.rawValue }
        // Some of Foundation's errors have no underlying error.
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
    /// Wraps an error that Foundation threw for a file.
    public init(_ error: CocoaError) {
        self.init(
            path: error.userInfo[NSFilePathErrorKey] as? String ?? "a file", what: "it",
            errorNumber: SystemReason.number(of: error) ?? EIO)
    }
}

/// Makes folders for outputs.
public enum OutputFolder {
    /// Makes a folder and those above it. An existing folder is fine.
    ///
    /// - Returns: nil, or the system's error number.
    public static func make(_ path: String) -> Int32? {
        if path.isEmpty { return nil }
        if OutputFile.leadsAway(path) { return ELOOP }
        if OutputFile.makeFolder(path) { return nil }
        switch errno {
        case EEXIST:
            var status = stat()
            return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR ? nil : ENOTDIR
        case ENOENT:
            // The root, and the start of a relative path, always exist.
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
