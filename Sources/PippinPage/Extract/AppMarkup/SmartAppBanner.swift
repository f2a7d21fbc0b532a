/// The Smart App Banner of a page, `<meta name="apple-itunes-app">`: the app to offer, and its argument.
///
/// Apple documents a list of `key=value` pairs; pages have many other forms. Every leniency leaves a note.
public struct SmartAppBanner: Sendable {
    /// A `key=value` that Apple does not document.
    public struct Parameter: Sendable, Hashable {
        /// The key as written.
        public let key: String
        /// The value as written.
        public let value: String
    }

    /// App Store ID: digits only.
    public fileprivate(set) var appID: String?
    /// The app's argument as written; see `appArgumentURL`.
    public fileprivate(set) var appArgument: String?
    fileprivate(set) var affiliateData: String?
    /// The App Clip's bundle ID.
    public fileprivate(set) var appClipBundleID: String?
    fileprivate(set) var appClipDisplay: String?
    /// The undocumented parameters, in order.
    public fileprivate(set) var extras: [Parameter] = []
    /// The tag's content as written.
    public fileprivate(set) var content = ""
    private var place: SourcePlace?
    /// Contents of the page's other banner tags. Only the first valid tag counts.
    fileprivate(set) var otherContents: [String] = []
    /// Leniencies used and limits reached while reading.
    public fileprivate(set) var notes: [ParseNote] = []

    /// Whether the page has a tag with the right name. If not, there are only notes on misnamed tags.
    public fileprivate(set) var hasTag = false

    /// The line in the page, 1-based; nil if unknown.
    public var line: Int? { place?.line }
    /// The column in the page, 1-based; nil if unknown.
    public var column: Int? { place?.column }

    /// Whether it names an app or an App Clip.
    public var isValid: Bool { appID != nil || appClipBundleID != nil }

    /// The argument as a URL; nil if it is missing, not a URL, or a bare scheme (`app://`).
    public fileprivate(set) var appArgumentURL: WebURL?
}

// Apple documents `content="app-id=…, app-argument=…"`. It is not known how Safari and Applebot read other forms, so the content is
// searched for the known keys with any separators, and each leniency becomes a note:
//
// 1. The first tag that names an app or an App Clip counts (`init`).
// 2. `BannerScanner` cuts its content into pairs.
// 3. Each value is checked: digits, URLs, placeholders (`take…`).

extension SmartAppBanner {
    /// Nil if the page has neither a banner tag nor a misnamed one.
    public init?(_ document: HTMLDocument, meta: MetaTags) {
        var candidates: [SmartAppBanner] = []
        var lookalikes: [ParseNote] = []
        for index in meta.tags.indices where Self.mayBeNear(meta.tags[index].name) {
            let tag = meta.tags[index]
            if tag.name == "apple-itunes-app" {
                candidates.append(SmartAppBanner(tag, in: document))
            } else if let note = Self.lookalikeNote(tag) {
                lookalikes.append(note)
            }
        }
        guard !candidates.isEmpty || !lookalikes.isEmpty else { return nil }
        let winner = candidates.firstIndex(where: \.isValid) ?? 0
        self.init()
        if candidates.indices.contains(winner) { self = candidates.remove(at: winner) }
        for other in candidates {
            otherContents.append(other.content)
            notes.append(
                ParseNote(
                    .banner(.repeated),
                    "Another apple-itunes-app tag, which does not count: \(Self.quoted(other.content)).",
                    line: other.line, column: other.column))
        }
        notes += lookalikes
    }

    /// Whether a name begins or ends like those of `lookalikeNote`.
    private static func mayBeNear(_ name: String) -> Bool {
        name.utf8.count >= 5 && (name.utf8.first == UInt8(ascii: "a") || name.utf8.last == UInt8(ascii: "p"))
    }

    /// `custom-apple-itunes-app`, `apple-itunes-app-tab`, and the placeholders of Apple's and Microsoft's own samples.
    private static func lookalikeNote(_ tag: MetaTag) -> ParseNote? {
        let isSample = (tag.name == "myapp" || tag.name == "appname") && tag.content?.has("app-id") == true
        let isNear = tag.name.hasPrefix("apple-itunes-app") || tag.name.hasSuffix("apple-itunes-app")
        guard isSample || isNear else { return nil }
        return tag.note(
            .banner(.lookalike),
            "A tag named \(quoted(tag.written)) is not a banner; the name must be apple-itunes-app."
        )
    }

