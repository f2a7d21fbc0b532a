import Glibc
import PippinCrawl

/// What a file is at a moment. Where it is still the same, there is nothing new to read.
public struct FileState: Sendable, Equatable {
    /// Equal as long as no other file has taken the name.
    let identity: FileIdentity
    private let bytes: Int
    private let seconds: Int
    private let nanoseconds: Int
    private let lookedAt: Int

    /// Looks at a file; nil if there is none.
    public init?(of path: String) {
        let now = time(nil)
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        identity = FileIdentity(status)
        (bytes, lookedAt) = (Int(status.st_size), now)
        (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
    }

    public static func == (one: FileState, two: FileState) -> Bool {
        one.identity == two.identity && one.bytes == two.bytes && one.seconds == two.seconds
            && one.nanoseconds == two.nanoseconds
    }

    /// Whether the last change is so long ago that another one would have another time. File systems count it in steps of up to two
    /// seconds.
    public var isSettled: Bool { seconds + 2 < lookedAt }
}
