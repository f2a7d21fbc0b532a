/// Several sinks that all get everything, in their order.
public struct RecordSinks: RecordSink {
    private let sinks: [any RecordSink]

    public init(_ sinks: [any RecordSink]) { self.sinks = sinks }

    public func write(_ changes: [RecordChange]) async throws {
        for sink in sinks { try await sink.write(changes) }
    }

    /// Every sink is flushed, whatever becomes of those before it.
    public func flush() async throws {
        var troubles = Troubles()
        for sink in sinks { await troubles.attempt { try await sink.flush() } }
        try troubles.raise()
    }
}
