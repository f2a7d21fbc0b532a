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
        let parts = key.split(separator: ".", maxSplits: 1)
        guard parts.count == 2 else { preconditionFailure("a key has a section: \(key)") }
        // Quotes and YAML's own characters have no place in any value that a flag takes.
        guard value.unicodeScalars.allSatisfy({ $0.value > 0x20 && !"'\"\\{}[],#&*!|>%`".unicodeScalars.contains($0) }),
            !value.isEmpty
        else {
            throw ConfigurationError(file: flag, key: key, problem: "\"\(value)\" is no value for it")
        }
        self[keyPath: field] = try CrawlConfiguration(yaml: "\(parts[0]):\n  \(parts[1]): \(value)\n", file: flag)[
            keyPath: field]
    }
}
