import PippinPage

/// Which fields of records a client wants: `title,deepLinks.url`.
struct RecordFields: Sendable {
    /// More than any client shows.
    static let maximum = 50
    /// Names below an object whose members have any names.
    private static let openNames = "[A-Za-z0-9_-]{1,64}"

    private struct Branch {
        var isWhole = false
        var members: [String: Branch] = [:]

        mutating func add(_ path: ArraySlice<Substring>) {
            guard let name = path.first else {
                isWhole = true
                return
            }
            members[String(name), default: Branch()].add(path.dropFirst())
        }

        func selected(of value: JSONValue) -> JSONValue? {
            if isWhole { return value }
            if let elements = value.array { return .array(elements.compactMap(selected)) }
            guard let object = value.object else { return nil }
            var selected = JSONObject()
            for member in object.members {
                selected[member.key] = members[member.key].flatMap { $0.selected(of: member.value) }
            }
            return .object(selected)
        }
    }

    private var root = Branch()

    /// - Parameter text: names with commas between them.
    /// - Throws: `WebRefusal` if records have no such field, or if there are too many.
    init(_ text: String) throws(WebRefusal) {
        let names = text.split(separator: ",", omittingEmptySubsequences: false)
        guard names.count <= Self.maximum else {
            throw WebRefusal(.badRequest, "The parameter fields has more than \(Self.maximum) names.")
        }
        for name in names {
            guard Self.exists(name) else {
                let meant =
                    NearestName.of(String(name), in: APIRecordSchema.fields).map { " Did you mean \($0)?" } ?? ""
                throw WebRefusal(
                    .badRequest, "Records have no field \(Wording.quoted(String(name), to: 60)).\(meant)")
            }
            root.add(name.split(separator: ".")[...])
        }
    }

    private static func exists(_ name: Substring) -> Bool {
        if APIRecordSchema.fields.contains(String(name)) { return true }
        guard let point = name.lastIndex(of: "."), APIRecordSchema.open.contains(String(name[..<point])) else {
            return false
        }
        let last = name[name.index(after: point)...].utf8
        return (1...64).contains(last.count)
            && last.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    /// The record with these fields only. Of lists, each element has the fields that were asked for.
    func selected(of record: JSONValue) -> JSONValue { root.selected(of: record) ?? [:] }

    /// The schema of a name.
    static let schema: JSONValue = {
        let open = APIRecordSchema.open.sorted().map { $0.replacing(".", with: "\\.") }.joined(separator: "|")
        return [
            "anyOf": [
                ["type": "string", "enum": .array(APIRecordSchema.fields.sorted().map { .string($0) })],
                ["type": "string", "pattern": .string("^(\(open))\\.\(openNames)$")],
            ]
        ]
    }()
}
