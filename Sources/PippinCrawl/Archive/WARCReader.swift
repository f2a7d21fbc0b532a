import Glibc
import PippinPage

/// Reads the records of a WARC file (ISO 28500, versions 1.0 and 1.1) one after the other: plain, one gzip member per record, or
/// one member with many records.
///
/// A damaged record is reported, and reading goes on at the next one:
///
///     the member inflates, but is no record ──► search the rest of its content for a line that begins with WARC/
///     the member does not inflate ──► search the file for the next member whose content begins with WARC/
///     a plain record ──► search the file for the next line that begins with WARC/
///
/// A search begins right after the start of the damaged record, because a wrong length or a missing end may hide records. The time
/// is linear in the file's length: searches go back over at most as many bytes as the file has, and a member may grow only in
/// proportion to the file.
public final class WARCReader {
    /// A record, or the place where one cannot be read.
    public enum Reading: Sendable, Equatable {
        case record(ArchivedRecord)
        case damage(Damage)
    }

    /// Bytes that are not a readable record.
    public struct Damage: Sendable, Equatable {
        /// Where it begins in the file.
        public let offset: UInt64
        /// What is wrong with the record, as the end of a sentence.
        public let reason: String
    }

    /// Why a record ends early.
    private enum Fault: Error {
        case bad(String, at: UInt64, then: Resumption)
        case unreadable(Int32)
    }

    /// Where to search for the next record.
    private enum Resumption {
        case inContent
        case inFile(from: UInt64)
    }

    private enum Place {
        case betweenRecords
        /// In a record without gzip.
        case plain
        case member(start: UInt64)
    }

    // MARK: Limits

    /// The fields of a record. Those of usual writers have less than a kilobyte, and few URLs more than 8.
    static let maximumHeadBytes = 256 * 1024
    private static let maximumFields = 200
    /// The head of a gzip member may have a name of any length.
    private static let maximumMemberHeadBytes: UInt64 = 64 * 1024
    /// How far searches may go back, in addition to the length of the file.
    private static let freeReturn: UInt64 = 64 << 20
    /// A file without any record in its beginning is something else.
    private static let maximumForeignBytes: UInt64 = 64 << 20
    /// The input is inflated in pieces of this size.
    private static let pieceBytes = 16 * 1024
    private static let roomBytes = 64 * 1024
    /// A member is inflated in one step if it has at most so many bytes, and its content at most so many.
    private static let stepBytes = 256 * 1024
    private static let stepRoomBytes = 1 << 20

    private static let mark = Array("WARC/".utf8)

    // MARK: State

    private var window: FileWindow
    private var place = Place.betweenRecords
    private var inflation = GzipInflation()
    private var memberHasEnded = false
    /// The bytes that the open member has made.
    private var memberBytes: UInt64 = 0
    /// The records that began in the open member.
    private var memberRecords = 0
    private var growth = GzipGrowth()
    /// The input of members that could not be inflated in one step.
    private var wastedSteps: UInt64 = 0
    /// Uncompressed bytes that were not read yet, from `contentIndex` on.
    private var content: [UInt8] = []
    private var contentIndex = 0
    private var room = [UInt8](repeating: 0, count: roomBytes)
    private var stepRoom: [UInt8] = []

    /// Whether the last record was damaged, and the next one is searched.
    private var isSearching = false
    private var searchesContent = false
    /// Whether the present record begins as one.
    private var sawMark = false
    private var wentBack: UInt64 = 0
    /// Whether the file is compressed; nil before its first record.
    private var isPacked: Bool?

    /// The number of records so far.
    private(set) var recordCount = 0

    /// Reads an open descriptor. The caller closes it.
    public convenience init(descriptor: Int32) { self.init(FileWindow(descriptor: descriptor)) }

    init(_ window: FileWindow) { self.window = window }

    // MARK: Records

    /// The next record or damaged place; nil at the end of the file.
    ///
    /// - Parameter keeping: how many bytes of a record's block are wanted, by its fields.
    /// - Throws: `ReadFailure` if the file cannot be read.
    public func next(keeping: (HTTPHeaders) -> Int) throws(ReadFailure) -> Reading? {
        while true {
            sawMark = false
            do throws(Fault) {
                guard try findStart() else { return nil }
                let record = try readRecord(keeping)
                isSearching = false
                recordCount += 1
                return .record(record)
            } catch {
                switch error {
                case .unreadable(let number): throw ReadFailure(errorNumber: number)
                case .bad(let reason, let offset, let resumption):
                    let isNews = !isSearching || sawMark
                    isSearching = true
                    resume(resumption)
                    if isNews { return .damage(Damage(offset: offset, reason: reason)) }
                }
            }
        }
    }