    private init(_ tag: MetaTag, in document: HTMLDocument) {
        self.init()
        hasTag = true
        place = tag.place
        content = tag.content ?? ""
        if !tag.carriers.contains(.name) {
            note(.banner(.attribute), "The banner is named by another attribute than name.")
        }
        if tag.written != tag.name { note(.banner(.nameSpelling), "The name is written \(Self.quoted(tag.written)).") }
        if tag.isInBody { note(.banner(.inBody), "The banner tag stands in the body.") }
        if tag.usesValueAttribute { note(.banner(.valueAttribute), "The content stands in a value attribute.") }

        var scanner = BannerScanner(Array(content.utf8))
        let pairs = scanner.pairs()
        for leniency in scanner.leniencies { note(leniency.code, leniency.message) }
        var seen: Set<String> = []
        for pair in pairs {
            guard seen.insert(pair.key).inserted else {
                note(.banner(.keyRepeated), "\(pair.key) is given more than once; the first counts.")
                continue
            }
            take(pair.key, pair.value)
        }
        if pairs.isEmpty { noteMissingKeys() }
        takeAttributes(of: tag.element, in: document)
        if appID == nil && appClipBundleID != nil {
            note(.banner(.clipOnly), "There is an App Clip but no app-id.")
        }
    }

    private mutating func note(_ code: ParseNote.Code, _ message: String) {
        notes.append(ParseNote(code, message, line: line, column: column))
    }

    private static func quoted(_ text: String) -> String {
        "“\(text.prefix(200))”"
    }

    private mutating func noteMissingKeys() {
        let text = content.trimmingHTMLSpace()
        if text.isEmpty {
            note(.banner(.empty), "The banner tag has no content.")
        } else if AppStoreID.reading(text) != nil {
            note(.banner(.noKey), "The content is \(Self.quoted(text)); write app-id=\(text).")
        } else {
            note(.banner(.noKey), "The content \(Self.quoted(text)) has no app-id=.")
        }
    }

    /// `<meta … app-argument="…">`: the argument as an attribute instead of in the content.
    private mutating func takeAttributes(of element: HTMLDocument.Index, in document: HTMLDocument) {
        if let id = document.value(of: .appID, on: element)?.trimmingHTMLSpace() {
            note(.banner(.idAttribute), "app-id is an attribute of its own: \(Self.quoted(id)).")
            if appID == nil && !id.isEmpty { takeAppID(id) }
        }
        if let argument = document.value(of: .appArgument, on: element)?.trimmingHTMLSpace() {
            note(.banner(.argumentAttribute), "app-argument is an attribute of its own: \(Self.quoted(argument)).")
            if appArgument == nil && !argument.isEmpty { takeArgument(argument) }
        }
    }

    // MARK: Values

    private mutating func take(_ key: String, _ value: String) {
        switch key {
        case "app-id": takeAppID(value)
        case "app-argument": takeArgument(value)
        case "affiliate-data":
            if value.isEmpty {
                note(.banner(.affiliateEmpty), "affiliate-data is empty.")
            } else {
                affiliateData = value
            }
        case "app-clip-bundle-id":
            if ASCIIText.isReverseDomain(value, allowsHyphens: true) {
                appClipBundleID = value
            } else {
                note(.banner(.clipMalformed), "app-clip-bundle-id \(Self.quoted(value)) is not a bundle ID.")
            }
        case "app-clip-display":
            appClipDisplay = value
            if value != "card" { note(.banner(.clipDisplay), "app-clip-display \(Self.quoted(value)) is not card.") }
        default:
            extras.append(Parameter(key: key, value: value))
            note(.banner(.keyUnknown), "\(Self.quoted(key)) is not a key of a banner.")
        }
    }

    private mutating func takeAppID(_ value: String) {
        if let reading = AppStoreID.reading(value) {
            appID = reading.id
            if !reading.wasPlain {
                note(.banner(.appIDPrefix), "app-id is \(Self.quoted(value)); the number alone is meant.")
            }
        } else if value.isEmpty {
            note(.banner(.appIDEmpty), "app-id is empty.")
        } else if ASCIIText.isPlaceholder(value) {
            note(.banner(.appIDPlaceholder), "app-id is a placeholder: \(Self.quoted(value)).")
        } else if ASCIIText.isReverseDomain(value, allowsHyphens: true) {
            note(.banner(.appIDBundle), "app-id is a bundle ID, not the App Store's number: \(Self.quoted(value)).")
        } else {
            note(.banner(.appIDMalformed), "app-id is not a number: \(Self.quoted(value)).")
        }
    }

