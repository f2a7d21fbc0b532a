import PippinCrawl
import PippinStore

/// Keeps what decides which URLs the job takes until its file of seeds changes: a job may have millions of them, and a question is about one
/// URL. The configuration stays the same as long as the server runs.
actor KnownScopeKeeper {
    private var kept: (scope: Result<URLAnswer.KnownScope, any Error>, file: FileState)?
    private var reading: Task<URLAnswer.KnownScope, any Error>?

    /// The scope now. However many ask at once, the file is read once.
    ///
    /// - Throws: `ConfigurationError` if the seeds cannot be read.
    func current(_ context: WebContext) async throws -> URLAnswer.KnownScope {
        if let reading { return try await reading.value }
        let configuration = context.settings.configuration
        let file = FileState(of: configuration.seedsPath)
        if let kept, kept.file == file { return try kept.scope.get() }
        let task = Task {
            try await context.blocking {
                URLAnswer.KnownScope(configuration, seeds: try Seeds.read(contentsOf: configuration.seedsPath))
            }
        }
        reading = task
        defer { reading = nil }
        let scope = await task.result
        // A file that has just changed may change again without another time.
        kept = nil
        if let file, file.isSettled { kept = (scope, file) }
        return try scope.get()
    }
}