    /// The system's reason why a file cannot be read.
    public struct ReadFailure: Error, Sendable, Equatable {
        public let errorNumber: Int32
    }

    private func readRecord(_ keeping: (HTTPHeaders) -> Int) throws(Fault) -> ArchivedRecord {
        let start = recordStart
        var isAlone = true
        if case .member = place {
            isAlone = memberRecords == 0
            memberRecords += 1
        }
        let head = try readHead(start)
        let fields = head.headers
        guard let kind = fields["WARC-Type"] else { throw bad("has no WARC-Type", start) }
        guard let text = fields["Content-Length"], (1...18).contains(text.utf8.count),
            text.utf8.allSatisfy({ $0 &- 0x30 < 10 }), let length = UInt64(text)
        else { throw bad("has no Content-Length that is a number", start) }
        let wanted = UInt64(max(0, keeping(fields)))
        var block: [UInt8] = []
        block.reserveCapacity(Int(min(length, wanted, 1 << 20)))
        var left = length
        while left > 0 {
            if contentIndex == content.count {
                guard try refill(upTo: left) else { throw endsWithin(start) }
            }
            let count = Int(min(left, UInt64(content.count - contentIndex)))
            let kept = Int(min(UInt64(count), wanted - min(wanted, UInt64(block.count))))
            if kept > 0 { block += content[contentIndex..<(contentIndex + kept)] }
            contentIndex += count
            left -= UInt64(count)
        }
        let end = try finishRecord(start)
        return ArchivedRecord(
            fields: fields, kind: WARCRecord.Kind(rawValue: kind.lowercased()), block: block, blockBytes: length,
            offset: start, length: isAlone ? end.map { $0 - start } : nil)
    }

    private var recordStart: UInt64 {
        switch place {
        case .member(let start): start
        case .plain, .betweenRecords: window.offset - UInt64(content.count - contentIndex)
        }
    }

    private func readHead(_ start: UInt64) throws(Fault) -> ResponseHead {
        // The fields have the form of HTTP's, and the version is where a response has it.
        var head = ResponseHead(maximumBytes: Self.maximumHeadBytes, maximumCount: Self.maximumFields)
        while true {
            guard let line = try nextLine(start) else {
                throw sawMark ? endsWithin(start) : bad("does not begin with WARC/1.0 or WARC/1.1", start)
            }
            if !sawMark {
                guard line.starts(with: Self.mark) else { throw bad("does not begin with WARC/1.0 or WARC/1.1", start) }
                sawMark = true
            }
            switch line.withUnsafeBytes({ head.take($0) }) {
            case .more:
                guard head.httpVersion.hasPrefix("1.") else {
                    throw bad("has the version \(head.httpVersion.prefix(20)); only 1.0 and 1.1 are read", start)
                }
            case .complete: return head
            case .tooLarge: throw bad("has more fields than can be", start)
            }
        }
    }

    /// The next line of the content with its end; nil if the content ends before.
    private func nextLine(_ start: UInt64) throws(Fault) -> [UInt8]? {
        var searched = 0
        while true {
            let from = contentIndex + searched
            if let end = content[from...].firstIndex(of: 0x0A) {
                defer { contentIndex = end + 1 }
                return Array(content[contentIndex...end])
            }
            searched = content.count - contentIndex
            // Other files have long lines too.
            if searched >= Self.mark.count, !sawMark,
                !content[contentIndex...].starts(with: Self.mark)
            {
                throw bad("does not begin with WARC/1.0 or WARC/1.1", start)
            }
            guard searched <= Self.maximumHeadBytes else { throw bad("has more fields than can be", start) }
            guard try refill(upTo: 4_096) else { return nil }
        }
    }

