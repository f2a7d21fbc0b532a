import Foundation
import Logging
import PippinPage

/// Writes messages of the program as JSON, one object per line: `time`, `level`, `label`, `message`, and `metadata` if there is
/// any.
public struct JSONLogHandler: LogHandler {
    public var metadata: Logger.Metadata = [:]
    public var metadataProvider: Logger.MetadataProvider?
    public var logLevel = Logger.Level.info
    private let label: String
    private let write: @Sendable ([UInt8]) -> Void
    private let date: @Sendable () -> Date

    /// Creates a handler.
    ///
    /// - Parameter write: receives a whole line, including the line feed.
    public init(
        label: String, date: @escaping @Sendable () -> Date = { Date() },
        write: @escaping @Sendable ([UInt8]) -> Void
    ) {
        self.label = label
        self.date = date
        self.write = write
    }

    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    public func log(event: LogEvent) {
        var all = metadataProvider?.get() ?? [:]
        all.merge(metadata) { $1 }
        all.merge(event.metadata ?? [:]) { $1 }
        if let error = event.error { all["error"] = "\(error)" }
        var writer = JSONWriter(reservingBytes: 256)
        writer.beginObject()
        writer.member("time", CrawlLogEntry.text(of: date()))
        writer.member("level", event.level.rawValue)
        writer.member("label", label)
        writer.member("message", event.message.description)
        if !all.isEmpty {
            writer.key("metadata")
            Self.write(.dictionary(all), to: &writer)
        }
        writer.endObject()
        writer.endLine()
        write(writer.bytes)
    }

    private static func write(_ value: Logger.Metadata.Value, to writer: inout JSONWriter) {
        switch value {
        case .string(let text): writer.string(text)
        case .stringConvertible(let value as Int): writer.integer(value)
        case .stringConvertible(let value as Double): writer.double(value)
        case .stringConvertible(let value): writer.string("\(value)")
        case .array(let values):
            writer.beginArray()
            for value in values { write(value, to: &writer) }
            writer.endArray()
        case .dictionary(let members):
            writer.beginObject()
            for (key, value) in members.sorted(by: { $0.key < $1.key }) {
                writer.key(key)
                write(value, to: &writer)
            }
            writer.endObject()
        }
    }
}
