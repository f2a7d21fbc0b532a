import PippinPage

/// What happens to a page that names another URL as canonical (see `Frontier`).
public enum CanonicalVerdict: Sendable {
    /// The canonical page has a record, which stands for both.
    case duplicate
    /// The visit of the canonical page decides.
    case waits
    /// The page is visited again, and filed under its own URL.
    case fallsBack

    /// The frontier's knowledge of the canonical page.
    public enum Target: Sendable {
        case queuedOrLeased
        /// It was visited, and stands for itself.
        case kept
        /// It names the page as canonical in return.
        case namesPage(ownURL: String)
        /// It was visited without giving a record, or it is not known.
        case unfit
    }

    /// Decides for a page and its canonical URL.
    public init(of page: WebURL, canonical: Target) {
        self =
            switch canonical {
            case .queuedOrLeased: .waits
            case .kept: .duplicate
            // The two name each other. The smaller URL gets the record, so it is queued again with its own URL.
            case .namesPage(let other): page.href > other ? .waits : .fallsBack
            case .unfit: .fallsBack
            }
    }
}