    /// Reads the line ends after a block. Returns the end of the record in the file, unless other records follow in its member.
    private func finishRecord(_ start: UInt64) throws(Fault) -> UInt64? {
        var lineFeeds = 0
        while lineFeeds < 2, let byte = try peek(), byte == 0x0A || byte == 0x0D {
            if byte == 0x0A { lineFeeds += 1 }
            contentIndex += 1
        }
        let next = try peek()
        if lineFeeds < 2, next != nil {
            // Some writers leave the line ends out.
            while content.count - contentIndex < Self.mark.count, try refill(upTo: 4_096) {}
            guard content[contentIndex...].starts(with: Self.mark) else {
                throw bad("has a Content-Length that does not lead to its end", start)
            }
        }
        switch place {
        case .member:
            isPacked = true
            guard next == nil else { return nil }
            place = .betweenRecords
            return window.offset
        case .plain, .betweenRecords:
            isPacked = false
            returnContent()
            place = .betweenRecords
            return window.offset
        }
    }

    private func endsWithin(_ start: UInt64) -> Fault {
        if case .member = place {
            return .bad("is cut: its gzip member ends within it", at: start, then: .inFile(from: window.offset))
        }
        return .bad("is cut: the file ends within it", at: start, then: .inFile(from: start + 1))
    }

    private func bad(_ reason: String, _ start: UInt64) -> Fault {
        if case .member = place { return .bad(reason, at: start, then: .inContent) }
        return .bad(reason, at: start, then: .inFile(from: start + 1))
    }

    // MARK: Starts

    /// Goes to the start of the next record. Returns false at the end of the file.
    private func findStart() throws(Fault) -> Bool {
        while true {
            switch place {
            case .member:
                if searchesContent {
                    searchesContent = false
                    if try findMarkInContent() { return true }
                    place = .betweenRecords
                    continue
                }
                while let byte = try peek(), byte == 0x0A || byte == 0x0D { contentIndex += 1 }
                if try peek() != nil { return true }
                place = .betweenRecords
            case .plain, .betweenRecords:
                clearContent()
                if isSearching, try !findCandidate() { return false }
                guard try skipPadding() else { return false }
                let isMember = window.withBytes { $0.starts(with: [0x1F, 0x8B] as [UInt8]) }
                guard isMember else {
                    place = .plain
                    return true
                }
                try openMember()
            }
        }
    }

    /// Skips line ends and zeros between records.
    private func skipPadding() throws(Fault) -> Bool {
        while try fill(2) {
            let count = window.withBytes { bytes in
                bytes.firstIndex { $0 != 0x0A && $0 != 0x0D && $0 != 0 } ?? bytes.count
            }
            if count == 0 { return true }
            window.skip(count)
        }
        return false
    }

    /// Searches the file for what may be the start of a record.
    private func findCandidate() throws(Fault) -> Bool {
        while try fill(Self.pieceBytes) {
            if recordCount == 0, window.offset > Self.maximumForeignBytes { return false }
            let previous = window.previous
            let isPacked = isPacked
            let (found, passed) = window.withBytes { bytes -> (Int?, Int) in
                let last = bytes.count - Self.mark.count
                guard last >= 0 else { return (nil, bytes.count) }
                for index in 0...last {
                    switch bytes[index] {
                    case 0x1F where isPacked != false:
                        // RFC 1952 §2.3: method 8, and flags without the reserved ones.
                        if bytes[index + 1] == 0x8B, bytes[index + 2] == 8, bytes[index + 3] & 0xE0 == 0 {
                            return (index, 0)
                        }
                    case 0x57 where isPacked != true:
                        let before = index > 0 ? bytes[index - 1] : previous
                        if before == 0x0A || before == nil, bytes[index...].starts(with: Self.mark) {
                            return (index, 0)
                        }
                    default: break
                    }
                }
                return (nil, last + 1)
            }
            if let found {
                window.skip(found)
                return true
            }
            window.skip(passed)
        }
        return false
    }

    private func findMarkInContent() throws(Fault) -> Bool {
        let mark = [0x0A] + Self.mark
        while true {
            if let found = content[contentIndex...].firstRange(of: mark) {
                contentIndex = found.lowerBound + 1
                return true
            }
            contentIndex = max(contentIndex, content.count - mark.count + 1)
            guard try refill(upTo: UInt64(Self.roomBytes)) else { return false }
        }
    }

    private func resume(_ resumption: Resumption) {
        guard case .inFile(let target) = resumption else {
            searchesContent = true
            return
        }
        place = .betweenRecords
        let here = window.offset
        guard target < here, wentBack + (here - target) <= Self.freeReturn + window.furthest else { return }
        window.back(to: target)
        wentBack += here - window.offset
    }

