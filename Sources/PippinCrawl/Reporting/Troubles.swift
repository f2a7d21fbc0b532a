/// What goes wrong while several things are brought to an end: each is attempted, whatever becomes of the others. The first
/// error counts, and those after it are told.
public struct Troubles: Sendable {
    /// Several errors, in their order.
    public struct Several: Error, CustomStringConvertible {
        public let first: any Error
        public let further: [any Error]

        public var description: String { ([first] + further).map { "\($0)" }.joined(separator: "; ") }
    }

    private var errors: [any Error] = []

    public init() {}

    public var isEmpty: Bool { errors.isEmpty }

    public mutating func note(_ error: any Error) {
        if let several = error as? Several {
            for error in [several.first] + several.further { note(error) }
            return
        }
        // One trouble that several steps meet is told once.
        guard !errors.contains(where: { "\($0)" == "\(error)" }) else { return }
        errors.append(error)
    }

    /// - Returns: what the step gives; nil when it failed.
    @discardableResult
    public mutating func attempt<Value>(
        isolation: isolated (any Actor)? = #isolation, _ step: () async throws -> Value
    ) async -> Value? {
        do {
            return try await step()
        } catch {
            note(error)
            return nil
        }
    }

    /// Throws what was noted: one error as it is, several as `Several`.
    public func raise() throws {
        // That something was stopped, or that nobody reads on, says less than what went wrong.
        let faults = errors.filter { !Self.isEnding($0) }
        let told = faults.isEmpty ? Array(errors.prefix(1)) : faults
        guard let first = told.first else { return }
        throw told.count == 1 ? first : Several(first: first, further: Array(told.dropFirst()))
    }

    private static func isEnding(_ error: any Error) -> Bool {
        if let error = error as? NDJSONSink.WriteError { return error.isClosedPipe || error.wasGivenUp }
        return error is CancellationError
    }
}
