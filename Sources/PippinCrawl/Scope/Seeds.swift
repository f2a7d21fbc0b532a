import Foundation
import PippinPage

/// A URL from the operator, with the identifiers of the app it belongs to.
///
/// It is a class because every URL found from a seed refers to it. It is immutable and can be shared.
public final class Seed: Sendable, Hashable, CustomStringConvertible {
    /// The kind of page, as App Store Connect names it.
    public enum Kind: String, Sendable, CaseIterable {
        /// The page of the required Support URL in App Store Connect.
        case support
        /// The page of the optional Marketing URL.
        case marketing
    }

    /// The seed's URL.
    public let url: WebURL
    /// The kind of page, if the operator named it.
    public let kind: Kind?
    /// The App Store ID, digits only.
    public let storeIdentifier: String?
    /// The app's bundle identifier.
    public let bundleIdentifier: String?
    /// The Android package name.
    public let packageName: String?
    /// The mode of rendering for its pages (`render=auto`); nil: that of the configuration. A storage does not keep it.
    let renderMode: RenderSettings.Mode?
    /// Hosts that the seed was redirected to. They are in scope like the seed's own host.
    public let landingHosts: [String]

    /// Creates a seed.
    public init(
        url: WebURL, kind: Kind? = nil, storeIdentifier: String? = nil, bundleIdentifier: String? = nil,
        packageName: String? = nil, landingHosts: [String] = [], renderMode: RenderSettings.Mode? = nil
    ) {
        self.url = url
        self.kind = kind
        self.storeIdentifier = storeIdentifier
        self.bundleIdentifier = bundleIdentifier
        self.packageName = packageName
        self.landingHosts = landingHosts
        self.renderMode = renderMode
    }

    /// The same seed with one more landing host.
    func landed(on host: String) -> Seed {
        if landingHosts.contains(host) || url.politenessHost == host { return self }
        return Seed(
            url: url, kind: kind, storeIdentifier: storeIdentifier, bundleIdentifier: bundleIdentifier,
            packageName: packageName, landingHosts: landingHosts + [host],
            renderMode: renderMode)
    }

    /// Whether the seed names an app.
    public var namesAnApp: Bool { storeIdentifier != nil || bundleIdentifier != nil || packageName != nil }

    /// The app's identifiers in the form of a list of seeds: `app=958625272`. Nil if there are none.
    public var appText: String? {
        let parts = [
            storeIdentifier.map { "app=\($0)" }, bundleIdentifier.map { "bundle=\($0)" },
            packageName.map { "package=\($0)" },
        ].compactMap { $0 }
        return parts.isEmpty ? nil : parts.joined(separator: " ")
    }

    public var description: String { url.href }

    public static func == (a: Seed, b: Seed) -> Bool {
        a === b
            || a.url == b.url && a.kind == b.kind && a.storeIdentifier == b.storeIdentifier
                && a.bundleIdentifier == b.bundleIdentifier && a.packageName == b.packageName
                && a.landingHosts == b.landingHosts
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(url)
        hasher.combine(storeIdentifier)
        hasher.combine(bundleIdentifier)
    }
}

/// Reads `seeds.txt`: one seed per line, `#` comments, `URL [kind=support|marketing] [app=APP_STORE_ID] [bundle=BUNDLE_ID]
/// [package=ANDROID_PACKAGE] [render=never|auto|always]`.
public enum Seeds {
    /// Reads a file.
    ///
    /// - Throws: `ConfigurationError` with file and line.
    public static func read(contentsOf path: String) throws -> [Seed] {
        try parse(InputFile.text(at: path), file: path)
    }

    /// Reads a text.
    ///
    /// - Parameter file: the name for messages.
    public static func parse(_ text: String, file: String) throws -> [Seed] {
        var seeds: [Seed] = []
        var known: Set<Seed> = []
        let lines = text.split(omittingEmptySubsequences: false) { $0.isNewline }
        for (index, line) in lines.enumerated() {
            if let seed = try parse(line: line, number: index + 1, file: file), known.insert(seed).inserted {
                seeds.append(seed)
            }
        }
        return seeds
    }

    /// Reads a seed from the command line.
    ///
    /// - Throws: `ConfigurationError`.
    public static func seed(_ text: String) throws(ConfigurationError) -> Seed {
        guard let url = WebURL(text) else {
            throw ConfigurationError(
                file: "command line",
                problem: "\"\(text)\" is not a URL, like https://example.org/app; a file of seeds is given with --seeds"
            )
        }
        if let problem = problem(of: url, written: text) {
            throw ConfigurationError(file: "command line", problem: problem)
        }
        return Seed(url: url)
    }

