import CZlib
import Foundation
import PippinPage

/// A WARC file that is being written: one gzip member per record, each appended at once.
///
/// While it is open, its name ends in `.open`, and it is locked. The file of a run that was killed or lost power has no lock; it is
/// cut after its last complete record, gets its index, and is renamed.
final class WARCFile {
    /// How the names of our files begin.
    static let prefix = "pippin-"
    static let openSuffix = ".open"

    /// The name of the finished file: `pippin-20261121080000-00000.warc.gz`.
    let name: String
    let begun: Date
    private let folder: URL
    private let descriptor: Int32
    private(set) var size: UInt64
    /// The lines of the index, in the order of the records.
    private(set) var lines: [String] = []
    /// The memory of the lines.
    private(set) var lineBytes = 0
    private var isSynced = false
    /// Whether the file's name is on the disk, too.
    private var hasSafeName = false

    init(name: String, in folder: URL, begun: Date) throws(WARCArchive.Trouble) {
        self.name = name
        self.folder = folder
        self.begun = begun
        let path = folder.appending(path: name + Self.openSuffix).path
        descriptor = OutputFile.open(path, flags: O_WRONLY | O_CREAT | O_EXCL | O_APPEND)
        size = 0
        guard descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            throw WARCArchive.Trouble(path: path, errorNumber: errno)
        }
    }

    /// Opens the file that an earlier run has left open, cut after its last complete record; nil if another run writes to it.
    ///
    /// - Parameter lostBytes: how many bytes were cut off.
    private init?(leftOpen name: String, in folder: URL, lostBytes: inout UInt64) throws(WARCArchive.Trouble) {
        self.name = name
        self.folder = folder
        begun = .distantPast
        size = 0
        let path = folder.appending(path: name + Self.openSuffix).path
        descriptor = OutputFile.open(path, flags: O_WRONLY | O_APPEND)
        // Another run has just renamed it.
        if descriptor < 0, errno == ENOENT { return nil }
        guard descriptor >= 0 else { throw WARCArchive.Trouble(path: path, errorNumber: errno) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            if errno == EWOULDBLOCK { return nil }
            throw WARCArchive.Trouble(path: path, errorNumber: errno)
        }
        let data: Data
        do {
            data = try Data(contentsOf: URL(filePath: path), options: .alwaysMapped)
        } catch {
            throw WARCArchive.Trouble(path: path, errorNumber: SystemReason.number(of: error) ?? EIO)
        }
        let (length, lines) = data.withUnsafeBytes { Self.completeRecords($0, file: name) }
        size = UInt64(length)
        lostBytes = UInt64(data.count - length)
        self.lines = lines
        guard ftruncate(descriptor, off_t(size)) == 0 else { throw WARCArchive.Trouble(path: path, errorNumber: errno) }
    }

    deinit {
        if descriptor >= 0 { Foundation.close(descriptor) }
    }

    /// Appends a record; captures go into the index.
    func append(_ record: WARCRecord, capture: Capture? = nil) throws(WARCArchive.Trouble) {
        let offset = size
        guard let member = DeflatedBytes.gzip(record.bytes) else {
            throw WARCArchive.Trouble(path: folder.appending(path: name).path, errorNumber: ENOMEM)
        }
        let (_, error) = PatientWriting.write(member, to: descriptor)
        if error != 0 {
            // An incomplete record would make the file unreadable.
            _ = ftruncate(descriptor, off_t(offset))
            throw WARCArchive.Trouble(path: folder.appending(path: name).path, errorNumber: error)
        }
        size += UInt64(member.count)
        isSynced = false
        if let capture {
            let line = capture.line(offset: offset, length: member.count, file: name, date: record.date)
            lines.append(line)
            // A text's own memory, and its place in the list.
            lineBytes += line.utf8.count + 48
        }
    }

    /// The parts of a record for the index.
    struct Capture {
        let url: WebURL
        let mime: String
        let status: Int
        let digest: String?

        func line(offset: UInt64, length: Int, file: String, date: Date) -> String {
            CDXJLine(
                url: url, stamp: WARCTime.stamp(date), mime: mime, status: status, digest: digest, offset: offset,
                length: length, file: file
            ).text
        }
    }

    var indexName: String { String(name.dropLast(".warc.gz".count)) + ".cdxj" }

    private var openPath: String { folder.appending(path: name + Self.openSuffix).path }

    /// Waits until all records so far are on the disk.
    func sync() throws(WARCArchive.Trouble) {
        guard !isSynced else { return }
        guard fdatasync(descriptor) == 0 else { throw WARCArchive.Trouble(path: openPath, errorNumber: errno) }
        if !hasSafeName { try syncNames() }
        (isSynced, hasSafeName) = (true, true)
    }

    private func syncNames() throws(WARCArchive.Trouble) {
        if let number = OutputFolder.sync(folder.path) {
            throw WARCArchive.Trouble(path: folder.path, errorNumber: number)
        }
    }

    /// Writes the index and renames the file. Each step is on the disk before the next: a file that is not `.open` is complete and
    /// has its index.
    func finish() throws(WARCArchive.Trouble) {
        let open = openPath
        if size == 0 {
            guard unlink(open) == 0 else { throw WARCArchive.Trouble(path: open, errorNumber: errno) }
            return
        }
        try sync()
        let index = folder.appending(path: indexName)
        // Swift compares strings by characters; indexes are sorted by bytes.
        let sorted = lines.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        do throws(OutputError) {
            try WholeFile.write(
                Array(sorted.map { $0 + "\n" }.joined().utf8), to: index.path, what: "the archive's index",
                isSynced: true)
        } catch {
            throw WARCArchive.Trouble(path: index.path, errorNumber: error.errorNumber)
        }
        guard rename(open, folder.appending(path: name).path) == 0 else {
            throw WARCArchive.Trouble(path: open, errorNumber: errno)
        }
        try syncNames()
    }

    // MARK: Files that are old

    /// The field of a file's first record that says from which moment on the files were begun to which its revisits refer.
    static let earliestReference = "earliest-reference"

    /// Whether a file or an index has a name as we give them: `pippin-20261126080000-00000.warc.gz`.
    static func isOurs(_ name: String) -> Bool {
        guard name.hasPrefix(prefix) else { return false }
        let parts = name.dropFirst(prefix.count).split(separator: ".", maxSplits: 1)
        let numbers = parts.first?.split(separator: "-") ?? []
        return parts.count == 2 && ["warc.gz", "warc.gz" + openSuffix, "cdxj"].contains(parts[1]) && numbers.count == 2
            && numbers[0].utf8.count == 14 && numbers[1].utf8.count >= 5
            && numbers.allSatisfy { $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }
    }

    /// Removes our files that were begun before a moment, unless a later one may refer to them. Other runs may write to the same
    /// folder, or remove the same files.
    static func remove(in folder: URL, begunBefore moment: Date) throws(WARCArchive.Trouble) {
        var needed = prefix + WARCTime.stamp(moment)
        // The newest first, so that no revisit outlives what it refers to.
        let names = try names(in: folder).filter { isOurs($0) && !$0.hasSuffix(".cdxj") }.sorted(by: >)
        for name in names {
            // Nothing that is left may go.
            if let last = names.last, needed <= last { return }
            if name >= needed || name.hasSuffix(openSuffix) {
                needed = min(needed, try earliestReference(of: folder.appending(path: name)))
            } else {
                for name in [name.dropLast(".warc.gz".count) + ".cdxj", name[...]] {
                    let path = folder.appending(path: String(name)).path
                    guard unlink(path) == 0 || errno == ENOENT else {
                        throw WARCArchive.Trouble(path: path, errorNumber: errno)
                    }
                }
            }
        }
    }

    /// The beginning of the name of the earliest file to which one may refer; empty if it may refer to all.
    private static func earliestReference(of file: URL) throws(WARCArchive.Trouble) -> String {
        let descriptor = open(file.path, O_RDONLY | O_CLOEXEC)
        // Another run may just have renamed it. What it refers to is removed another time.
        if descriptor < 0, errno == ENOENT { return "" }
        guard descriptor >= 0 else { throw WARCArchive.Trouble(path: file.path, errorNumber: errno) }
        defer { close(descriptor) }
        do throws(WARCReader.ReadFailure) {
            guard case .record(let info)? = try WARCReader(descriptor: descriptor).next(keeping: { _ in 4096 }),
                info.kind == .warcinfo
            else { return "" }
            let lines = String(decoding: info.block, as: UTF8.self).split(separator: "\r\n")
            guard let line = lines.first(where: { $0.hasPrefix(earliestReference + ":") }) else { return "" }
            return prefix + line.dropFirst(earliestReference.count).filter { $0.isASCII && $0.isNumber }
        } catch {
            throw WARCArchive.Trouble(path: file.path, errorNumber: error.errorNumber)
        }
    }

    private static func names(in folder: URL) throws(WARCArchive.Trouble) -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: folder.path)
        } catch {
            throw WARCArchive.Trouble(
                path: folder.path, errorNumber: SystemReason.number(of: error) ?? EIO)
        }
    }

    // MARK: After a kill, or without power

    /// Finishes all files that earlier runs have left open. Running ones may write to the same folder.
    ///
    /// - Returns: what had to be cut off.
    static func recoverAll(in folder: URL) throws(WARCArchive.Trouble) -> [WARCArchive.CutFile] {
        var cuts: [WARCArchive.CutFile] = []
        for name in try names(in: folder).sorted() where name.hasSuffix(".warc.gz" + openSuffix) {
            var lostBytes: UInt64 = 0
            let whole = String(name.dropLast(openSuffix.count))
            guard let file = try WARCFile(leftOpen: whole, in: folder, lostBytes: &lostBytes) else { continue }
            if lostBytes > 0 {
                cuts.append(
                    WARCArchive.CutFile(
                        path: folder.appending(path: whole).path, keptBytes: file.size, lostBytes: lostBytes))
            }
            try file.finish()
        }
        return cuts
    }

    /// The length of all complete members, and the index of the captures in them.
    private static func completeRecords(_ bytes: UnsafeRawBufferPointer, file: String) -> (size: Int, lines: [String]) {
        var offset = 0
        var lines: [String] = []
        while offset < bytes.count {
            guard let (length, head) = member(UnsafeRawBufferPointer(rebasing: bytes[offset...])) else { break }
            if let line = WARCHead(head)?.line(offset: UInt64(offset), length: length, file: file) {
                lines.append(line)
            }
            offset += length
        }
        return (offset, lines)
    }

    /// The length of the first member, and the beginning of its content; nil if it is not complete.
    private static func member(_ bytes: UnsafeRawBufferPointer) -> (length: Int, head: [UInt8])? {
        var stream = z_stream()
        guard pippin_inflateInit2(&stream, 15 + 16) == Z_OK else { return nil }
        defer { inflateEnd(&stream) }
        var head: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 1 << 16)
        var used = 0
        while true {
            let piece = min(bytes.count - used, 1 << 30)
            let (result, left, made) = block.withUnsafeMutableBufferPointer { target -> (Int32, Int, Int) in
                stream.next_in = UnsafeMutablePointer(
                    mutating: bytes.baseAddress?.advanced(by: used).assumingMemoryBound(to: UInt8.self))
                stream.avail_in = UInt32(piece)
                stream.next_out = target.baseAddress
                stream.avail_out = UInt32(target.count)
                let result = inflate(&stream, Z_NO_FLUSH)
                return (result, Int(stream.avail_in), target.count - Int(stream.avail_out))
            }
            used += piece - left
            if head.count < WARCHead.maximumBytes { head.append(contentsOf: block[..<made]) }
            if result == Z_STREAM_END { return (used, head) }
            guard result == Z_OK, made > 0 || left < piece else { return nil }
        }
    }
}

