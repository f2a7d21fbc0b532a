import Foundation

/// A file that tells of the crawl could not be written.
public struct OutputError: ReportedError, Equatable {
    public let path: String
    /// What it is: "the crawl log".
    public let what: String
    public let errorNumber: Int32

    public init(path: String, what: String, errorNumber: Int32) {
        self.path = path
        self.what = what
        self.errorNumber = errorNumber
    }

    public var exitStatus: ExitStatus { .outputFailed }

    public var description: String { "\(path): \(what) cannot be written: \(SystemReason.words(errorNumber))" }

    /// The system's number behind an error of Foundation.
    static func number(of error: any Error) -> Int32 {
        let error = error as NSError
        if error.domain == NSPOSIXErrorDomain { return Int32(truncatingIfNeeded: error.code) }
        let underlying = error.userInfo[NSUnderlyingErrorKey] as? NSError
        return underlying.map { Int32(truncatingIfNeeded: $0.code) } ?? EIO
    }
}

/// Files that are whole whenever somebody looks.
public enum WholeFile {
    /// Writes beside the file and then puts it in place, with the folders above it where they are missing. What is no file, like
    /// `/dev/stdout`, is written to where it is.
    ///
    /// - Parameter isSynced: whether it must be on the disk, and not only in the system's memory, before it is in place.
    /// - Throws: `OutputError`.
    public static func write(
        _ bytes: [UInt8], to path: String, what: String, isSynced: Bool = false
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
            if isSynced, fsync(descriptor) != 0 { throw OutputError(path: path, what: what, errorNumber: errno) }
        } catch {
            unlink(path + ".new")
            throw error
        }
        guard rename(path + ".new", path) == 0 else { throw OutputError(path: path, what: what, errorNumber: errno) }
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

    /// The disk filled up in the middle of a line: a half one would spoil the next, too. What has no length, like a pipe, has to
    /// do without.
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
