import Foundation
import PippinPage

/// A record as the index holds it: words by field, facets for filters, and signals for the order.
struct SearchDocument: Sendable {
    struct Flags: OptionSet, Sendable {
        let rawValue: Int64
        static let hasVerifiedLink = Flags(rawValue: 1)
        static let opensInApp = Flags(rawValue: 2)
        static let hasPrice = Flags(rawValue: 4)
    }

    let identifier: String
    /// The columns of the index: words of each field, then facets, without `titleTerms`.
    let columns: [String]
    /// `DocumentTerms.ofTitle`.
    let titleTerms: String
    /// `DocumentTerms.packed`: made here, beside other documents, as the writer works alone.
    let packedTerms: [UInt8]?
    /// Different words, stems and pairs of all fields, and the ends of compounds.
    let terms: Set<String>
    /// Words of each field. Of the title, those that are no stop words.
    let lengths: [Int]
    let host: Int64
    /// Primary subtag.
    let language: String?
    /// The types that the page says itself, those of words without spaces.
    let types: [String]
    /// The host without `www`.
    let site: String
    /// The lowest price of its offers, and their currency by ISO 4217.
    let price: Double?
    let currency: String?
    /// The names of the apps it has links into.
    let apps: [String]

    /// 0…1; nil without a link graph.
    let popularity: Double?
    /// How far the rating is above the mean of all, -1…1; nil without a rating.
    let rating: Double?
    /// Out of 5.
    let stars: Double?
    let interactions: Double
    let structuredData: Double
    let flags: Flags
    let signs: StuffingSigns
    /// When it was published, else changed, else when the event begins; days since 1970.
    let day: Int?
    /// The day after which it is over: it expires, or its event ends.
    let over: Int?

    var key: Int64 { Self.key(of: identifier) }
    var contents: Int64 { Int64(bitPattern: UInt64.storeHash(columns.joined(separator: "\n").utf8)) }

    static func key(of identifier: String) -> Int64 { Int64(bitPattern: UInt64.storeHash(identifier.utf8)) }

    /// How good the document is whatever is asked, 0…1.
    func quality(_ weights: SearchWeights) -> Double {
        Self.quality(
            popularity: popularity, rating: rating, interactions: interactions, structuredData: structuredData,
            flags: flags, signs: signs, weights)
    }

    func qualityStep(_ weights: SearchWeights) -> Int64 { Self.step(ofQuality: quality(weights)) }

    private static func quality(
        popularity: Double?, rating: Double?, interactions: Double, structuredData: Double, flags: Flags,
        signs: StuffingSigns, _ weights: SearchWeights
    ) -> Double {
        var quality = weights.qualityOfPopularity * (popularity ?? 0)
        quality += weights.qualityOfRating * max(0, rating ?? 0)
        quality += weights.qualityOfInteractions * interactions
        quality += weights.qualityOfStructuredData * structuredData
        if flags.contains(.hasVerifiedLink) { quality += weights.qualityOfVerifiedDeepLink }
        return min(1, max(0, quality * (1 - (1 - weights.stuffed) * signs.weight)))
    }

    private static func step(ofQuality quality: Double) -> Int64 {
        min(SearchSchema.qualitySteps - 1, Int64(quality * Double(SearchSchema.qualitySteps)))
    }

    /// The step of quality of a document in the index with another popularity; nil if its signals there, which are rounded, leave open which.
    static func qualityStep(of signals: SearchSignals, popularity: Double, _ weights: SearchWeights) -> Int64? {
        let quality = quality(
            popularity: popularity, rating: signals.rating, interactions: signals.interactions,
            structuredData: signals.structuredData, flags: signals.flags, signs: signals.signs, weights)
        // Half a thousandth each, and some more for the rounding of these numbers themselves.
        let error =
            0.00051
            * (weights.qualityOfRating + weights.qualityOfInteractions + weights.qualityOfStructuredData)
        let (least, most) = (step(ofQuality: max(0, quality - error)), step(ofQuality: min(1, quality + error)))
        return least == most ? least : nil
    }