    private mutating func takeArgument(_ value: String) {
        guard !value.isEmpty else { return note(.banner(.argumentEmpty), "app-argument is empty.") }
        appArgument = value
        if ASCIIText.hasTemplateMark(value) {
            return note(.banner(.argumentPlaceholder), "app-argument is a placeholder: \(Self.quoted(value)).")
        }
        if ASCIIText.isBareScheme(value) {
            return note(
                .banner(.argumentBareScheme), "app-argument opens the app but no content: \(Self.quoted(value)).")
        }
        let address = WrittenAddress(value)
        if address.isWrapped {
            note(
                .banner(.argumentSpace),
                "app-argument is wrapped over lines; it is read as \(Self.quoted(address.text)).")
        } else if value.utf8.contains(where: \.isHTMLSpace) {
            note(.banner(.argumentSpace), "app-argument has white space in it: \(Self.quoted(value)).")
        }
        appArgumentURL = WebURL(written: address)
        guard let url = appArgumentURL else {
            return note(.banner(.argumentMalformed), "app-argument is not an absolute URL: \(Self.quoted(value)).")
        }
        if !url.isHTTP {
            note(.banner(.argumentScheme), "app-argument has the app's own scheme; a universal link opens more surely.")
        }
        if value.utf8.last == 0x3D {
            note(.banner(.argumentCut), "app-argument ends with an equals sign: \(Self.quoted(value)).")
        }
    }
}

extension SmartAppBanner {
    var appClaims: [AppClaim] {
        guard isValid || appArgumentURL != nil else { return [] }
        var claim = AppClaim(.iOS, .smartAppBanner, "apple-itunes-app", line: line, column: column)
        claim.storeIdentifier = appID
        claim.appClipBundleIdentifier = appClipBundleID
        // A clip without an app is an app of its own.
        claim.bundleIdentifier = appID == nil ? appClipBundleID : nil
        claim.address = appArgumentURL?.href
        return [claim]
    }
}

/// Splits a banner's content into pairs. A key is at the start or after `,`, `;` or white space, and before `=`. A value reaches to
/// the next key, so it may contain commas and equals signs.
private struct BannerScanner {
    struct Pair {
        let key: String
        let value: String
    }

    private struct Key {
        let name: String
        let start: Int
        let valueStart: Int
    }

    private let bytes: [UInt8]
    private(set) var leniencies: [(code: ParseNote.Code, message: String)] = []

    private static let knownKeys: [StaticString] = [
        "app-id", "app-argument", "affiliate-data", "app-clip-bundle-id", "app-clip-display",
    ]
    /// The limit of pairs, more than any real banner has.
    private static let maximumPairs = 32

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    private mutating func forgive(_ code: ParseNote.Code, _ message: String) {
        if !leniencies.contains(where: { $0.code == code }) { leniencies.append((code, message)) }
    }

    private func isSeparator(_ byte: UInt8) -> Bool { byte == 0x2C || byte == 0x3B || byte.isHTMLSpace }

    mutating func pairs() -> [Pair] {
        var keys: [Key] = []
        var i = 0
        while i < bytes.count && keys.count < Self.maximumPairs {
            guard bytes[i].isASCIILetter else {
                i += 1
                continue
            }
            // In a URL, an ampersand is the URL's.
            let isAtBorder =
                i == 0 || isSeparator(bytes[i - 1]) || isQuote(bytes[i - 1]) && keys.isEmpty
                || bytes[i - 1] == UInt8(ascii: "&") && keys.last?.name == "app-id"
            if isAtBorder, let key = key(at: i, after: keys.last) {
                keys.append(key)
                i = key.valueStart
            } else {
                i += 1
            }
        }
        guard let first = keys.first else { return [] }
        let leading = bytes[..<first.start].filter { !isSeparator($0) && !isQuote($0) }
        if !leading.isEmpty {
            forgive(.banner(.leadingText), "Text before the first key was ignored.")
        }
        return keys.indices.map { index in
            let end = index + 1 < keys.count ? keys[index + 1].start : bytes.count
            let isJoined = index + 1 < keys.count && end > keys[index].valueStart && bytes[end - 1] == UInt8(ascii: "&")
            let value = trimmed(bytes[keys[index].valueStart..<(isJoined ? end - 1 : end)])
            if index + 1 < keys.count { noteSeparator(bytes[value.endIndex..<end], before: keys[index + 1].name) }
            return Pair(key: keys[index].name, value: String(decoding: value, as: UTF8.self))
        }
    }

    private func isQuote(_ byte: UInt8) -> Bool { byte == 0x22 || byte == 0x27 }

    private mutating func noteSeparator(_ between: ArraySlice<UInt8>, before key: String) {
        if between.contains(0x2C) { return }
        if between.contains(UInt8(ascii: "&")) {
            forgive(.banner(.separatorMissing), "An ampersand instead of a comma before \(key).")
        } else if between.contains(0x3B) {
            forgive(.banner(.separatorSemicolon), "A semicolon instead of a comma before \(key).")
        } else {
            forgive(.banner(.separatorMissing), "No comma before \(key).")
        }
    }

