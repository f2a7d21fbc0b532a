/// Which elements of a page stand in what its visitors wrote: comments, reviews, answers, posts of a forum.
///
/// A page's markup speaks for its site, but visitors do not: their links and markup name no app of the site. An element is of
/// visitors if it, or one around it, is marked so in one of two ways:
///
/// - a type or property of schema.org, in microdata or RDFa: `itemtype="https://schema.org/Comment"`, `itemprop="review"`;
/// - a name in `class` or `id`, as software of blogs, shops and forums writes them: `#comments`, `.comment-body`, `.postbody`.
///
/// Asked for a few elements only.
struct UserContent {
    private let document: HTMLDocument
    private var marked = InheritedMark()

    /// How much of a `class` or `id` is looked at.
    private static let maximumNameBytes = 400

    init(_ document: HTMLDocument) {
        self.document = document
    }

    /// Whether visitors of the page wrote the element.
    mutating func holds(_ element: HTMLDocument.Index) -> Bool {
        marked.covers(element, in: document) { [document] in Self.isMarked($0, document) }
    }

    private static func isMarked(_ element: HTMLDocument.Index, _ document: HTMLDocument) -> Bool {
        switch document.elements[element].name {
        // Blogs name these after whether comments are open.
        case .html, .head, .body, .main: return false
        default: break
        }
        for i in document.attributeRange(of: element) {
            let attribute = document.attributes[i]
            let value = document.value(of: attribute).prefix(maximumNameBytes)
            switch attribute.nameNumber {
            case HTMLName.class.rawValue, HTMLName.id.rawValue:
                if value.split(whereSeparator: \.isHTMLSpace).contains(where: isName) { return true }
            case HTMLName.itemtype.rawValue, HTMLName.typeof.rawValue, HTMLName.itemprop.rawValue,
                HTMLName.property.rawValue:
                if value.split(whereSeparator: \.isHTMLSpace).contains(where: isTerm) { return true }
            default: break
            }
        }
        return false
    }

    // MARK: Names

    /// Whether a name is that of visitors' text.
    private static func isName(_ name: ArraySlice<UInt8>) -> Bool {
        let hints = NameHints.of(name)
        return hints.contains(.ofVisitors) && !hints.contains(.state)
            || wholeNames.contains(String(decoding: name.map(\.asciiLowercased), as: UTF8.self))
    }

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
