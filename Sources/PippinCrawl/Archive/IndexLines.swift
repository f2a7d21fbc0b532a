import Glibc

/// The lines of an index, plain or in gzip members one after the other, as Common Crawl packs 3,000 lines each.
struct IndexLines {
    enum Line: Equatable {
        case text([UInt8])
        /// It has more than the limit; nothing of it was kept.
        case tooLong
    }

    /// Why there are no further lines.
    enum Failure: Error, Equatable {
        case unreadable(errorNumber: Int32)
        /// The reason, as the end of a sentence.
        case damaged(String)

        /// The end of a sentence.
        var reason: String {
            switch self {
            case .unreadable(let number): "cannot be read: \(SystemReason.words(number))"
            case .damaged(let reason): reason
            }
        }
    }

    /// The longest line. URLs of 8 KB are rare, and a line has one beside its key.
    static let maximumBytes = 64 << 10
    private static let pieceBytes = 64 << 10

    private var window: FileWindow
    private let inflation = GzipInflation()
    /// Nil before the first bytes are seen.
    private var isPacked: Bool?
    private var isInMember = false
    private var growth = GzipGrowth()
    private var room = [UInt8](repeating: 0, count: pieceBytes)
    /// What was read and is in no line yet, from `index` on.
    private var text: [UInt8] = []
    private var index = 0
    private var hasEnded = false
    /// The number of the last line, from 1 on.
    private(set) var number = 0

    init(_ window: FileWindow) { self.window = window }

    /// The next line without its end; nil after the last one.
    mutating func next() throws(Failure) -> Line? {
        var isTooLong = false
        var searched = index
        while true {
            if let end = text[searched...].firstIndex(of: 0x0A) {
                defer { index = end + 1 }
                number += 1
                return isTooLong || end - index > Self.maximumBytes ? .tooLong : .text(Array(text[index..<end]))
            }
            if text.count - index > Self.maximumBytes {
                isTooLong = true
                index = text.count
            }
            if index > 0 {
                text.removeSubrange(..<index)
                index = 0
            }
            searched = text.count
            guard try !refill() else { continue }
            guard isTooLong || !text.isEmpty else { return nil }
            // The last line need not have an end.
            defer { text = [] }
            number += 1
            return isTooLong ? .tooLong : .text(text)
        }
    }

    /// Adds to the text. False at the end of the file.
    private mutating func refill() throws(Failure) -> Bool {
        while !hasEnded {
            guard try fill(2) else {
                hasEnded = true
                guard !isInMember else { throw .damaged("is cut: the file ends within a gzip member") }
                return false
            }
            let packed = isPacked ?? window.withBytes { $0.starts(with: [0x1F, 0x8B] as [UInt8]) }
            isPacked = packed
            guard packed else {
                let count = min(window.available, Self.pieceBytes)
                text += window.withBytes { Array($0.prefix(count)) }
                window.skip(count)
                return true
            }
            if try inflate() > 0 { return true }
        }
        return false
    }

    /// Inflates the next piece, and returns how many bytes it made.
    private mutating func inflate() throws(Failure) -> Int {
        if !isInMember {
            guard inflation.begin() else { throw .unreadable(errorNumber: ENOMEM) }
            isInMember = true
        }
        var room: [UInt8] = []
        swap(&room, &self.room)
        defer { swap(&room, &self.room) }
        let (window, inflation) = (window, inflation)
        let step = room.withUnsafeMutableBytes { room in
            window.withBytes {
                inflation.inflate(UnsafeRawBufferPointer(rebasing: $0.prefix(Self.pieceBytes)), into: room)
            }
        }
        switch step {
        case .malformed(_, let isChecksum):
            hasEnded = true
            throw .damaged(isChecksum ? "has a wrong checksum" : "is not a whole gzip member")
        case .more(let used, let made), .ended(let used, let made):
            self.window.skip(used)
            text += room[..<made]
            if case .ended = step { isInMember = false }
            guard growth.add(made, fileBytes: self.window.furthest) else {
                hasEnded = true
                throw .damaged(GzipGrowth.reason)
            }
            if used == 0, made == 0, isInMember {
                hasEnded = true
                throw .damaged("is not a whole gzip member")
            }
            return made
        }
    }

    private mutating func fill(_ count: Int) throws(Failure) -> Bool {
        do throws(WARCReader.ReadFailure) {
            return try window.fill(count)
        } catch {
            hasEnded = true
            throw .unreadable(errorNumber: error.errorNumber)
        }
    }
}