/// The parts of an earlier run's record that the index needs.
struct WARCHead {
    /// The fields of a record and the head of its block fit into this many bytes.
    static let maximumBytes = 300_000

    private var fields: [String: String] = [:]
    private var status = 0
    private var mime = ""

    init?(_ bytes: [UInt8]) {
        let end = Array("\r\n\r\n".utf8)
        guard let headEnd = bytes.firstRange(of: end) else { return nil }
        let lines = String(decoding: bytes[..<headEnd.lowerBound], as: UTF8.self).split(separator: "\r\n")
        guard lines.first == "WARC/1.1" else { return nil }
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { return nil }
            fields[String(line[..<colon])] = line[line.index(after: colon)...].trimmingPrefix { $0 == " " }.description
        }
        var head = ResponseHead(maximumBytes: .max, maximumCount: .max)
        var rest = bytes[headEnd.upperBound...]
        while let lineEnd = rest.firstIndex(of: 0x0A) {
            let line = Array(rest[...lineEnd])
            rest = rest[(lineEnd + 1)...]
            if line.withUnsafeBytes({ head.take($0) }) == .complete { break }
        }
        status = head.status
        mime = WARCArchive.mime(head.headers)
    }

    func line(offset: UInt64, length: Int, file: String) -> String? {
        let kind = fields["WARC-Type"]
        guard kind == "response" || kind == "revisit", fields[WARCRecord.methodField] == nil,
            let url = fields["WARC-Target-URI"].flatMap({ WebURL($0) }),
            let stamp = fields["WARC-Date"]?.filter({ $0.isASCII && $0.isNumber })
        else { return nil }
        return CDXJLine(
            url: url, stamp: stamp, mime: kind == "revisit" ? "warc/revisit" : mime, status: status,
            digest: fields["WARC-Payload-Digest"], offset: offset, length: length, file: file
        ).text
    }
}
