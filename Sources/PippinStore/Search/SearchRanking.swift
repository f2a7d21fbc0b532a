import Foundation
import PippinPage

/// Puts the candidates of a query in order, by `SearchWeights`.
struct SearchRanking {
    /// Where a document has the words of the query.
    struct Candidate: Sendable {
        let number: Int64
        let isStrict: Bool
        /// By word and field: how often, weighed by form.
        var counts: [Double]
        /// How near the words stand to each other, 0…1.
        var nearness: Double
        /// Different words in the title, as they were written, as stems or corrected.
        var wordsInTitle: Int
        /// By word: what it is corrected to, if the document does not have it as it was written.
        var corrections: [Int: [String]] = [:]
        /// By word: the synonym by which it is found, if the document does not have it otherwise.
        var synonyms: [Int: [String]] = [:]
    }

    struct Ranked: Sendable {
        let number: Int64
        let signals: SearchSignals
        var score: Double
        var parts: [SearchScorePart] = []
        /// How many hits of its host count less; 0 unless it is the last one before them.
        var furtherOfHost = 0
    }

    let plan: SearchPlan
    let weights: SearchWeights
    /// The mean number of words by field.
    let meanLengths: [Double]
    /// Days since 1970.
    let today: Double
    let clicks: ClickLog?
    private let fieldCount = SearchField.allCases.count

    init(_ plan: SearchPlan, weights: SearchWeights, meanLengths: [Double], now: Date, clicks: ClickLog?) {
        self.plan = plan
        self.weights = weights
        self.meanLengths = meanLengths
        today = now.timeIntervalSince1970 / 86_400
        self.clicks = clicks
    }

    /// The same for another plan of the same query.
    func with(_ plan: SearchPlan) -> SearchRanking { SearchRanking(self, plan) }

    private init(_ other: SearchRanking, _ plan: SearchPlan) {
        self.plan = plan
        (weights, meanLengths, today, clicks) = (other.weights, other.meanLengths, other.today, other.clicks)
    }

    // MARK: Places

    /// - Parameter places: all places of the match, of the phrases of `owners`.
    func candidate(
        _ number: Int64, _ places: [MatchPlaces.Place], _ owners: [(word: Int, form: SearchPlan.Form)?], isStrict: Bool
    ) -> Candidate {
        var counts = [Double](repeating: 0, count: plan.words.count * fieldCount)
        // A query has at most 16 words.
        var (inTitle, asWritten): (UInt64, UInt64) = (0, 0)
        var byWord = [[(column: Int, position: Int)]](repeating: [], count: plan.words.count)
        var corrections: [Int: SearchPlan.Form] = [:]
        var synonyms: [Int: [String]] = [:]
        var synonymCounts: [Int: (standing: Double, stems: Double)] = [:]
        // The beginning of a word is also found where the word itself is.
        var written = Set<Int>()
        func key(_ place: MatchPlaces.Place, _ word: Int) -> Int {
            (word << 8 | place.column) << 32 | place.position
        }
        if owners.contains(where: { $0?.form.isBeginning ?? false }) {
            for place in places where place.phrase < owners.count {
                guard let (word, form) = owners[place.phrase], form.kind == .exact else { continue }
                written.insert(key(place, word))
            }
        }
        for place in places where place.column < fieldCount && place.phrase < owners.count {
            guard let (word, form) = owners[place.phrase] else { continue }
            if form.isBeginning, written.contains(key(place, word)) { continue }
            let index = word * fieldCount + place.column
            // The stem of a synonym stands behind the text for each place in it: it counts where the synonym itself does not.
            if form.kind == .synonym {
                synonymCounts[index, default: (0, 0)].standing += form.stands ? form.weight : 0
                synonymCounts[index, default: (0, 0)].stems += form.stands ? 0 : form.weight
            } else {
                counts[index] += form.weight
            }
            if place.column == SearchField.title.rawValue,
                (![.prefix, .compound, .synonym].contains(form.kind)) || plan.words.count > 1
            {
                inTitle |= 1 << UInt64(word)
            }
            // Stems and pairs stand behind the text, not in it.
            if form.kind == .spelling {
                if form.weight > corrections[word]?.weight ?? 0 { corrections[word] = form }
            } else if form.kind == .synonym {
                if synonyms[word] == nil { synonyms[word] = form.terms }
            } else {
                asWritten |= 1 << UInt64(word)
            }
            if form.stands {
                byWord[word].append((place.column, place.position))
            }
        }
        for (index, count) in synonymCounts { counts[index] += max(count.standing, count.stems) }
        return Candidate(
            number: number, isStrict: isStrict, counts: counts.map { min(weights.maximumRepeats, $0) },
            nearness: nearness(byWord), wordsInTitle: inTitle.nonzeroBitCount,
            corrections: corrections.filter { asWritten >> UInt64($0.key) & 1 == 0 && synonyms[$0.key] == nil }
                .mapValues(\.terms),
            synonyms: synonyms.filter { asWritten >> UInt64($0.key) & 1 == 0 })
    }

