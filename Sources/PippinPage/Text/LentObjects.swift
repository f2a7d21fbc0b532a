import Synchronization

/// Lends objects that serve one caller at a time, and that take longer to open than most work with them does.
final class LentObjects<Object>: Sendable {
    // @unchecked because whoever takes it out of the list is the only one to have it.
    private struct Lent: @unchecked Sendable {
        let object: Object
    }

    /// So many are kept open.
    private static var maximum: Int { 16 }

    private let free = Mutex<[Lent]>([])
    private let open: @Sendable () -> Object

    init(_ open: @escaping @Sendable () -> Object) { self.open = open }

    func with<Value>(_ body: (Object) throws -> Value) rethrows -> Value {
        let lent = free.withLock { $0.popLast() } ?? Lent(object: open())
        defer { free.withLock { if $0.count < Self.maximum { $0.append(lent) } } }
        return try body(lent.object)
    }
}
