import Foundation
import PippinCrawl

/// The folder of `pippin agent`: private keys, and what is to be public. A web server gets to `site` whatever the umask says; only
/// `keys` is for nobody but the owner.
///
///     agent/keys/1.pem, 2.pem …                                     for their owner only
///     agent/site/.well-known/http-message-signatures-directory
///     agent/site/index.html
struct AgentFolder {
    private let folder: URL

    /// Names of keys have six digits at most: keys are changed a few times a year, and a number always has a next one.
    private static let largestNumber = 999_999

    init(_ path: String) { folder = URL(filePath: path, directoryHint: .isDirectory) }

    var keysPath: String { folder.appending(path: "keys").path }
    var sitePath: String { folder.appending(path: "site").path }
    var directoryPath: String { sitePath + CrawlConfiguration.Agent.Signing.directoryPath }
    var pagePath: String { folder.appending(path: "site/index.html").path }

    /// The files of keys by their numbers, oldest first.
    func keyPaths() throws -> [(number: Int, path: String)] {
        guard FileManager.default.fileExists(atPath: keysPath) else { return [] }
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: keysPath)
        } catch {
            throw ConfigurationError(file: keysPath, problem: "cannot be read: \(error.localizedDescription)")
        }
        return names.compactMap { name in
            Self.number(ofKey: name).map { ($0, keysPath + "/" + name) }
        }.sorted { $0.0 < $1.0 }
    }

    /// The number of a key by its file's name; nil if we would not write it so.
    private static func number(ofKey name: String) -> Int? {
        guard let number = Int(name.dropLast(4)), (1...largestNumber).contains(number), name == "\(number).pem" else {
            return nil
        }
        return number
    }

    /// All keys, oldest first.
    ///
    /// - Throws: `ConfigurationError` if there is none, or one cannot be used.
    func keys() throws -> [SigningKey] {
        let paths = try keyPaths()
        guard !paths.isEmpty else {
            throw ConfigurationError(file: keysPath, problem: "has no key; pippin agent init makes one")
        }
        return try paths.map { try SigningKey(contentsOf: $0.path) }
    }

    /// Makes the folders of public files, those above them too, so that a web server can read them. Existing ones keep their rights.
    ///
    /// - Returns: those that were made, the outermost first.
    @discardableResult
    func makePublicFolders() throws -> [String] {
        var missing: [String] = []
        var place = URL(filePath: directoryPath).deletingLastPathComponent()
        while !FileManager.default.fileExists(atPath: place.path), place.path != "/" {
            missing.insert(place.path, at: 0)
            place.deleteLastPathComponent()
        }
        for path in missing {
            if let number = OutputFolder.make(path, readers: .everyone) {
                throw OutputError(path: path, what: "the folder", errorNumber: number)
            }
        }
        return missing
    }

    /// Writes the first key, its directory and the bot page. If one of them cannot be written, there is none.
    ///
    /// - Returns: the paths, the key's first.
    /// - Throws: `ConfigurationError` if one of the files exists, even as a link that leads nowhere.
    func begin(_ key: SigningKey, page: [UInt8]) throws -> [String] {
        guard try keyPaths().isEmpty else {
            throw ConfigurationError(
                file: keysPath, problem: "has a key already; pippin agent rotate adds the next one")
        }
        for path in [directoryPath, pagePath] {
            var status = stat()
            guard lstat(path, &status) != 0 else {
                throw ConfigurationError(file: path, problem: "exists; nothing was written")
            }
        }
        var folders = try makePublicFolders()
        if !FileManager.default.fileExists(atPath: keysPath) { folders.append(keysPath) }
        var written: [String] = []
        do {
            for (path, bytes, what) in [
                (directoryPath, KeyDirectory([KeyDirectory.Entry(key.publicKey)]).json(), "the directory"),
                (pagePath, page, "the bot page"),
            ] {
                try WholeFile.writeNew(bytes, to: path, what: what, readers: .everyone)
                written.append(path)
            }
            return [try add(key)] + written
        } catch {
            for path in written { unlink(path) }
            // What somebody else has put there stays, with its folder.
            for path in folders.reversed() { rmdir(path) }
            throw error
        }
    }

    /// Writes a new key beside the others.
    ///
    /// - Returns: its path.
    /// - Throws: `ConfigurationError` if the last number is taken: an earlier one would pass for an older key.
    func add(_ key: SigningKey) throws -> String {
        let number = (try keyPaths().last?.number ?? 0) + 1
        guard number <= Self.largestNumber else {
            throw ConfigurationError(
                file: keysPath,
                problem: "has \(Self.largestNumber).pem, the last number a key may have; make a new folder with "
                    + "pippin agent init")
        }
        let path = "\(keysPath)/\(number).pem"
        try key.write(to: path)
        return path
    }
}
