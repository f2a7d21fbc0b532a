import PippinPage

// Flags of the command line are values that are laid over the configuration; a flag that was not given changes nothing.
extension CrawlConfiguration {
    /// Takes a value as the operator wrote it, read by the same rules as in the file.
    ///
    /// - Parameters:
    ///   - key: path of the key, `politeness.delay`.
    ///   - flag: how the operator wrote it, for messages: `--delay`.
    /// - Throws: `ConfigurationError` with the flag in place of a file.
    public mutating func take<Value>(
        _ value: String?, over field: WritableKeyPath<CrawlConfiguration, Value>, key: String, flag: String
    ) throws {
        guard let value else { return }
        let section = try ConfigurationSection(flag: flag, path: key, value: value, known: Self.keys)
        self[keyPath: field] = try CrawlConfiguration(section)[keyPath: field]
    }

    public mutating func lay<Value>(_ value: Value?, over field: WritableKeyPath<CrawlConfiguration, Value>) {
        if let value { self[keyPath: field] = value }
    }

    public mutating func lay<Value>(_ value: Value?, over field: WritableKeyPath<CrawlConfiguration, Value?>) {
        if let value { self[keyPath: field] = value }
    }
}
