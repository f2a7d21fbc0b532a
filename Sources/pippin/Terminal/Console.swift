import ArgumentParser
import Foundation
import Logging
import PippinCrawl

/// The program's messages on standard error: lines for people, or JSON, with one object per line and nothing else.
struct Console: Sendable {
    private let messages: CrawlConfiguration.Messages

    init(_ messages: CrawlConfiguration.Messages = CrawlConfiguration.Messages()) {
        self.messages = messages
    }

    var speaksJSON: Bool { messages.format == .json }

    /// Logs messages that depend on the level.
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

    /// Writes a message at any level.
    func say(_ text: String, level: Logger.Level = .notice, metadata: Logger.Metadata = [:]) {
        guard speaksJSON else { return writeError(text) }
        Logger(label: "pippin", factory: Self.jsonHandler).log(level: level, "\(text)", metadata: metadata)
    }

    /// Runs a command's work. An error becomes a sentence on standard error and an exit status.
    ///
    /// - Throws: `ExitCode`, and the errors with which ArgumentParser ends a command (help, wrong usage).
    func reporting<Answer>(_ work: () async throws -> Answer) async throws -> Answer {
        do {
            return try await work()
        } catch  where error is ExitCode || NoArguments.exitCode(for: error) != .failure {
            throw error
        } catch let error as Troubles.Several {
            let status = report(error.first)
            for error in error.further { _ = report(error) }
            throw ExitCode(status)
        } catch {
            throw ExitCode(report(error))
        }
    }

    private func report(_ error: any Error) -> ExitStatus {
        switch error {
        case is CancellationError: return .interrupted
        // Foundation's errors about files get a sentence.
        case let error as CocoaError: return report(OutputError(error))
        default:
            let status = (error as? any ReportedError)?.exitStatus ?? .internalError
            if status != .done { say(speaksJSON ? "\(error)" : "pippin: \(error)", level: .error) }
            return status
        }
    }

    private static func jsonHandler(_ label: String) -> any LogHandler {
        JSONLogHandler(label: label) { StandardError.write(String(decoding: $0, as: UTF8.self)) }
    }
}

/// Stands for any command where the exit status of an error is asked for, which is the same for all.
private struct NoArguments: ParsableArguments {}

extension ExitCode {
    init(_ status: ExitStatus) { self.init(status.rawValue) }
}
