import Foundation
import Glibc
import PippinPage

/// Reads the records that the lines of one index name, in the order of its lines, on a thread that may wait for the disk or a host.
actor IndexedRecords: ArchiveSource {
    /// A batch ends after so many bytes or lines, and after the first record that a host gives: it gives one in seconds.
    private static let batchBytes = 512 << 10
    private static let batchLines = 64
    /// A host that gives none of so many parts in a row gives no other either.
    private static let maximumFailures = 20

    private let name: String
    private let onlyPages: Bool
    private let maximumBodyBytes: Int
    private let folder: String
    private let ranges: ArchiveRanges?
    private var lines: IndexLines?
    private var indexDescriptor: Int32 = -1
    /// The archive's file that was read last: lines of one file are often together.
    private var open: (path: String, descriptor: Int32)?
    private var failures = 0
    private(set) var recordCount = 0
    private let executor = BlockingExecutor("pippin.archive.index")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// - Parameters:
    ///   - path: the index; `-` is standard input.
    ///   - onlyPages: whether lines are passed over that do not say status 200 and HTML.
    init(_ path: String, in archives: IndexedArchives, onlyPages: Bool, limits: CrawlConfiguration.Fetch) {
        (name, self.onlyPages, maximumBodyBytes) = (path, onlyPages, limits.maximumBodyBytes)
        switch archives {
        case .folder(let folder):
            self.folder = folder ?? (path == "-" ? "." : URL(filePath: path).deletingLastPathComponent().path)
            ranges = nil
        case .host(let base, let exchange):
            folder = ""
            ranges = ArchiveRanges(base, timeout: limits.timeout, exchange: exchange)
        }
    }

    deinit {
        if indexDescriptor > STDIN_FILENO { close(indexDescriptor) }
        if let open { close(open.descriptor) }
    }

    func next() async -> ArchiveBatch {
        var batch = ArchiveBatch()
        var (bytes, count) = (0, 0)
        while bytes < Self.batchBytes, count < Self.batchLines, batch.troubles.isEmpty, !batch.isLast {
            guard let line = line(&batch) else { break }
            count += 1
            do throws(Absence) {
                guard let found = try await record(line) else { continue }
                bytes += found.record.block.count
                batch.records.append(found)
                failures = 0
                if ranges != nil { return batch }
            } catch {
                batch.troubles.append(trouble(error.reason))
                if error.isOfHost { failures += 1 }
                if failures >= Self.maximumFailures {
                    batch.troubles.append(trouble("is the last that was read: the host gave none of \(failures) parts"))
                    batch.isLast = true
                }
            }
        }
        return batch
    }

    /// Why a line has no record, as the end of a sentence.
    private struct Absence: Error {
        let reason: String
        var isOfHost = false
    }

    /// The next line with something in it; nil after the last one.
    private func line(_ batch: inout ArchiveBatch) -> [UInt8]? {
        do throws(IndexLines.Failure) {
            if lines == nil {
                indexDescriptor = name == "-" ? STDIN_FILENO : Glibc.open(name, O_RDONLY | O_CLOEXEC)
                guard indexDescriptor >= 0 else { throw .unreadable(errorNumber: errno) }
                lines = IndexLines(FileWindow(descriptor: indexDescriptor))
            }
            while true {
                switch try lines?.next() {
                case nil:
                    batch.isLast = true
                    return nil
                case .tooLong?:
                    batch.troubles.append(trouble("is longer than \(IndexLines.maximumBytes) bytes"))
                    return nil
                case .text(var text)?:
                    if text.last == 0x0D { text.removeLast() }
                    // Lines about the index itself begin with an exclamation mark.
                    guard text.isEmpty || text[0] == 0x21 else { return text }
                }
            }
        } catch {
            batch.isLast = true
            let place = if case .damaged = error { ", after line \(lines?.number ?? 0)" } else { "" }
            batch.troubles.append(trouble(error.reason + place, ofFile: true))
            return nil
        }
    }

    private func trouble(_ reason: String, ofFile: Bool = false) -> ArchiveReading.Trouble {
        ArchiveReading.Trouble(file: name, line: ofFile ? nil : lines?.number, offset: nil, reason: reason)
    }

    // MARK: Records

    private func record(_ line: [UInt8]) async throws(Absence) -> ArchiveBatch.Found? {
        let place: IndexedPlace
        do throws(IndexedPlace.Malformed) {
            place = try IndexedPlace(line, maximumBodyBytes: maximumBodyBytes)
        } catch {
            throw Absence(reason: error.reason)
        }
        guard !onlyPages || place.saysPage else { return nil }
        let bytes: [UInt8]
        if let ranges {
            do throws(ArchiveRanges.Failure) {
                bytes = try await ranges.bytes(of: place)
            } catch {
                throw Absence(reason: error.reason, isOfHost: true)
            }
        } else {
            bytes = try localBytes(of: place)
        }
        let record = try self.record(in: bytes, place)
        recordCount += 1
        return ArchiveBatch.Found(record: record, file: place.file)
    }

    private func localBytes(of place: IndexedPlace) throws(Absence) -> [UInt8] {
        let path = folder + "/" + place.file
        func failure(_ number: Int32) -> Absence {
            Absence(reason: "is of \(path), which cannot be read: \(SystemReason.words(number))")
        }
        if open?.path != path {
            if let open { close(open.descriptor) }
            open = nil
            // Without waiting: a pipe in place of a file would hold up everything.
            let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
            guard descriptor >= 0 else { throw failure(errno) }
            open = (path, descriptor)
        }
        guard let descriptor = open?.descriptor else { throw failure(EBADF) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure(errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw Absence(reason: "is of \(path), which is no file") }
        let (offset, size) = (Int64(place.offset), Int64(status.st_size))
        guard offset <= size - Int64(place.length) else {
            throw Absence(
                reason: "is of \(path), which ends before byte \(offset + Int64(place.length)): it has \(size)")
        }
        var bytes = [UInt8](repeating: 0, count: place.length)
        var filled = 0
        while filled < bytes.count {
            let count = bytes[filled...].withUnsafeMutableBytes {
                pread(descriptor, $0.baseAddress, $0.count, off_t(offset) + off_t(filled))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure(count < 0 ? errno : EIO) }
            filled += count
        }
        return bytes
    }

    /// The record of a part of an archive's file, if it is what the line says.
    private func record(in bytes: [UInt8], _ place: IndexedPlace) throws(Absence) -> ArchivedRecord {
        let what = "the record at byte \(place.offset) of \(place.file)"
        let maximumBodyBytes = maximumBodyBytes
        let reading: WARCReader.Reading?
        do throws(WARCReader.ReadFailure) {
            reading = try WARCReader(FileWindow(bytes)).next {
                ArchivedAnswer.wantedBytes($0, maximumBodyBytes: maximumBodyBytes)
            }
        } catch {
            throw Absence(reason: "names \(what), which cannot be read: \(SystemReason.words(error.errorNumber))")
        }
        guard case .record(let found)? = reading, found.offset == 0 else {
            guard case .damage(let damage)? = reading else { throw Absence(reason: "names \(what): there is none") }
            throw Absence(reason: "names \(what), which \(damage.reason)")
        }
        guard found.url?.href == place.url.href else {
            throw Absence(reason: "names \(what), which is of \(found.url?.href.prefix(200) ?? "no page")")
        }
        guard Self.hasPayload(of: place, found) else {
            throw Absence(reason: "names \(what), whose payload has another digest")
        }
        return ArchivedRecord(
            fields: found.fields, kind: found.kind, block: found.block, blockBytes: found.blockBytes,
            offset: place.offset, length: found.length.map { _ in UInt64(place.length) })
    }

    /// Whether a record has the payload that the line says, as far as it can be known: not of a revisit, which has none, nor of a record
    /// that is too large to be a page.
    private static func hasPayload(of place: IndexedPlace, _ record: ArchivedRecord) -> Bool {
        guard let digest = place.payloadDigest, record.kind != .revisit, UInt64(record.block.count) == record.blockBytes
        else { return true }
        guard record.kind == .response else { return Digest.sha1(record.block) == digest }
        guard let payload = ArchivedAnswer.payload(of: record.block) else { return true }
        if Digest.sha1(payload) == digest { return true }
        // Some writers take the chunks of HTTP/1.1 for a part of the payload, and some do not (WARC 1.1 §6.3.2).
        return RawExchange.dechunked(payload, mayBeCut: true).map { Digest.sha1($0) == digest } ?? false
    }
}
