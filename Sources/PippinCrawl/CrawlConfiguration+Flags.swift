import PippinPage

extension CrawlConfiguration {
    /// Takes one value from a flag of the command line, read by the same rules as in the file.
    ///
    /// - Parameters:
    ///   - key: path of the key, `politeness.delay`.
    ///   - flag: how the operator wrote it, for messages: `--delay`.
    /// - Throws: `ConfigurationError` with the flag in place of a file.
    public mutating func take<Value>(
        _ field: WritableKeyPath<CrawlConfiguration, Value>, key: String, value: String, flag: String
    ) throws {
        let section = try ConfigurationSection(flag: flag, path: key, value: value, known: Self.keys)
        self[keyPath: field] = try CrawlConfiguration(section)[keyPath: field]
    }
}
