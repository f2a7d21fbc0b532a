extension SchemaOrg {
    /// Whether the vocabulary has the property.
    public static func isKnownProperty(_ name: String) -> Bool { propertyDomains[name] != nil }

    /// Types that a property is made for, sorted; what is below them has it too.
    public static func domains(of property: String) -> [String] { propertyDomains[property] ?? [] }

    /// Whether an item of these types, all known, may have the property.
    public static func isExpected(_ property: String, on types: [String]) -> Bool {
        guard let domains = propertyDomains[property] else { return false }
        return types.contains { type in domains.contains { isKind(type, of: $0) } }
    }

    /// Names of all properties of the vocabulary.
    public static var knownProperties: some Collection<String> { propertyDomains.keys }

    /// Only reports ask: the table is read when the first one does.
    private static let propertyDomains: [String: [String]] = {
        var result: [String: [String]] = [:]
        for (type, properties) in entries(of: domains) {
            for property in properties where result[String(property)]?.last != type {
                result[String(property), default: []].append(type)
            }
        }
        return result
    }()
}
