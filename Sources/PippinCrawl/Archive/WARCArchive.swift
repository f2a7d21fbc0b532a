import Foundation
import PippinPage

/// Writes all exchanges of a crawl to a folder of WARC 1.1 files (ISO 28500:2017), each with a CDXJ index.
///
/// A record is one gzip member and is appended at once, so a file always has complete records. If a kill or a loss of power truncates
/// one, it is removed when the archive is opened again. Repeated bodies and 304 become revisit records that refer to an earlier capture.
///
/// With `Rotation.keep`, time is divided into periods of that length. A file has exchanges of one period and refers to files of the same
/// period only; its first record says so. When two later periods have begun, the files of a period are removed together.
public actor WARCArchive {
    /// The archive could not be written or read.
    public struct Trouble: ReportedError, Sendable, Equatable {
        /// The path that could not be used.
        public let path: String
        /// The system's error number.
        public let errorNumber: Int32

        public var exitStatus: ExitStatus { .outputFailed }

        public var description: String {
            "\(path): the archive cannot be written: \(SystemReason.words(errorNumber))"
        }
    }

    /// A file of a run that was killed or lost power: what follows its last complete record was cut off.
    public struct CutFile: Sendable, Equatable, CustomStringConvertible {
        /// The finished file. There is none if nothing was complete.
        public let path: String
        public let keptBytes: UInt64
        public let lostBytes: UInt64

        public var description: String {
            "\(path): an earlier run was killed or lost power, and the \(lostBytes) bytes after byte \(keptBytes) were no complete "
                + "record: they were removed. Visits without their exchange are made again."
        }
    }

    /// A file that exceeds this size is finished.
    public static let standardFileBytes: UInt64 = 1_000_000_000
    /// The memory of an archive, by the standard of `fetch.memory`.
    public static let standardMemoryBytes = 64_000_000
    private let folder: URL
    private let userAgent: String
    private let rotation: CrawlConfiguration.Rotation
    private let maximumLineBytes: Int
    private let date: @Sendable () -> Date
    private var file: WARCFile?
    private var number = 0
    private var begun = ""
    /// Where the period of the open file begins; nil: it may refer to all files.
    private var period: Date?
    private var known: KnownCaptures
    /// The first error; nothing is written after it.
    public private(set) var failure: (any Error)?
    /// What earlier runs have left incomplete.
    public nonisolated let cutFiles: [CutFile]
    private let failures = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    private let executor: any SerialExecutor
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Opens an archive, and finishes the files that earlier runs have left open in the folder.
    ///
    /// - Parameters:
    ///   - userAgent: the sent User-Agent; every file names it.
    ///   - rotation: when a file is ended, and how long all of them stay.
    ///   - memoryBytes: the memory for what is known of earlier captures, and for the index of the open file.
    ///   - executor: writes: a thread of its own, except in simulated time.
    /// - Throws: `Trouble` if the folder cannot be created, read or repaired.
    public init(
        folder: String, userAgent: String, memoryBytes: Int = standardMemoryBytes,
        rotation: CrawlConfiguration.Rotation = CrawlConfiguration.Rotation(),
        date: @escaping @Sendable () -> Date = { Date() },
        executor: any SerialExecutor = BlockingExecutor("pippin.archive")
    ) throws {
        self.folder = URL(filePath: folder)
        self.userAgent = userAgent
        self.rotation = rotation
        // Half is for the captures. When an index is written, it is there twice.
        maximumLineBytes = memoryBytes / 4
        self.date = date
        self.executor = executor
        let above = self.folder.deletingLastPathComponent().path
        if let number = OutputFolder.make(folder) ?? OutputFolder.sync(above) {
            throw Trouble(path: folder, errorNumber: number)
        }
        cutFiles = try WARCFile.recoverAll(in: self.folder)
        period = Self.period(of: date(), rotation)
        if let period { try Self.removeExpired(in: self.folder, period, rotation) }
        known = try KnownCaptures(in: self.folder, memoryBytes: memoryBytes / 2, since: period)
    }

    /// Yields one element after an error: the crawl should stop.
    public nonisolated var troubles: AsyncStream<Void> { failures.stream }

    /// Finishes the open file. Throws earlier errors too.
    public func close() throws {
        failures.continuation.finish()
        if let failure { throw failure }
        try endFile()
    }

    /// Writes an exchange. Errors appear in `troubles`, and `close` throws them.
    ///
    /// - Returns: the name of the answer's record; nil after an error.
    @discardableResult
    public func keep(_ response: FetchResponse, of exchange: RawExchange) -> String? {
        guard failure == nil else { return nil }
        do {
            return try write(response, exchange)
        } catch {
            fail(error)
            return nil
        }
    }

    /// Writes a page as its scripts have made it: a `conversion` record that refers to the answer's (WARC 1.1 §6.8). Errors are as
    /// those of exchanges.
    public func keep(rendering html: [UInt8], of response: FetchResponse) {
        guard failure == nil else { return }
        do {
            var record = WARCRecord(.conversion, date: date(), contentType: "text/html; charset=utf-8", block: html)
            record.set("WARC-Target-URI", response.url.href)
            if let original = response.archiveRecord { record.set("WARC-Refers-To", original) }
            try currentFile().append(record)
        } catch {
            fail(error)
        }
    }

    /// Waits until all exchanges so far are on the disk. Those that come while it waits share the next wait.
    ///
    /// - Returns: false after an error.
    public func sync() -> Bool {
        guard failure == nil else { return false }
        do {
            try file?.sync()
            return true
        } catch {
            fail(error)
            return false
        }
    }

    private func fail(_ error: any Error) {
        failure = error
        failures.continuation.yield()
    }

    private func currentFile() throws -> WARCFile {
        if let file, isFull(file) { try endFile() }
        return try file ?? beginFile()
    }

    private func write(_ response: FetchResponse, _ exchange: RawExchange) throws -> String {
        let file = try currentFile()
        let url = response.url
        let (head, body) = exchange.withoutTransferCoding
        let digest = response.bodyWasRead ? WARCRecord.digest(body) : nil
        // What other requests than GET bring stands for itself: no index lists it, and nothing refers to it.
        let isListed = exchange.method == "GET"
        let earlier =
            !isListed
            ? nil
            : response.status == 304
                ? known.capture(url: url.href, open: file.lines)
                : body.isEmpty ? nil : digest.flatMap { known.capture(digest: $0, open: file.lines) }
        var record = record(of: response, head: head, body: body, digest: digest, earlier: earlier)
        record.set("WARC-Target-URI", url.href)
        if let address = response.remoteAddress { record.set("WARC-IP-Address", address) }
        var request = WARCRecord(
            .request, date: response.fetchedAt, contentType: "application/http;msgtype=request",
            block: exchange.requestHead + exchange.requestBody)
        request.set("WARC-Target-URI", url.href)
        request.set("WARC-Concurrent-To", record.identifier)
        let mime = record.kind == .revisit ? "warc/revisit" : Self.mime(response.headers)
        let listed = response.status == 304 ? earlier?.digest : digest
        if !isListed { record.set(WARCRecord.methodField, exchange.method) }
        try file.append(
            record, capture: isListed ? .init(url: url, mime: mime, status: response.status, digest: listed) : nil)
        try file.append(request)
        if isListed, response.status != 304, let digest, !body.isEmpty {
            known.add(url: url.href, digest: record.kind == .response ? digest : nil, line: file.lines.count - 1)
        }
        return record.identifier
    }

    /// A response record, or a revisit record.
    ///
    /// - Parameter earlier: the capture with the same body, or what the server has not modified.
    private func record(
        of response: FetchResponse, head: [UInt8], body: [UInt8], digest: String?, earlier: KnownCaptures.Capture?
    ) -> WARCRecord {
        let type = "application/http;msgtype=response"
        let profile = "http://netpreserve.org/warc/1.1/revisit/"
        if response.status == 304 {
            var record = WARCRecord(.revisit, date: response.fetchedAt, contentType: type, block: head)
            record.set("WARC-Profile", profile + "server-not-modified")
            if let earlier {
                record.set("WARC-Refers-To-Target-URI", earlier.url)
                record.set("WARC-Refers-To-Date", earlier.date)
                record.set("WARC-Payload-Digest", earlier.digest)
            }
            return record
        }
        if let earlier {
            var record = WARCRecord(.revisit, date: response.fetchedAt, contentType: type, block: head)
            record.set("WARC-Profile", profile + "identical-payload-digest")
            record.set("WARC-Refers-To-Target-URI", earlier.url)
            record.set("WARC-Refers-To-Date", earlier.date)
            record.set("WARC-Payload-Digest", earlier.digest)
            return record
        }
        var record = WARCRecord(
            .response, date: response.fetchedAt, contentType: type, block: response.bodyWasRead ? head + body : head)
        if let digest {
            record.set("WARC-Payload-Digest", digest)
        } else {
            // The body was not read because of its type.
            record.set("WARC-Truncated", "unspecified")
        }
        return record
    }

    // MARK: Files

    private func isFull(_ file: WARCFile) -> Bool {
        let now = date()
        return file.lineBytes >= maximumLineBytes || file.size >= Self.standardFileBytes && rotation.maximumBytes == nil
            || rotation.ends(bytes: Int(file.size), begun: file.begun, at: now)
            || Self.period(of: now, rotation) != period
    }

    private func beginFile() throws -> WARCFile {
        let now = date()
        period = Self.period(of: now, rotation)
        known.since = period
        let stamp = WARCTime.stamp(now)
        if stamp != begun {
            begun = stamp
            number = 0
        }
        while true {
            let digits = String(number)
            let zeros = String(repeating: "0", count: max(0, 5 - digits.count))
            let name = "\(WARCFile.prefix)\(stamp)-\(zeros)\(digits).warc.gz"
            number += 1
            // Another run may have started in the same second.
            if ["", WARCFile.openSuffix].contains(where: {
                FileManager.default.fileExists(atPath: folder.appending(path: name + $0).path)
            }) {
                continue
            }
            let file = try WARCFile(name: name, in: folder, begun: now)
            var info = """
                software: Pippin/\(CrawlConfiguration.Agent.programVersion)\r
                format: WARC File Format 1.1\r
                conformsTo: http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/\r
                robots: obey\r

                """
            info += "http-header-user-agent: \(userAgent)\r\n"
            if let period { info += "\(WARCFile.earliestReference): \(WARCTime.field(period))\r\n" }
            var record = WARCRecord(
                .warcinfo, date: now, contentType: "application/warc-fields", block: Array(info.utf8))
            record.set("WARC-Filename", name)
            try file.append(record)
            self.file = file
            return file
        }
    }

    private func endFile() throws {
        guard let ended = file else { return }
        file = nil
        try ended.finish()
        if ended.size > 0 { try known.finished(index: ended.indexName) }
        if let now = Self.period(of: date(), rotation) { try Self.removeExpired(in: folder, now, rotation) }
    }

    /// Whether a 304 of a URL would have a body to refer to. Without `keep`, all that the server says is taken.
    func hasBody(of url: WebURL) -> Bool {
        guard let now = Self.period(of: date(), rotation) else { return true }
        // The answer may come in the next period.
        guard Self.period(of: date() + Self.longestExchange, rotation) == now else { return false }
        known.since = now
        return known.capture(url: url.href, open: now == period ? file?.lines ?? [] : []) != nil
    }

    // MARK: Periods

    /// Seconds: more than an exchange takes, with its waiting for a turn.
    private static let longestExchange: TimeInterval = 300

    /// Where the period of a moment begins; nil if files stay for ever.
    private static func period(of date: Date, _ rotation: CrawlConfiguration.Rotation) -> Date? {
        guard let length = rotation.keep?.components.seconds else { return nil }
        // Whole numbers, because a file on the wrong side of a border would keep all before it.
        let seconds = Int64(date.timeIntervalSince1970)
        return Date(timeIntervalSince1970: Double(seconds - seconds % max(1, length)))
    }

    /// Removes what is older than the period before a period.
    private static func removeExpired(
        in folder: URL, _ period: Date, _ rotation: CrawlConfiguration.Rotation
    ) throws(Trouble) {
        guard let length = rotation.keep?.components.seconds else { return }
        try WARCFile.remove(in: folder, begunBefore: period.addingTimeInterval(-Double(length)))
    }

    /// The media type without parameters.
    static func mime(_ headers: HTTPHeaders) -> String { headers.mediaType ?? "unk" }
}

