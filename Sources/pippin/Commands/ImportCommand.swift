import ArgumentParser
import Foundation
import PippinCrawl
import PippinPage
import PippinStore

struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Takes URLs that another crawl knows into a job.",
        discussion: """
            A line of the file is a URL, or an object as `pippin export --frontier` writes it (Docs/Operations.md). Of an object \
            only url must be there. With lastVisit the URL was visited, and the job's crawls come back to it when it is due, and not \
            before the shortest interval of their own (recrawl.min_interval). Others wait for their first visit.

            What the job knows already stays as it is. URLs that the scope does not allow are left out and counted. The \
            pages of visited URLs have no record here yet, so they are read in full when they are due.

            Examples:
              pippin import other-job.ndjson
              pippin export --frontier --storage old | pippin import -
              pippin import urls.txt && pippin crawl

            Standard output: a JSON object with how many URLs were queued, visited elsewhere, known before, dropped because the \
            queue is full, and left out by reason, and how many lines could not be read.

            Exit status: 0 done, 1 some lines could not be read, 2 usage or configuration, 6 disk or database trouble, \
            7 a run holds the storage.
            """)

    @Argument(help: "File with a URL or an object on each line; - for standard input.")
    var file: String

    @Option(help: "Seeds file, in place of the configuration's.")
    var seeds: String?

    @OptionGroup var place: StoragePlace

    /// How many URLs are taken in at a time: one transaction, and a few hundred kilobytes.
    private static let stretch = 1_000
    /// How many bad lines are named. The rest is counted.
    private static let namedLines = 20

    func run() async throws {
        guard let configuration = try place.configuration() else {
            throw CrawlConfiguration.missing("; the job's configuration says which URLs it takes: give --config")
        }
        let list = try Seeds.read(contentsOf: seeds ?? configuration.seedsPath)
        guard let first = list.first else {
            throw ConfigurationError(
                file: seeds ?? configuration.seedsPath, problem: "names no seed; each URL of a job belongs to one")
        }
        let byURL = Dictionary(list.map { ($0.url, $0) }, uniquingKeysWith: { seed, _ in seed })
        let scope = CrawlScope(configuration, seeds: list)
        let folder = try JobStorages.whole(place.folder()) { _ in
            "Its URLs belong to its shards, and only their driver hands them out. Put the URLs into the job's seeds."
        }
        var lines = try LinesOfFile(file)
        let storage = try CrawlStorage(folder: folder, upgrading: writeError)
        let frontier = try storage.frontier(
            recrawl: configuration.recrawl, limits: FrontierLimits(configuration, seeds: list.count), scope: scope)
        var taken = TakenURLs()
        var badLines = 0
        var urls: [KnownURL] = []
        while true {
            let line = try lines.next()
            if let line, !line.bytes.isEmpty {
                do throws(KnownURL.LineProblem) {
                    urls.append(try KnownURL(line: line.bytes))
                } catch {
                    badLines += 1
                    if badLines <= Self.namedLines { writeError("\(lines.name):\(line.number): \(error.description)") }
                }
            }
            if urls.count >= Self.stretch || line == nil {
                taken.add(try await frontier.takeIn(urls, scope: scope, seeds: byURL, otherwise: first))
                urls.removeAll(keepingCapacity: true)
            }
            if line == nil { break }
        }
        try await frontier.close(keeping: [])
        if badLines > Self.namedLines {
            writeError("\(lines.name): \(badLines - Self.namedLines) more lines could not be read")
        }
        let reasons = taken.refused.sorted { $0.key.rawValue < $1.key.rawValue }
        let answer = JSONObject.with {
            $0.put("queued", taken.queued)
            $0.put("visited", taken.visited)
            $0.put("known", taken.known)
            $0.put("dropped", taken.dropped)
            for (reason, count) in reasons { $0.put(reason.rawValue, count) }
            $0.put("badLines", badLines)
        }
        try StandardOutput.write(json: answer.bytes() + [0x0A])
        if badLines > 0 { throw ExitCode(.findings) }
    }
}

/// The lines of a file of any length, one after another.
private struct LinesOfFile {
    /// The name for messages.
    let name: String
    private let handle: FileHandle
    private var buffer: [UInt8] = []
    private var start = 0
    private var number = 0
    private var isOver = false

    init(_ path: String) throws {
        name = path == "-" ? "standard input" : path
        if path == "-" {
            handle = .standardInput
        } else {
            guard let handle = FileHandle(forReadingAtPath: path) else {
                throw ConfigurationError(file: path, problem: "there is no such file, or it may not be read")
            }
            self.handle = handle
        }
    }

    /// The next line without white space around it; nil at the end. Of a line that is too long, only the beginning is kept, and that is
    /// still too long.
    mutating func next() throws -> (number: Int, bytes: ArraySlice<UInt8>)? {
        var end = buffer[start...].firstIndex(of: 0x0A)
        var isCut = false
        while end == nil, !isOver {
            if buffer.count - start > KnownURL.maximumLineBytes {
                buffer.removeSubrange((start + KnownURL.maximumLineBytes + 1)...)
                isCut = true
            }
            buffer.removeFirst(start)
            start = 0
            let searched = buffer.count
            let piece: Data?
            do {
                piece = try handle.read(upToCount: 256 * 1024)
            } catch {
                throw ConfigurationError(file: name, problem: "cannot be read: \(error.localizedDescription)")
            }
            guard let piece, !piece.isEmpty else {
                isOver = true
                break
            }
            buffer += piece
            end = buffer[searched...].firstIndex(of: 0x0A)
        }
        if end == nil, start >= buffer.count { return nil }
        let stop = end ?? buffer.count
        let line = buffer[start..<stop]
        start = end.map { $0 + 1 } ?? buffer.count
        number += 1
        if isCut { return (number, line) }
        let white: Set<UInt8> = [0x20, 0x09, 0x0D]
        guard let first = line.firstIndex(where: { !white.contains($0) }),
            let last = line.lastIndex(where: { !white.contains($0) })
        else { return (number, []) }
        return (number, line[first...last])
    }
}
