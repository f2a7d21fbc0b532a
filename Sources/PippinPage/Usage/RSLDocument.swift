import CLibXML2

/// A licence in Really Simple Licensing 1.0 (`https://rslstandard.org/rsl`), as far as it is about uses.
///
///     rsl ─► content(url, server) ─► license ─► permits(type=usage), prohibits(type=usage), payment(type)
///
/// How it is read, where the standard leaves it open, is the stricter way. A use is granted if some licence of the content permits it for
/// nothing. It is refused if none does and the licences speak of it: they prohibit it, permit only others, or want something for it that
/// Pippin does not do, a payment or a licence from a server. Of several contents the longest pattern counts, as in robots.txt. Nothing that
/// a licence names is fetched, so licences that name each other end here.
///
/// One reading is ours: `permits` refuses the uses that it leaves out (§3.5), but a list that has only words of AI (`ai-*`) is silent about
/// search. Such licences sell uses by AI, and robots.txt says who may index.
public struct RSLDocument: Sendable, Hashable {
    struct License: Sendable, Hashable {
        /// The usages of `permits`; nil without that element.
        var permits: Set<String>?
        var prohibits: Set<String> = []
        /// The type of `payment`; nil without that element.
        var payment: String?
    }

    struct Content: Sendable, Hashable {
        var licenses: [License] = []
        /// Whether a licence must be fetched from a server (`server`).
        var needsServer = false
        /// The origin of `url`; nil if it is a path.
        var origin: String?
        var pattern = "/"
    }

    private(set) var contents: [Content] = []
    private let url: WebURL
    /// Why the file is not read, or not to its end.
    public private(set) var notes: [ParseNote] = []

    /// The longest licence that is read. Real ones have a few kilobytes. It also bounds what libxml2 does with attributes and
    /// namespaces, which it compares with each other.
    public static let maximumBytes = 100_000
    /// Elements beyond which a licence is not read.
    static let maximumElements = 5_000

    /// Reads a licence.
    public init(bytes: [UInt8], url: WebURL, limits: ReadingLimits = .standard) {
        self.url = url
        let reader = RSLReader(limits: limits)
        if bytes.count > Self.maximumBytes {
            reader.problem = "It has \(bytes.count) bytes and is not read."
        } else {
            reader.read(bytes)
        }
        // A licence that is cut may grant what its rest refuses.
        contents = reader.problem == nil ? reader.contents : []
        if let problem = reader.problem {
            notes.append(ParseNote(.usage(.licenseUnreadable), "\(url.href.prefix(200)): \(problem)"))
        }
    }

    /// The memory of the licence, in bytes.
    public var keptBytes: Int {
        contents.reduce(0) { $0 + 128 + $1.pattern.utf8.count + $1.licenses.count * 256 }
    }

    /// What the licence says about the uses of a page.
    public func statements(for page: WebURL) -> [UsageStatement] {
        var table = RobotsRuleTable()
        for (index, content) in contents.enumerated() where content.origin == nil || content.origin == page.origin {
            table.add(.allow, content.pattern.utf8, line: index)
        }
        table.sort()
        let places = RobotsTarget.withTarget(of: page) { table.strongestAlike(for: $0).map { Int($0.line) } }
        return places.sorted().flatMap { place in
            ContentUse.allCases.compactMap { statement($0, contents[place]) }
        }
    }

    private func statement(_ use: ContentUse, _ content: Content) -> UsageStatement? {
        // No licence at all can only be had from the server.
        var refusal = content.licenses.isEmpty && content.needsServer ? "<content server>" : nil
        for license in content.licenses {
            let permitted = license.permits.map { License.word(of: $0, covering: use) }
            if let word = license.word(prohibiting: use) {
                refusal = refusal ?? "<prohibits type=\"usage\">\(word)"
            } else if use == .search, license.isOnlyForAI {
                continue
            } else if let permits = license.permits, permitted == .some(nil) {
                refusal = refusal ?? "<permits type=\"usage\">\(permits.sorted().joined(separator: " "))"
            } else if content.needsServer {
                refusal = refusal ?? "<content server>"
            } else if let payment = license.payment, !License.withoutPayment.contains(payment) {
                refusal = refusal ?? "<payment type=\"\(payment)\">"
            } else if let word = permitted ?? nil, license.payment != "attribution" {
                return said(use, true, "<permits type=\"usage\">\(word)")
            }
        }
        return refusal.map { said(use, false, $0) }
    }