    /// The mean of the pairs of neighbors in the query: 1 where the second follows the first, less with each word between.
    private func nearness(_ places: [[(column: Int, position: Int)]]) -> Double {
        guard places.count > 1 else { return 0 }
        var sum = 0.0
        for word in 1..<places.count {
            let width = plan.words[word - 1].term.forms.count
            var best = 0.0
            // Texts that repeat words have many pairs; the first ones are enough.
            for first in places[word - 1].prefix(12) {
                for second in places[word].prefix(12) where second.column == first.column {
                    let gap = second.position - first.position - width
                    let value = gap >= 0 ? 1 / Double(1 + gap) : 0.5 / Double(1 - gap)
                    let isShort = second.column <= SearchField.names.rawValue
                    best = max(best, isShort ? value : 0.7 * value)
                }
            }
            sum += best
        }
        return sum / Double(places.count - 1)
    }

    // MARK: Scores

    /// - Parameter others: whether there are records with all words as they are written, and with all words when some are corrected.
    func rank(
        _ candidate: Candidate, _ signals: SearchSignals, besides others: (asWritten: Bool, corrected: Bool),
        isExplained: Bool
    ) -> Ranked {
        var parts: [SearchScorePart] = []
        func add(_ name: String, _ value: Double, _ detail: String? = nil) -> Double {
            if isExplained, value != 0 { parts.append(SearchScorePart(name: name, value: value, detail: detail)) }
            return value
        }
        var text = 0.0
        if plan.words.isEmpty {
            // Filters alone: all match equally well.
            text += add("matches the filters", 1)
        } else {
            let byField = wordScores(candidate, signals.lengths, signals.signs)
            for field in SearchField.allCases where byField[field.rawValue] > 0 {
                text += add("words in the \(field.words)", weights.words * byField[field.rawValue])
            }
            text += add(
                "nearness of the words", weights.nearness * candidate.nearness, Self.detail(candidate.nearness))
            if !signals.lengths.isEmpty, candidate.wordsInTitle > 0 {
                let covered = Double(candidate.wordsInTitle)
                let share =
                    min(1, covered / Double(max(1, signals.lengths[0]))) * min(1, covered / Double(plan.words.count))
                text += add("the title is the query", weights.wholeTitle * share * share, Self.detail(share))
            }
        }
        if isExplained { for part in synonymParts(candidate) { parts.append(part) } }
        var score = text
        func signal(_ name: String, _ weight: Double, _ value: Double?) {
            guard let value, value != 0 else { return }
            score += add(name, text * weight * value, Self.detail(value))
        }
        signal("popularity by links", weights.popularity, signals.popularity)
        signal("rating", weights.rating, signals.rating)
        signal("interactions", weights.interactions, signals.interactions)
        signal("structured data", weights.structuredData, signals.structuredData)
        signal("verified deep link", weights.verifiedDeepLink, signals.flags.contains(.hasVerifiedLink) ? 1 : 0)
        signal("freshness", weights.freshness, freshness(signals))
        signal("is over", weights.isOver, signals.over.map { Double($0) + 1 < today ? 1 : 0 })
        if let clicks {
            signal(
                "engagement", weights.engagement,
                clicks.engagement(of: signals.identifier, for: plan.query, weights: weights))
        }
        if signals.stuffing > 0 {
            score += add("stuffing", -score * (1 - weights.stuffed) * signals.stuffing, signals.signs.words)
        }
        if candidate.isStrict, others.asWritten, !candidate.corrections.isEmpty {
            let kept = pow(weights.corrected, Double(candidate.corrections.count))
            score += add("corrected words", -score * (1 - kept))
        }
        if !candidate.isStrict, others.corrected { score += add("lacks words", -score * (1 - weights.someWords)) }
        return Ranked(number: candidate.number, signals: signals, score: score, parts: parts)
    }

