import Glibc

/// What a file is at a moment. Where it is still the same, there is nothing new to read.
public struct FileState: Sendable, Equatable {
    struct Identity: Equatable {
        let device: UInt64
        let node: UInt64

        init(_ status: stat) { (device, node) = (UInt64(status.st_dev), UInt64(status.st_ino)) }

        /// That of the file that has a name; nil if none has.
        init?(of path: String) {
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            self.init(status)
        }

        /// That of an open file; nil if the descriptor is none.
        init?(of descriptor: Int32) {
            var status = stat()
            guard fstat(descriptor, &status) == 0 else { return nil }
            self.init(status)
        }
    }

    /// Equal as long as no other file has taken the name.
    let identity: Identity
    private let bytes: Int
    private let seconds: Int
    private let nanoseconds: Int
    private let lookedAt: Int

    /// Looks at a file; nil if there is none.
    public init?(of path: String) {
        let now = time(nil)
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        identity = Identity(status)
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
