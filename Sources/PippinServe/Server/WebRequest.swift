import PippinPage
import PippinStore

/// One request, read and bounded: what handlers may know of it.
struct WebRequest: Sendable {
    enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
    }

    let method: Method
    let path: String
    let query: WebQuery
    /// Header fields by their names in lower case. If a field is repeated, its first value.
    let fields: [String: String]
    /// At most as long as its route allows; empty unless the method is POST.
    let body: [UInt8]
    /// What whoever asks may do.
    let access: WebAccess

    /// What holds for every search of whoever asks; nil if nothing does.
    var restriction: SearchRestriction? { if case .search(let restriction) = access { restriction } else { nil } }

    init(
        method: Method = .get, path: String, query: WebQuery = WebQuery(), fields: [String: String] = [:],
        body: [UInt8] = [], access: WebAccess = .everything
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.fields = fields
        self.body = body
        self.access = access
    }

    /// A request with these parameters, where the method has them.
    init(calling method: Method, _ path: String, with parameters: WebQuery, _ access: WebAccess) {
        switch method {
        case .get: self.init(path: path, query: parameters, access: access)
        case .post:
            self.init(
                method: .post, path: path, fields: ["content-type": Self.formType],
                body: Array(parameters.formEncoded.utf8), access: access)
        }
    }

    /// Whether whoever asks takes an answer of a media type (RFC 9110 §12.5.1).
    func takes(_ type: String) -> Bool {
        guard let accept = fields["accept"] else { return true }
        let ranges = [type, type.split(separator: "/")[0] + "/*", "*/*"]
        return accept.split(separator: ",").contains { item in
            let parts = item.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
            return weight > 0 && parts.first.map(ranges.contains) ?? false
        }
    }

    /// Whether a person of this server has opened the page, as far as the browser says: no other site, and no picture of a page.
    var isOwnNavigation: Bool {
        let isOwnSite = fields["sec-fetch-site"].map { $0 == "same-origin" || $0 == "none" } ?? true
        return isOwnSite && (fields["sec-fetch-dest"].map { $0 == "document" || $0 == "empty" } ?? true)
    }

    static let formType = "application/x-www-form-urlencoded"
    static let jsonType = "application/json"

    /// The media type of the body, without parameters.
    private var bodyType: String {
        let type = fields["content-type"]?.split(separator: ";").first.map { $0.lowercased() } ?? ""
        return type.filter { $0 != " " }
    }

    /// The body, which must be of a media type.
    func body(of type: String) throws(WebRefusal) -> [UInt8] {
        guard bodyType == type else {
            throw WebRefusal(
                .unsupportedMediaType, "The body must be \(type == Self.jsonType ? "JSON" : "a form") (\(type)).")
        }
        return body
    }

    /// The body as JSON.
    ///
    /// - Throws: `WebRefusal` if it is something else, or has a key twice.
    func json() throws(WebRefusal) -> JSONValue {
        let body = try self.body(of: Self.jsonType)
        var parser = JSONParser()
        let value: JSONValue
        do {
            value = try parser.parse(body)
        } catch {
            throw WebRefusal(.badRequest, "The body is no JSON: \(error).")
        }
        guard parser.notes.isEmpty, String(validating: body, as: UTF8.self) != nil else {
            throw WebRefusal(.badRequest, "The body is no strict JSON.")
        }
        return value
    }

    /// The body as a form.
    ///
    /// - Throws: `WebRefusal` if it is something else.
    func form() throws(WebRefusal) -> WebQuery {
        try WebQuery(formEncoded: String(decoding: self.body(of: Self.formType), as: UTF8.self))
    }
}

/// The parameters of a query or a form (URL Standard §5.1), decoded strictly. Order and repetitions are kept.
struct WebQuery: Sendable, Equatable {
    struct Parameter: Sendable, Equatable {
        let name: String
        let value: String
    }

    /// No page has more than a handful of parameters.
    static let maximumParameters = 32

    private(set) var parameters: [Parameter] = []

    init() {}

    /// - Throws: `WebRefusal` if the text has broken percent-encoding, is not UTF-8, or has too many parameters.
    init(formEncoded text: String) throws(WebRefusal) {
        for part in text.split(separator: "&", omittingEmptySubsequences: true) {
            guard parameters.count < Self.maximumParameters else {
                throw WebRefusal(.badRequest, "There are more than \(Self.maximumParameters) parameters.")
            }
            let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            parameters.append(
                Parameter(
                    name: try Self.decoded(sides[0]), value: sides.count > 1 ? try Self.decoded(sides[1]) : ""))
        }
    }

    /// The parameters as a query or a form has them.
    var formEncoded: String {
        parameters.map { "\(LocalLink.encoded($0.name))=\(LocalLink.encoded($0.value))" }.joined(separator: "&")
    }

