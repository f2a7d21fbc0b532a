/// The numbers that guesses are made with: points of bylines, and what counts as long, large, near or alike.
///
/// `Scripts/fit-weights.sh` fits them to pages of which people wrote down the answers, and `Docs/Record.md` says what each is worth. Shares
/// are in percent, lengths in bytes: weights are whole numbers, so that guesses are the same on every machine.
public struct GuessWeights: Sendable, Hashable {
    public var byline = Byline()
    public var title = Title()
    public var siteName = SiteName()
    public var text = Text()
    public var picture = Picture()

    /// What records are made with.
    public static let fitted = GuessWeights()

    /// Weights of `Byline`: who wrote a page, and when.
    public struct Byline: Sendable, Hashable {
        public var days = Days()
        public var writers = Writers()
        public var nearness = Nearness()
        /// The name of an element with more text speaks of an article, not of a day or a name in it.
        public var containerBytes = 600
    }

    /// Points of a day that the page shows.
    public struct Days: Sendable, Hashable {
        /// In `time`, or with `datetime`.
        public var timeElement = 3
        /// In an element that is named after days or publishing.
        public var dateName = 3
        /// In an element that is named after bylines, authors or details.
        public var bylineName = 2
        /// Beside a word like “published”.
        public var dayLabel = 4
        /// In a block that begins with a word like “by”.
        public var authorLabel = 3
        /// Alone in its block.
        public var alone = 2
        /// Bytes that a block may have besides a day that is alone.
        public var aloneBytes = 12
        /// At the beginning of its block, or at the end of a short one.
        public var atEdge = 1
        /// Bytes of a short block.
        public var shortBlockBytes = 100
        /// Taken away in navigation, comments, teasers and the like.
        public var beside = 7
        /// Taken away in lists of other pages.
        public var listed = 3
        /// Taken away from a day far from the headline, one of several in elements of one name.
        public var repeated = 5
        /// A day with fewer points for its nearness is far from the headline.
        public var listedNearness = 3
        /// Different days that make it one of several.
        public var repetitions = 4
        /// Bytes before a day that may hold its label.
        public var labelBytesBefore = 40
        /// Bytes behind a day that may hold its label.
        public var labelBytesBehind = 25
        /// A day that is no further from the beginning of its block may have its label in the block before.
        public var labelledBytes = 12
        /// A day with no more points is not taken.
        public var enough = 3
    }

    /// Points of a name that the page shows.
    public struct Writers: Sendable, Hashable {
        /// In an element that is named after authors.
        public var authorName = 4
        /// In an element that is named after bylines.
        public var bylineName = 3
        /// In such an element, behind a word like “by”.
        public var namedLabel = 3
        /// Behind a word like “by”; before one, as some languages have it.
        public var label = 4
        /// Behind a block that has such a word and nothing else.
        public var labelledBlock = 5
        /// Taken away in navigation, comments, teasers and the like.
        public var beside = 7
        /// A name with no more points is not taken.
        public var enough = 3
        /// Bytes between writers that stand side by side.
        public var gapBytes = 12
    }

    /// Points of days and names for the distance to the headline.
    public struct Nearness: Sendable, Hashable {
        /// Close behind the headline.
        public var close = 4
        public var closeBytes = 250
        /// Near it.
        public var near = 3
        public var nearBytes = 700
        /// Behind it, where a byline may still stand.
        public var reachBytes = 1_800
        /// In the headline.
        public var inside = 3
        /// Before it.
        public var before = 3
        public var beforeBytes = 200
    }

    /// Weights of `PageTitle`.
    public struct Title: Sendable, Hashable {
        /// Of a `<title>`, the share that a heading at its end has at least if it is not the site's name.
        public var endShare = 50
        /// Of their words, the share that a heading and another title have in common if they are of one thing.
        public var overlapShare = 30
    }

    /// Weights of `SiteNames`.
    public struct SiteName: Sendable, Hashable {
        /// Of the longer one, the share that the first part of a title and a site's name have in common if they are the same.
        public var leadingShare = 80
        /// The same of a later part.
        public var trailingShare = 25
        /// Letters that they have in common.
        public var sharedLetters = 4
        /// Letters of a page's title from which on a site's name that begins with it is the page's title.
        public var titleLetters = 20
        /// A name of more characters is a slogan; a shorter one that is declared too is better.
        public var nameCharacters = 60
    }

    /// Weights of `MainText`.
    public struct Text: Sendable, Hashable {
        /// A block counts for no more: one long paragraph is no article.
        public var maximumWeight = 600
        /// Less prose than this says nothing about where the main text is.
        public var minimumProse = 600
        /// Prose from which on an element that holds half of it is no boilerplate, whatever its name.
        public var boilerplateProse = 600
        /// Bytes of a block of prose.
        public var blockBytes = 80
        /// A shorter block has to be a whole sentence, of so many bytes.
        public var sentenceBytes = 40
        /// Of a block of prose, the share of its bytes in links at most.
        public var linkShare = 33
        /// Of the prose, the share that is left without what is named after boilerplate; where it is less, names say nothing.
        public var cleanShare = 20
        /// Of the prose, the share in `main` from which on it is in there.
        public var declaredShare = 50
        /// The prose of a parent, of that of its child, from which on the parent is the main element.
        public var growth = 120
        /// Of the page's text outside of links, the share that the main element must hold to be all of it.
        public var mainShare = 60
        /// Of a region, the share that is left without what is named after boilerplate; where it is less, names say nothing.
        public var regionShare = 15
        /// A part inside the text that is named after boilerplate holds less than this.
        public var partBytes = 300
        /// And less than this share of the text.
        public var partShare = 20
        /// All such parts together have less than this share.
        public var partsShare = 40
        /// What visitors wrote below a text has less than this share; where it is more, the page is a thread.
        public var visitorsShare = 50
    }

    /// Weights of `PagePicture`: pixels of a large picture.
    public struct Picture: Sendable, Hashable {
        public var width = 200
        public var height = 100
    }
}
