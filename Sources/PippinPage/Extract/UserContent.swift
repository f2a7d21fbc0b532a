/// Which elements of a page stand in what its visitors wrote: comments, reviews, answers, posts of a forum.
///
/// A page's markup speaks for its site, but visitors do not: their links and markup name no app of the site. An element is of
/// visitors if it, or one around it, is marked so in one of two ways:
///
/// - a type or property of schema.org, in microdata or RDFa: `itemtype="https://schema.org/Comment"`, `itemprop="review"`;
/// - a name in `class` or `id`, as software of blogs, shops and forums writes them: `#comments`, `.comment-body`, `.postbody`.
///
/// Asked for a few elements only. Each element is looked at once.
struct UserContent {
    private let document: HTMLDocument
    private enum Answer: UInt8 { case unknown, no, yes }
    /// Empty until the first question.
    private var answers: [Answer] = []

    /// How much of a `class` or `id` is looked at.
    private static let maximumNameBytes = 400

    init(_ document: HTMLDocument) {
        self.document = document
    }

    /// Whether visitors of the page wrote the element.
    mutating func holds(_ element: HTMLDocument.Index) -> Bool {
        if answers.isEmpty { answers = Array(repeating: .unknown, count: document.elements.count) }
        guard answers[element] == .unknown else { return answers[element] == .yes }
        var path: [HTMLDocument.Index] = []
        var next: HTMLDocument.Index? = element
        var answer = false
        while let element = next {
            if answers[element] != .unknown {
                answer = answers[element] == .yes
                break
            }
            path.append(element)
            next = document.parent(of: element)
        }
        for element in path.reversed() {
            answer = answer || isMarked(element)
            answers[element] = answer ? .yes : .no
        }
        return answer
    }

    private func isMarked(_ element: HTMLDocument.Index) -> Bool {
        switch document.elements[element].name {
        // Blogs name these after whether comments are open.
        case .html, .head, .body, .main: return false
        default: break
        }
        for i in document.attributeRange(of: element) {
            let attribute = document.attributes[i]
            let value = document.value(of: attribute).prefix(Self.maximumNameBytes)
            switch attribute.nameNumber {
            case HTMLName.class.rawValue, HTMLName.id.rawValue:
                if value.split(whereSeparator: \.isHTMLSpace).contains(where: Self.isName) { return true }
            case HTMLName.itemtype.rawValue, HTMLName.typeof.rawValue, HTMLName.itemprop.rawValue,
                HTMLName.property.rawValue:
                if value.split(whereSeparator: \.isHTMLSpace).contains(where: Self.isTerm) { return true }
            default: break
            }
        }
        return false
    }

    // MARK: Names

    /// Whether a name is that of visitors' text.
    private static func isName(_ name: ArraySlice<UInt8>) -> Bool {
        wholeNames.contains(String(decoding: name.map(\.asciiLowercased), as: UTF8.self))
            || words.haveOne(in: name) && !otherWords.haveOne(in: name)
    }

    /// Words of names, in the languages in which real pages have them.
    private static let words = NameWords(
        """
        comment comments commentlist commentbody commenttext commentaire commentaires commentaar comentario comentarios comentarii
        commento commenti kommentar kommentare kommentarer komentar komentare komentarz komentarze yorum yorumlar reacties
        kommentti kommentit disqus guestbook reply replies respond review reviews bewertung bewertungen kundenbewertungen
        rezension rezensionen avis opinie opinia opiniones opinion recensione recensioni valutazioni otzyv otzyvy testimonial testimonials
        ugc forumpost usercontent usertext
        """)
    /// With one of these, a name speaks about comments: `comments-open`, `has-comments`, `comment-count`.
    private static let otherWords = NameWords(
        """
        has no with without open opened closed enabled disabled allow allowed count counts counter
        """)
    /// Names of forum software for the text of a post: phpBB, vBulletin, MyBB, XenForo, Invision, Discourse, Stack Exchange.
    private static let wholeNames: Set<String> = [
        "postbody", "postcontent", "posttext", "post_body", "post_message", "postmessage", "forum-post", "forum_post",
        "message-body", "message-content", "message-usercontent", "bbwrapper", "messagetext", "ipstype_richtext",
        "cpost",
        "topic-body", "cooked", "answercell", "js-post-body", "user-content", "user-generated",
        "user-generated-content", "thread-post", "h-cite", "комментарии", "комментарий", "отзывы", "отзыв", "评论", "評論",
        "コメント",
        "レビュー", "댓글",
    ]

    // MARK: Terms of schema.org

    /// Whether a type or property is of visitors' text, whatever vocabulary prefix it has.
    private static func isTerm(_ term: ArraySlice<UInt8>) -> Bool {
        let start = term.lastIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "#") || $0 == UInt8(ascii: ":") }
        let name = start.map { term[($0 + 1)...] } ?? term
        return name.count <= 24 && terms.contains(String(decoding: name, as: UTF8.self))
    }

    /// Whether an item is what a visitor wrote, by one of its types.
    static func isType(_ type: String) -> Bool { terms.contains(type) }

    /// An answer of a site's own questions is among them. That costs nothing, because the site has other places for its app.
    private static let terms: Set<String> = [
        "Comment", "CorrectionComment", "UserComments", "Review", "UserReview", "EmployerReview", "Answer",
        "DiscussionForumPosting", "comment", "review", "reviews", "suggestedAnswer", "acceptedAnswer",
    ]
}
