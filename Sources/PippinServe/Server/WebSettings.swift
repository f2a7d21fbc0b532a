import Foundation

/// What the operator has chosen for the server.
public struct WebSettings: Sendable {
    /// The folder of the job whose records are shown.
    public var storage: URL
    /// The address to listen on.
    public var host = "127.0.0.1"
    /// The port to listen on; 0 takes a free one.
    public var port = WebSettings.usualPort
    /// Further names that requests may have in `Host`.
    public var names: [String] = []
    /// Without it, everyone who reaches the server has access. Required for addresses beyond this machine.
    public var token: AccessToken?
    /// Whether pages show the pictures that records name. The reader's browser loads them.
    public var showsPictures = true
    /// The file of clicks; nil records none.
    public var clicks: URL?

    /// Tells the operator of an error that a request has met.
    public var report: @Sendable (String) -> Void = { _ in }

    public static let usualPort = 8470

    public init(storage: URL) {
        self.storage = storage
    }
}
