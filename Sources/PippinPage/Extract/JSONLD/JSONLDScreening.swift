/// Decides in one pass how a script's document is read.
struct JSONLDScreening {
    enum Lane: Equatable {
        /// Plain schema.org: the walk gives the same items as expansion.
        case plain
        case expansion
        /// It refers to unavailable contexts.
        case unknownContexts
    }

    private(set) var lane = Lane.plain
    /// Unavailable contexts as written, with offsets.
    private(set) var unknownContexts: [(address: String, offset: Int)] = []
    /// Keywords in the wrong letter case as written, with offsets.
    private(set) var misspelledKeywords: [(key: String, offset: Int)] = []
    private(set) var lacksContext = false

    private static let maximumNamed = 10

    init(_ document: JSONValue) {
        for value in document.array ?? [document] {
            if let object = value.object, !object.members.contains(where: { Self.isContext($0.key) }) {
                lacksContext = true
            }
            look(at: value, isTopLevel: true)
        }
        if !unknownContexts.isEmpty { lane = .unknownContexts }
    }

    private static func isContext(_ key: String) -> Bool {
        key == "@context" || (key.utf8.first == UInt8(ascii: "@") && key.lowercased() == "@context")
    }

    // MARK: Nodes and values

    private mutating func look(at value: JSONValue, isTopLevel: Bool) {
        switch value.content {
        case .array(let elements):
            for element in elements { look(at: element, isTopLevel: isTopLevel) }
        case .object(let object): look(at: object, isTopLevel: isTopLevel)
        case .null, .bool, .number, .string: break
        }
    }

    private mutating func look(at object: JSONObject, isTopLevel: Bool) {
        var ids = 0
        var types = 0
        var isValueObject = false
        for member in object.members {
            let key = member.key
            if key.utf8.first == UInt8(ascii: "@") {
                switch key {
                case "@context": look(atContext: member.value)
                case "@id":
                    ids += 1
                    if member.value.string == nil { lane = .expansion }
                case "@type":
                    types += 1
                    look(atTypes: member.value)
                case "@graph": look(at: member.value, isTopLevel: true)
                case "@value": isValueObject = true
                case "@list", "@set":
                    isValueObject = true
                    look(at: member.value, isTopLevel: false)
                case "@language": if object["@value"] == nil { lane = .expansion }
                default:
                    lane = .expansion
                    note(misspelled: member)
                    if Self.isContext(key) { look(atContext: member.value) }
                    look(at: member.value, isTopLevel: false)
                }
                continue
            }
            if key == "id" {
                ids += 1
                if member.value.string == nil { lane = .expansion }
            } else if key == "type" {
                types += 1
                look(atTypes: member.value)
            } else {
                if !Self.isPlainName(key) { lane = .expansion }
                look(at: member.value, isTopLevel: false)
            }
        }
        if ids > 1 || types > 1 { lane = .expansion }
        if isValueObject { look(atValueObject: object, isTopLevel: isTopLevel) }
    }

    /// Whether a name is only a name in the vocabulary, without prefix or keyword.
    private static func isPlainName(_ name: String) -> Bool {
        guard !name.isEmpty else { return false }
        for byte in name.utf8 {
            if byte == UInt8(ascii: ":") || byte == UInt8(ascii: "/") || byte == UInt8(ascii: "#") { return false }
        }
        return true
    }

    private mutating func look(atTypes value: JSONValue) {
        for type in value.array ?? [value] {
            guard let type = type.string else {
                lane = .expansion
                return
            }
            if !Self.isPlainName(type), !type.hasPrefix("http://"), !type.hasPrefix("https://") { lane = .expansion }
        }
    }

    /// The usual value objects: texts with a language, lists and sets.
    private mutating func look(atValueObject object: JSONObject, isTopLevel: Bool) {
        if isTopLevel { lane = .expansion }
        if let value = object["@value"] {
            let language = object["@language"]
            let isPlain = language == nil ? object.count == 1 : object.count == 2 && language?.string != nil
            switch value.content {
            case .string: if !isPlain { lane = .expansion }
            case .bool, .number, .null: if !isPlain || language != nil { lane = .expansion }
            case .array, .object: lane = .expansion
            }
        } else if object.count != 1 {
            lane = .expansion
        }
    }

    private mutating func note(misspelled member: JSONObject.Member) {
        let key = member.key
        guard misspelledKeywords.count < Self.maximumNamed else { return }
        if JSONLDKeyword.isKeyword(key.lowercased()), !JSONLDKeyword.isKeyword(key) {
            misspelledKeywords.append((key, member.keyOffset))
        }
    }

    // MARK: Contexts

    private mutating func look(atContext context: JSONValue) {
        switch context.content {
        case .string(let address):
            if !SchemaOrgVocabulary.isVocabulary(address) { note(unknown: address, at: context.offset) }
        case .array(let parts):
            for part in parts { look(atContext: part) }
        case .object(let object):
            for member in object.members {
                switch member.key {
                case "@vocab":
                    guard let text = member.value.string, SchemaOrgVocabulary.isVocabulary(text) else {
                        lane = .expansion
                        continue
                    }
                case "@language": if !member.value.isNull, member.value.string == nil { lane = .expansion }
                case "@base":
                    guard let base = member.value.string, base.utf8.count <= IRIReference.maximumPrefixBytes else {
                        lane = .expansion
                        continue
                    }
                default:
                    lane = .expansion
                    if member.key == "@import", let address = member.value.string {
                        note(unknown: address, at: member.value.offset)
                    }
                    if let scoped = member.value["@context"] { look(atContext: scoped) }
                }
            }
        case .null, .bool, .number: lane = .expansion
        }
    }

    private mutating func note(unknown address: String, at offset: Int) {
        guard unknownContexts.count < Self.maximumNamed, !unknownContexts.contains(where: { $0.address == address })
        else { return }
        unknownContexts.append((address, offset))
    }
}