    /// Which words are found by synonyms only. Their weight is in the parts of the fields.
    private func synonymParts(_ candidate: Candidate) -> [SearchScorePart] {
        candidate.synonyms.sorted { $0.key < $1.key }.map { word, terms in
            let written = plan.words[word].term.forms.joined(separator: " ")
            let found = terms.map { $0.hasPrefix(SearchSchema.stemMark) ? String($0.dropFirst()) : $0 }
            return SearchScorePart(
                name: "synonyms", value: 0,
                detail: "\(written): \(found.joined(separator: " ")), counts \(weights.synonym)")
        }
    }

    /// How well the words are found, 0…1 in all, by field: BM25 over weighted fields (BM25F).
    private func wordScores(_ candidate: Candidate, _ lengths: [Int], _ signs: StuffingSigns) -> [Double] {
        var scores = [Double](repeating: 0, count: fieldCount)
        let total = plan.words.reduce(0) { $0 + $1.rarity }
        guard total > 0 else { return scores }
        var weighted = [Double](repeating: 0, count: fieldCount)
        for (index, word) in plan.words.enumerated() {
            var sum = 0.0
            for field in SearchField.allCases {
                let column = field.rawValue
                weighted[column] = 0
                let count = candidate.counts[index * fieldCount + column]
                guard count > 0 else { continue }
                let b = field == .title ? weights.lengthOfTitle : weights.lengthOfOthers
                let length = column < lengths.count ? Double(lengths[column]) : 1
                let mean = max(1, column < meanLengths.count ? meanLengths[column] : 1)
                weighted[column] = weights.of(field) * count / (1 - b + b * length / mean)
                if field == .keywords, signs.hasMadeUpKeywords { weighted[column] *= weights.madeUpKeywords }
                sum += weighted[column]
            }
            guard sum > 0 else { continue }
            let share = word.rarity / total * sum / (sum + weights.saturation)
            for column in 0..<fieldCount { scores[column] += share * weighted[column] / sum }
        }
        return scores
    }

    /// 1 today, half of it after `freshDays`; nothing for the future, which a page may claim.
    private func freshness(_ signals: SearchSignals) -> Double? {
        guard let day = signals.day else { return nil }
        let age = today - Double(day)
        return age > -2 ? pow(0.5, max(0, age) / weights.freshDays) : nil
    }

    private static func detail(_ value: Double) -> String { "\((value * 100).rounded() / 100) of 1" }

    // MARK: Order

    /// Where a hit stands while hits are sorted. A hit itself has texts and lists, and sorting moves each many times.
    private struct Standing {
        let index: Int
        let number: Int64
        var score: Double

        static func isBefore(_ a: Standing, _ b: Standing) -> Bool { (b.score, a.number) < (a.score, b.number) }
    }

    /// Best first. Further hits of a host count less, unless one site was asked for.
    func order(_ hits: [Ranked], isExplained: Bool) -> [Ranked] {
        var standings = hits.indices.map { Standing(index: $0, number: hits[$0].number, score: hits[$0].score) }
        standings.sort(by: Standing.isBefore)
        guard !plan.query.isOneSite else { return standings.map { hits[$0.index] } }
        var hits = hits
        var ofHost: [Int64: Int] = [:]
        var lastOfHost: [Int64: Int] = [:]
        for place in standings.indices {
            let index = standings[place].index
            let earlier = ofHost[hits[index].signals.host, default: 0]
            ofHost[hits[index].signals.host] = earlier + 1
            if earlier == weights.hitsOfHost - 1 { lastOfHost[hits[index].signals.host] = index }
            guard earlier >= weights.hitsOfHost else { continue }
            let further = min(weights.mostFurtherHits, earlier - weights.hitsOfHost + 1)
            let factor = pow(weights.furtherHitOfHost, Double(further))
            let change = hits[index].score * (factor - 1)
            hits[index].score += change
            standings[place].score = hits[index].score
            if isExplained {
                hits[index].parts.append(
                    SearchScorePart(name: "more of one host", value: change, detail: "hit \(earlier + 1) of the host"))
            }
        }
        // Where all are of one host, none stands behind others.
        for (host, index) in lastOfHost where ofHost.count > 1 {
            hits[index].furtherOfHost = ofHost[host, default: 0] - weights.hitsOfHost
        }
        standings.sort(by: Standing.isBefore)
        return standings.map { hits[$0.index] }
    }
}
