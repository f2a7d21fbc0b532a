import Glibc

/// The bytes of a file in order. The last megabyte before the present place is kept, so that a search can go back in a pipe too.
struct FileWindow {
    /// Reads the next bytes into the buffer and returns their number, or an error number. 0 bytes are the end.
    typealias Read = (UnsafeMutableRawBufferPointer) -> Result<Int, WARCReader.ReadFailure>

    /// The bytes before the present place that are kept.
    static let keptBytes = 1 << 20
    private static let pieceBytes = 256 * 1024

    private let read: Read
    /// Moves the next read to an offset. Nil for a pipe.
    private let seek: ((UInt64) -> Bool)?
    private var bytes: [UInt8] = []
    private var index = 0
    /// The offset of the first kept byte.
    private var base: UInt64 = 0
    private var hasEnded = false
    /// The highest offset so far.
    private(set) var furthest: UInt64 = 0

    init(seek: ((UInt64) -> Bool)? = nil, read: @escaping Read) {
        self.read = read
        self.seek = seek
    }

    /// Reads bytes that are there, in pieces of at most so many.
    init(_ bytes: [UInt8], piece: Int = .max) {
        var rest = bytes[...]
        self.init { room in
            let count = min(room.count, piece, rest.count)
            room.copyBytes(from: rest.prefix(count))
            rest = rest.dropFirst(count)
            return .success(count)
        }
    }

    /// Reads an open descriptor.
    init(descriptor: Int32) {
        let isFile = lseek(descriptor, 0, SEEK_CUR) >= 0
        // A part of the file may have been read by others.
        let start = isFile ? lseek(descriptor, 0, SEEK_CUR) : 0
        self.init(seek: isFile ? { lseek(descriptor, start + off_t($0), SEEK_SET) >= 0 } : nil) { room in
            while true {
                let count = Glibc.read(descriptor, room.baseAddress, room.count)
                if count >= 0 { return .success(count) }
                if errno != EINTR { return .failure(WARCReader.ReadFailure(errorNumber: errno)) }
            }
        }
    }

    /// The offset of the next byte.
    var offset: UInt64 { base + UInt64(index) }
    var available: Int { bytes.count - index }

    func withBytes<Answer>(_ body: (UnsafeRawBufferPointer) -> Answer) -> Answer {
        bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[index...])) }
    }

    /// The byte before the next one; nil at the start of the file.
    var previous: UInt8? { index > 0 ? bytes[index - 1] : nil }

    /// Reads until `count` bytes are available, or to the end of the file. Returns whether there is any byte.
    mutating func fill(_ count: Int) throws(WARCReader.ReadFailure) -> Bool {
        while available < count, !hasEnded {
            if index > 4 * Self.keptBytes {
                let passed = index - Self.keptBytes
                bytes.removeSubrange(..<passed)
                (base, index) = (base + UInt64(passed), Self.keptBytes)
            }
            var piece = [UInt8](repeating: 0, count: Self.pieceBytes)
            let number = try piece.withUnsafeMutableBytes { read($0) }.get()
            hasEnded = number == 0
            bytes += piece[..<number]
        }
        return available > 0
    }

    mutating func skip(_ count: Int) {
        index += count
        furthest = max(furthest, offset)
    }

    /// Goes back to an offset, or as far as possible in a pipe: over the kept bytes, and no further, so that the speed of a pipe
    /// does not matter.
    mutating func back(to wanted: UInt64) {
        let reach = UInt64(Self.keptBytes)
        let target = seek == nil && offset > reach ? max(wanted, offset - reach) : wanted
        guard target < offset else { return }
        if target >= base {
            index = Int(target - base)
        } else if let seek, seek(target) {
            (bytes, index, base, hasEnded) = ([], 0, target, false)
        }
    }
}
