import PippinPage

/// The header fields that a page's script gives to its request. None says who asks, has state of a browser, or belongs to the protocol,
/// and none can begin another field.
public struct ScriptFields: Sendable, Hashable {
    public static let none = ScriptFields([])
    /// Those of a frame's document: the form of pages.
    public static let ofDocument = ScriptFields([("Accept", FetchRequest.Purpose.page.accept)])

    /// Real apps set up to ten fields; servers refuse more than 8 KB.
    private static let maximumCount = 32
    private static let maximumBytes = 8_000

    /// By name, which is in lower case.
    let fields: [HTTPHeaders.Field]

    /// Takes the fields that are for the script to set. If these are too many or too long, there are none.
    public init(_ fields: [(name: String, value: String)]) {
        let own = HTTPHeaders(fields.map { (name: $0.name.lowercased(), value: $0.value) }).fields.filter {
            Self.mayBeSet($0.name) && $0.value.utf8.allSatisfy { $0 < 0x80 }
                && SiteCredentials.Field.isSendable($0.value) && !Self.isStandard($0)
        }.sorted { ($0.name, $0.value) < ($1.name, $1.value) }
        let bytes = own.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        self.fields = own.count <= Self.maximumCount && bytes <= Self.maximumBytes ? own : []
    }

    /// Whether a script may set a field. Not those that are forbidden to it (Fetch Standard §2.2.2), nor those that are ours: our name,
    /// validators, ranges, caching, and what makes another method of ours.
    public static func mayBeSet(_ name: String) -> Bool {
        let name = name.lowercased()
        return SiteCredentials.Field.isToken(name) && !refused.contains(name) && !methodOverrides.contains(name)
            && !SiteCredentials.ownNames.contains(name)
            && !refusedPrefixes.contains { name.hasPrefix($0) }
    }

    private static let refused: Set<String> = [
        "accept-charset", "access-control-request-headers", "access-control-request-method",
        "access-control-request-private-network", "cookie", "cookie2", "date", "dnt", "origin", "referer",
        "set-cookie", "via",
        // What the browser adds.
        "upgrade-insecure-requests", "purpose", "save-data", "device-memory", "viewport-width", "width", "dpr",
        "downlink",
        "ect", "rtt", "priority", "service-worker",
        "if-match", "if-unmodified-since", "if-range", "cache-control", "pragma",
        "forwarded",
    ]
    /// Fields by which servers take another method than that of the request.
    public static let methodOverrides: Set = ["x-http-method", "x-http-method-override", "x-method-override"]
    private static let refusedPrefixes = ["sec-", "proxy-", "x-forwarded-"]

    /// What every request says.
    private static func isStandard(_ field: HTTPHeaders.Field) -> Bool {
        field.name == "accept" && field.value == FetchRequest.Purpose.subresource.accept
    }

    /// Whether they choose a form of the answer at most, so that whoever sends the same fields may have the same answer.
    var areHarmless: Bool { fields.allSatisfy { Self.harmless.contains($0.name) } }

    private static let harmless: Set = ["accept", "accept-language", "content-type", "x-requested-with"]

    /// Their text, for the key of an answer; nil if there are none.
    var key: String? {
        fields.isEmpty ? nil : fields.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
    }
}
