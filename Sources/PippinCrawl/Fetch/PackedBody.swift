import CDeflate
import PippinPage

/// A transferred body with its content codings. The task that waits for the response removes them on its own thread: curl's only
/// thread, which serves all other exchanges, would be busy with it for half of its time.
///
///     one gzip member of known length ──► libdeflate, in one step into the body
///     all others, and what libdeflate refuses ──► `ContentDecoder`, step by step, into a body that grows to its limit
struct PackedBody {
    /// The limit of a body that is decoded in one step, which cannot be interrupted. 1 MB of blocks without data takes
    /// 55 ms, the worst that was found.
    private static let maximumBytesOfStep = 1 << 20
    /// A match of 258 bytes takes at least two bits.
    private static let maximumGrowth = 1032
    /// The first room per transferred byte. Compressed text has a quarter of its length or less.
    private static let usualGrowth = 6
    private static let leastRoom = 64 * 1024
    /// The limit of bytes between two looks at the clock.
    private static let pieceBytes = 64 * 1024

    let bytes: [UInt8]
    /// The names in the field, in the order in which they were applied.
    let codings: [String]
    /// The limit of decoded bytes.
    let maximumBytes: Int
    /// The body's share of the crawl's memory; nil without a budget.
    let memory: Holding?
    /// Whether the beginning of a body is taken as well: an archive may have cut it.
    var mayBeCut = false

    func unpacked() async -> Result<[UInt8], FetchError> {
        guard !bytes.isEmpty else { return .success([]) }
        if let body = await unpackedAtOnce() { return .success(body) }
        return await unpackedStepByStep()
    }

    // MARK: One step

    /// Nil if it is not one gzip member of the length that its end says. Then the other way decides what it is.
    private func unpackedAtOnce() async -> [UInt8]? {
        guard codings == ["gzip"] || codings == ["x-gzip"], bytes.count <= Self.maximumBytesOfStep,
            // RFC 1952 §2.3.1: the last four bytes are the length. A false one makes decoding fail.
            case let length = bytes.suffix(4).reversed().reduce(0, { $0 << 8 | Int($1) }), length > 0,
            length <= maximumBytes, length / Self.maximumGrowth <= bytes.count,
            let decompressor = libdeflate_alloc_decompressor()
        else { return nil }
        defer { libdeflate_free_decompressor(decompressor) }
        await memory?.waitForRoom(bytes.capacity + length)
        var isWhole = false
        let body = [UInt8](unsafeUninitializedCapacity: length) { room, count in
            var used = 0
            let result = bytes.withUnsafeBytes { input in
                libdeflate_gzip_decompress_ex(
                    decompressor, input.baseAddress, input.count, room.baseAddress, length, &used, &count)
            }
            // After an error, `count` is not set.
            isWhole = result == LIBDEFLATE_SUCCESS && used == bytes.count
            if result != LIBDEFLATE_SUCCESS { count = 0 }
        }
        return isWhole ? body : nil
    }

    // MARK: Step by step

    private func unpackedStepByStep() async -> Result<[UInt8], FetchError> {
        var body: [UInt8] = []
        do throws(ContentDecoder.Failure) {
            let decoder = try ContentDecoder(codings, maximumBytes: maximumBytes)
            var input = Input()
            // One byte more than allowed, to distinguish a body at the limit from a larger one.
            var room = min(max(Self.usualGrowth * bytes.count, Self.leastRoom), maximumBytes + 1)
            while !input.hasEnded {
                guard body.count <= maximumBytes else { return .failure(.bodyTooLarge(limit: maximumBytes)) }
                room = min(max(room, 2 * body.count), maximumBytes + 1)
                // The growing array is copied.
                await memory?.waitForRoom(
                    bytes.capacity + body.capacity + room + decoder.keptBytes(after: body.count))
                body = try continued(body, room: room, decoder, &input)
                guard input.work <= Self.allowedWork(for: body.count) else {
                    return .failure(.tooCostly("\(body.count) bytes came"))
                }
            }
            return decoder.isComplete || mayBeCut ? .success(body) : .failure(.truncatedBody)
        } catch {
            return .failure(.badContentEncoding(error.coding))
        }
    }

    private struct Input {
        var used = 0
        var hasEnded = false
        /// Nanoseconds of CPU time.
        var work = 0
    }

    /// The body with as much more as `room` takes, the input has, and the allowed work brings.
    private func continued(
        _ start: [UInt8], room: Int, _ decoder: ContentDecoder, _ input: inout Input
    ) throws(ContentDecoder.Failure) -> [UInt8] {
        var stopwatch = CurlStopwatch()
        stopwatch.start()
        var failure: ContentDecoder.Failure?
        let body = [UInt8](unsafeUninitializedCapacity: room) { target, count in
            _ = target[..<start.count].initialize(fromContentsOf: start)
            count = start.count
            let target = UnsafeMutableRawBufferPointer(target)
            bytes.withUnsafeBytes { bytes in
                while count < room, !input.hasEnded, input.work <= Self.allowedWork(for: count) {
                    let piece = UnsafeRawBufferPointer(rebasing: bytes[input.used...].prefix(Self.pieceBytes))
                    var rest = piece
                    do throws(ContentDecoder.Failure) {
                        let more = try decoder.read(
                            &rest, into: UnsafeMutableRawBufferPointer(rebasing: target[count...]))
                        count += more
                        input.used += piece.count - rest.count
                        input.work += stopwatch.lap()
                        // Without further input, a decoder that has filled its room may still have more.
                        input.hasEnded = more == 0 && (input.used == bytes.count || rest.count == piece.count)
                    } catch {
                        failure = error
                        return
                    }
                }
            }
        }
        if let failure { throw failure }
        return body
    }

    /// Nanoseconds of CPU time, as for the exchange itself.
    private static func allowedWork(for bodyBytes: Int) -> Int {
        CurlStopwatch.allowance + bodyBytes * CurlStopwatch.allowancePerByte
    }
}