    // MARK: Content

    private func fill(_ count: Int) throws(Fault) -> Bool {
        do throws(ReadFailure) {
            return try window.fill(count)
        } catch {
            throw .unreadable(error.errorNumber)
        }
    }

    /// The next byte of the content; nil at its end.
    private func peek() throws(Fault) -> UInt8? {
        if contentIndex == content.count, try !refill(upTo: 4_096) { return nil }
        return content[contentIndex]
    }

    /// Adds to the content. Returns false at the end of the file or of the member.
    private func refill(upTo wanted: UInt64) throws(Fault) -> Bool {
        if contentIndex == content.count {
            clearContent()
        } else if contentIndex > Self.roomBytes {
            content.removeSubrange(..<contentIndex)
            contentIndex = 0
        }
        guard case .member(let start) = place else {
            guard try fill(1) else { return false }
            let count = min(window.available, Self.roomBytes, max(4_096, Int(min(wanted, 1 << 20))))
            window.withBytes { content.append(contentsOf: $0.prefix(count)) }
            window.skip(count)
            return true
        }
        while !memberHasEnded {
            let count = try inflatePiece(of: start)
            if count > 0 { return true }
        }
        return false
    }

    private func clearContent() {
        content.removeAll(keepingCapacity: true)
        contentIndex = 0
    }

    /// Gives the content that was not read back to the file.
    private func returnContent() {
        window.back(to: window.offset - UInt64(content.count - contentIndex))
        clearContent()
    }

    // MARK: Members

    private func openMember() throws(Fault) {
        let start = window.offset
        place = .member(start: start)
        (memberHasEnded, memberBytes, memberRecords) = (false, 0, 0)
        clearContent()
        // Foreign bytes can make this step long, so it must succeed most of the time.
        if !isSearching, wastedSteps <= UInt64(8 * Self.stepBytes) + window.offset / 4 {
            _ = try fill(Self.stepBytes)
            if stepRoom.isEmpty { stepRoom = [UInt8](repeating: 0, count: Self.stepRoomBytes) }
            let step = stepRoom.withUnsafeMutableBytes { room in
                window.withBytes {
                    inflation.whole(UnsafeRawBufferPointer(rebasing: $0.prefix(Self.stepBytes)), into: room)
                }
            }
            if let step {
                window.skip(step.used)
                memberHasEnded = true
                content += stepRoom[..<step.made]
                return try count(step.made, of: start)
            }
            wastedSteps += UInt64(Self.stepBytes)
        }
        guard inflation.begin() else {
            throw .unreadable(ENOMEM)
        }
    }

    /// Inflates the next piece, and returns how many bytes it made.
    private func inflatePiece(of start: UInt64) throws(Fault) -> Int {
        guard try fill(Self.pieceBytes) else {
            throw .bad("is cut: the file ends within it", at: start, then: .inFile(from: start + 1))
        }
        let step = room.withUnsafeMutableBytes { room in
            window.withBytes {
                inflation.inflate(UnsafeRawBufferPointer(rebasing: $0.prefix(Self.pieceBytes)), into: room)
            }
        }
        switch step {
        case .malformed(let used, let isChecksum):
            window.skip(used)
            let reason = isChecksum ? "has a wrong checksum" : "is not a whole gzip member"
            throw .bad(reason, at: start, then: .inFile(from: start + 1))
        case .more(let used, let made), .ended(let used, let made):
            window.skip(used)
            content += room[..<made]
            if case .ended = step { memberHasEnded = true }
            try count(made, of: start)
            if used == 0, made == 0, !memberHasEnded {
                throw .bad("is not a whole gzip member", at: start, then: .inFile(from: start + 1))
            }
            if memberBytes == 0, window.offset - start > Self.maximumMemberHeadBytes {
                throw .bad("is not a whole gzip member", at: start, then: .inFile(from: start + 1))
            }
            return made
        }
    }

    private func count(_ made: Int, of start: UInt64) throws(Fault) {
        memberBytes += UInt64(made)
        guard growth.add(made, fileBytes: window.furthest) else {
            throw .bad(GzipGrowth.reason, at: start, then: .inFile(from: window.offset))
        }
    }
}
