/// Recognizes schema.org's address in all spellings found on real pages.
enum SchemaOrgVocabulary {
    static let address = "http://schema.org/"

    /// The bare name: `Recipe` for `http://schema.org/Recipe`, `https://www.schema.org/Recipe/`, `//schema.org/Recipe`,
    /// `schema.org/Recipe`, `schema:Recipe`. Empty for the vocabulary itself; nil for other vocabularies.
    static func bareName(of iri: String) -> String? {
        var iri = iri
        return iri.withUTF8 { utf8 in
            var rest = utf8[...]
            if rest.removePrefix("schema:") { return String(decoding: rest, as: UTF8.self) }
            if !rest.removePrefix("http://") && !rest.removePrefix("https://") { _ = rest.removePrefix("//") }
            _ = rest.removePrefix("www.")
            guard rest.removePrefix("schema.org") else { return nil }
            if rest.isEmpty { return "" }
            guard rest.first == UInt8(ascii: "/") || rest.first == UInt8(ascii: "#") else { return nil }
            while let first = rest.first, first == UInt8(ascii: "/") || first == UInt8(ascii: "#") {
                rest.removeFirst()
            }
            while rest.last == UInt8(ascii: "/") { rest.removeLast() }
            return String(decoding: rest, as: UTF8.self)
        }
    }

    /// Whether an address is spelled as schema.org itself spells it. Both http and https are right.
    static func isSpelledOut(_ address: String) -> Bool {
        address.hasPrefix(Self.address) || address.hasPrefix("https://schema.org/")
    }

    /// The bare name for schema.org; other IRIs unchanged.
    static func shortened(_ iri: String) -> String {
        if let name = bareName(of: iri), !name.isEmpty { return name }
        return iri
    }

    /// The name of an item's type or property for an IRI that a context made. An address of schema.org without a scheme has
    /// schema.org's address before it, which is removed.
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

    /// The terms whose values are addresses in schema.org's JSON-LD context.
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

    /// The terms whose values are dates in schema.org's JSON-LD context.
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

    /// The address terms whose values are pages and files, not described things. A `url` stays an address even if it equals
    /// another node's identifier.
    static let plainAddressTerms: Set<String> = [
        "acquireLicensePage", "codeRepository", "contentUrl", "discussionUrl", "downloadUrl", "embedUrl", "hasMap",
        "installUrl", "isBasedOnUrl", "map", "maps", "paymentUrl", "relatedLink", "replyToUrl", "sameAs", "serviceUrl",
        "significantLink", "significantLinks", "targetUrl", "thumbnailUrl", "tourBookingPage", "trackingUrl", "url",
    ]
}

extension Slice<UnsafeBufferPointer<UInt8>> {
    /// Removes an ASCII prefix in any letter case; `prefix` must be lower case.
    fileprivate mutating func removePrefix(_ prefix: StaticString) -> Bool {
        guard count >= prefix.utf8CodeUnitCount else { return false }
        for offset in 0..<prefix.utf8CodeUnitCount {
            let byte = self[startIndex + offset]
            let lower = byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
            if lower != prefix.utf8Start[offset] { return false }
        }
        removeFirst(prefix.utf8CodeUnitCount)
        return true
    }
}