/// Makes exchanges with another fetcher and archives them.
public struct ArchivingFetcher: Fetcher {
    private let fetcher: any Fetcher
    private let archive: WARCArchive

    /// Wraps a fetcher.
    ///
    /// - Parameter fetcher: must fill in `FetchResponse.exchange`.
    public init(_ fetcher: any Fetcher, archive: WARCArchive) {
        self.fetcher = fetcher
        self.archive = archive
    }

    /// Makes an exchange and archives it. A page whose body the archive would lack is asked for unconditionally.
    public func fetch(_ request: FetchRequest) async -> Result<FetchResponse, FetchError> {
        var request = request
        if request.entityTag != nil || request.lastModified != nil, await !archive.hasBody(of: request.url) {
            (request.entityTag, request.lastModified) = (nil, nil)
        }
        let result = await fetcher.fetch(request)
        guard case .success(var response) = result else { return result }
        if let exchange = response.exchange { response.archiveRecord = await archive.keep(response, of: exchange) }
        response.exchange = nil
        return .success(response)
    }

    /// Archives a page as its scripts have made it.
    public func keep(rendering html: [UInt8], of response: FetchResponse) async {
        await archive.keep(rendering: html, of: response)
    }

    /// Looks a name up with the wrapped fetcher. Nothing is archived.
    public func addresses(of host: String) async -> Result<[NetworkAddress], FetchError> {
        await fetcher.addresses(of: host)
    }

    /// Waits until the archive has all exchanges so far on the disk.
    public func syncExchanges() async -> Bool { await archive.sync() }
}
