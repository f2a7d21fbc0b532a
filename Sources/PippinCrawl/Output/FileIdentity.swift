import Glibc

/// Which file a name or a descriptor stands for. Two are equal as long as no other file has taken the name.
///
/// The number of a file that nobody has open any more may at once be that of the next one.
public struct FileIdentity: Sendable, Hashable {
    private let device: UInt64
    private let node: UInt64

    /// That of a file whose status is known.
    public init(_ status: stat) { (device, node) = (UInt64(status.st_dev), UInt64(status.st_ino)) }

    /// That of the file that has a name; nil if none has.
    public init?(of path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// That of an open file; nil if the descriptor is none.
    public init?(of descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }
}
