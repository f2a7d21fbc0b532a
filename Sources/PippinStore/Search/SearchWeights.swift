/// Every number that decides the order of results. `Docs/Search.md` lists them.
///
/// A score is `text · (1 + signals) · stuffing · repetition of a host`. The text decides; the signals order what matches equally
/// well. Values after the factors named by Apple (About Applebot; WWDC 2015, session 709), which have no published weights.
public struct SearchWeights: Sendable, Hashable {
    // MARK: Text

    /// How much a word counts in each field (`SearchField`).
    var title = 6.0
    var names = 4.0
    var keywords = 2.2
    var site = 2.0
    var snippet = 1.6
    var text = 1.0
    /// How much the length of a field matters, 0…1 (BM25's b): a word among many says less.
    var lengthOfTitle = 0.6
    var lengthOfOthers = 0.4
    /// A word counts for half when its weighted frequency has this value (BM25's k1).
    var saturation = 2.5
    /// A word counts so often in one field at most.
    var maximumRepeats = 3.0
    /// A word with the same stem, half-written, or with the same pairs of characters, beside 1 for the word itself.
    var stem = 0.75
    var prefix = 0.6
    var pairs = 0.6
    /// A word or phrase that the file of synonyms has for it.
    var synonym = 0.7
    /// A compound that ends with the word; one that begins with it; its parts as two words, or two words as one.
    var compound = 0.6
    var compoundByFirst = 0.3
    var divided = 0.8
    /// The same word with letters that the query does not have, or without some that it has: `muller` for `müller`,
    /// `mueller` for both.
    var writtenOtherwise = 0.8
    /// A word with accents or umlauts where the query has none: most people leave them out now and then.
    var writtenWithAccents = 0.9
    /// A word that is near to a misspelled one.
    var correction = 0.9
    /// What a record keeps of its score for each word that it has only when the word is corrected, if others have all words as written.
    var corrected = 0.5
    /// What a record with some of the words keeps, if others have all of them when words are corrected.
    var someWords = 0.5
    /// All words of the query together, when each is found everywhere.
    var words = 10.0
    /// The query's words stand next to each other, in its order.
    var nearness = 1.5
    /// The title is nothing but the query.
    var wholeTitle = 2.5

    // MARK: Signals, as a part of the text's score

    public var popularity = 0.35
    var rating = 0.15
    var interactions = 0.10
    var structuredData = 0.08
    var verifiedDeepLink = 0.10
    var freshness = 0.08
    var engagement = 0.60
    /// A record whose `expiresAt` is past, or whose event is over.
    var isOver = -0.30

    /// A rating counts as if so many people had rated with the mean beside those who did.
    var votesOfPrior = 20.0
    var meanRating = 0.7
    /// Interactions on a logarithmic scale: so many count fully.
    var mostInteractions = 1_000_000.0
    /// Days after which freshness is halved.
    var freshDays = 180.0
    /// Clicks and showings that are added to those of the log, so that one click moves little.
    var showingsOfPrior = 20.0
    var meanEngagement = 0.1

    // MARK: Pressed down

    /// What a fully stuffed record keeps of its score.
    var stuffed = 0.35
    /// What a word counts in keywords that are made for search engines, beside 1 in others.
    var madeUpKeywords = 0.2
    /// How many hits of a host keep their score, and by what each further one is multiplied, up to so many times. Hits of other
    /// hosts that match about as well pass them; much worse ones do not.
    var hitsOfHost = 2
    var furtherHitOfHost = 0.75
    var mostFurtherHits = 3

    // MARK: Static quality, which orders the index (`SearchDocument.quality`)

    var qualityOfPopularity = 0.50
    var qualityOfRating = 0.15
    var qualityOfInteractions = 0.10
    var qualityOfStructuredData = 0.15
    var qualityOfVerifiedDeepLink = 0.10

    public static let standard = SearchWeights()

    func of(_ field: SearchField) -> Double {
        switch field {
        case .title: title
        case .names: names
        case .keywords: keywords
        case .site: site
        case .snippet: snippet
        case .text: text
        }
    }
}

/// The fields of a record that words are searched in, in the order of the index's columns.
enum SearchField: Int, CaseIterable, Sendable {
    case title, names, keywords, site, snippet, text

    /// For explanations.
    var words: String {
        switch self {
        case .title: "title"
        case .names: "other names"
        case .keywords: "keywords"
        case .site: "site"
        case .snippet: "snippet"
        case .text: "text"
        }
    }
}
