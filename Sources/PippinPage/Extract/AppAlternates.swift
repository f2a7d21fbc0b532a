/// The `android-app:` and `ios-app:` addresses a page names as alternates of itself.
public struct AppAlternates: Sendable {
    public internal(set) var alternates: [AppAlternate] = []
    public internal(set) var notes: [ParseNote] = []
}

/// `android-app://com.example.app/https/example.com/gizmos`: an app, and what to open in it.
public struct AppAlternate: Sendable, Hashable {
    public enum Platform: String, Sendable {
        case android, ios
    }

    public let platform: Platform
    /// Package name, or App Store ID.
    public let identifier: String
    /// Scheme of the launch URL; nil where the app as a whole is meant.
    public let scheme: String?
    /// What follows scheme and slash, as written.
    public let hostAndPath: String?
    /// The address as written.
    public let href: String
    public internal(set) var isFromHeader = false
    public internal(set) var line: Int?
    public internal(set) var column: Int?

    /// The URL the app is opened with.
    public var launchURL: String? {
        scheme.map { "\($0)://\(hostAndPath ?? "")" }
    }
}
