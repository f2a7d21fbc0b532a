import Foundation
import PippinCrawl
import PippinPage

/// Takes the cards of a run as they get ready and writes them in the order of the run: as a stream, to a file, or into a folder of
/// HTML pages. What is ready before those in front of it waits, the most of it in a temporary file.
///
/// It writes on a thread of its own, and who brings a card waits until it is taken; so no cards pile up.
public actor PageCollector {
    /// Where the report goes.
    public enum Output: Sendable {
        /// Whatever takes a text.
        case stream(CardSeries, @Sendable (String) throws -> Void)
        case file(CardSeries, GrowingFile)
        case folder(SiteReportFolder)
    }

    private let executor = BlockingExecutor("report")
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let output: Output
    /// What the run is compared with.
    private let earlier: EarlierResult?
    public private(set) var index: CardIndex
    /// The baseline as it would be written now; nil if nobody asked for it.
    public private(set) var accepted: FindingBaseline?
    private var spool: PieceSpool
    private var next = 0
    private var isFirst = true

    /// Prepares writing.
    ///
    /// - Parameter baseline: becomes `accepted`.
    public init(
        _ output: Output, failingFrom threshold: Finding.Outcome, accepting baseline: FindingBaseline?,
        after earlier: EarlierResult? = nil
    ) {
        self.output = output
        self.earlier = earlier
        index = CardIndex(failingFrom: threshold)
        if earlier != nil { index.compare() }
        accepted = baseline
        spool = PieceSpool()
    }

    func begin() throws { try write(series?.beginning ?? "") }

    /// Takes a page.
    ///
    /// - Parameters:
    ///   - position: its place in the run, from 0.
    ///   - rendered: its piece of the series, or its card's HTML.
    ///   - baselineName: the page in the baseline.
    func take(_ page: NamedCard, at position: Int, rendered: String, baselineName: String) throws {
        var file: String?
        if case .folder(let folder) = output, page.card != nil {
            let name = CardIndex.fileName(position: position, of: page)
            try folder.write(card: rendered, named: name)
            file = name
        }
        index.add(page, at: position, file: file)
        if page.trouble == nil, let card = page.card { accepted?.accept(card, page: baselineName) }
        guard case .folder = output else {
            guard position == next else { return try spool.keep(rendered, at: position) }
            try write(piece: rendered)
            next += 1
            while let waiting = try spool.take(next) {
                try write(piece: waiting)
                next += 1
            }
            return
        }
    }

    /// Entries of the baseline whose pages do not exist any more.
    public func take(stalePages: [String], count: Int) {
        index.addStale(count)
        for page in stalePages { accepted?.remove(page: page) }
    }

    /// Writes the end. Pages that were never judged are left out.
    ///
    /// - Parameter isWhole: whether all pages were judged, so that others of an earlier result are gone.
    func finish(isWhole: Bool = true) throws {
        if let earlier, isWhole { index.finish(earlier) }
        for position in spool.positions {
            if let waiting = try spool.take(position) { try write(piece: waiting) }
        }
        switch output {
        case .folder(let folder): try folder.write(index)
        case .stream(let series, _): try write(series.end(index))
        case .file(let series, let file):
            try write(series.end(index))
            try file.finish()
        }
    }

    private var series: CardSeries? {
        switch output {
        case .stream(let series, _), .file(let series, _): series
        case .folder: nil
        }
    }

    private func write(piece: String) throws {
        guard !piece.isEmpty, let series else { return }
        try write((isFirst ? "" : series.separator) + piece)
        isFirst = false
    }

    private func write(_ text: String) throws {
        guard !text.isEmpty else { return }
        switch output {
        case .file(_, let file): try file.append(UserInformation.hidden(in: Array(text.utf8)))
        case .folder: break
        case .stream(_, let write): try write(text)
        }
    }
}

/// Pieces of a report that wait for those in front of them: the first megabytes in memory, the rest in a file without a name.
private struct PieceSpool {
    private enum Place {
        case memory(String)
        case file(offset: Int, count: Int)
    }

    private var places: [Int: Place] = [:]
    private var memoryBytes = 0
    private var fileBytes = 0
    private var file: FileHandle?

    /// The most bytes that wait in memory.
    private static let maximumMemoryBytes = 16 << 20

    /// The positions of waiting pieces, in order.
    var positions: [Int] { places.keys.sorted() }

    mutating func keep(_ piece: String, at position: Int) throws {
        let count = piece.utf8.count
        guard memoryBytes + count > Self.maximumMemoryBytes else {
            memoryBytes += count
            places[position] = .memory(piece)
            return
        }
        let file = try opened()
        try file.seek(toOffset: UInt64(fileBytes))
        try file.write(contentsOf: Data(piece.utf8))
        places[position] = .file(offset: fileBytes, count: count)
        fileBytes += count
    }

    mutating func take(_ position: Int) throws -> String? {
        guard let place = places.removeValue(forKey: position) else { return nil }
        switch place {
        case .memory(let piece):
            memoryBytes -= piece.utf8.count
            return piece
        case .file(let offset, let count):
            let file = try opened()
            try file.seek(toOffset: UInt64(offset))
            return String(decoding: try file.read(upToCount: count) ?? Data(), as: UTF8.self)
        }
    }

    private mutating func opened() throws -> FileHandle {
        if let file { return file }
        let path = FileManager.default.temporaryDirectory.appending(path: "pippin-XXXXXX").path
        var name = path.utf8CString
        let descriptor = name.withUnsafeMutableBufferPointer { $0.baseAddress.map { mkstemp($0) } ?? -1 }
        guard descriptor >= 0 else { throw OutputError(path: path, what: "a temporary file", errorNumber: errno) }
        name.withUnsafeBufferPointer { if let start = $0.baseAddress { unlink(start) } }
        let opened = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        file = opened
        return opened
    }
}
