import ArgumentParser
import Foundation

/// A file that a command was given.
enum LocalFile {
    /// The bytes of the file, or of standard input for `-`.
    static func bytes(at path: String) throws -> [UInt8] {
        do {
            if path == "-" { return [UInt8](try FileHandle.standardInput.readToEnd() ?? Data()) }
            return [UInt8](try Data(contentsOf: URL(filePath: path)))
        } catch {
            throw ValidationError("Cannot read \(path): \(error.localizedDescription)")
        }
    }
}
