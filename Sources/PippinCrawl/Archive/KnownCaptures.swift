import Foundation
import PippinPage

/// The newest captures of an archive, as many as fit into the memory, so that records can refer to them instead of repeating a body.
///
/// The memory only has the places of their index lines. A line is read when its URL or its body comes again, so what is in a file
/// that was removed meanwhile is no longer known.
struct KnownCaptures {
    /// A capture that has its body.
    struct Capture: Equatable {
        let url: String
        let digest: String
        /// As a record's field has it.
        let date: String
    }

    /// Lines that are longer are skipped.
    private static let maximumLineBytes = 64 * 1024

    private let folder: URL
    private let places: CapturePlaces
    /// Names of indexes, by number; the first stands for the open file.
    private var indexes = [""]
    /// Captures in files that were begun earlier are not known; nil: all are.
    var since: Date?

    /// Reads the indexes of a folder, the newest first, until the memory is full.
    ///
    /// - Parameters:
    ///   - memoryBytes: the memory for the places.
    ///   - since: captures in files that were begun earlier are not known.
    init(in folder: URL, memoryBytes: Int, since: Date? = nil) throws(WARCArchive.Trouble) {
        self.folder = folder
        self.since = since
        places = CapturePlaces(memoryBytes: memoryBytes)
        do {
            // Our names begin with the time. What others have put there comes last.
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
                .filter { $0.hasSuffix(".cdxj") }
                .sorted { (WARCFile.isOurs($0) ? 1 : 0, $0) > (WARCFile.isOurs($1) ? 1 : 0, $1) }
            // More would hardly find room.
            var left = (captures: places.capacity / 2, bytes: places.capacity * 300)
            for name in names where left.captures > 0 && left.bytes > 0 && mayReferTo(name) {
                do {
                    try read(name, &left)
                } catch  where SystemReason.number(of: error) == ENOENT {
                    // It was removed since the folder was read.
                }
            }
        } catch {
            throw WARCArchive.Trouble(path: folder.path, errorNumber: SystemReason.number(of: error) ?? EIO)
        }
    }

    /// Notes a capture in the open file.
    ///
    /// - Parameters:
    ///   - digest: nil if the record refers to another one for its body.
    ///   - line: the number of its line.
    mutating func add(url: String, digest: String?, line: Int) {
        for key in [url, digest] { if let key { places.add(newest: key, CapturePlaces.Place(inOpenFile: line)) } }
    }

    /// Reads the index of the open file when it is finished.
    mutating func finished(index name: String) throws {
        var left = (captures: Int.max, bytes: Int.max)
        try read(name, &left)
    }

    /// The capture that has the body which a URL had when it was last captured.
    ///
    /// - Parameter open: the lines of the open file.
    func capture(url: String, open: [String]) -> Capture? {
        guard let newest = line(for: url, open, where: { $0.url == url }) else { return nil }
        return newest.isRevisit ? capture(digest: newest.capture.digest, open: open) : newest.capture
    }

    /// A known capture of a body.
    func capture(digest: String, open: [String]) -> Capture? {
        line(for: digest, open) { $0.digest == digest }.flatMap { $0.isRevisit ? nil : $0.capture }
    }

    private func line(for key: String, _ open: [String], where isMeant: (Capture) -> Bool) -> CDXJLine.Parts? {
        guard let place = places[key] else { return nil }
        let text =
            place.isInOpenFile
            ? open.indices.contains(place.offset) ? open[place.offset] : nil : line(indexes[place.file], place.offset)
        guard let entry = text.flatMap({ CDXJLine.parts($0.utf8) }), isMeant(entry.capture), mayReferTo(entry.file),
            place.isInOpenFile || access(folder.appending(path: entry.file).path, F_OK) == 0
        else { return nil }
        return entry
    }

    /// Whether a file may be referred to. Of those that others have put there, nobody knows how long they stay.
    private func mayReferTo(_ name: String) -> Bool {
        since.map { WARCFile.isOurs(name) && name >= WARCFile.prefix + WARCTime.stamp($0) } ?? true
    }

