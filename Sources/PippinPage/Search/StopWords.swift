/// Words that most texts of a language have, and words that people ask questions with. A query does not require them if it has
/// others, and a text that repeats them is not stuffed.
public enum StopWords {
    /// Whether a folded word is one in any of the languages.
    public static func contains(_ form: String) -> Bool { all.contains(form) }

    private static let all: Set<String> = Set(
        [english, german, french, spanish, italian, portuguese, dutch, scandinavian, russian].joined(separator: " ")
            .split(whereSeparator: \.isWhitespace).map(String.init))

    // Folded, as words are compared. What is also a common noun in another language (`die`, `hat`, `man`, `sin`) stays in the list
    // only where its own language has it in nearly every text.
    private static let english = """
        a an the and or of to in on at by for with from as is are was were be been do does did how what who whom whose which
        when where why can could should would will shall may this that these those it its i you your my me we our us they their
        he she his her not no if than then so about into there here any some many much more most
        """
    private static let german = """
        der die das den dem des ein eine einen einem einer eines und oder in im an am auf zu zum zur von vom mit fur bei aus als
        ist sind war wie was wer wo wann warum welche welcher welches wird werden ich du er sie es wir ihr mein dein sich nicht
        auch so dass uber nach
        """
    private static let french = """
        le la les l un une des du de d et ou a au aux en dans sur par pour avec sans est sont que qui quoi quel quelle quels
        quelles comment pourquoi quand ou ce cet cette ces il elle on nous vous ils elles je tu mon ma mes son sa ses ne pas
        plus qu s c j n
        """
    private static let spanish = """
        el la los las un una unos unas de del y o a al en con por para sin es son que quien quienes cual cuales como cuando
        donde cuanto cuantos este esta estos estas su sus mi tu se no lo le les mas
        """
    private static let italian = """
        il lo la i gli le un uno una di del dello della dei degli delle e o a al allo alla ai alle in nel nella con per da dal
        su che chi cosa come quando dove perche quale quali sono non si piu
        """
    private static let portuguese = """
        o a os as um uma de do da dos das e ou em no na nos nas com por para sem que quem qual quais como quando onde porque se
        nao mais
        """
    private static let dutch = """
        de het een en of van in op aan te met voor bij uit als is zijn was wat wie waar wanneer waarom hoe welke dit dat deze
        die niet ook naar
        """
    private static let scandinavian = """
        och eller att det den en ett som pa av med till for fran ar var hur vad vem nar og er til fra hvordan hva hvad hvem hvor
        """
    private static let russian = """
        и или в во на с со к по от до из за о об у не что как кто где когда почему какой какая какие это
        """
}
