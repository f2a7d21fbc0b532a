import Foundation

/// Structured fields of HTTP (RFC 9651): their values, as they are read and written.
///
/// A reader takes all of a field or nothing: the standard lets a field with one fault count as missing. Keys keep their order, and the
/// last of several equal keys counts.
public enum StructuredField {
    /// The longest field that is read. Servers seldom send more than 8 KB in all fields together.
    public static let maximumBytes = 65_536
    /// RFC 9651 §3.1, §3.2: readers must take that many members.
    static let maximumMembers = 1024
    /// RFC 9651 §3.1.1, §3.1.2: readers must take that many items of an inner list, and parameters.
    static let maximumInnerItems = 256

    /// A value without parameters (RFC 9651 §3.3).
    public enum BareItem: Sendable, Hashable {
        /// At most 15 digits.
        case integer(Int)
        /// A number with up to three digits behind the point, in thousandths.
        case decimal(thousandths: Int)
        /// Printable ASCII.
        case string(String)
        case token(String)
        case bytes([UInt8])
        case boolean(Bool)
        /// Seconds since 1970.
        case date(Int)
        /// Text beyond ASCII.
        case displayString(String)
    }

    /// Keys with values, in their order.
    public struct Parameters: Sendable, Hashable {
        /// One parameter.
        public struct Parameter: Sendable, Hashable {
            /// The key, in lower case.
            public let key: String
            /// The value; a key alone is true.
            public fileprivate(set) var value: BareItem
        }

        /// In the order of their first mention.
        public private(set) var all: [Parameter] = []
        private var places: [String: Int] = [:]

        /// Takes parameters in their order.
        public init(_ parameters: [(key: String, value: BareItem)] = []) {
            for (key, value) in parameters { set(key, to: value) }
        }

        /// Sets a value. A known key keeps its place (RFC 9651 §4.2.3.2).
        public mutating func set(_ key: String, to value: BareItem) {
            if let place = places[key] {
                all[place].value = value
            } else {
                places[key] = all.count
                all.append(Parameter(key: key, value: value))
            }
        }

        /// The value of a key; nil without it.
        public subscript(key: String) -> BareItem? { places[key].map { all[$0].value } }

        /// Whether there are none.
        public var isEmpty: Bool { all.isEmpty }
    }

    /// A value with parameters.
    public struct Item: Sendable, Hashable {
        /// The value.
        public var value: BareItem
        /// What is said about it.
        public var parameters: Parameters

        /// Joins a value with its parameters.
        public init(_ value: BareItem, _ parameters: Parameters = Parameters()) {
            self.value = value
            self.parameters = parameters
        }
    }

    /// Items in parentheses, with parameters.
    public struct InnerList: Sendable, Hashable {
        /// The items in their order.
        public var items: [Item]
        /// What is said about the list.
        public var parameters: Parameters

        /// Joins items with the parameters of their list.
        public init(_ items: [Item], _ parameters: Parameters = Parameters()) {
            self.items = items
            self.parameters = parameters
        }
    }

    /// What a list or a dictionary has.
    public enum Member: Sendable, Hashable {
        case item(Item)
        case innerList(InnerList)

        /// The item; nil for an inner list.
        public var item: Item? { if case .item(let item) = self { item } else { nil } }
        /// The inner list; nil for an item.
        public var innerList: InnerList? { if case .innerList(let list) = self { list } else { nil } }
    }

    /// A field with keys (RFC 9651 §3.2).
    public struct Dictionary: Sendable, Hashable {
        /// The keys in the order of their first mention.
        public private(set) var keys: [String] = []
        private var members: [String: Member] = [:]

        /// A dictionary without members.
        public init() {}

        /// Reads a field; nil if it has a fault.
        public init?(_ text: String) {
            guard var reader = Reader(text) else { return nil }
            while !reader.isAtEnd {
                guard keys.count < maximumMembers, let key = reader.key() else { return nil }
                if reader.take("=") {
                    guard let member = reader.member() else { return nil }
                    self[key] = member
                } else {
                    guard let parameters = reader.parameters() else { return nil }
                    self[key] = .item(Item(.boolean(true), parameters))
                }
                guard reader.takeComma() else { return nil }
            }
        }

        /// Reads a field of an answer, in all its lines (RFC 9651 §4.2); nil if it has a fault. A missing field has no members.
        public init?(_ name: String, of headers: HTTPHeaders) {
            self.init(headers.values(name).joined(separator: ", "))
        }

        /// The member of a key.
        public subscript(key: String) -> Member? {
            get { members[key] }
            set {
                if members[key] == nil {
                    if newValue != nil { keys.append(key) }
                } else if newValue == nil {
                    keys.removeAll { $0 == key }
                }
                members[key] = newValue
            }
        }

        /// The field's value.
        public var serialized: String {
            keys.compactMap { key in
                guard let member = members[key] else { return nil }
                if case .item(let item) = member, item.value == .boolean(true) {
                    return key + item.parameters.serialized
                }
                return "\(key)=\(member.serialized)"
            }.joined(separator: ", ")
        }
    }

