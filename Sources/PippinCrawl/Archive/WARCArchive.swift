import Foundation
import PippinPage

/// Writes all exchanges of a crawl to a folder of WARC 1.1 files (ISO 28500:2017), each with a CDXJ index.
///
/// A record is one gzip member and is appended at once, so a file always has complete records. If a kill truncates one, it is
/// removed when the archive is opened again. Repeated bodies and 304 become revisit records that refer to the first capture.
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

    /// A file that exceeds this size is finished.
    public static let standardFileBytes: UInt64 = 1_000_000_000
    private let folder: URL
    private let userAgent: String
    private let maximumFileBytes: UInt64
    private let date: @Sendable () -> Date
    private var file: WARCFile?
    private var number = 0
    private var begun = ""
    private var known: KnownCaptures
    /// The first error; nothing is written after it.
    public private(set) var failure: (any Error)?
    private let failures = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    private let executor = BlockingExecutor("pippin.archive")
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Opens an archive, and finishes the files of killed runs in the folder.
    ///
    /// - Parameter userAgent: the sent User-Agent; every file names it.
    /// - Throws: `Trouble` if the folder cannot be created, read or repaired.
    public init(
        folder: String, userAgent: String, maximumFileBytes: UInt64 = standardFileBytes,
        date: @escaping @Sendable () -> Date = { Date() }
    ) throws {
        self.folder = URL(filePath: folder)
        self.userAgent = userAgent
        self.maximumFileBytes = maximumFileBytes
        self.date = date
        if let number = OutputFolder.make(folder) { throw Trouble(path: folder, errorNumber: number) }
        try WARCFile.recoverAll(in: self.folder)
        known = try KnownCaptures(in: self.folder)
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
    public func keep(_ response: FetchResponse, of exchange: RawExchange) {
        guard failure == nil else { return }
        do {
            try write(response, exchange)
        } catch {
            failure = error
            failures.continuation.yield()
        }
    }

    private func write(_ response: FetchResponse, _ exchange: RawExchange) throws {
        if let file, file.size >= maximumFileBytes { try endFile() }
        let file = try file ?? beginFile()
        let url = response.url
        let (head, body) = exchange.withoutTransferCoding
        let digest = response.bodyWasRead ? WARCRecord.digest(body) : nil
        var record = record(of: response, head: head, body: body, digest: digest)
        record.set("WARC-Target-URI", url.href)
        if let address = response.remoteAddress { record.set("WARC-IP-Address", address) }
        var request = WARCRecord(
            .request, date: response.fetchedAt, contentType: "application/http;msgtype=request",
            block: exchange.requestHead)
        request.set("WARC-Target-URI", url.href)
        request.set("WARC-Concurrent-To", record.identifier)
        let mime = record.kind == .revisit ? "warc/revisit" : Self.mime(response.headers)
        let listed = response.status == 304 ? known.byURL[url.href]?.digest : digest
        try file.append(
            record, capture: .init(url: url, mime: mime, status: response.status, digest: listed))
        try file.append(request)
        if record.kind == .response, let digest, !body.isEmpty {
            known.add(url: url.href, digest: digest, date: WARCTime.field(response.fetchedAt))
        }
    }

    /// A response record, or a revisit record.
    private func record(of response: FetchResponse, head: [UInt8], body: [UInt8], digest: String?) -> WARCRecord {
        let type = "application/http;msgtype=response"
        let profile = "http://netpreserve.org/warc/1.1/revisit/"
        if response.status == 304 {
            var record = WARCRecord(.revisit, date: response.fetchedAt, contentType: type, block: head)
            record.set("WARC-Profile", profile + "server-not-modified")
            if let earlier = known.byURL[response.url.href] {
                record.set("WARC-Refers-To-Target-URI", response.url.href)
                record.set("WARC-Refers-To-Date", earlier.date)
                record.set("WARC-Payload-Digest", earlier.digest)
            }
            return record
        }
        if let digest, !body.isEmpty, let earlier = known.byDigest[digest] {
            var record = WARCRecord(.revisit, date: response.fetchedAt, contentType: type, block: head)
            record.set("WARC-Profile", profile + "identical-payload-digest")
            record.set("WARC-Refers-To-Target-URI", earlier.url)
            record.set("WARC-Refers-To-Date", earlier.date)
            record.set("WARC-Payload-Digest", digest)
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

    private func beginFile() throws -> WARCFile {
        let now = date()
        let stamp = WARCTime.stamp(now)
        if stamp != begun {
            begun = stamp
            number = 0
        }
        while true {
            let digits = String(number)
            let name =
                "pippin-\(stamp)-" + String(repeating: "0", count: max(0, 5 - digits.count)) + digits + ".warc.gz"
            number += 1
            // Another run may have started in the same second.
            if ["", WARCFile.openSuffix].contains(where: {
                FileManager.default.fileExists(atPath: folder.appending(path: name + $0).path)
            }) {
                continue
            }
            let file = try WARCFile(name: name, in: folder)
            var info = """
                software: Pippin/\(CrawlConfiguration.Agent.programVersion)\r
                format: WARC File Format 1.1\r
                conformsTo: http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/\r
                robots: obey\r

                """
            info += "http-header-user-agent: \(userAgent)\r\n"
            var record = WARCRecord(
                .warcinfo, date: now, contentType: "application/warc-fields", block: Array(info.utf8))
            record.set("WARC-Filename", name)
            try file.append(record)
            self.file = file
            return file
        }
    }

    private func endFile() throws {
        try file?.finish()
        file = nil
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

    /// Makes an exchange and archives it.
    public func fetch(_ request: FetchRequest) async -> Result<FetchResponse, FetchError> {
        let result = await fetcher.fetch(request)
        guard case .success(var response) = result else { return result }
        if let exchange = response.exchange { await archive.keep(response, of: exchange) }
        response.exchange = nil
        return .success(response)
    }

    /// Looks a name up with the wrapped fetcher. Nothing is archived.
    public func addresses(of host: String) async -> Result<[NetworkAddress], FetchError> {
        await fetcher.addresses(of: host)
    }
}
