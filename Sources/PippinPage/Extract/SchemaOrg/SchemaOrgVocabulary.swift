/// Recognizes schema.org's address in all spellings of real pages.
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

    /// The name an item's type or property goes by, for an IRI that a context made: an address of schema.org written
    /// without scheme ends up behind schema.org's address.
    static func itemName(of iri: String) -> String {
        guard let name = bareName(of: iri), !name.isEmpty else { return iri }
        return shortened(name)
    }

    /// Whether a JSON-LD context or an RDFa vocabulary is schema.org's.
    static func isVocabulary(_ address: String) -> Bool {
        guard let name = bareName(of: address.trimmingHTMLSpace()) else { return false }
        return name.isEmpty || name == "docs/jsonldcontext.jsonld" || name == "docs/jsonldcontext.json"
            || name == "version/latest/schemaorg-current-https.jsonld"
    }

    /// Terms whose text is an address in schema.org's JSON-LD context.
    static let addressTerms: Set<String> = [
        "acquireLicensePage", "actionableFeedbackPolicy", "afterMedia", "archivedAt", "associatedDisease",
        "beforeMedia", "benefitsSummaryUrl", "codeRepository", "colleague", "colorSwatch",
        "constraintProperty", "contentUrl", "correctionsPolicy", "discussionUrl", "diseasePreventionInfo",
        "diseaseSpreadStatistics", "diversityPolicy", "diversityStaffingReport", "documentation",
        "downloadUrl", "duringMedia", "embedUrl", "ethicsPolicy", "gameLocation", "gettingTestedInfo",
        "hasGS1DigitalLink", "hasMap", "hasMolecularFunction", "healthPlanMarketingUrl", "image", "inCodeSet",
        "inDefinedTermSet", "installUrl", "isBasedOn", "isBasedOnUrl", "isInvolvedInBiologicalProcess",
        "isLocatedInSubcellularLocation", "isPartOf", "labelDetails", "layoutImage", "license", "logo",
        "mainEntityOfPage", "map", "maps", "masthead", "merchantReturnLink",
        "missionCoveragePrioritiesPolicy", "newsUpdatesAndGuidelines", "noBylinesPolicy", "originalMediaLink",
        "paymentUrl", "prescribingInfo", "productReturnLink", "publicTransportClosuresInfo",
        "publishingPrinciples", "quarantineGuidelines", "relatedLink", "replyToUrl", "sameAs",
        "schoolClosuresInfo", "screenshot", "sdLicense", "season", "serviceUrl", "shippingSettingsLink",
        "significantLink", "significantLinks", "speakable", "target", "targetUrl", "thumbnailUrl",
        "tourBookingPage", "trackingUrl", "travelBans", "unnamedSourcesPolicy", "url", "usageInfo",
        "verificationFactCheckingPolicy", "webFeed",
    ]

    /// Terms whose text is a date in schema.org's JSON-LD context.
    static let dateTerms: Set<String> = [
        "applicationDeadline", "applicationStartDate", "auditDate", "availabilityEnds", "availabilityStarts",
        "birthDate", "commentTime", "dateCreated", "dateDeleted", "dateIssued", "dateModified", "datePosted",
        "datePublished", "dateRead", "dateVehicleFirstRegistered", "deathDate", "dissolutionDate", "endDate",
        "exceptDate", "expectedArrivalFrom", "expectedArrivalUntil", "expires", "foundingDate",
        "guidelineDate", "lastReviewed", "legislationDate", "legislationDateVersion", "merchantReturnDays",
        "modelDate", "orderDate", "paymentDueDate", "previousStartDate", "priceValidUntil", "productionDate",
        "purchaseDate", "releaseDate", "scheduledPaymentDate", "scheduledTime", "sdDatePublished",
        "startDate", "uploadDate", "validFrom", "validThrough", "validUntil", "vehicleModelDate",
    ]

    /// The address terms whose values are pages and files, not described things: a `url` stays an address even if it equals another
    /// node's identifier.
    static let plainAddressTerms: Set<String> = [
        "acquireLicensePage", "codeRepository", "contentUrl", "discussionUrl", "downloadUrl", "embedUrl", "hasMap",
        "installUrl", "isBasedOnUrl", "map", "maps", "paymentUrl", "relatedLink", "replyToUrl", "sameAs", "serviceUrl",
        "significantLink", "significantLinks", "targetUrl", "thumbnailUrl", "tourBookingPage", "trackingUrl", "url",
    ]
}

extension Substring.UTF8View {
    /// Removes an ASCII prefix in any letter case; `prefix` must be lower case.
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