    /// A field with members in order (RFC 9651 §3.1).
    public struct List: Sendable, Hashable {
        /// The members.
        public var members: [Member] = []

        /// Reads a field; nil if it has a fault.
        public init?(_ text: String) {
            guard var reader = Reader(text) else { return nil }
            while !reader.isAtEnd {
                guard members.count < maximumMembers, let member = reader.member() else { return nil }
                members.append(member)
                guard reader.takeComma() else { return nil }
            }
        }
    }

    /// Whether a text can be a key (RFC 9651 §3.1.2).
    public static func isKey(_ text: String) -> Bool {
        guard let first = text.utf8.first, Reader.beginsKey(first) else { return false }
        return text.utf8.allSatisfy(Reader.isInKey)
    }

    /// Whether a text can be a string (RFC 9651 §3.3.3).
    public static func isString(_ text: String) -> Bool { text.utf8.allSatisfy { (0x20...0x7E).contains($0) } }
}

extension StructuredField.Item {
    /// Reads a field that is one item; nil if it has a fault.
    public init?(_ text: String) {
        guard var reader = StructuredField.Reader(text), let item = reader.item(), reader.isAtEndBehindSpaces
        else { return nil }
        self = item
    }
}

// MARK: - Writing (RFC 9651 §4.1)

extension StructuredField.Member {
    /// The text of the member.
    public var serialized: String {
        switch self {
        case .item(let item): item.serialized
        case .innerList(let list): list.serialized
        }
    }
}

extension StructuredField.Item {
    /// The text of the item.
    public var serialized: String { value.serialized + parameters.serialized }
}

extension StructuredField.InnerList {
    /// The text of the list.
    public var serialized: String {
        "(\(items.map(\.serialized).joined(separator: " ")))\(parameters.serialized)"
    }
}

extension StructuredField.Parameters {
    /// The text of the parameters; empty without any.
    public var serialized: String {
        all.map { $0.value == .boolean(true) ? ";\($0.key)" : ";\($0.key)=\($0.value.serialized)" }.joined()
    }
}

extension StructuredField.BareItem {
    /// The text of the value.
    public var serialized: String {
        switch self {
        case .integer(let number): return "\(number)"
        case .decimal(let thousandths):
            let (whole, rest) = thousandths.magnitude.quotientAndRemainder(dividingBy: 1000)
            var digits = String(rest + 1000).dropFirst()
            while digits.count > 1, digits.last == "0" { digits.removeLast() }
            return "\(thousandths < 0 ? "-" : "")\(whole).\(digits)"
        case .string(let text):
            guard text.utf8.contains(where: { $0 == 0x22 || $0 == 0x5C }) else { return "\"" + text + "\"" }
            return "\"\(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
        case .token(let text): return text
        case .bytes(let bytes): return ":\(Data(bytes).base64EncodedString()):"
        case .boolean(let value): return value ? "?1" : "?0"
        case .date(let seconds): return "@\(seconds)"
        case .displayString(let text):
            var escaped = "%\""
            for byte in text.utf8 {
                if (0x20...0x7E).contains(byte), byte != 0x22, byte != 0x25 {
                    escaped.unicodeScalars.append(Unicode.Scalar(byte))
                } else {
                    escaped += "%" + String(UInt16(byte) + 0x100, radix: 16).dropFirst()
                }
            }
            return escaped + "\""
        }
    }
}

// MARK: - Reading (RFC 9651 §4.2)