    /// Reads a record's JSON, as the feed gives it, and the main text of its page if the storage keeps it.
    init(
        identifier: String, record: JSONValue, mainText: SearchedText? = nil, weights: SearchWeights,
        text analysis: SearchText
    ) {
        self.identifier = identifier
        let address = WebURL(record["url"]?.string ?? identifier) ?? WebURL(identifier)
        let hostName = address?.host ?? record["domainIdentifier"]?.string ?? ""
        site = SiteIdentity.withoutWWW(hostName)
        host = Int64(bitPattern: StoredChange.host(of: identifier))
        let tags = record.strings("languages")
        language = tags.first.map(SearchText.primaryLanguage)
        let stemLanguage = language ?? "en"

        // Words
        var fields = FieldWriter(analysis: analysis, language: stemLanguage)
        let title = record["title"]?.string ?? ""
        fields.add(title, to: .title)
        for name in record.strings("alternateNames") { fields.add(name, to: .names) }
        for key in ["authors", "artists"] {
            for person in record[key]?.array ?? [] { fields.add(person["name"]?.string, to: .names) }
        }
        fields.add(record["partOf"]?["name"]?.string, to: .names)
        fields.add(record["brand"]?.string, to: .names)
        fields.add(record["organization"]?["name"]?.string, to: .names)
        fields.add(record["event"]?["venue"]?.string, to: .names)
        let links = record["deepLinks"]?.array ?? []
        var apps: [String] = []
        for link in links {
            if let name = link["appName"]?.string, !apps.contains(name) { apps.append(name) }
        }
        for name in apps { fields.add(name, to: .names) }
        self.apps = Array(apps.filter { $0.utf8.count <= 80 && !$0.contains("\n") }.prefix(3))
        let keywords = record.strings("keywords")
        for keyword in keywords + record.strings("categories") { fields.add(keyword, to: .keywords) }
        let types = record.strings("types")
        self.types = Array(types.filter { !$0.contains(" ") && $0.utf8.count <= 80 }.prefix(5))
        for type in types where !Self.generalTypes.contains(type) {
            fields.add(Self.parts(ofType: type).joined(separator: " "), to: .keywords)
        }
        fields.add(record["containerTitle"]?.string, to: .site)
        fields.add(String(site.map { $0 == "." ? " " : $0 }), to: .site)
        let snippet = record["snippet"]?.string ?? ""
        fields.add(snippet, to: .snippet)
        let description = record["contentDescription"]?.string ?? ""
        // The snippet is often the beginning of the description.
        let beginning = snippet.hasSuffix("…") ? String(snippet.dropLast()) : snippet
        fields.add(
            !beginning.isEmpty && description.hasPrefix(beginning)
                ? String(description.dropFirst(beginning.count)) : description, to: .text)
        fields.add(mainText?.quotable, to: .text)
        fields.add(mainText?.unquotable, to: .text)
        for image in (record["images"]?.array ?? []).prefix(5) { fields.add(image["alt"]?.string, to: .text) }
        fields.add(record["event"]?["address"]?.string, to: .text)
        for part in [
            "streetAddress", "postalCode", "addressLocality", "addressRegion", "addressCountry",
            "fullyFormattedAddress",
        ] {
            fields.add(record["organization"]?["address"]?[part]?.string, to: .text)
        }
        if title.isEmpty, let path = address?.path { fields.add(path, to: .text) }

        // A page's own claim of its length does not count.
        let isCounted = record["provenance"]?["wordCount"]?.string == "main-text"
        let measures = StuffingMeasures(
            title: title, titleWords: fields.words[SearchField.title.rawValue],
            siteWords: analysis.words(of: record["containerTitle"]?.string ?? "", limit: 20).map(\.form),
            keywords: keywords.map { analysis.words(of: $0, limit: 20).map(\.form) },
            text: fields.words[SearchField.snippet.rawValue] + fields.words[SearchField.text.rawValue],
            hiddenWords: record["hiddenWords"]?.integer ?? 0, shownWords: isCounted ? record["wordCount"]?.integer : nil
        )
        signs = StuffingSigns(measures)

        // Signals
        let provenance = record["provenance"]?["popularity"]?.string
        popularity = provenance == "link-graph" ? record["popularity"]?.double.map { min(1, max(0, $0)) } : nil
        var votes = 0.0
        if let given = record["rating"], let normalized = given["normalized"]?.double, normalized.isFinite {
            votes = max(0, max(given["count"]?.double ?? 0, given["reviewCount"]?.double ?? 0))
            let weight = max(1, votes)
            let mean =
                (normalized * weight + weights.meanRating * weights.votesOfPrior) / (weight + weights.votesOfPrior)
            rating = min(1, max(-1, (mean - weights.meanRating) / (1 - weights.meanRating)))
            let best = given["best"]?.double ?? 5
            stars = (given["value"]?.double).map { min(5, max(0, best > 0 ? $0 / best * 5 : $0)) }
        } else {
            (rating, stars) = (nil, nil)
        }
        let counts = (record["interactions"]?.array ?? []).reduce(votes) { $0 + max(0, $1["count"]?.double ?? 0) }
        interactions = min(1, log10(1 + counts) / log10(1 + weights.mostInteractions))
        structuredData = min(1, max(0, record["structuredDataScore"]?.double ?? 0))
        let isVerified = links.contains {
            $0["verification"]?["status"]?.string == "verified" && $0["platform"]?.string != "web"
        }
        var flags: Flags = isVerified ? .hasVerifiedLink : []
        let opensInApp = links.contains { DeepLinkRecord.DeepLink.opensInApp(json: $0) }
        let hasPrice = !(record["offers"]?.array ?? []).isEmpty || record["priceRange"] != nil
        if opensInApp { flags.insert(.opensInApp) }
        if hasPrice { flags.insert(.hasPrice) }
        self.flags = flags
        let prices = (record["offers"]?.array ?? []).compactMap { offer in
            (offer["price"] ?? offer["lowPrice"])?.string.flatMap(Double.init).map { ($0, offer["currency"]?.string) }
        }.filter { $0.0 >= 0 && $0.0 < 1e12 }
        // Prices in another currency than the first are not compared with it.
        let lowest = prices.filter { $0.1 == prices[0].1 }.min { $0.0 < $1.0 }
        price = lowest?.0
        currency = lowest?.1.flatMap { $0.utf8.count == 3 ? $0 : nil }
        let event = record["event"]
        day =
            [record["publishedAt"], record["modifiedAt"], event?["startDate"]]
            .lazy.compactMap { $0?.string.flatMap(Self.day) }.first
        over = [event?["endDate"] ?? event?["startDate"], record["expiresAt"]]
            .compactMap { $0?.string.flatMap(Self.day) }.min()

        // Facets
        var facets = FacetWriter()
        facets.add(kind: "", SearchSchema.everyDocument.dropFirst())
        let labels = SiteIdentity.withoutWWW(hostName).split(separator: ".")
        // The host itself, and the last parts of its name: hostile hosts have a hundred.
        for start in labels.indices where start == 0 || start >= labels.count - 8 {
            facets.add(kind: "site", labels[start...].joined(separator: "."))
        }
        for type in FilterNames.withSupertypes(types) {
            let parts = Self.parts(ofType: type)
            facets.add(kind: "type", parts.joined())
            guard types.contains(type) else { continue }
            // `NewsArticle` is found as `article` and `news`.
            for count in 1..<max(2, parts.count) {
                facets.add(kind: "type", parts.suffix(count).joined())
                facets.add(kind: "type", parts.prefix(count).joined())
            }
        }
        for tag in tags {
            facets.add(kind: "lang", tag.lowercased())
            facets.add(kind: "lang", SearchText.primaryLanguage(of: tag))
        }
        for link in links {
            for key in ["storeIdentifier", "bundleIdentifier", "packageName"] {
                if let value = link[key]?.string { facets.add(kind: "app", value.lowercased()) }
            }
            if let name = link["appName"]?.string {
                let words = analysis.words(of: name, limit: 20).map(\.form)
                for word in words { facets.add(kind: "app", word) }
                facets.add(kind: "app", words.joined())
            }
        }
        for author in record["authors"]?.array ?? [] {
            for word in analysis.words(of: author["name"]?.string ?? "", limit: 20) {
                facets.add(kind: "author", word.form)
            }
        }
        let has: [(String, Bool)] = [
            ("deeplink", opensInApp),
            ("verified", isVerified),
            ("image", !(record["images"]?.array ?? []).isEmpty || record["thumbnailURL"] != nil),
            ("audio", !(record["audio"]?.array ?? []).isEmpty), ("video", !(record["video"]?.array ?? []).isEmpty),
            ("rating", stars != nil),
            ("price", hasPrice),
            ("event", event != nil), ("recipe", record["recipe"] != nil),
            ("author", !(record["authors"]?.array ?? []).isEmpty), ("date", day != nil),
        ]
        for (name, holds) in has where holds { facets.add(kind: "has", name) }
        for action in record["actions"]?.array ?? [] {
            if let type = action["type"]?.string { facets.add(kind: "has", type) }
        }
        // Coarse steps, so that a filter reads few others; the exact number is compared afterwards.
        if let stars { for half in 0...Int(stars * 2) { facets.add(kind: "stars", "\(half)") } }
        if let day {
            facets.add(kind: "year", "\(Self.facetYear(Self.year(ofDay: day)))")
            facets.add(kind: "day", "\(day)")
        }

        fields.finish()
        columns = fields.columns + [facets.text]
        let distinct = DocumentTerms(of: columns)
        titleTerms = distinct.ofTitle
        packedTerms = distinct.packed
        terms = fields.terms.union(Self.endings(of: fields.terms, language: language, analysis))
        lengths = fields.lengths
    }

