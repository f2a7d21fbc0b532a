import CDeflate
import CZlib

/// Bounds what the gzip members of a file make all together: 64 MB, and 100 times as many bytes as the file has had so far. Pages and
/// indexes pack to a tenth.
struct GzipGrowth {
    /// Why a file beyond the bound is read no further, as the end of a sentence.
    static let reason = "grows to more than \(maximum) times the size of the file"

    private static let free: UInt64 = 64 << 20
    private static let maximum: UInt64 = 100

    private var made: UInt64 = 0

    /// Adds bytes that were made of the file's first `fileBytes` bytes. False beyond the bound.
    mutating func add(_ count: Int, fileBytes: UInt64) -> Bool {
        made += UInt64(count)
        return made <= Self.free + Self.maximum * fileBytes
    }
}

/// Inflates gzip members piece by piece, or a small one in one step.
final class GzipInflation {
    enum Step {
        /// The numbers of used and of made bytes.
        case more(used: Int, made: Int)
        case ended(used: Int, made: Int)
        /// The bytes are no gzip member, or its checksum is wrong.
        case malformed(used: Int, isChecksum: Bool)
    }

    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    private let decompressor = libdeflate_alloc_decompressor()
    private var isOpen = false

    init() { stream.initialize(to: z_stream()) }

    deinit {
        if isOpen { inflateEnd(stream) }
        if let decompressor { libdeflate_free_decompressor(decompressor) }
        stream.deallocate()
    }

    /// Prepares for another member. Returns false without memory.
    func begin() -> Bool {
        if isOpen { return inflateReset(stream) == Z_OK }
        isOpen = pippin_inflateInit2(stream, 15 + 16) == Z_OK
        return isOpen
    }

    func inflate(_ input: UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer) -> Step {
        stream.pointee.next_in = UnsafeMutablePointer(mutating: input.bindMemory(to: UInt8.self).baseAddress)
        stream.pointee.avail_in = UInt32(clamping: input.count)
        stream.pointee.next_out = room.bindMemory(to: UInt8.self).baseAddress
        stream.pointee.avail_out = UInt32(clamping: room.count)
        let code = CZlib.inflate(stream, Z_NO_FLUSH)
        let used = input.count - Int(stream.pointee.avail_in)
        let made = room.count - Int(stream.pointee.avail_out)
        switch code {
        case Z_OK, Z_BUF_ERROR: return .more(used: used, made: made)
        case Z_STREAM_END: return .ended(used: used, made: made)
        default:
            let words = stream.pointee.msg.map { String(cString: $0) } ?? ""
            return .malformed(
                used: used, isChecksum: ["incorrect data check", "incorrect length check"].contains(words))
        }
    }

    /// Inflates a whole member; nil if it does not fit into the room, is not complete, or is damaged.
    func whole(
        _ input: UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer
    ) -> (used: Int, made: Int)? {
        guard let decompressor else { return nil }
        var used = 0
        var made = 0
        let result = libdeflate_gzip_decompress_ex(
            decompressor, input.baseAddress, input.count, room.baseAddress, room.count, &used, &made)
        return result == LIBDEFLATE_SUCCESS ? (used, made) : nil
    }
}
