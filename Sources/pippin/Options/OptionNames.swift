import ArgumentParser

/// The names of options that many commands have. The same letter means the same everywhere.
extension NameSpecification {
    static let config: NameSpecification = [.customLong("config"), .customShort("c")]
    static let format: NameSpecification = [.customLong("format"), .customShort("f")]
    static let json: NameSpecification = [.customLong("json"), .customShort("j")]
    static let limit: NameSpecification = [.customLong("limit"), .customShort("l")]
    static let maximumPages: NameSpecification = [.customLong("max-pages"), .customShort("n")]
    static let out: NameSpecification = [.customLong("out"), .customShort("o")]
    static let quiet: NameSpecification = [.customLong("quiet"), .customShort("q")]
    static let report: NameSpecification = [.customLong("report"), .customShort("r")]
    static let storage: NameSpecification = [.customLong("storage"), .customShort("s")]
    static let url: NameSpecification = [.customLong("url"), .customShort("u")]
}