    private func said(_ use: ContentUse, _ isAllowed: Bool, _ text: String) -> UsageStatement {
        UsageStatement(use, isAllowed: isAllowed, UsageSource(.licenseFile, text, url: url.href))
    }
}

extension RSLDocument.License {
    /// The types of payment that cost nothing. Whoever uses the page must name its author for `attribution`, so that alone grants nothing.
    fileprivate static let withoutPayment: Set = ["free", "attribution"]

    /// The usages that cover a use, the widest first.
    private static func words(covering use: ContentUse) -> [String] {
        switch use {
        case .search: ["all", "search"]
        case .aiInput: ["all", "ai-all", "ai-input", "ai-index"]
        case .aiTrain, .aiTrainImages: ["all", "ai-all", "ai-train"]
        }
    }

    fileprivate static func word(of usages: Set<String>, covering use: ContentUse) -> String? {
        // To index for a model is a part of answering with it: refusing it refuses that, granting it alone does not grant that.
        words(covering: use).first { $0 != "ai-index" && usages.contains($0) }
    }

    /// Whether the list of what is permitted has only words of AI.
    fileprivate var isOnlyForAI: Bool {
        guard let permits, !permits.isEmpty else { return false }
        return permits.allSatisfy { $0.hasPrefix("ai-") }
    }

    fileprivate func word(prohibiting use: ContentUse) -> String? {
        Self.words(covering: use).first(where: prohibits.contains)
    }
}

/// Collects the elements of a licence while libxml2 reads it. No tree is built, nothing but the given bytes is read, and a document type
/// ends the reading: no licence needs one.
private final class RSLReader {
    private(set) var contents: [RSLDocument.Content] = []
    var problem: String?

    private let limits: ReadingLimits
    private var context: xmlParserCtxtPtr?
    private var elements = 0
    private var depth = 0
    private var rootIsRSL = false
    private var inContent = false
    private var inLicense = false
    private var list: (isPermit: Bool, text: [UInt8])?

    private static let namespace = "https://rslstandard.org/rsl"
    /// Usages of one element are a few words.
    private static let maximumListBytes = 2_000

    init(limits: ReadingLimits) { self.limits = limits }

    func read(_ bytes: [UInt8]) {
        LibXML2.isReady
        bytes.withUnsafeBytes { raw in
            guard let size = Int32(exactly: raw.count), size > 0,
                let context = xmlCreateMemoryParserCtxt(raw.baseAddress?.assumingMemoryBound(to: CChar.self), size)
            else {
                problem = "It is empty."
                return
            }
            defer {
                if let document = context.pointee.myDoc { xmlFreeDoc(document) }
                context.pointee.myDoc = nil
                xmlFreeParserCtxt(context)
            }
            // UTF-8 whatever it declares; other bytes are an error.
            xmlCtxtUseOptions(context, Int32(XML_PARSE_NONET.rawValue | XML_PARSE_IGNORE_ENC.rawValue))
            context.pointee.sax.pointee = Self.handler()
            self.context = context
            // libxml2 uses the pointer only during the call, and this reader lives longer.
            context.pointee.userData = Unmanaged.passUnretained(self).toOpaque()
            xmlParseDocument(context)
            self.context = nil
        }
        if problem == nil, !rootIsRSL { problem = "It is no RSL." }
    }

    private func stop(_ reason: String) {
        problem = problem ?? reason
        if let context { xmlStopParser(context) }
    }

