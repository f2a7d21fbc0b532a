/// Collects errors while several steps are completed. Each step is tried even if an earlier one fails. The first error counts;
/// later ones are reported with it.
public struct Troubles: Sendable {
    /// Several errors, in order.
    public struct Several: Error, CustomStringConvertible {
        /// The first error.
        public let first: any Error
        /// The other errors, in order.
        public let further: [any Error]

        public var description: String { ([first] + further).map { "\($0)" }.joined(separator: "; ") }
    }

    private var errors: [any Error] = []

    /// Starts without errors.
    public init() {}

    /// Whether no error was noted.
    public var isEmpty: Bool { errors.isEmpty }

    /// Notes an error.
    public mutating func note(_ error: any Error) {
        if let several = error as? Several {
            for error in [several.first] + several.further { note(error) }
            return
        }
        // If several steps fail for the same reason, it is reported once.
        guard !errors.contains(where: { "\($0)" == "\(error)" }) else { return }
        errors.append(error)
    }

    /// Runs a step and notes its error.
    ///
    /// - Returns: the step's result; nil if it failed.
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

    /// Throws the noted errors: a single one as it is, several as `Several`.
    public func raise() throws {
        // Real faults matter more than a stopped run or a reader that went away, so those are only reported if there is nothing
        // else.
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
