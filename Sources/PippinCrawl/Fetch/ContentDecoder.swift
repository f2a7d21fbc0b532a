import CCurl
import CZlib
import Glibc
import PippinPage

/// The meaning of a `Content-Encoding` field.
enum ContentCoding: Equatable {
    case identity
    /// Codings that we can remove: all names, in the order in which they were applied.
    case coded([String])
    /// A name that is not a coding (`utf-8`, `none`). The body is read unchanged, as in browsers.
    case misnamed
    /// A real coding that we cannot remove.
    case unsupported(String)

    private static let supported: Set<String> = ["gzip", "x-gzip", "deflate", "br", "zstd"]
    /// The IANA HTTP Content Coding Registry, and unregistered names of compressors.
    private static let unsupported: Set<String> = [
        "aes128gcm", "compress", "dcb", "dcz", "exi", "pack200-gzip", "x-compress",
        "bzip2", "x-bzip2", "lzma", "xz", "sdch", "snappy", "lz4", "zip",
    ]

    init(_ headers: HTTPHeaders) {
        var names: [String] = []
        var isCoded = false
        var isMisnamed = false
        for field in headers.values("Content-Encoding") {
            for part in field.utf8.split(separator: 0x2C) {
                let trimmed = part.filter { $0 != 0x20 && $0 != 0x09 }
                let name = String(decoding: trimmed, as: UTF8.self).lowercased()
                if !name.isEmpty, name != "identity" { names.append(name) }
                if Self.supported.contains(name) {
                    isCoded = true
                } else if Self.unsupported.contains(name) {
                    self = .unsupported(name)
                    return
                } else if !name.isEmpty, name != "identity" {
                    isMisnamed = true
                }
            }
        }
        // An unknown name beside a real coding cannot be removed.
        self = isCoded ? .coded(names) : isMisnamed ? .misnamed : .identity
    }
}

/// Removes the content codings of a body piece by piece, into the caller's buffer. So a body can be stopped at the limit or wait for
/// memory, and a truncated body is detected by its missing end.
///
/// zlib is linked. The decoders of Brotli and Zstandard are libcurl's libraries, looked up at run time; a coding without a decoder
/// is not offered to servers.
final class ContentDecoder {
    enum Failure: Error {
        case malformed(coding: String)
        case unavailable(coding: String)

        var coding: String {
            switch self {
            case .malformed(let coding), .unavailable(let coding): coding
            }
        }
    }

    /// The limit of codings, more than any server uses.
    private static let maximumCodings = 5
    private static let blockBytes = 16 * 1024

    private let codings: [String]
    private let codecs: [any ContentCodec]
    /// The output of codec `i - 1` for codec `i`, and how many bytes of it are used.
    private var between: [(bytes: [UInt8], used: Int)]
    /// How many bytes all of them may still have together. They are compressed forms of the body, so longer ones are made to cost work.
    private var bytesLeftBetween: Int
    private var hasInput = false

    /// Prepares the decoders of a response.
    ///
    /// - Parameters:
    ///   - codings: the names in the field, in the order in which they were applied (RFC 9110 §8.4).
    ///   - maximumBytes: the limit of the decoded body.
    /// - Throws: `Failure` for unknown names or too many codings.
    init(_ codings: [String], maximumBytes: Int) throws(Failure) {
        guard codings.count <= Self.maximumCodings else { throw .malformed(coding: codings.joined(separator: ", ")) }
        var codecs: [any ContentCodec] = []
        for coding in codings.reversed() {
            let codec: (any ContentCodec)? =
                switch coding {
                case "gzip", "x-gzip": InflateCodec(.gzip)
                case "deflate": InflateCodec(.deflate)
                case "br": BrotliCodec()
                case "zstd": ZstandardCodec()
                default: nil
                }
            guard let codec else { throw .unavailable(coding: coding) }
            codecs.append(codec)
        }
        self.codings = codings
        self.codecs = codecs
        between = codecs.map { _ in ([], 0) }
        bytesLeftBetween = codecs.count * (maximumBytes + Self.blockBytes)
    }

    /// The value of `Accept-Encoding`.
    static let offered: String = {
        var names = ["deflate", "gzip"]
        if BrotliCodec.isThere { names.append("br") }
        if ZstandardCodec.isThere { names.append("zstd") }
        return names.joined(separator: ", ")
    }()

    /// Whether all codings have reached their end. An empty body is complete too.
    var isComplete: Bool { !hasInput || codecs.allSatisfy(\.hasEnded) }

    /// The memory of the codecs after this many bytes of output: zlib's state, and for the others a window of the output up to 16 MB.
    func keptBytes(after bytes: Int) -> Int {
        codecs.count * 48 * 1024 + (codecs.contains { !($0 is InflateCodec) } ? min(16 << 20, bytes) : 0)
    }

