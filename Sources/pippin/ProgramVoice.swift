import Foundation
import Logging
import PippinCrawl

/// How the program speaks on standard error: in lines for people, or in JSON, one object a line and nothing else.
struct ProgramVoice: Sendable {
    private let messages: CrawlConfiguration.Messages

    init(_ messages: CrawlConfiguration.Messages = CrawlConfiguration.Messages()) {
        self.messages = messages
    }

    var speaksJSON: Bool { messages.format == .json }

    /// For messages that depend on the level.
    var logger: Logger {
        var logger = Logger(label: "pippin") { label in
            speaksJSON ? Self.jsonHandler(label) : StreamLogHandler(label: label, stream: StandardErrorStream())
        }
        logger.logLevel =
            switch messages.level {
            case .debug: .debug
            case .info: .info
            case .notice: .notice
            case .warning: .warning
            case .error: .error
            }
        return logger
    }

    /// Something that is told whatever the level.
    func say(_ text: String, level: Logger.Level = .notice, metadata: Logger.Metadata = [:]) {
        guard speaksJSON else { return writeError(text) }
        Logger(label: "pippin", factory: Self.jsonHandler).log(level: level, "\(text)", metadata: metadata)
    }

    private static func jsonHandler(_ label: String) -> any LogHandler {
        JSONLogHandler(label: label) { StandardError.write(String(decoding: $0, as: UTF8.self)) }
    }
}
