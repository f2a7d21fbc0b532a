import Glibc
import Hummingbird
import NIOCore
import PippinCrawl
import ServiceLifecycle

/// A server that runs while something else needs it.
struct RunningServer: Sendable {
    let application: any ApplicationProtocol
    /// What is told if it cannot listen, by the reason.
    let trouble: @Sendable (_ reason: String) -> String

    /// Runs servers while `body` runs.
    ///
    /// - Throws: `ReportedFailure` if one cannot listen, and the errors of `body`.
    static func run<Answer: Sendable>(
        _ servers: [RunningServer], while body: @escaping @Sendable () async throws -> Answer
    ) async throws -> Answer {
        try await withThrowingTaskGroup(of: Answer?.self) { group in
            for server in servers {
                group.addTask {
                    try await server.run()
                    return nil
                }
            }
            group.addTask { try await body() }
            defer { group.cancelAll() }
            while let answer = try await group.next() {
                if let answer { return answer }
            }
            throw CancellationError()
        }
    }

    /// Runs until the task is cancelled, and then until the requests in flight are answered, for `WebLimits.patience` at most.
    private func run() async throws {
        var configuration = ServiceGroupConfiguration(services: [application], logger: application.logger)
        configuration.maximumGracefulShutdownDuration = WebLimits.patience
        let service = ServiceGroup(configuration: configuration)
        // No child of this task: if it is cancelled while connections have been accepted and not been looked at yet, these are
        // dropped as they are, which NIO takes for a mistake and ends the program.
        let running = Task { try await service.run() }
        do {
            try await withTaskCancellationHandler {
                try await running.value
            } onCancel: {
                Task { await service.triggerGracefulShutdown() }
            }
        } catch let error as IOError {
            throw ReportedFailure(trouble(String(cString: strerror(error.errnoCode))), .usage)
        } catch  where !(error is CancellationError) {
            // Such as a name that does not resolve.
            throw ReportedFailure(trouble("\(error)"), .usage)
        }
    }
}