    /// Consumes the front of `input` and fills `room`. Returns the number of filled bytes; 0 means that more input is needed.
    func read(_ input: inout UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer) throws(Failure) -> Int {
        hasInput = hasInput || !input.isEmpty
        return try read(codecs.count - 1, &input, into: room)
    }

    private func read(
        _ index: Int, _ input: inout UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer
    ) throws(Failure) -> Int {
        guard index > 0 else { return try codecs[0].read(&input, into: room) }
        while true {
            if between[index].used == between[index].bytes.count {
                var block = [UInt8](repeating: 0, count: Self.blockBytes)
                let count = try read(index - 1, &input, &block)
                bytesLeftBetween -= count
                guard bytesLeftBetween >= 0 else { throw .malformed(coding: codings.joined(separator: ", ")) }
                block.removeLast(block.count - count)
                between[index] = (block, 0)
            }
            let (bytes, used) = between[index]
            var rest = used
            let count = try pull(codecs[index], bytes, &rest, into: room)
            between[index].used = rest
            if count > 0 || bytes.isEmpty { return count }
        }
    }

    private func read(_ index: Int, _ input: inout UnsafeRawBufferPointer, _ block: inout [UInt8]) throws(Failure)
        -> Int
    {
        let result = block.withUnsafeMutableBytes { room in
            Result { () throws(Failure) in try read(index, &input, into: room) }
        }
        return try result.get()
    }

    private func pull(
        _ codec: any ContentCodec, _ bytes: [UInt8], _ used: inout Int, into room: UnsafeMutableRawBufferPointer
    ) throws(Failure) -> Int {
        let result = bytes.withUnsafeBytes { whole in
            var rest = UnsafeRawBufferPointer(rebasing: whole[used...])
            defer { used = whole.count - rest.count }
            return Result { () throws(Failure) in try codec.read(&rest, into: room) }
        }
        return try result.get()
    }
}

/// One coding. It consumes the front of the input and returns the number of filled bytes.
private protocol ContentCodec: AnyObject {
    var hasEnded: Bool { get }
    func read(_ input: inout UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer) throws(ContentDecoder
        .Failure)
        -> Int
}

// MARK: - gzip and deflate

/// gzip (RFC 1952), also with several members, and deflate (RFC 1950), which some servers send without its wrapping (RFC 1951).
private final class InflateCodec: ContentCodec {
    enum Kind: String {
        case gzip, deflate
    }

    private let kind: Kind
    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    private var hasBegun = false
    private(set) var hasEnded = false

    init(_ kind: Kind) {
        self.kind = kind
        stream.initialize(to: z_stream())
    }

    deinit {
        if hasBegun { inflateEnd(stream) }
        stream.deallocate()
    }

    func read(
        _ input: inout UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer
    ) throws(ContentDecoder.Failure) -> Int {
        guard !room.isEmpty else { return 0 }
        if !hasBegun {
            guard let first = input.first else { return 0 }
            // RFC 1950 §2.2: method 8 in the low half, a window of at most 32 KiB in the high one.
            let isWrapped = first & 0x0F == 8 && first >> 4 <= 7
            let window: Int32 = kind == .gzip ? 31 : isWrapped ? 15 : -15
            guard pippin_inflateInit2(stream, window) == Z_OK else { throw .malformed(coding: kind.rawValue) }
            hasBegun = true
        }
        if hasEnded {
            // Another member, or garbage that some servers append.
            guard kind == .gzip, input.first == 0x1F, inflateReset(stream) == Z_OK else {
                input = UnsafeRawBufferPointer(start: nil, count: 0)
                return 0
            }
            hasEnded = false
        }
        let given = min(input.count, Int(UInt32.max))
        stream.pointee.next_in = UnsafeMutablePointer(mutating: input.bindMemory(to: UInt8.self).baseAddress)
        stream.pointee.avail_in = UInt32(given)
        stream.pointee.next_out = room.bindMemory(to: UInt8.self).baseAddress
        stream.pointee.avail_out = UInt32(clamping: room.count)
        let code = inflate(stream, Z_NO_FLUSH)
        input = UnsafeRawBufferPointer(rebasing: input[(given - Int(stream.pointee.avail_in))...])
        let filled = min(room.count, Int(UInt32.max)) - Int(stream.pointee.avail_out)
        switch code {
        case Z_OK, Z_BUF_ERROR: break
        case Z_STREAM_END: hasEnded = true
        default: throw .malformed(coding: kind.rawValue)
        }
        // The next member is in the same input.
        if filled == 0, hasEnded, !input.isEmpty { return try read(&input, into: room) }
        return filled
    }
}

// MARK: - Brotli and Zstandard

/// A function of a library that libcurl has loaded.
private func loaded<Function>(_ name: String, as type: Function.Type) -> Function? {
    pippin_curl_symbol(name).map { unsafeBitCast($0, to: type) }
}

