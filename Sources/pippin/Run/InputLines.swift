import Glibc
import PippinCrawl

/// The lines of a program's input, one after another.
struct InputLines {
    enum Line: Sendable {
        /// Without its end.
        case line(ArraySlice<UInt8>)
        /// It is longer than a line may be. Its rest is passed over.
        case tooLong
    }

    /// The number of the last line, from 1; 0 before the first.
    private(set) var number = 0
    private var buffer: [UInt8] = []
    private var start = 0
    /// From here on no line end was found yet.
    private var search = 0
    /// Whether what comes belongs to a line that was too long.
    private var isPassingOver = false
    private var hasEnded = false
    private let maximumBytes: Int
    private let endsLastLine: Bool
    private let nextPiece: () -> ArraySlice<UInt8>?

    /// - Parameters:
    ///   - maximumBytes: of a line.
    ///   - endsLastLine: whether the end of the input ends a line too. Otherwise what comes without a line end is no line: it may
    ///     be a part of one, whose writer is dead.
    ///   - nextPiece: reads more; nil at the end. It waits as long as that takes.
    init(
        maximumBytes: Int = WorkerMessage.maximumLineBytes, endsLastLine: Bool = false,
        _ nextPiece: @escaping () -> ArraySlice<UInt8>?
    ) {
        (self.maximumBytes, self.endsLastLine) = (maximumBytes, endsLastLine)
        self.nextPiece = nextPiece
    }

    /// Whether the next line has come.
    var hasLine: Bool {
        mutating get { lineEnd != nil }
    }

    private var lineEnd: Int? {
        mutating get {
            let end = buffer[search...].firstIndex(of: 0x0A)
            search = end ?? buffer.count
            return end
        }
    }

    /// The next line, without its end; nil at the end of the input.
    ///
    /// - Throws: `WorkerProtocolError` for a line that is too long.
    mutating func next() throws(WorkerProtocolError) -> ArraySlice<UInt8>? {
        switch nextLine() {
        case .line(let line): return line
        case .tooLong:
            throw WorkerProtocolError(line: number, problem: "is longer than \(maximumBytes) bytes")
        case nil: return nil
        }
    }

    /// The next line; nil at the end of the input. What is too long for a line is told even if it has no end.
    mutating func nextLine() -> Line? {
        while true {
            let end = lineEnd
            let isTooLong = (end ?? buffer.count) - start > maximumBytes
            if let end {
                defer { (start, search) = (end + 1, end + 1) }
                guard !isPassingOver else {
                    isPassingOver = false
                    continue
                }
                number += 1
                return isTooLong ? .tooLong : .line(buffer[start..<end])
            }
            if isPassingOver || isTooLong {
                (start, search) = (buffer.count, buffer.count)
                if !isPassingOver {
                    isPassingOver = true
                    number += 1
                    return .tooLong
                }
            }
            guard !hasEnded, let piece = nextPiece() else {
                hasEnded = true
                guard endsLastLine, start < buffer.count else { return nil }
                defer { (start, search) = (buffer.count, buffer.count) }
                number += 1
                return .line(buffer[start...])
            }
            buffer.removeFirst(start)
            search -= start
            start = 0
            buffer += piece
        }
    }

    /// The next bytes of a descriptor; nil at the end. An input that cannot be read has ended.
    static func piece(of descriptor: Int32) -> ArraySlice<UInt8>? {
        var piece = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = Glibc.read(descriptor, &piece, piece.count)
            if count > 0 { return piece[..<count] }
            if count == 0 || errno != EINTR { return nil }
        }
    }
}