    private static func handler() -> xmlSAXHandler {
        var handler = xmlSAXHandler()
        handler.initialized = UInt32(XML_SAX2_MAGIC)
        handler.startElementNs = { user, name, _, namespace, _, _, count, _, attributes in
            guard let name else { return }
            RSLReader.of(user)?.start(String(cString: name), namespace, attributes, Int(count))
        }
        handler.endElementNs = { user, name, _, namespace in
            guard let name else { return }
            RSLReader.of(user)?.end(String(cString: name), namespace)
        }
        handler.characters = { user, bytes, count in
            guard let bytes else { return }
            RSLReader.of(user)?.characters(UnsafeBufferPointer(start: bytes, count: Int(count)))
        }
        handler.cdataBlock = handler.characters
        handler.internalSubset = { user, _, _, _ in RSLReader.of(user)?.stop("It has a document type.") }
        handler.getEntity = { _, _ in nil }
        handler.serror = { user, error in
            guard let error, error.pointee.level == XML_ERR_FATAL else { return }
            RSLReader.of(user)?.stop("It is no well-formed XML (line \(error.pointee.line)).")
        }
        return handler
    }

    private static func of(_ user: UnsafeMutableRawPointer?) -> RSLReader? {
        user.map { Unmanaged<RSLReader>.fromOpaque($0).takeUnretainedValue() }
    }

    private func start(
        _ name: String, _ namespace: UnsafePointer<xmlChar>?,
        _ attributes: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?, _ count: Int
    ) {
        guard problem == nil else { return }
        elements += 1
        depth += 1
        if elements > RSLDocument.maximumElements {
            return stop("It has more than \(RSLDocument.maximumElements) elements.")
        }
        if limits.isInterrupted(after: 1) { return stop("The reading was interrupted.") }
        guard namespace.map({ String(cString: $0) == Self.namespace }) ?? false else { return }
        switch name {
        case "rsl": if depth == 1 { rootIsRSL = true }
        case "content" where rootIsRSL:
            var content = RSLDocument.Content()
            let address = Self.value("url", attributes, count) ?? ""
            if let absolute = WebURL(address), absolute.isHTTP {
                content.origin = absolute.origin
                // As written: normalizing the address would encode the pattern's signs.
                let rest = address.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
                content.pattern = rest.count > 3 ? "/" + rest[3] : "/"
            } else if address.hasPrefix("/") || address.hasPrefix("*") {
                content.pattern = address
            }
            content.needsServer = !(Self.value("server", attributes, count) ?? "").isEmpty
            contents.append(content)
            inContent = true
        case "license" where inContent:
            contents[contents.count - 1].licenses.append(RSLDocument.License())
            inLicense = true
        case "permits" where inLicense, "prohibits" where inLicense:
            if Self.value("type", attributes, count) == "usage" { list = (name == "permits", []) }
        case "payment" where inLicense:
            change { $0.payment = Self.value("type", attributes, count)?.asciiLowercased ?? "unknown" }
        default: break
        }
    }

    private func change(_ body: (inout RSLDocument.License) -> Void) {
        guard let content = contents.indices.last, let license = contents[content].licenses.indices.last else { return }
        body(&contents[content].licenses[license])
    }

    private func characters(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard problem == nil, list != nil else { return }
        list?.text.append(contentsOf: bytes)
        if list?.text.count ?? 0 > Self.maximumListBytes { stop("A list of usages is too long.") }
    }

    private func end(_ name: String, _ namespace: UnsafePointer<xmlChar>?) {
        guard problem == nil else { return }
        depth -= 1
        guard namespace.map({ String(cString: $0) == Self.namespace }) ?? false else { return }
        switch name {
        case "content": inContent = false
        case "license": inLicense = false
        case "permits", "prohibits":
            guard let list else { return }
            self.list = nil
            let words = String(decoding: list.text, as: UTF8.self).asciiLowercased
                .split { $0.isWhitespace || $0 == "," }.map(String.init)
            change { license in
                if list.isPermit {
                    license.permits = (license.permits ?? []).union(words)
                } else {
                    license.prohibits.formUnion(words)
                }
            }
        default: break
        }
    }

    /// The value of an attribute without a prefix. libxml2 gives five pointers for each: name, prefix, namespace, begin and end of the
    /// value.
    private static func value(
        _ name: String, _ attributes: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?, _ count: Int
    ) -> String? {
        guard let attributes else { return nil }
        for index in 0..<count {
            let place = attributes + 5 * index
            guard let key = place[0], place[1] == nil, String(cString: key) == name, let begin = place[3],
                let end = place[4]
            else { continue }
            return String(decoding: UnsafeBufferPointer(start: begin, count: min(end - begin, 4_000)), as: UTF8.self)
        }
        return nil
    }
}
