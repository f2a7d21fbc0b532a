import PippinCrawl

/// The lines of a worker's input, one after another.
struct InputLines {
    /// The number of the last line, from 1; 0 before the first.
    private(set) var number = 0
    private var buffer: [UInt8] = []
    private var start = 0
    /// From here on no line end was found yet.
    private var search = 0
    private let nextPiece: () -> ArraySlice<UInt8>?

    /// - Parameter nextPiece: reads more; nil at the end. It waits as long as that takes.
    init(_ nextPiece: @escaping () -> ArraySlice<UInt8>?) { self.nextPiece = nextPiece }

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

    /// The next line, without its end; nil at the end of the input. What comes without a line end is no line.
    ///
    /// - Throws: `WorkerProtocolError` for a line that is too long.
    mutating func next() throws(WorkerProtocolError) -> ArraySlice<UInt8>? {
        while true {
            let end = lineEnd
            guard (end ?? buffer.count) - start <= WorkerMessage.maximumLineBytes else {
                throw WorkerProtocolError(
                    line: number + 1, problem: "is longer than \(WorkerMessage.maximumLineBytes) bytes")
            }
            if let end {
                number += 1
                defer { (start, search) = (end + 1, end + 1) }
                return buffer[start..<end]
            }
            guard let piece = nextPiece() else { return nil }
            buffer.removeFirst(start)
            search -= start
            start = 0
            buffer += piece
        }
    }
}