    /// The terms by which the compounds among a document's words are found by their last parts.
    static func endings(of terms: Set<String>, language: String?, _ analysis: SearchText) -> Set<String> {
        guard let language, CompoundWord.languages.contains(language) else { return [] }
        return Set(
            terms.lazy.compactMap { term in
                CompoundWord.ending(of: term, language: language, analysis).map { SearchSchema.endingMark + $0 }
            })
    }

    private static let generalTypes: Set<String> = ["Thing", "WebPage", "WebSite", "CreativeWork", "website"]

    /// The words of a type's name: `NewsArticle` → `news`, `article`; `video.movie` → `video`, `movie`.
    static func parts(ofType type: String) -> [String] {
        var parts: [String] = []
        var wasLarge = true
        for scalar in type.unicodeScalars.prefix(80) {
            let isLarge = ("A"..."Z").contains(scalar)
            guard isLarge || ("a"..."z").contains(scalar) || ("0"..."9").contains(scalar) else {
                wasLarge = true
                if parts.last?.isEmpty == false { parts.append("") }
                continue
            }
            if parts.isEmpty || (isLarge && !wasLarge && parts.last?.isEmpty == false) { parts.append("") }
            parts[parts.count - 1] += String(scalar).lowercased()
            wasLarge = isLarge
        }
        return Array(parts.filter { !$0.isEmpty }.prefix(6))
    }

