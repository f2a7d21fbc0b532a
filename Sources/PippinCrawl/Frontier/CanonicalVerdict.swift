import PippinPage

/// What becomes of a page that names another URL as canonical (see `Frontier`).
public enum CanonicalVerdict: Sendable {
    /// The canonical page is good: it has the record.
    case duplicate
    /// The visit of the canonical page decides.
    case waits
    /// The page is visited again, and filed under its own URL.
    case fallsBack

    /// What a frontier knows of the canonical page.
    public enum Target: Sendable {
        case queuedOrLeased
        /// It was visited, and stands for itself.
        case kept
        /// It names the page as canonical in turn.
        case namesPage(ownURL: String)
        /// It was visited and gives no record, or it is not known.
        case unfit
    }

    public init(of page: WebURL, canonical: Target) {
        self =
            switch canonical {
            case .queuedOrLeased: .waits
            case .kept: .duplicate
            // The two name each other, and the smaller URL gets the record: it is queued again for itself.
            case .namesPage(let other): page.href > other ? .waits : .fallsBack
            case .unfit: .fallsBack
            }
    }
}
