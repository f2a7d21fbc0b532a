import PippinPage

/// A report as parts of a page that has its own frame: a served page, for example. Both parts are markup in which only this
/// program's elements occur, and the same as in the report's file.
public struct PagePieces: Sendable {
    /// The title of the page as plain text.
    public let title: String
    /// The element `header`, with the heading of first level.
    public let heading: String
    /// The content of the element `main`.
    public let content: String

    /// Without names and passwords in URLs, which are no one's business who reads a report.
    public var withoutUserInformation: PagePieces {
        PagePieces(
            title: UserInformation.hidden(in: title), heading: UserInformation.hidden(in: heading),
            content: UserInformation.hidden(in: content))
    }
}