    /// The day of an ISO 8601 date, as it is written: the zone does not matter here.
    static func day(of text: String) -> Int? {
        guard let date = W3CDateTime.date(from: text.prefix(10)) else { return nil }
        let days = (date.timeIntervalSince1970 / 86_400).rounded(.down)
        return abs(days) < 10_000_000 ? Int(days) : nil
    }

    /// The year in the index: earlier and later ones are with the first and the last, so that a filter is a short list.
    static func facetYear(_ year: Int) -> Int { min(facetYears.upperBound, max(facetYears.lowerBound, year)) }

    static let facetYears = 1990...2060

    static func year(ofDay day: Int) -> Int {
        // Years of 365.2425 days, corrected at the ends of years.
        var year = 1970 + Int((Double(day) / 365.2425).rounded(.down))
        while let next = Self.day(of: Self.text(ofYear: year + 1)), next <= day { year += 1 }
        while let first = Self.day(of: Self.text(ofYear: year)), first > day { year -= 1 }
        return year
    }

    private static func text(ofYear year: Int) -> String {
        let digits = "\(year)"
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}

/// Collects the words of fields.
private struct FieldWriter {
    let analysis: SearchText
    let language: String
    /// Words by field, without stems.
    private(set) var words = [[String]](repeating: [], count: SearchField.allCases.count)
    private(set) var columns = [String](repeating: "", count: SearchField.allCases.count)
    private(set) var terms: Set<String> = []
    private(set) var lengths = [Int](repeating: 0, count: SearchField.allCases.count)
    private var further = [[String]](repeating: [], count: SearchField.allCases.count)

