import PippinPage

/// Values that a weight may have.
struct WeightRange: Sendable {
    let name: String
    let path: any WritableKeyPath<GuessWeights, Int> & Sendable
    /// In order.
    let values: [Int]
    /// With which it has no effect; nil if there is none.
    let neutral: Int?

    /// What it is a weight of: weights of different things change different fields.
    var group: Substring { name.prefix { $0 != "." } }

    /// Points count in comparison with what is enough. Who guesses more is right more often where people wrote down an answer, and
    /// nobody wrote down that there is none: the pages cannot say how much is enough.
    var isScale: Bool { name.hasSuffix(".enough") }

    init(
        _ name: String, _ path: any WritableKeyPath<GuessWeights, Int> & Sendable, _ values: [Int], neutral: Int? = nil
    ) {
        self.name = name
        self.path = path
        self.values = values
        self.neutral = neutral
    }

    /// The values beside one.
    func neighbors(of value: Int) -> (lower: Int?, upper: Int?) {
        (values.last { $0 < value }, values.first { $0 > value })
    }

    private static let points = Array(0...9)
    private static let shares = [5, 10, 15, 20, 25, 33, 40, 50, 60, 70, 80]
    private static let lengths = [100, 200, 300, 400, 600, 900, 1_200, 2_000]
    private static let never = 1_000_000

