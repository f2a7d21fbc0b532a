/// Several sinks that all get everything, in their order.
public struct RecordSinks: RecordSink {
    private let sinks: [any RecordSink]

    public init(_ sinks: [any RecordSink]) { self.sinks = sinks }

    public func write(_ changes: [RecordChange]) async throws {
        for sink in sinks { try await sink.write(changes) }
    }

    public func flush() async throws {
        for sink in sinks { try await sink.flush() }
    }
}
