import PippinPage

/// What the output of every reader of structured data must hold to.
public enum OutputChecks {
    /// Items stay within the limits and refer to items that exist; notes too, and those that name a column name a line.
    public static func check(_ data: StructuredData, _ notes: [ParseNote]) {
        let limits = ReadingLimits.standard
        precondition(data.items.count <= limits.maximumItems + 1, "too many items")
        var properties = 0
        for item in data.items {
            properties += item.properties.count
            for case .item(let index) in item.properties.map(\.value) {
                precondition(data.items.indices.contains(index), "an item refers to none")
            }
        }
        precondition(properties <= 20 * limits.maximumItems, "too many properties")
        check(notes)
    }

    public static func check(_ notes: [ParseNote]) {
        // One more for each limit that bit.
        precondition(notes.count <= ReadingLimits.standard.maximumNotes + 8, "too many notes")
        for note in notes {
            precondition(
                !note.code.rawValue.isEmpty && note.message.utf8.count <= 2_000,
                "a note is no sentence: \(note.code.rawValue)")
            precondition(note.column == nil || note.line != nil, "a column without a line: \(note.code.rawValue)")
        }
    }

    /// What is written parses to the same value.
    public static func check(_ json: JSONValue) {
        // A web of references may be written out at length, though within bounds.
        var generous = ReadingLimits()
        generous.maximumJSONValues = .max
        generous.maximumJSONDepth = 512
        for pretty in [false, true] {
            var parser = JSONParser(limits: generous)
            precondition((try? parser.parse(json.bytes(pretty: pretty))) == json, "the JSON form is not JSON")
        }
    }
}