    private mutating func key(at start: Int, after last: Key?) -> Key? {
        for known in Self.knownKeys {
            guard let match = Match(of: known, in: bytes, at: start),
                let value = valueStart(after: match.end, orColon: true)
            else { continue }
            let end = match.end
            if match.isBroken { forgive(.banner(.keyBroken), "White space inside the key \(known).") }
            if match.hasCapitals { forgive(.banner(.keySpelling), "\(known) is not written in lower case.") }
            if bytes[value - 1] == 0x3A {
                forgive(.banner(.keyColon), "A colon instead of an equals sign after \(known).")
            }
            if value != end + 1 { forgive(.banner(.keySpace), "White space before an equals sign.") }
            return Key(name: known.description, start: start, valueStart: value)
        }
        return unknownKey(at: start, after: last)
    }

    /// A known key as written: in any letter case, and with white space after the hyphen (`app-   argument`) if the content was
    /// wrapped there.
    private struct Match {
        private(set) var end: Int
        private(set) var isBroken = false
        private(set) var hasCapitals = false

        init?(of known: StaticString, in bytes: [UInt8], at start: Int) {
            end = start
            for wanted in known.description.utf8 {
                while end > start, end < bytes.count, bytes[end].isHTMLSpace {
                    end += 1
                    isBroken = true
                }
                guard end < bytes.count, bytes[end].asciiLowercased == wanted else { return nil }
                if bytes[end] != wanted { hasCapitals = true }
                end += 1
            }
        }
    }

    /// An unknown key and `=` at `start`. A URL may contain `,b=c`, so after a URL the key needs white space before it too.
    private func unknownKey(at start: Int, after last: Key?) -> Key? {
        if let last {
            let before = bytes[..<start].last { !$0.isHTMLSpace }
            guard before == 0x2C || before == 0x3B else { return nil }
            let isInURL = last.name == "app-argument" || last.name == "affiliate-data"
            if isInURL && !bytes[start - 1].isHTMLSpace { return nil }
        }
        var end = start
        while end < bytes.count,
            bytes[end].isASCIILetter || bytes[end] == 0x2D || bytes[end] == 0x5F || bytes[end].isASCIIDigit
        {
            end += 1
        }
        guard end > start, end - start <= 64, bytes[start].isASCIILetter, let value = valueStart(after: end)
        else {
            return nil
        }
        return Key(
            name: String(decoding: bytes[start..<end].map(\.asciiLowercased), as: UTF8.self), start: start,
            valueStart: value)
    }

    /// The offset after the `=` of a key, or after a colon instead of it.
    private func valueStart(after end: Int, orColon: Bool = false) -> Int? {
        var i = end
        while i < bytes.count, bytes[i].isHTMLSpace { i += 1 }
        guard i < bytes.count else { return nil }
        return bytes[i] == 0x3D || orColon && bytes[i] == 0x3A ? i + 1 : nil
    }

    /// The value without white space, quotes, and separators at the end.
    private mutating func trimmed(_ value: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var result = value.trimmingHTMLSpace()
        while let last = result.last {
            if isSeparator(last) {
                result.removeLast()
            } else if isQuote(last) {
                result.removeLast()
                forgive(.banner(.quotes), "Quotes around a value.")
            } else if result.suffix(3).elementsEqual([0xE2, 0x80, 0x9D]) {
                result.removeLast(3)
                forgive(.banner(.quotes), "Quotes around a value.")
            } else {
                break
            }
        }
        while let first = result.first {
            if isQuote(first) {
                result.removeFirst()
            } else if result.prefix(3).elementsEqual([0xE2, 0x80, 0x9C])
                || result.prefix(3).elementsEqual([0xE2, 0x80, 0x9D])
            {
                result.removeFirst(3)
            } else {
                break
            }
            forgive(.banner(.quotes), "Quotes around a value.")
        }
        return result
    }
}

extension SmartAppBanner {
    /// The JSON form.
    public var json: JSONValue {
        JSONObject.with {
            $0.put("appID", appID)
            $0.put("appArgument", appArgument)
            $0.put("appArgumentURL", appArgumentURL)
            $0.put("affiliateData", affiliateData)
            $0.put("appClipBundleID", appClipBundleID)
            $0.put("appClipDisplay", appClipDisplay)
            $0.put("extras", extras) { extra in
                JSONObject.with {
                    $0.put("key", extra.key)
                    $0.put("value", extra.value)
                }
            }
            $0.put("content", content)
            $0.put("line", line)
            $0.put("otherContents", otherContents)
            $0.put(notes)
        }
    }
}