    /// The members of a JSON object as parameters.
    ///
    /// - Throws: `WebRefusal` if they are not of their types, or break the parameters' limits.
    init(members: JSONValue, of known: [APIParameter]) throws(WebRefusal) {
        guard let object = members.object else { throw WebRefusal(.badRequest, "A query must be an object.") }
        for member in object.members {
            let kind = known.first { $0.name == member.key }?.kind
            let value: String? =
                switch kind {
                // JSON has no whole numbers of their own: 10.0 is one.
                case .number: member.value.double.flatMap { Int(exactly: $0) }.map { "\($0)" }
                case .flag: member.value.bool.map { "\($0)" }
                case .fields, .words:
                    member.value.array.flatMap { names in
                        let texts = names.compactMap(\.string)
                        // A comma would make two of one.
                        let isUsable = texts.count == names.count && !texts.contains { $0.contains(",") }
                        return isUsable && !texts.isEmpty ? texts.joined(separator: ",") : nil
                    }
                case .text, .address, .cursor, .choice, nil: member.value.string
                }
            guard kind == nil || value != nil else {
                throw WebRefusal(.badRequest, "The member \(member.key) has another type.")
            }
            parameters.append(Parameter(name: member.key, value: value ?? ""))
        }
        try allowing(known.map(\.name))
        for parameter in known { try parameter.check(self) }
    }

    private static func decoded(_ text: Substring) throws(WebRefusal) -> String {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(hexadecimal), let low = rest.popFirst().flatMap(hexadecimal) else {
                throw WebRefusal(
                    .badRequest, "A percent sign in the parameters is not followed by two hexadecimal digits.")
            }
            bytes.append(high << 4 | low)
        }
        guard let decoded = String(validating: bytes, as: UTF8.self) else {
            throw WebRefusal(.badRequest, "The parameters are not UTF-8.")
        }
        return decoded
    }

    private static func hexadecimal(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        default: nil
        }
    }

    /// The first value of a name; nil without that name.
    subscript(name: String) -> String? { parameters.first { $0.name == name }?.value }

    // MARK: Strict reading, for the API

    /// - Throws: `WebRefusal` if there is a parameter that is not in the list, or one that is repeated.
    func allowing(_ names: [String]) throws(WebRefusal) {
        var met: Set<String> = []
        for parameter in parameters {
            guard names.contains(parameter.name) else {
                let known = names.isEmpty ? "there are none here" : "there are \(names.joined(separator: ", "))"
                throw WebRefusal(
                    .badRequest, "There is no parameter \(Wording.quoted(parameter.name, to: 40)); \(known).")
            }
            guard met.insert(parameter.name).inserted else {
                throw WebRefusal(.badRequest, "The parameter \(parameter.name) is given twice.")
            }
        }
    }

    /// A text of bounded length, counted in Unicode scalars as JSON Schema does.
    ///
    /// - Throws: `WebRefusal` if it is missing (unless `minimum` is 0), too short or too long.
    func text(_ name: String, minimum: Int = 0, maximum: Int) throws(WebRefusal) -> String {
        guard let value = self[name] else {
            guard minimum == 0 else { throw WebRefusal(.badRequest, "The parameter \(name) is missing.") }
            return ""
        }
        let count = value.unicodeScalars.count
        guard count >= minimum else { throw WebRefusal(.badRequest, "The parameter \(name) is empty.") }
        guard count <= maximum else {
            throw WebRefusal(.badRequest, "The parameter \(name) is longer than \(maximum) characters.")
        }
        return value
    }

    /// `true` or `false`; false if it is missing.
    ///
    /// - Throws: `WebRefusal` if it is something else.
    func flag(_ name: String) throws(WebRefusal) -> Bool {
        switch self[name] {
        case nil, "false": return false
        case "true": return true
        default: throw WebRefusal(.badRequest, "The parameter \(name) must be true or false.")
        }
    }

    /// One of some words; the first if it is missing.
    ///
    /// - Throws: `WebRefusal` if it is something else.
    func choice(_ name: String, of words: [String]) throws(WebRefusal) -> String {
        guard let value = self[name] else { return words.first ?? "" }
        guard words.contains(value) else {
            throw WebRefusal(.badRequest, "The parameter \(name) must be one of \(words.joined(separator: ", ")).")
        }
        return value
    }

    /// A whole number within bounds.
    ///
    /// - Throws: `WebRefusal` if it is something else.
    func number(_ name: String, in range: ClosedRange<Int>, default usual: Int) throws(WebRefusal) -> Int {
        guard let value = self[name] else { return usual }
        guard value.utf8.count <= 20, let number = Int(value), range.contains(number), value.first != "+" else {
            throw WebRefusal(
                .badRequest,
                "The parameter \(name) must be a whole number from \(range.lowerBound) to \(range.upperBound).")
        }
        return number
    }
}

/// A path of this server with parameters, safe to stand in a link.
struct LocalLink: Sendable, CustomStringConvertible {
    let description: String

    /// - Parameter parameters: names and values; those without a value are left out.
    init(_ path: String, _ parameters: KeyValuePairs<String, String?> = [:]) {
        let pairs = parameters.compactMap { name, value in value.map { "\(Self.encoded(name))=\(Self.encoded($0))" } }
        description = pairs.isEmpty ? path : path + "?" + pairs.joined(separator: "&")
    }

    fileprivate static func encoded(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"), UInt8(ascii: "/"), UInt8(ascii: ":"), UInt8(ascii: ","):
                bytes.append(byte)
            case UInt8(ascii: " "): bytes.append(UInt8(ascii: "+"))
            default: bytes.appendPercentEncoded(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
