import Foundation

/// A pipe that is full from the beginning, and that nobody reads until a test does.
public final class FullPipe: Sendable {
    public let writeEnd: Int32
    private let readEnd: Int32

    public init() throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw POSIXError(.EMFILE) }
        (readEnd, writeEnd) = (ends[0], ends[1])
        let flags = fcntl(writeEnd, F_GETFL)
        _ = fcntl(writeEnd, F_SETFL, flags | O_NONBLOCK)
        let block = [UInt8](repeating: 0x20, count: 4096)
        while write(writeEnd, block, block.count) > 0 {}
        // Whoever writes meets a pipe as every shell gives it one.
        _ = fcntl(writeEnd, F_SETFL, flags)
    }

    /// Reads, on a thread of its own, what fills the pipe and then some lines.
    public func lines(_ count: Int) async -> [String] {
        await withCheckedContinuation { continuation in
            Thread { continuation.resume(returning: self.readLines(count)) }.start()
        }
    }

    private func readLines(_ count: Int) -> [String] {
        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 4096)
        while bytes.count(where: { $0 == 0x0A }) < count {
            let length = read(readEnd, &block, block.count)
            guard length > 0 else { break }
            bytes += block[..<length]
        }
        return String(decoding: bytes.drop { $0 == 0x20 }, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    deinit {
        close(readEnd)
        close(writeEnd)
    }
}
