import Foundation

/// An output file of the crawl could not be written.
public struct OutputError: ReportedError, Equatable {
    /// The path of the file.
    public let path: String
    /// The kind of file: "the crawl log".
    public let what: String
    /// The system's error number.
    public let errorNumber: Int32

    /// Creates an error.
    public init(path: String, what: String, errorNumber: Int32) {
        self.path = path
        self.what = what
        self.errorNumber = errorNumber
    }

    public var exitStatus: ExitStatus { .outputFailed }

    public var description: String { "\(path): \(what) cannot be written: \(SystemReason.words(errorNumber))" }

    /// The system's number for an error of Foundation.
    static func number(of error: any Error) -> Int32 {
        let error = error as NSError
        if error.domain == NSPOSIXErrorDomain { return Int32(truncatingIfNeeded: error.code) }
        let underlying = error.userInfo[NSUnderlyingErrorKey] as? NSError
        return underlying.map { Int32(truncatingIfNeeded: $0.code) } ?? EIO
    }
}

/// Writes files at once: new ones are complete whenever they are read.
public enum WholeFile {
    /// Writes a temporary file next to the path and then moves it into place. Missing folders are created. If the path is not a
    /// regular file (`/dev/stdout`), the bytes are written to it directly.
    ///
    /// - Parameters:
    ///   - readers: who may read the file; the umask does not matter for everyone.
    ///   - isSynced: whether the file must be on the disk, and not only in the system's memory, when this returns: first
    ///   its bytes, then its name.
    /// - Throws: `OutputError`.
    public static func write(
        _ bytes: [UInt8], to path: String, what: String, readers: OutputFile.Readers = .group, isSynced: Bool = false
    ) throws(OutputError) {
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
            let descriptor = try opened(path, flags: O_WRONLY, what: what)
            defer { close(descriptor) }
            return try append(bytes, to: descriptor, path: path, what: what)
        }
        let descriptor: Int32
        do throws(OutputError) {
            descriptor = try opened(path + ".new", flags: O_WRONLY | O_CREAT | O_TRUNC, what: what)
        } catch {
            throw OutputError(path: path, what: what, errorNumber: error.errorNumber)
        }
        do throws(OutputError) {
            defer { close(descriptor) }
            try append(bytes, to: descriptor, path: path, what: what)
            if readers == .everyone, fchmod(descriptor, readers.mode) != 0 {
                throw OutputError(path: path, what: what, errorNumber: errno)
            }
            if isSynced, fsync(descriptor) != 0 { throw OutputError(path: path, what: what, errorNumber: errno) }
        } catch {
            unlink(path + ".new")
            throw error
        }
        guard rename(path + ".new", path) == 0 else { throw OutputError(path: path, what: what, errorNumber: errno) }
        let folder = URL(filePath: path).deletingLastPathComponent().path
        if isSynced, let number = OutputFolder.sync(folder) {
            throw OutputError(path: path, what: what, errorNumber: number)
        }
    }

    /// Writes a new file. One that exists stays as it is: the error is EEXIST. Of a file that could not be finished nothing is left.
    ///
    /// - Parameter readers: who may read the file; the umask does not matter for everyone.
    public static func writeNew(
        _ bytes: [UInt8], to path: String, what: String, readers: OutputFile.Readers = .group
    ) throws(OutputError) {
        let descriptor = try opened(path, flags: O_WRONLY | O_CREAT | O_EXCL, what: what)
        do throws(OutputError) {
            defer { close(descriptor) }
            try append(bytes, to: descriptor, path: path, what: what)
            if readers == .everyone, fchmod(descriptor, readers.mode) != 0 {
                throw OutputError(path: path, what: what, errorNumber: errno)
            }
        } catch {
            unlink(path)
            throw error
        }
    }

    /// Appends bytes to a file to which other programs append, too. It is made if it does not exist.
    public static func append(_ bytes: [UInt8], to path: String, what: String) throws(OutputError) {
        let descriptor = try opened(path, flags: O_WRONLY | O_CREAT | O_APPEND, what: what)
        defer { close(descriptor) }
        try append(bytes, to: descriptor, path: path, what: what)
    }

    static func opened(_ path: String, flags: Int32, what: String) throws(OutputError) -> Int32 {
        var descriptor = OutputFile.open(path, flags: flags)
        if descriptor < 0, errno == ENOENT {
            if let number = OutputFolder.make(URL(filePath: path).deletingLastPathComponent().path) {
                throw OutputError(path: path, what: what, errorNumber: number)
            }
            descriptor = OutputFile.open(path, flags: flags)
        }
        guard descriptor >= 0 else { throw OutputError(path: path, what: what, errorNumber: errno) }
        return descriptor
    }

    /// Removes a partial line after the disk became full, because it would also spoil the next line. This is impossible for
    /// outputs without a length, such as pipes.
    private static func takeBack(_ count: Int, of descriptor: Int32) {
        var status = stat()
        guard count > 0, fstat(descriptor, &status) == 0, lseek(descriptor, 0, SEEK_CUR) == status.st_size else {
            return
        }
        _ = ftruncate(descriptor, status.st_size - off_t(count))
    }

    static func append(_ bytes: [UInt8], to descriptor: Int32, path: String, what: String) throws(OutputError) {
        let (written, error) = PatientWriting.write(bytes, to: descriptor)
        if error != 0 {
            takeBack(written, of: descriptor)
            throw OutputError(path: path, what: what, errorNumber: error)
        }
    }
}