    /// A line of an index; nil if the index is gone.
    private func line(_ name: String, _ offset: Int) -> String? {
        let descriptor = open(folder.appending(path: name).path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        // Nearly all lines are shorter than the first number.
        for length in [1024, Self.maximumLineBytes] {
            var bytes = [UInt8](repeating: 0, count: length)
            let count = pread(descriptor, &bytes, length, off_t(offset))
            guard count > 0 else { return nil }
            if let end = bytes[..<count].firstIndex(of: 0x0A) { return String(decoding: bytes[..<end], as: UTF8.self) }
        }
        return nil
    }

    /// Reads an index from its end, because the last line of a URL is its newest.
    private mutating func read(_ name: String, _ left: inout (captures: Int, bytes: Int)) throws {
        guard indexes.count < CapturePlaces.Place.maximumFiles else { return }
        let number = indexes.count
        indexes.append(name)
        let data = try Data(contentsOf: folder.appending(path: name), options: .alwaysMapped)
        data.withUnsafeBytes { bytes in
            var end = bytes.count
            while end > 0, left.captures > 0, left.bytes > 0 {
                let start = bytes[..<(end - 1)].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
                let line = UnsafeRawBufferPointer(rebasing: bytes[start..<(bytes[end - 1] == 0x0A ? end - 1 : end)])
                left.bytes -= end - start
                end = start
                // Foreign lines, in any encoding, are skipped.
                guard line.count <= Self.maximumLineBytes, !CDXJLine.isNotModified(line),
                    let parts = CDXJLine.parts(line)
                else { continue }
                let place = CapturePlaces.Place(file: number, offset: start)
                places.add(earlier: parts.capture.url, place)
                guard !parts.isRevisit else { continue }
                left.captures -= 1
                places.add(earlier: parts.capture.digest, place)
            }
        }
    }
}

/// A table of places in indexes, by a hash of what is there, in a fixed memory. If there is no room for a new place, an old one is
/// forgotten. Two keys may have the same hash: who reads the place must look.
private final class CapturePlaces {
    struct Place {
        private static let offsetBits: UInt64 = 40
        static let maximumFiles = 1 << 24
        private let bits: UInt64

        init(file: Int, offset: Int) { bits = UInt64(file) << Self.offsetBits | UInt64(offset) }

        /// A line of the file that is being written, which has no index yet.
        init(inOpenFile line: Int) { self.init(file: 0, offset: line) }

        var isInOpenFile: Bool { file == 0 }
        var file: Int { Int(bits >> Self.offsetBits) }
        var offset: Int { Int(bits & (1 << Self.offsetBits - 1)) }
    }

    /// A hash of 0 is no entry.
    private struct Entry {
        var hash: UInt64
        var place: Place
    }

    /// A bucket has so many entries, the newest first.
    private static let bucketSize = 8

    private let buckets: Int
    private let entries: UnsafeMutablePointer<Entry>

    /// How many places it has at most.
    var capacity: Int { buckets * Self.bucketSize }

    init(memoryBytes: Int) {
        buckets = max(1, memoryBytes / (Self.bucketSize * MemoryLayout<Entry>.stride))
        // The system gives memory only for what is used of it.
        guard let memory = calloc(buckets * Self.bucketSize, MemoryLayout<Entry>.stride) else {
            preconditionFailure("there is no memory for the captures of the archive")
        }
        entries = memory.bindMemory(to: Entry.self, capacity: buckets * Self.bucketSize)
    }

    deinit { free(entries) }

    private static func hash(_ key: String) -> UInt64 { max(1, FNV1a.hash(key.utf8)) }

    private func bucket(_ hash: UInt64) -> UnsafeMutableBufferPointer<Entry> {
        // The high bits of FNV-1a hardly depend on the end of a key.
        let number = Int(hash % UInt64(buckets))
        return UnsafeMutableBufferPointer(start: entries + number * Self.bucketSize, count: Self.bucketSize)
    }

    subscript(key: String) -> Place? {
        let hash = Self.hash(key)
        return bucket(hash).first { $0.hash == hash }?.place
    }

    /// Adds a place in front of all others of its bucket.
    func add(newest key: String, _ place: Place) {
        let hash = Self.hash(key)
        let bucket = bucket(hash)
        let end = bucket.firstIndex { $0.hash == hash || $0.hash == 0 } ?? bucket.count - 1
        for index in stride(from: end, to: 0, by: -1) { bucket[index] = bucket[index - 1] }
        bucket[0] = Entry(hash: hash, place: place)
    }

    /// Adds a place if there is room, and none of the key but in the open file.
    func add(earlier key: String, _ place: Place) {
        let hash = Self.hash(key)
        let bucket = bucket(hash)
        guard let found = bucket.firstIndex(where: { $0.hash == hash || $0.hash == 0 }),
            bucket[found].hash == 0 || bucket[found].place.isInOpenFile
        else { return }
        bucket[found] = Entry(hash: hash, place: place)
    }
}