    /// The most words of a field. Records bound their texts, so only hostile ones have more.
    private static let limits = [80, 300, 400, 60, 150, 1_500]

    init(analysis: SearchText, language: String) {
        self.analysis = analysis
        self.language = language
    }

    mutating func add(_ text: String?, to field: SearchField) {
        let index = field.rawValue
        let room = Self.limits[index] - words[index].count
        guard let text, !text.isEmpty, room > 0 else { return }
        let found = analysis.words(of: text, limit: room)
        guard !found.isEmpty else { return }
        // Keeps phrases from reaching into the next text.
        if !columns[index].isEmpty { columns[index] += " \(SearchSchema.facetMark)" }
        for word in found {
            columns[index] += columns[index].isEmpty ? word.form : " " + word.form
            words[index].append(word.form)
            terms.insert(word.form)
            if let written = word.written {
                further[index].append(SearchSchema.writtenTerm(word.form, written))
            }
            if word.isDense {
                further[index] += SearchText.pairs(of: word.form).map { SearchSchema.stemMark + $0 }
            } else if let stem = analysis.stem(of: word, language: language) {
                further[index].append(SearchSchema.stemMark + stem)
            }
        }
        // A pair also ties two words of one run: its dictionary may split a query in another way.
        for (word, next) in zip(found, found.dropFirst())
        where word.isDense && next.isDense && word.range.upperBound == next.range.lowerBound {
            if let end = word.form.unicodeScalars.last, let start = next.form.unicodeScalars.first {
                further[index].append("\(SearchSchema.stemMark)\(end)\(start)")
            }
        }
        for group in SearchText.groups(in: found) where group.count > 1 {
            let joined = found[group].map(\.form).joined()
            if joined.utf8.count <= 40 { further[index].append(joined) }
        }
    }

    mutating func finish() {
        for index in columns.indices {
            lengths[index] = words[index].count
            guard !further[index].isEmpty else { continue }
            columns[index] += " \(SearchSchema.facetMark) " + further[index].joined(separator: " ")
            terms.formUnion(further[index])
        }
        let title = SearchField.title.rawValue
        let strong = words[title].count { !StopWords.contains($0) }
        if strong > 0 { lengths[title] = strong }
    }
}

/// Collects the facets of a document: `=site:example.org`.
struct FacetWriter {
    private(set) var text = ""
    private var written: Set<String> = []

    mutating func add(kind: String, _ value: some StringProtocol) {
        guard !value.isEmpty else { return }
        let facet = Self.facet(kind: kind, value)
        if written.insert(facet).inserted { text += text.isEmpty ? facet : " " + facet }
    }

    /// The token of a facet. The index's tokenizer leaves it whole: other characters of ASCII become `_`.
    static func facet(kind: String, _ value: some StringProtocol) -> String {
        var facet = SearchSchema.facetMark
        if !kind.isEmpty { facet += "\(kind):" }
        for scalar in value.unicodeScalars.prefix(200) {
            let isKept =
                scalar.value >= 0x80 || ("a"..."z").contains(scalar) || ("0"..."9").contains(scalar)
                || "+#.-_".unicodeScalars.contains(scalar)
            facet.unicodeScalars.append(
                isKept ? scalar : ("A"..."Z").contains(scalar) ? Unicode.Scalar(UInt8(scalar.value) | 0x20) : "_")
        }
        return facet
    }
}

extension JSONValue {
    /// The strings of a member that is an array.
    func strings(_ key: String) -> [String] { (self[key]?.array ?? []).compactMap(\.string) }
}
