/// The address of schema.org in all the ways pages spell it.
enum SchemaOrgVocabulary {
    static let address = "http://schema.org/"

    /// `Recipe` for `http://schema.org/Recipe`, `https://www.schema.org/Recipe/`, `//schema.org/Recipe`,
    /// `schema.org/Recipe`, `schema:Recipe`; empty for the vocabulary itself; nil for what is not schema.org's.
    static func bareName(of iri: String) -> String? {
        var utf8 = Substring(iri).utf8
        if utf8.drop(prefix: "schema:") { return String(Substring(utf8)) }
        if !utf8.drop(prefix: "http://") && !utf8.drop(prefix: "https://") { _ = utf8.drop(prefix: "//") }
        _ = utf8.drop(prefix: "www.")
        guard utf8.drop(prefix: "schema.org") else { return nil }
        if utf8.isEmpty { return "" }
        guard utf8.first == UInt8(ascii: "/") || utf8.first == UInt8(ascii: "#") else { return nil }
        while let first = utf8.first, first == UInt8(ascii: "/") || first == UInt8(ascii: "#") { utf8.removeFirst() }
        while utf8.last == UInt8(ascii: "/") { utf8.removeLast() }
        return String(Substring(utf8))
    }

    /// Whether an address of schema.org is written as schema.org itself writes it; both schemes are right.
    static func isSpelledOut(_ address: String) -> Bool {
        address.hasPrefix(Self.address) || address.hasPrefix("https://schema.org/")
    }

    /// Bare for schema.org, as it is for all others.
    static func shortened(_ iri: String) -> String {
        if let name = bareName(of: iri), !name.isEmpty { return name }
        return iri
    }

    /// Whether a JSON-LD context or an RDFa vocabulary is schema.org's.
    static func isVocabulary(_ address: String) -> Bool {
        guard let name = bareName(of: address.trimmingHTMLSpace()) else { return false }
        return name.isEmpty || name == "docs/jsonldcontext.jsonld" || name == "docs/jsonldcontext.json"
            || name == "version/latest/schemaorg-current-https.jsonld"
    }

    /// Terms whose text schema.org's own JSON-LD context reads as an address.
    static let addressTerms: Set<String> = [
        "acquireLicensePage", "actionableFeedbackPolicy", "additionalType", "codeRepository", "contentUrl",
        "correctionsPolicy", "discussionUrl", "diversityPolicy", "documentation", "downloadUrl", "embedUrl",
        "ethicsPolicy", "hasMap", "hasMenu", "image", "installUrl", "isBasedOn", "isBasedOnUrl", "isPartOf", "license",
        "logo", "mainEntityOfPage", "map", "maps", "masthead", "menu", "paymentUrl", "primaryImageOfPage",
        "publishingPrinciples", "relatedLink", "releaseNotes", "replyToUrl", "sameAs", "screenshot", "serviceUrl",
        "significantLink", "significantLinks", "target", "targetUrl", "thumbnailUrl", "tourBookingPage", "trackingUrl",
        "unnamedSourcesPolicy", "url", "verificationFactCheckingPolicy",
    ]
}

extension Substring.UTF8View {
    /// Drops an ASCII prefix, letter case aside; `prefix` must be lower case.
    fileprivate mutating func drop(prefix: StaticString) -> Bool {
        var i = startIndex
        for offset in 0..<prefix.utf8CodeUnitCount {
            guard i < endIndex else { return false }
            let byte = self[i]
            let lower = byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
            if lower != prefix.utf8Start[offset] { return false }
            formIndex(after: &i)
        }
        self = self[i...]
        return true
    }
}
