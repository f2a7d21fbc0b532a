import Foundation
import PippinPage

/// Reads whole files that the operator names. Errors have the path and what to do.
public enum InputFile {
    /// What is larger is no page and no list, but a device or a mistake.
    private static let maximumBytes = 256 << 20

    /// The bytes of a file, or of standard input for `-`.
    ///
    /// - Throws: `ConfigurationError`.
    public static func bytes(at path: String) throws(ConfigurationError) -> [UInt8] {
        try bytesAndRights(at: path).bytes
    }

    /// The text of a file, and whether users beside its owner and group may read or change it.
    ///
    /// - Throws: as `text(at:)`.
    static func textAndRights(at path: String) throws(ConfigurationError) -> (text: String, isOpenToOthers: Bool) {
        let (bytes, rights) = try bytesAndRights(at: path)
        return (try text(bytes, path), rights & 0o007 != 0)
    }

    private static func bytesAndRights(at path: String) throws(ConfigurationError) -> (bytes: [UInt8], rights: mode_t) {
        guard !path.isEmpty else { throw ConfigurationError(file: "\"\"", problem: "an empty path names no file") }
        let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw trouble(path, errno) }
        defer { if path != "-" { close(descriptor) } }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw trouble(path, errno) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 256 * 1024)
        while true {
            let count = read(descriptor, &piece, piece.count)
            if count == 0 { return (bytes, status.st_mode) }
            if count > 0 { bytes += piece[..<count] } else if errno != EINTR { throw trouble(path, errno) }
            guard bytes.count <= maximumBytes else {
                throw ConfigurationError(file: path, problem: "has more than 256 MB; name a smaller file")
            }
        }
    }

    /// The text of a file, or of standard input for `-`.
    ///
    /// - Throws: `ConfigurationError`, with the line if the file is not UTF-8 text.
    public static func text(at path: String) throws(ConfigurationError) -> String {
        try text(bytes(at: path), path)
    }

    private static func text(_ bytes: [UInt8], _ path: String) throws(ConfigurationError) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        var line = 1
        for part in bytes.split(separator: 0x0A, omittingEmptySubsequences: false) {
            if String(validating: part, as: UTF8.self) == nil { break }
            line += 1
        }
        throw ConfigurationError(file: path, line: line, problem: "is not UTF-8 text; save the file as UTF-8")
    }

    /// The text of a file that is a secret as a whole.
    ///
    /// - Throws: as `text(at:)`; also if every user of this machine may read the file.
    public static func secret(at path: String) throws(ConfigurationError) -> String {
        let (text, isOpenToOthers) = try textAndRights(at: path)
        guard !isOpenToOthers else {
            throw ConfigurationError(
                file: path, problem: "every user of this machine may read this secret: chmod 600 \(path)")
        }
        return text
    }

    /// Checks that a path names something that may be read and is no folder, before a longer work begins. It is not opened,
    /// because a pipe can be opened only once.
    ///
    /// - Throws: `ConfigurationError`.
    static func check(_ path: String) throws(ConfigurationError) {
        guard !path.isEmpty else { throw ConfigurationError(file: "\"\"", problem: "an empty path names no file") }
        var status = stat()
        guard stat(path, &status) == 0, access(path, R_OK) == 0 else { throw trouble(path, errno) }
        if status.st_mode & S_IFMT == S_IFDIR { throw trouble(path, EISDIR) }
    }

    private static func trouble(_ path: String, _ number: Int32) -> ConfigurationError {
        let problem =
            switch number {
            case ENOENT where path.hasPrefix("/"): "there is no such file"
            case ENOENT: "there is no such file in \(FileManager.default.currentDirectoryPath)"
            case EISDIR: "is a folder; name a file"
            case EACCES, EPERM: "may not be read: \(String(cString: strerror(number))); check who owns it"
            default: "cannot be read: \(String(cString: strerror(number)))"
            }
        return ConfigurationError(file: path == "-" ? "standard input" : path, problem: problem)
    }
}