extension StructuredField {
    /// Reads from the front of a text. Each function takes what it returns, or returns nil.
    fileprivate struct Reader {
        private let bytes: [UInt8]
        private var at = 0

        /// Nil if the text is too long or not ASCII.
        init?(_ text: String) {
            bytes = Array(text.utf8)
            guard bytes.count <= StructuredField.maximumBytes, bytes.allSatisfy({ $0 < 0x80 }) else { return nil }
            skipSpaces()
        }

        var isAtEnd: Bool { at == bytes.count }
        var isAtEndBehindSpaces: Bool { bytes[at...].allSatisfy { $0 == 0x20 } }
        private var next: UInt8? { at < bytes.count ? bytes[at] : nil }

        private mutating func skipSpaces() { while next == 0x20 { at += 1 } }

        mutating func take(_ character: Unicode.Scalar) -> Bool {
            guard next == UInt8(ascii: character) else { return false }
            at += 1
            return true
        }

        /// Takes the comma in front of another member, or goes to the end. False if neither follows.
        mutating func takeComma() -> Bool {
            while next == 0x20 || next == 0x09 { at += 1 }
            if isAtEnd { return true }
            guard take(",") else { return false }
            while next == 0x20 || next == 0x09 { at += 1 }
            // No comma may be last.
            return !isAtEnd
        }

        static func beginsKey(_ byte: UInt8) -> Bool { byte &- 0x61 < 26 || byte == 0x2A }
        static func isInKey(_ byte: UInt8) -> Bool {
            byte &- 0x61 < 26 || byte.isASCIIDigit || byte == 0x5F || byte == 0x2D || byte == 0x2E || byte == 0x2A
        }

        mutating func key() -> String? {
            guard let first = next, Self.beginsKey(first) else { return nil }
            return take(while: Self.isInKey)
        }

        private mutating func take(while isPart: (UInt8) -> Bool) -> String {
            let start = at
            while at < bytes.count, isPart(bytes[at]) { at += 1 }
            return String(decoding: bytes[start..<at], as: UTF8.self)
        }

        mutating func member() -> Member? {
            next == UInt8(ascii: "(") ? innerList().map { .innerList($0) } : item().map { .item($0) }
        }

        mutating func item() -> Item? {
            guard let value = bareItem(), let parameters = parameters() else { return nil }
            return Item(value, parameters)
        }

        private mutating func innerList() -> InnerList? {
            guard take("(") else { return nil }
            var items: [Item] = []
            while true {
                skipSpaces()
                if take(")") { return parameters().map { InnerList(items, $0) } }
                guard items.count < StructuredField.maximumInnerItems, let item = item(),
                    next == 0x20 || next == UInt8(ascii: ")")
                else { return nil }
                items.append(item)
            }
        }

        mutating func parameters() -> Parameters? {
            var parameters = Parameters()
            while take(";") {
                skipSpaces()
                guard parameters.all.count < StructuredField.maximumInnerItems, let key = key() else { return nil }
                if take("=") {
                    guard let value = bareItem() else { return nil }
                    parameters.set(key, to: value)
                } else {
                    parameters.set(key, to: .boolean(true))
                }
            }
            return parameters
        }

        private mutating func bareItem() -> BareItem? {
            guard let first = next else { return nil }
            switch first {
            case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return number()
            case UInt8(ascii: "\""): return string().map { .string($0) }
            case UInt8(ascii: "*"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"):
                return .token(
                    take {
                        $0 > 0x20 && $0 < 0x7F && !"\"(),;<=>?@[\\]{}".utf8.contains($0)
                    })
            case UInt8(ascii: ":"): return byteSequence()
            case UInt8(ascii: "?"):
                at += 1
                return take("1") ? .boolean(true) : take("0") ? .boolean(false) : nil
            case UInt8(ascii: "@"):
                at += 1
                guard case .integer(let seconds)? = number() else { return nil }
                return .date(seconds)
            case UInt8(ascii: "%"): return displayString()
            default: return nil
            }
        }

        private mutating func number() -> BareItem? {
            let isNegative = take("-")
            let whole = take(while: \.isASCIIDigit)
            guard !whole.isEmpty else { return nil }
            guard take(".") else {
                guard whole.utf8.count <= 15, let value = Int(whole) else { return nil }
                return .integer(isNegative ? -value : value)
            }
            let fraction = take(while: \.isASCIIDigit)
            guard whole.utf8.count <= 12, (1...3).contains(fraction.utf8.count),
                let value = Int(whole + fraction + String(repeating: "0", count: 3 - fraction.utf8.count))
            else { return nil }
            return .decimal(thousandths: isNegative ? -value : value)
        }

        private mutating func string() -> String? {
            at += 1
            var text: [UInt8] = []
            while let byte = next {
                at += 1
                switch byte {
                case 0x22: return String(decoding: text, as: UTF8.self)
                case 0x5C:
                    guard let escaped = next, escaped == 0x22 || escaped == 0x5C else { return nil }
                    at += 1
                    text.append(escaped)
                case 0x20...0x7E: text.append(byte)
                default: return nil
                }
            }
            return nil
        }

        /// Readers should take base64 without its padding (RFC 9651 §4.2.7).
        private mutating func byteSequence() -> BareItem? {
            at += 1
            var text = take { $0 != UInt8(ascii: ":") }
            guard take(":") else { return nil }
            if text.utf8.count % 4 != 0 { text += String(repeating: "=", count: 4 - text.utf8.count % 4) }
            guard let data = Data(base64Encoded: text) else { return nil }
            return .bytes(Array(data))
        }

        private mutating func displayString() -> BareItem? {
            at += 1
            guard take("\"") else { return nil }
            var text: [UInt8] = []
            while let byte = next {
                at += 1
                switch byte {
                case 0x22: return String(validating: text, as: UTF8.self).map { .displayString($0) }
                case UInt8(ascii: "%"):
                    guard bytes.count - at >= 2, let high = Self.digit(bytes[at]), let low = Self.digit(bytes[at + 1])
                    else { return nil }
                    at += 2
                    text.append(high << 4 | low)
                case 0x20...0x7E: text.append(byte)
                default: return nil
                }
            }
            return nil
        }

        /// Upper case is not allowed.
        private static func digit(_ byte: UInt8) -> UInt8? {
            if byte.isASCIIDigit { return byte - 0x30 }
            return byte &- 0x61 < 6 ? byte - 0x61 + 10 : nil
        }
    }
}
