/// What a site tells of pages that have changed (indexnow.org): their URLs, and a key that only the site's owner can have put
/// on the site.
public struct IndexNowPing: Sendable, Equatable {
    /// Why a message is no ping, with a sentence for whoever sent it.
    public enum Problem: Error, Sendable, Equatable {
        /// It has another form.
        case malformed(String)
        /// Its URLs, its key, or the place of its key do not fit.
        case unfit(String)

        /// The sentence.
        public var sentence: String {
            switch self {
            case .malformed(let sentence), .unfit(let sentence): sentence
            }
        }
    }

    /// The pages, all of one host and port.
    public let urls: [WebURL]
    /// 8 to 128 letters, digits and hyphens.
    public let key: String
    /// Where the key must be found: on the same host, at its root unless the ping says otherwise.
    public let keyFile: WebURL

    /// The limit of URLs in one ping.
    public static let maximumURLs = 10_000
    /// The limit of one address, as in sitemaps.
    public static let maximumURLBytes = 2_048

    /// A ping of one page: the parameters of a GET.
    ///
    /// - Throws: if it is none.
    public init(url: String, key: String, keyLocation: String?) throws(Problem) {
        let page = try Self.page(url)
        try self.init([page], key: key, keyLocation: keyLocation)
    }

    /// A ping of several pages: `host`, `key`, `urlList` and perhaps `keyLocation`, the body of a POST. Other members are ignored.
    ///
    /// - Throws: if it is none.
    public init(json: JSONValue) throws(Problem) {
        guard json.object != nil else { throw .malformed("The JSON must be an object.") }
        guard let host = json["host"]?.string else { throw .malformed("host must be the name of the host.") }
        guard let key = json["key"]?.string else { throw .malformed("key must be a text.") }
        let location = json["keyLocation"]
        guard location == nil || location?.string != nil else { throw .malformed("keyLocation must be a text.") }
        guard let list = json["urlList"]?.array, !list.isEmpty else {
            throw .malformed("urlList must be a list of URLs.")
        }
        guard list.count <= Self.maximumURLs else {
            throw .malformed("urlList has \(list.count) URLs; \(Self.maximumURLs) are allowed.")
        }
        guard host.utf8.count <= 255, let named = WebURL("https://\(host)/"), named.path == "/", named.query == nil,
            named.fragment == nil, named.username.isEmpty, named.password.isEmpty, named.host?.isEmpty == false
        else { throw .malformed("host must be the name of the host, without scheme and path.") }
        var pages: [WebURL] = []
        for value in list {
            guard let text = value.string else { throw .malformed("urlList must have nothing but URLs.") }
            let page = try Self.page(text)
            guard page.isOfServer(of: named) else {
                throw .unfit("A URL is not of the host \(named.host ?? ""): \(text.prefix(200))")
            }
            pages.append(page)
        }
        try self.init(pages, key: key, keyLocation: location?.string)
    }

    private init(_ pages: [WebURL], key: String, keyLocation: String?) throws(Problem) {
        guard Self.isKey(key) else {
            throw .unfit("A key has 8 to 128 of the characters a-z, A-Z, 0-9 and the hyphen.")
        }
        guard let first = pages.first else { throw .malformed("There is no URL.") }
        let file: WebURL
        if let keyLocation {
            file = try Self.page(keyLocation, "keyLocation")
            guard file.isOfServer(of: first) else { throw .unfit("keyLocation is on another host.") }
            // Many pages repeat what their address asks for.
            guard file.query == nil, file.fragment == nil else {
                throw .unfit("keyLocation must be the address of a file.")
            }
            // indexnow.org, "Verifying ownership", option 2.
            let folder = file.path.prefix(upToLast: "/")
            guard pages.allSatisfy({ $0.path.hasPrefix(folder) }) else {
                throw .unfit("With this keyLocation, URLs must begin with the path \(folder.prefix(200)).")
            }
        } else {
            guard let root = WebURL("/\(key).txt", base: first) else { throw .unfit("The key has no address.") }
            file = root
        }
        (urls, self.key, keyFile) = (pages, key, file)
    }

    /// Whether the bytes of a key file are the key and nothing else. White space around it and a byte order mark do not count.
    public func isProved(by bytes: [UInt8]) -> Bool {
        var text = bytes[...]
        if text.starts(with: [0xEF, 0xBB, 0xBF]) { text = text.dropFirst(3) }
        text = text.drop { $0 <= 0x20 }
        while let last = text.last, last <= 0x20 { text.removeLast() }
        return text.elementsEqual(key.utf8)
    }

    private static func isKey(_ text: String) -> Bool {
        (8...128).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    /// - Parameter name: what the text is called in sentences.
    private static func page(_ text: String, _ name: String = "A URL") throws(Problem) -> WebURL {
        guard text.utf8.count <= maximumURLBytes else {
            throw .malformed("\(name) is longer than \(maximumURLBytes) bytes.")
        }
        guard let url = WebURL(text), url.isHTTP, url.host?.isEmpty == false else {
            throw .malformed("\(name) must be a whole http or https address: \(text.prefix(200))")
        }
        guard url.username.isEmpty, url.password.isEmpty else { throw .malformed("\(name) has a password.") }
        return url
    }
}

extension WebURL {
    /// Whether both have the same host, and the same port unless both have their schemes' own.
    fileprivate func isOfServer(of other: WebURL) -> Bool { host == other.host && port == other.port }
}

extension String {
    /// Everything up to the last occurrence of a character, and it.
    fileprivate func prefix(upToLast character: Character) -> Substring {
        lastIndex(of: character).map { self[...$0] } ?? self[...]
    }
}
