/// What the App Store says of apps, read from a local file of replies of its lookup API: which bundle identifier belongs to
/// which App Store ID, and how the app is called.
///
/// The file holds one reply, `{"resultCount":1,"results":[{"trackId":…,"bundleId":"…","trackName":"…"}]}`, or any number of
/// them: one after another, one a line, or in an array. Results without an enclosing reply are taken too.
public struct AppLookup: Sendable {
    public struct App: Sendable, Hashable {
        /// `trackId`, digits.
        public let storeIdentifier: String
        public let bundleIdentifier: String
        /// `trackName`.
        public let name: String?
        /// `trackViewUrl`: the app in the App Store.
        let storeURL: String?
    }

    /// Why a file cannot be used; 1-based place, a column is a Unicode scalar.
    public struct Failure: Error, Sendable, Hashable, CustomStringConvertible {
        public let message: String
        public let line: Int
        public let column: Int

        public var description: String { "line \(line), column \(column): \(message)" }
    }

    /// A reply of 200 apps has about 3 MB.
    public static let maximumBytes = 256_000_000
    /// Values of one reply: 200 apps have 50,000.
    private static let maximumValues = 2_000_000
    private static let maximumApps = 1_000_000
    /// Bundle identifiers have 155 characters at most.
    private static let maximumTextBytes = 1_000

    private var byStore: [String: App] = [:]
    private var byBundle: [String: App] = [:]
    /// Results that are no apps: songs, or apps of a storefront that has them no more.
    public private(set) var skipped = 0
    /// Of the bytes it was read from (64-bit FNV-1a): another file, another number.
    public let digest: UInt64

    public init(bytes: [UInt8]) throws(Failure) {
        var lines = LineCounter()
        func fail(_ message: String, at offset: Int) -> Failure {
            let place = bytes.withUnsafeBufferPointer { lines.place(of: offset, in: $0) }
            return Failure(message: message, line: place.line, column: place.column)
        }
        guard bytes.count <= Self.maximumBytes else {
            throw fail("the file has \(bytes.count) bytes, more than \(Self.maximumBytes)", at: 0)
        }
        digest = FNV1a.hash(bytes)
        var limits = ReadingLimits.standard
        limits.maximumJSONValues = Self.maximumValues
        var parser = JSONParser(limits: limits)
        var position = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        while true {
            while position < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[position]) { position += 1 }
            guard position < bytes.count else { break }
            let value: JSONValue
            let length: Int
            do throws(JSONSyntaxError) {
                (value, length) = try parser.parsePrefix(bytes[position...])
            } catch {
                throw fail(error.message, at: position + error.offset)
            }
            if let problem = take(value) { throw fail(problem, at: position) }
            position += length
        }
    }

    public var count: Int { byStore.count }

    /// The app with an App Store ID.
    public func app(storeIdentifier: String) -> App? { byStore[storeIdentifier] }

    /// The app with a bundle identifier.
    public func app(bundleIdentifier: String) -> App? { byBundle[bundleIdentifier] }

    /// Takes a reply, a result or an array of either; what is wrong with it, if it is none.
    private mutating func take(_ value: JSONValue) -> String? {
        if let values = value.array {
            for value in values {
                guard value.object != nil else {
                    return "the array holds something other than replies of the lookup API"
                }
                if let problem = take(value) { return problem }
            }
            return nil
        }
        guard let reply = value.object else {
            return "a reply of the lookup API is an object with “results”"
        }
        if let results = reply["results"] {
            guard let results = results.array else { return "“results” is not an array" }
            for result in results { add(result) }
        } else if reply["trackId"] != nil || reply["wrapperType"] != nil {
            add(value)
        } else {
            return "the object has no “results”, so it is no reply of the lookup API"
        }
        return byStore.count > Self.maximumApps ? "there are more than \(Self.maximumApps) apps" : nil
    }

    /// Of two results for one app the first counts, as replies of several storefronts have it.
    private mutating func add(_ result: JSONValue) {
        guard let object = result.object, let bundle = object["bundleId"]?.string, !bundle.isEmpty,
            bundle.utf8.count <= Self.maximumTextBytes, let id = Self.digits(object["trackId"])
        else {
            skipped += 1
            return
        }
        func text(_ key: String) -> String? {
            guard let text = object[key]?.string, !text.isEmpty, text.utf8.count <= Self.maximumTextBytes else {
                return nil
            }
            return text
        }
        let app = App(
            storeIdentifier: id, bundleIdentifier: bundle, name: text("trackName")?.collapsingHTMLSpace(),
            storeURL: text("trackViewUrl"))
        if byStore[id] == nil { byStore[id] = app }
        if byBundle[bundle] == nil { byBundle[bundle] = app }
    }

    private static func digits(_ value: JSONValue?) -> String? {
        let text: String? =
            switch value?.content {
            case .number(let text): text
            case .string(let text): text
            default: nil
            }
        guard let text, (1...20).contains(text.utf8.count), text.utf8.allSatisfy(\.isASCIIDigit) else { return nil }
        return text
    }
}

/// What is known of apps beside the page: which App Store ID belongs to which bundle identifier. Seeds and a reply of the App Store
/// say so; it is never guessed.
struct KnownApps: Sendable {
    /// What the seeds say of their apps.
    let seeds: [RecordBuilder.AppIdentity]
    var lookup: AppLookup?

    /// Whether an app that a link leads to, or a page describes, is the site's: a seed names it, or it is named after the site's domain.
    ///
    /// - Parameter host: of the page.
    func isOfSite(_ link: DeepLinkRecord.DeepLink, host: String) -> Bool {
        let isSeeded = seeds.contains { seed in
            seed.storeIdentifier != nil && seed.storeIdentifier == link.storeIdentifier
                || seed.packageName != nil && seed.packageName == link.packageName
                || seed.bundleIdentifier != nil && seed.bundleIdentifier == link.bundleIdentifier
        }
        let names = [link.platform == .android ? link.packageName : nil, link.appClipBundleIdentifier]
        return isSeeded || names.compactMap(\.self).contains { SiteIdentity.names($0, siteOf: host) }
    }

    /// Adds what is known of the app to its deep link.
    func identify(_ link: inout DeepLinkRecord.DeepLink) {
        guard link.platform.isApple else { return }
        if link.bundleIdentifier == nil, let store = link.storeIdentifier {
            link.bundleIdentifier =
                seeds.first { $0.storeIdentifier == store && $0.bundleIdentifier != nil }?.bundleIdentifier
                ?? lookup?.app(storeIdentifier: store)?.bundleIdentifier
        }
        // A clip's own bundle identifier says nothing of the App Store.
        guard let bundle = link.bundleIdentifier, bundle != link.appClipBundleIdentifier else { return }
        if link.storeIdentifier == nil {
            link.storeIdentifier =
                seeds.first { $0.bundleIdentifier == bundle && $0.storeIdentifier != nil }?.storeIdentifier
                ?? lookup?.app(bundleIdentifier: bundle)?.storeIdentifier
        }
        if link.appName == nil { link.appName = lookup?.app(bundleIdentifier: bundle)?.name }
    }
}
