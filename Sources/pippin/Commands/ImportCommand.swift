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
        let name = file == "-" ? "standard input" : file
        let handle = file == "-" ? FileHandle.standardInput : FileHandle(forReadingAtPath: file)
        guard let handle else {
            throw ConfigurationError(file: file, problem: "there is no such file, or it may not be read")
        }
        var failure: ConfigurationError?
        var lines = InputLines(maximumBytes: KnownURL.maximumLineBytes, endsLastLine: true) {
            do {
                let piece = try handle.read(upToCount: 256 * 1024)
                return piece.flatMap { $0.isEmpty ? nil : Array($0)[...] }
            } catch {
                failure = ConfigurationError(file: name, problem: "cannot be read: \(error.localizedDescription)")
                return nil
            }
        }
        let storage = try CrawlStorage(folder: folder, upgrading: writeError)
        let frontier = try storage.frontier(
            recrawl: configuration.recrawl, limits: FrontierLimits(configuration, seeds: list.count), scope: scope)
        var taken = TakenURLs()
        var badLines = 0
        var urls: [KnownURL] = []
        while true {
            let line = lines.nextLine()
            if let failure { throw failure }
            do throws(KnownURL.LineProblem) {
                if let url = try line.flatMap(Self.url) { urls.append(url) }
            } catch {
                badLines += 1
                if badLines <= Self.namedLines { writeError("\(name):\(lines.number): \(error.description)") }
            }
            if urls.count >= Self.stretch || line == nil {
                taken.add(try await frontier.takeIn(urls, scope: scope, seeds: byURL, otherwise: first))
                urls.removeAll(keepingCapacity: true)
            }
            if line == nil { break }
        }
        try await frontier.close(keeping: [])
        if badLines > Self.namedLines {
            writeError("\(name): \(badLines - Self.namedLines) more lines could not be read")
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

    /// The URL of a line; nil if there is only white space.
    private static func url(_ line: InputLines.Line) throws(KnownURL.LineProblem) -> KnownURL? {
        guard case .line(let bytes) = line else { throw .tooLong }
        let white: Set<UInt8> = [0x20, 0x09, 0x0D]
        guard let first = bytes.firstIndex(where: { !white.contains($0) }),
            let last = bytes.lastIndex(where: { !white.contains($0) })
        else { return nil }
        return try KnownURL(line: bytes[first...last])
    }
}
