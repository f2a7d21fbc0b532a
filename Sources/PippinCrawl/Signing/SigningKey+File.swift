import Foundation

extension SigningKey {
    /// Writes the key into a new file that only its owner may read. Missing folders are created, for their owner only.
    ///
    /// - Throws: `ConfigurationError` if the file exists: a key that is replaced is lost. `OutputError` if it cannot be written.
    public func write(to path: String) throws {
        let what = "the signing key"
        let folder = URL(filePath: path).deletingLastPathComponent()
        do {
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw ReportedFailure(
                "the folder \(folder.path) cannot be made: \(error.localizedDescription)", .outputFailed)
        }
        let bytes = try pem()
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            if errno == EEXIST { throw ConfigurationError(file: path, problem: "exists; keys are not replaced") }
            throw OutputError(path: path, what: what, errorNumber: errno)
        }
        defer { close(descriptor) }
        // A umask may have taken rights from the owner, too.
        guard fchmod(descriptor, 0o600) == 0,
            bytes.withUnsafeBytes({ Foundation.write(descriptor, $0.baseAddress, $0.count) }) == bytes.count,
            fsync(descriptor) == 0
        else {
            let number = errno
            unlink(path)
            throw OutputError(path: path, what: what, errorNumber: number)
        }
    }
}