/// Brotli (RFC 7932). Its window has at most 16 MB, and never more than the output.
private final class BrotliCodec: ContentCodec {
    private struct Library {
        typealias Create = @convention(c) (OpaquePointer?, OpaquePointer?, UnsafeMutableRawPointer?) -> OpaquePointer?
        typealias Decode =
            @convention(c) (
                OpaquePointer, UnsafeMutablePointer<Int>, UnsafeMutablePointer<UnsafePointer<UInt8>?>,
                UnsafeMutablePointer<Int>, UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>,
                UnsafeMutablePointer<Int>?
            ) -> Int32
        typealias Destroy = @convention(c) (OpaquePointer) -> Void

        let create: Create
        let decode: Decode
        let destroy: Destroy
    }

    private static let library: Library? = {
        guard let create = loaded("BrotliDecoderCreateInstance", as: Library.Create.self),
            let decode = loaded("BrotliDecoderDecompressStream", as: Library.Decode.self),
            let destroy = loaded("BrotliDecoderDestroyInstance", as: Library.Destroy.self)
        else { return nil }
        return Library(create: create, decode: decode, destroy: destroy)
    }()

    static var isThere: Bool { library != nil }

    private let library: Library
    private let state: OpaquePointer
    private(set) var hasEnded = false

    init?() {
        guard let library = Self.library, let state = library.create(nil, nil, nil) else { return nil }
        self.library = library
        self.state = state
    }

    deinit { library.destroy(state) }

    func read(
        _ input: inout UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer
    ) throws(ContentDecoder.Failure) -> Int {
        if hasEnded { input = UnsafeRawBufferPointer(start: nil, count: 0) }
        guard !room.isEmpty, !hasEnded else { return 0 }
        var given = input.count
        var next = input.bindMemory(to: UInt8.self).baseAddress
        var free = room.count
        var target = room.bindMemory(to: UInt8.self).baseAddress
        // decode.h: 0 is an error, 1 the end, 2 and 3 ask for more input and more room.
        let code = library.decode(state, &given, &next, &free, &target, nil)
        input = UnsafeRawBufferPointer(rebasing: input[(input.count - given)...])
        guard code != 0 else { throw .malformed(coding: "br") }
        hasEnded = code == 1
        return room.count - free
    }
}

/// Zstandard (RFC 8878). As a content coding, its window has at most 8 MB (RFC 9659 §3).
private final class ZstandardCodec: ContentCodec {
    private struct Library {
        typealias Create = @convention(c) () -> OpaquePointer?
        typealias Set = @convention(c) (OpaquePointer, Int32, Int32) -> Int
        typealias Decode =
            @convention(c) (
                OpaquePointer, UnsafeMutablePointer<pippin_zstd_room>, UnsafeMutablePointer<pippin_zstd_input>
            ) -> Int
        typealias IsError = @convention(c) (Int) -> UInt32
        typealias Destroy = @convention(c) (OpaquePointer) -> Int

        let create: Create
        let set: Set
        let decode: Decode
        let isError: IsError
        let destroy: Destroy
    }

    private static let library: Library? = {
        guard let create = loaded("ZSTD_createDStream", as: Library.Create.self),
            let set = loaded("ZSTD_DCtx_setParameter", as: Library.Set.self),
            let decode = loaded("ZSTD_decompressStream", as: Library.Decode.self),
            let isError = loaded("ZSTD_isError", as: Library.IsError.self),
            let destroy = loaded("ZSTD_freeDStream", as: Library.Destroy.self)
        else { return nil }
        return Library(create: create, set: set, decode: decode, isError: isError, destroy: destroy)
    }()

    static var isThere: Bool { library != nil }

    private let library: Library
    private let state: OpaquePointer
    private(set) var hasEnded = false

    init?() {
        guard let library = Self.library, let state = library.create() else { return nil }
        self.library = library
        self.state = state
        // ZSTD_d_windowLogMax (100) to 2^23.
        _ = library.set(state, 100, 23)
    }

    deinit { _ = library.destroy(state) }

    func read(
        _ input: inout UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer
    ) throws(ContentDecoder.Failure) -> Int {
        guard !room.isEmpty else { return 0 }
        var source = pippin_zstd_input(bytes: input.baseAddress, size: input.count, position: 0)
        var target = pippin_zstd_room(bytes: room.baseAddress, size: room.count, position: 0)
        let code = library.decode(state, &target, &source)
        input = UnsafeRawBufferPointer(rebasing: input[source.position...])
        guard library.isError(code) == 0 else { throw .malformed(coding: "zstd") }
        // 0 is the end of a frame; a further call without input would ask for the next one.
        if source.position > 0 || target.position > 0 { hasEnded = code == 0 }
        return target.position
    }
}
