import Foundation
import Glibc
import PippinCrawl
import PippinServe
import PippinStore

/// The folder of a demo. It has the demo's certificates, a crawl job of its site, and the last ports. The next demo uses the
/// same ports, because a job's URLs contain them: at other ports it would be another site.
final class DemoFolder: Sendable {
    let url: URL
    /// The ports of the last demo; nil in a new folder.
    let lastPorts: DemoPorts?
    private let lock: Int32

    static let storageName = "storage"
    static let recordsName = "records.ndjson"
    static let reportName = "report"
    private static let portsName = "ports"

    init(_ url: URL) throws {
        self.url = url
        if let number = OutputFolder.make(url.relativePath) {
            throw OutputError(path: url.relativePath, what: "the demo's folder", errorNumber: number)
        }
        lock = OutputFile.open(url.appending(path: "lock").path, flags: O_RDWR | O_CREAT)
        let portsFile = url.appending(path: Self.portsName)
        let text =
            FileManager.default.fileExists(atPath: portsFile.path)
            ? try String(contentsOf: portsFile, encoding: .utf8) : ""
        let numbers = text.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
        lastPorts =
            numbers.count == 2 && numbers.allSatisfy { (1...65_535).contains($0) }
            ? DemoPorts(secure: numbers[0], plain: numbers[1]) : nil
        guard lock >= 0 else {
            throw StorageError.unusable(folder: url.path, reason: String(cString: strerror(errno)))
        }
        // Two demos would overwrite each other's certificates.
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            var buffer = [UInt8](repeating: 0, count: 32)
            let count = max(0, pread(lock, &buffer, buffer.count, 0))
            let owner = String(decoding: buffer[..<count], as: UTF8.self)
            throw ReportedFailure(
                "another demo is served from \(url.relativePath)\(owner.isEmpty ? "" : " (process \(owner))"); "
                    + "end it, or give --folder", .held)
        }
        let owner = "\(getpid())"
        guard ftruncate(lock, 0) == 0, pwrite(lock, owner, owner.utf8.count, 0) == owner.utf8.count else {
            throw StorageError.unusable(folder: url.path, reason: String(cString: strerror(errno)))
        }
    }

    deinit {
        if lock >= 0 { close(lock) }
    }

    // MARK: Ports

    /// The ports to listen on: the wanted ones; otherwise those of the last demo, if they are free; otherwise, in a new
    /// folder, the usual ones; otherwise 0 for any free one.
    ///
    /// - Parameter wanted: nil if the user has not chosen; 0 does not take the usual port.
    func ports(secure wanted: Int?, plain wantedPlain: Int?) -> DemoPorts {
        let secure = Self.port(wanted, last: lastPorts?.secure, usual: 8443)
        var plain = Self.port(wantedPlain, last: lastPorts?.plain, usual: 8080)
        if plain == secure, plain != 0, wantedPlain == nil || wantedPlain == 0 { plain = 0 }
        return DemoPorts(secure: secure, plain: plain)
    }

    private static func port(_ wanted: Int?, last: Int?, usual: Int) -> Int {
        if let wanted, wanted != 0 { return wanted }
        if let last, isFree(last) { return last }
        return wanted == nil && last == nil && isFree(usual) ? usual : 0
    }

    /// Whether the port is free on this machine.
    static func isFree(_ port: Int) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        // As in the server: a port of connections that have just ended counts as free.
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(clamping: port).bigEndian)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    /// Stores the ports of the site. If they have changed, the job's storage and records from the old ports are removed.
    ///
    /// - Returns: whether a storage was removed.
    func take(_ ports: DemoPorts) throws -> Bool {
        var removed = false
        if ports != lastPorts {
            let storage = url.appending(path: Self.storageName)
            if FileManager.default.fileExists(atPath: storage.path) {
                // Opening the storage fails if a crawl still uses it.
                withExtendedLifetime(try CrawlStorage(folder: storage)) {}
                try FileManager.default.removeItem(at: storage)
                removed = true
            }
            let records = url.appending(path: Self.recordsName)
            if FileManager.default.fileExists(atPath: records.path) { try FileManager.default.removeItem(at: records) }
        }
        try Data("\(ports.secure) \(ports.plain)\n".utf8)
            .write(to: url.appending(path: Self.portsName), options: .atomic)
        return removed
    }

    // MARK: The job

    private static let keyName = "bot.pem"

    /// The key of the demo's bot, which is made the first time.
    func signingKey() throws -> SigningKey {
        let path = url.appending(path: Self.keyName).path
        if FileManager.default.fileExists(atPath: path) { return try SigningKey(contentsOf: path) }
        let key = try SigningKey.generated()
        try key.write(to: path)
        return key
    }

    /// Writes the configuration and the seeds for a crawl of the site at the present ports.
    ///
    /// - Parameter lists: the files of seeds, by name, with hosts as in the site's files.
    /// - Returns: the configuration file.
    func writeJob(site: DemoSite, ports: DemoPorts, lists: [(name: String, text: String)]) throws -> URL {
        for list in lists {
            try Data(site.localized(list.text, ports: ports).utf8).write(to: url.appending(path: list.name))
        }
        let configuration = url.appending(path: "crawl-config.yaml")
        try Data(
            """
            # A crawl of the demo site on this machine, where nobody minds a short delay, nor to be asked again at once.
            agent:
              contact: "https://example.org/bot"
              signing_key: \(Self.keyName)
              directory: \(DemoBot.directory(ports))
              sign: when-asked
            seeds: seeds.txt
            politeness: { delay: 20ms }
            fetch: { allow_private_networks: true, ca_file: ca.pem, retries: 1, retry_delay: 100ms, max_wait: 5s }
            recrawl: { min_interval: 1s, default_interval: 1s, max_interval: 1h }
            storage: \(Self.storageName)
            output: { ndjson: \(Self.recordsName), search_index: true }

            """.utf8
        ).write(to: configuration)
        return configuration
    }
}
