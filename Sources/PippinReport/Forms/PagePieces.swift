import PippinPage

/// A report as parts of a page that has its own frame: a served page, for example. Both parts are markup in which only this
/// program's elements occur, and the same as in the report's file.
public struct PagePieces: Sendable {
    /// The title of the page as plain text.
    public let title: String
    /// The element `header`, with the heading of first level.
    package let heading: HTML
    /// The content of the element `main`.
    package let content: HTML

    /// Without names and passwords in URLs, which are no one's business who reads a report.
    public var withoutUserInformation: PagePieces {
        PagePieces(
            title: UserInformation.hidden(in: title), heading: HTML(kept: UserInformation.hidden(in: heading.html)),
            content: HTML(kept: UserInformation.hidden(in: content.html)))
    }
}