    /// The reason why a crawl cannot begin at a URL; nil if it can.
    private static func problem(of url: WebURL, written text: some StringProtocol) -> String? {
        guard url.isHTTP, let host = url.host, !host.isEmpty else {
            return "\"\(text)\" cannot be crawled; a seed must be an http or https URL"
        }
        guard url.username.isEmpty, url.password.isEmpty else {
            return "\"\(text)\" holds a user name; a crawler has no log-in, remove it"
        }
        return nil
    }

    private static func parse(line: Substring, number: Int, file: String) throws -> Seed? {
        // A `#` inside a word begins a URL's fragment. A comment starts the line or follows white space.
        var words = line.split(whereSeparator: \.isWhitespace)
        if let comment = words.firstIndex(where: { $0.hasPrefix("#") }) { words.removeSubrange(comment...) }
        guard let first = words.first else { return nil }
        func wrong(_ problem: String, key: String? = nil) -> ConfigurationError {
            ConfigurationError(file: file, line: number, key: key, problem: problem)
        }
        guard let url = WebURL(first) else {
            throw wrong("\"\(first)\" is not a URL; a seed line starts with one, like https://example.org/app")
        }
        if let problem = problem(of: url, written: first) { throw wrong(problem) }
        var values: [String: String] = [:]
        for word in words.dropFirst() {
            guard let equals = word.firstIndex(of: "="), equals != word.startIndex else {
                throw wrong("\"\(word)\" is not understood; write kind=, app=, bundle=, package= or render=")
            }
            let key = String(word[..<equals])
            let value = String(word[word.index(after: equals)...])
            let names = ["kind", "app", "bundle", "package", "render"]
            guard names.contains(key) else {
                let near = NearestName.of(key, in: names).map { "; did you mean \"\($0)\"?" }
                throw wrong("unknown key \"\(key)\"" + (near ?? "; known keys: kind, app, bundle, package, render"))
            }
            guard values.updateValue(value, forKey: key) == nil else {
                throw wrong("is written twice on this line; keep one", key: key)
            }
        }
        var kind: Seed.Kind?
        if let text = values["kind"] {
            guard let value = Seed.Kind(rawValue: text) else {
                throw wrong("\"\(text)\" is neither support nor marketing", key: "kind")
            }
            kind = value
        }
        var renderMode: RenderSettings.Mode?
        if let text = values["render"] {
            guard let mode = RenderSettings.Mode(rawValue: text) else {
                throw wrong("\"\(text)\" is not never, auto or always", key: "render")
            }
            renderMode = mode
        }
        if let app = values["app"], app.isEmpty || app.utf8.count > 20 || !app.utf8.allSatisfy({ $0 &- 0x30 < 10 }) {
            throw wrong("\"\(app)\" is not an App Store ID; it is the number in the app's store URL", key: "app")
        }
        for key in ["bundle", "package"] {
            guard let value = values[key] else { continue }
            let fits = value.utf8.allSatisfy {
                ($0 | 0x20) &- 0x61 < 26 || $0 &- 0x30 < 10 || $0 == 0x2E || $0 == (key == "bundle" ? 0x2D : 0x5F)
            }
            guard fits, value.contains("."), !value.hasPrefix("."), !value.hasSuffix(".") else {
                throw wrong("\"\(value)\" is not of the form org.example.app", key: key)
            }
        }
        return Seed(
            url: url, kind: kind, storeIdentifier: values["app"], bundleIdentifier: values["bundle"],
            packageName: values["package"], renderMode: renderMode)
    }
}

extension Sequence<Seed> {
    /// The apps that the seeds name.
    var apps: [RecordBuilder.AppIdentity] {
        filter(\.namesAnApp).map {
            RecordBuilder.AppIdentity(
                storeIdentifier: $0.storeIdentifier, bundleIdentifier: $0.bundleIdentifier, packageName: $0.packageName)
        }
    }
}

extension CrawlConfiguration {
    /// Whether any page may be rendered.
    ///
    /// - Parameter seeds: they may have modes of their own.
    public func rendersPages(with seeds: [Seed]) -> Bool {
        render.mode != .never || hosts.written.values.contains { ($0.render ?? .never) != .never }
            || seeds.contains { ($0.renderMode ?? .never) != .never }
    }
}