/// A file that is written in pieces, and complete whenever it is read: it takes its name at the end. What is not a regular file
/// (`/dev/stdout`) is written to directly.
public final class GrowingFile: Sendable {
    private let path: String
    private let what: String
    private let descriptor: Int32
    private let isMoved: Bool

    /// Opens the file for writing.
    ///
    /// - Parameter what: the kind of file, for messages: "the report".
    public init(_ path: String, what: String) throws(OutputError) {
        self.path = path
        self.what = what
        var status = stat()
        isMoved = stat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFREG
        do throws(OutputError) {
            descriptor = try WholeFile.opened(
                isMoved ? path + ".new" : path, flags: isMoved ? O_WRONLY | O_CREAT | O_TRUNC : O_WRONLY, what: what)
        } catch {
            throw OutputError(path: path, what: what, errorNumber: error.errorNumber)
        }
    }

    /// Appends bytes.
    public func append(_ bytes: [UInt8]) throws(OutputError) {
        try WholeFile.append(bytes, to: descriptor, path: path, what: what)
    }

    /// Gives the file its name. Without this, nothing is left of it.
    public func finish() throws(OutputError) {
        guard !isMoved || rename(path + ".new", path) == 0 else {
            throw OutputError(path: path, what: what, errorNumber: errno)
        }
    }

    deinit {
        close(descriptor)
        // After `finish` there is no such file.
        if isMoved { unlink(path + ".new") }
    }
}

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
    /// - Parameter readers: who may list it, also if it existed. Folders above it stay as they are.
    /// - Returns: nil, or the system's error number.
    public static func make(_ path: String, readers: OutputFile.Readers) -> Int32? {
        if let number = make(path) { return number }
        return readers == .group || chmod(path, readers.folderMode) == 0 ? nil : errno
    }

    /// As with readers: the group.
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

    /// Waits until the names of the files in a folder are on the disk: those that were made, moved and removed so far.
    ///
    /// - Returns: nil, or the system's error number. Nobody is to blame if the folder may not be read, or the file system cannot do
    ///   this.
    public static func sync(_ path: String) -> Int32? {
        let descriptor = Foundation.open(path.isEmpty ? "." : path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return errno == EACCES ? nil : errno }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP || errno == EROFS else { return errno }
        return nil
    }
}