    /// Every weight.
    static let all: [WeightRange] = [
        WeightRange("byline.containerBytes", \.byline.containerBytes, lengths, neutral: never),
        WeightRange("byline.days.timeElement", \.byline.days.timeElement, points, neutral: 0),
        WeightRange("byline.days.dateName", \.byline.days.dateName, points, neutral: 0),
        WeightRange("byline.days.bylineName", \.byline.days.bylineName, points, neutral: 0),
        WeightRange("byline.days.dayLabel", \.byline.days.dayLabel, points, neutral: 0),
        WeightRange("byline.days.authorLabel", \.byline.days.authorLabel, points, neutral: 0),
        WeightRange("byline.days.alone", \.byline.days.alone, points, neutral: 0),
        WeightRange("byline.days.aloneBytes", \.byline.days.aloneBytes, [0, 3, 6, 9, 12, 16, 20, 30], neutral: 0),
        WeightRange("byline.days.atEdge", \.byline.days.atEdge, points, neutral: 0),
        WeightRange(
            "byline.days.shortBlockBytes", \.byline.days.shortBlockBytes, [0, 40, 60, 80, 100, 150, 200], neutral: 0),
        WeightRange("byline.days.beside", \.byline.days.beside, Array(0...12), neutral: 0),
        WeightRange("byline.days.listed", \.byline.days.listed, points, neutral: 0),
        WeightRange("byline.days.repeated", \.byline.days.repeated, points, neutral: 0),
        WeightRange("byline.days.listedNearness", \.byline.days.listedNearness, Array(0...5), neutral: never),
        WeightRange("byline.days.repetitions", \.byline.days.repetitions, Array(2...9), neutral: 2),
        WeightRange(
            "byline.days.labelBytesBefore", \.byline.days.labelBytesBefore, [0, 20, 30, 40, 50, 60, 80], neutral: 0),
        WeightRange(
            "byline.days.labelBytesBehind", \.byline.days.labelBytesBehind, [0, 15, 20, 25, 30, 40, 60], neutral: 0),
        WeightRange(
            "byline.days.labelledBytes", \.byline.days.labelledBytes, [-1, 0, 4, 8, 12, 16, 24, 40], neutral: -1),
        WeightRange("byline.days.enough", \.byline.days.enough, points, neutral: 0),
        WeightRange("byline.writers.authorName", \.byline.writers.authorName, points, neutral: 0),
        WeightRange("byline.writers.bylineName", \.byline.writers.bylineName, points, neutral: 0),
        WeightRange("byline.writers.namedLabel", \.byline.writers.namedLabel, points, neutral: 0),
        WeightRange("byline.writers.label", \.byline.writers.label, points, neutral: 0),
        WeightRange("byline.writers.labelledBlock", \.byline.writers.labelledBlock, points, neutral: 0),
        WeightRange("byline.writers.beside", \.byline.writers.beside, Array(0...12), neutral: 0),
        WeightRange("byline.writers.enough", \.byline.writers.enough, points, neutral: 0),
        WeightRange("byline.writers.gapBytes", \.byline.writers.gapBytes, [0, 4, 8, 12, 16, 24, 40], neutral: -1),
        WeightRange("byline.nearness.close", \.byline.nearness.close, points, neutral: 0),
        WeightRange(
            "byline.nearness.closeBytes", \.byline.nearness.closeBytes, [50, 100, 150, 200, 250, 300, 400], neutral: 0),
        WeightRange("byline.nearness.near", \.byline.nearness.near, points, neutral: 0),
        WeightRange(
            "byline.nearness.nearBytes", \.byline.nearness.nearBytes, [400, 500, 600, 700, 800, 1_000], neutral: 0),
        WeightRange(
            "byline.nearness.reachBytes", \.byline.nearness.reachBytes, [900, 1_200, 1_500, 1_800, 2_700, 4_000],
            neutral: 0
        ),
        WeightRange("byline.nearness.inside", \.byline.nearness.inside, points, neutral: 0),
        WeightRange("byline.nearness.before", \.byline.nearness.before, points, neutral: 0),
        WeightRange(
            "byline.nearness.beforeBytes", \.byline.nearness.beforeBytes, [0, 50, 100, 150, 200, 300, 400], neutral: -1),
        WeightRange("names.title.endShare", \.title.endShare, shares, neutral: 0),
        WeightRange("names.title.overlapShare", \.title.overlapShare, shares, neutral: 1),
        WeightRange("names.siteName.leadingShare", \.siteName.leadingShare, shares + [100], neutral: 100),
        WeightRange("names.siteName.trailingShare", \.siteName.trailingShare, shares + [100], neutral: 100),
        WeightRange("names.siteName.sharedLetters", \.siteName.sharedLetters, [1, 2, 3, 4, 5, 6, 8], neutral: 1),
        WeightRange(
            "names.siteName.titleLetters", \.siteName.titleLetters, [5, 10, 15, 20, 25, 30, 40], neutral: never),
        WeightRange(
            "names.siteName.nameCharacters", \.siteName.nameCharacters, [20, 30, 40, 50, 60, 80, 100], neutral: never),
        WeightRange("text.maximumWeight", \.text.maximumWeight, lengths, neutral: never),
        WeightRange("text.minimumProse", \.text.minimumProse, lengths, neutral: 0),
        WeightRange("text.boilerplateProse", \.text.boilerplateProse, lengths, neutral: 0),
        WeightRange("text.blockBytes", \.text.blockBytes, [20, 40, 60, 70, 80, 90, 100, 120, 160], neutral: 0),
        WeightRange("text.sentenceBytes", \.text.sentenceBytes, [0, 10, 20, 30, 40, 50, 60, 80], neutral: never),
        WeightRange("text.linkShare", \.text.linkShare, shares, neutral: 100),
        WeightRange("text.cleanShare", \.text.cleanShare, [0] + shares, neutral: 0),
        WeightRange("text.declaredShare", \.text.declaredShare, [0] + shares, neutral: never),
        WeightRange("text.growth", \.text.growth, [101, 105, 110, 115, 120, 125, 130, 140, 150, 200], neutral: never),
        WeightRange("text.mainShare", \.text.mainShare, shares, neutral: 0),
        WeightRange("text.regionShare", \.text.regionShare, [0] + shares, neutral: 0),
        WeightRange("text.partBytes", \.text.partBytes, [0] + lengths, neutral: never),
        WeightRange("text.partShare", \.text.partShare, [0] + shares, neutral: 100),
        WeightRange("text.partsShare", \.text.partsShare, [0] + shares, neutral: 101),
        WeightRange("text.visitorsShare", \.text.visitorsShare, [0] + shares, neutral: 101),
        WeightRange("picture.width", \.picture.width, [50, 100, 150, 200, 250, 300, 400], neutral: 0),
        WeightRange("picture.height", \.picture.height, [25, 50, 75, 100, 125, 150, 200, 300], neutral: 0),
    ]

    /// How many weights there are, to tell whether one is forgotten here.
    static func count(in value: Any = GuessWeights.fitted) -> Int {
        if value is Int { return 1 }
        return Mirror(reflecting: value).children.reduce(0) { $0 + count(in: $1.value) }
    }
}
