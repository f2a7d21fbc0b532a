/// An app in a store, as a store's URL names it.
public struct StoreLink: Sendable, Hashable {
    public enum Store: String, Sendable {
        case appStore = "app-store"
        case googlePlay = "google-play"
    }

    public let store: Store
    /// App Store ID (digits) or Google Play's package name.
    public let identifier: String
    /// Two letters, lower case, where an App Store URL says which country's store it means.
    public let country: String?
}
