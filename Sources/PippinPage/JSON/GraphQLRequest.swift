/// A request to a GraphQL service, as JSON (GraphQL over HTTP §5.4).
public enum GraphQLRequest {
    /// What a request asks for, as far as it says.
    public enum Effect: Sendable, Hashable {
        /// All its operations are queries, or none of it is GraphQL.
        case reads
        /// Only a hash or an identifier names its operation, which may be a mutation.
        case isHidden
        /// A mutation, a subscription, or a text that is not understood.
        case mayChange
    }

    /// The gravest effect of a request, or of the requests of a batch. All operations of a document count, whichever is to run.
    public static func effect(of body: JSONValue) -> Effect {
        let requests = body.array ?? [body]
        let effects = requests.map(effect(ofOne:))
        return effects.contains(.mayChange) ? .mayChange : effects.contains(.isHidden) ? .isHidden : .reads
    }

    private static func effect(ofOne body: JSONValue) -> Effect {
        // A batch in a batch is none.
        guard body.object != nil else { return body.array == nil ? .reads : .mayChange }
        // Objects are queries of search engines.
        if let query = body["query"]?.string, isDocument(query) {
            return onlyReads(document: query) ? .reads : .mayChange
        }
        let isPersisted =
            body["extensions"]?["persistedQuery"] != nil
            || ["documentId", "doc_id", "operationName", "variables"].contains { body[$0] != nil }
        return isPersisted ? .isHidden : .reads
    }

    /// Whether a text may be a GraphQL document, which has a selection set, and no words to search for.
    private static func isDocument(_ text: String) -> Bool { text.utf8.contains(UInt8(ascii: "{")) }

    /// Whether a text is a document of queries and fragments, or none at all.
    public static func onlyReads(_ text: String) -> Bool { !isDocument(text) || onlyReads(document: text) }

    /// Looks at the first word of each definition (GraphQL §2.2); what is in brackets is skipped.
    private static func onlyReads(document text: String) -> Bool {
        let bytes = Array(text.utf8)
        var closers: [UInt8] = []
        var expectsDefinition = true
        var position = 0
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            switch byte {
            case 0x09, 0x0A, 0x0D, 0x20, UInt8(ascii: ","), 0xEF, 0xBB, 0xBF: continue
            case UInt8(ascii: "#"):
                while position < bytes.count, bytes[position] != 0x0A, bytes[position] != 0x0D { position += 1 }
            case UInt8(ascii: "\""):
                guard skipString(bytes, &position) else { return false }
            case UInt8(ascii: "{"), UInt8(ascii: "("), UInt8(ascii: "["):
                guard byte == UInt8(ascii: "{") || !closers.isEmpty || !expectsDefinition else { return false }
                expectsDefinition = false
                closers.append(byte == UInt8(ascii: "(") ? UInt8(ascii: ")") : byte + 2)
            case UInt8(ascii: "}"), UInt8(ascii: ")"), UInt8(ascii: "]"):
                guard closers.popLast() == byte else { return false }
                // A definition ends with its selection set.
                expectsDefinition = closers.isEmpty && byte == UInt8(ascii: "}")
            case _ where closers.isEmpty && expectsDefinition:
                let start = position - 1
                while position < bytes.count, isOfName(bytes[position]) { position += 1 }
                guard ["query", "fragment"].contains(String(decoding: bytes[start..<position], as: UTF8.self)) else {
                    return false
                }
                expectsDefinition = false
            default: continue
            }
        }
        return closers.isEmpty && expectsDefinition
    }

    /// Skips the rest of a string (§2.9.4). False if it does not end.
    private static func skipString(_ bytes: [UInt8], _ position: inout Int) -> Bool {
        let quote = UInt8(ascii: "\"")
        let backslash = UInt8(ascii: "\\")
        func isBlock(_ at: Int) -> Bool { at + 2 < bytes.count && bytes[at + 1] == quote && bytes[at + 2] == quote }
        if isBlock(position - 1) {
            position += 2
            while position < bytes.count {
                if bytes[position] == quote, isBlock(position) {
                    position += 3
                    return true
                }
                // \""" is no end.
                position +=
                    bytes[position] == backslash && isBlock(position + 1) && bytes[position + 1] == quote ? 4 : 1
            }
            return false
        }
        while position < bytes.count, bytes[position] != 0x0A, bytes[position] != 0x0D {
            if bytes[position] == quote {
                position += 1
                return true
            }
            position += bytes[position] == backslash ? 2 : 1
        }
        return false
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        byte.isASCIIDigit || byte == UInt8(ascii: "_") || byte.asciiLowercased &- 0x61 < 26
    }
}
