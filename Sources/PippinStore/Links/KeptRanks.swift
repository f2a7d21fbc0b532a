import Foundation
import Glibc
import PippinCrawl

/// The ranks of pages after the last ranking, for the next one to begin with: most of them are nearly right. A file in the storage
/// folder, of twelve bytes for each URL of the graph. It is a cache: without it, or if it is damaged, a ranking takes longer.
///
///     "pippinr1" │ URL's number, 8 bytes │ rank, Float, 4 bytes │ …      in the byte order of the machine
struct KeptRanks {
    static let fileName = "link-ranks"
    private static let mark: [UInt8] = Array("pippinr1".utf8)
    private static let entryBytes = 12
    /// How many entries are read and written at a time.
    private static let stretch = 65_536

    private let path: String

    /// - Parameter folder: the storage folder.
    init(folder: URL) { path = folder.appending(path: Self.fileName).path }

    /// Writes the ranks of a graph's nodes.
    func write(_ ranks: NumberArray<Double>, of graph: CrawlGraph) throws {
        let new = path + ".new"
        let descriptor = OutputFile.open(new, flags: O_WRONLY | O_CREAT | O_TRUNC)
        guard descriptor >= 0 else { throw NDJSONSink.WriteError(path: new, errorNumber: errno) }
        defer { close(descriptor) }
        do {
            var bytes = Self.mark
            for node in 0..<ranks.count {
                withUnsafeBytes(of: graph.urls[node]) { bytes.append(contentsOf: $0) }
                withUnsafeBytes(of: Float(ranks[node])) { bytes.append(contentsOf: $0) }
                guard bytes.count >= Self.stretch * Self.entryBytes else { continue }
                try NDJSONSink.write(bytes, to: descriptor, path: new)
                bytes.removeAll(keepingCapacity: true)
            }
            try NDJSONSink.write(bytes, to: descriptor, path: new)
        } catch {
            unlink(new)
            throw error
        }
        guard rename(new, path) == 0 else { throw NDJSONSink.WriteError(path: path, errorNumber: errno) }
    }

    /// The ranks that a graph's nodes had, together 1. URLs that now lead to one node give it the sum of theirs, and new nodes get
    /// the rank of an average one. nil if there are none.
    func ranks(of graph: CrawlGraph) throws -> NumberArray<Double>? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        let ranks = try NumberArray<Double>(graph.place, repeating: 0, count: graph.urls.count)
        var buffer = [UInt8](repeating: 0, count: Self.stretch * Self.entryBytes)
        guard pread(descriptor, &buffer, Self.mark.count, 0) == Self.mark.count, buffer.starts(with: Self.mark) else {
            return nil
        }
        var offset = Self.mark.count
        while true {
            let count = pread(descriptor, &buffer, buffer.count, off_t(offset)) / Self.entryBytes
            guard count > 0 else { break }
            offset += count * Self.entryBytes
            buffer.withUnsafeBytes { bytes in
                for entry in 0..<count {
                    let place = entry * Self.entryBytes
                    let rank = Double(bytes.loadUnaligned(fromByteOffset: place + 8, as: Float.self))
                    // What a loss of power has left may be anything.
                    guard rank > 0, rank <= 1,
                        let node = graph.node(of: bytes.loadUnaligned(fromByteOffset: place, as: Int64.self))
                    else { continue }
                    ranks[node] += rank
                }
            }
        }
        let average = 1 / Double(max(1, ranks.count))
        var sum = 0.0
        for node in ranks.indices {
            if ranks[node] == 0 { ranks[node] = average }
            sum += ranks[node]
        }
        for node in ranks.indices { ranks[node] /= sum }
        return ranks
    }
}
