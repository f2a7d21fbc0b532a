/// A page's document type.
struct DocumentType {
    /// Whether browsers use quirks mode for this type (WHATWG HTML §13.2.6.4.1). It affects the tree in one way only: a `table`
    /// may be inside a `p`.
    let isQuirky: Bool
    /// The public identifier in lower case; nil if there is none.
    let publicID: String?

    /// Reads a document type.
    ///
    /// - Parameter text: the text between `<!DOCTYPE` and `>`.
    init(_ text: some Collection<UInt8>) {
        // Real document types are shorter.
        var words = Words(text: String(decoding: text.prefix(2_000), as: UTF8.self).asciiLowercased[...].utf8)
        let isHTML = words.word() == "html"
        let keyword = words.word()
        let publicID = keyword == "public" ? words.quoted() : nil
        let systemID = publicID != nil || keyword == "system" ? words.quoted() : nil
        self.publicID = publicID
        let isComplete = keyword == nil || publicID != nil || keyword == "system" && systemID != nil
        isQuirky = !isHTML || !isComplete || Self.isQuirky(publicID: publicID, systemID: systemID)
    }

    private static func isQuirky(publicID: String?, systemID: String?) -> Bool {
        if systemID == "http://www.ibm.com/data/dtd/v11/ibmxhtml1-transitional.dtd" { return true }
        guard let publicID else { return false }
        if quirkyIDs.contains(publicID) || quirkyPrefixes.contains(where: publicID.hasPrefix) { return true }
        return systemID == nil
            && (publicID.hasPrefix("-//w3c//dtd html 4.01 frameset//")
                || publicID.hasPrefix("-//w3c//dtd html 4.01 transitional//"))
    }

    private struct Words {
        var text: Substring.UTF8View

        private mutating func skipSpace() {
            text = text.drop(while: \.isHTMLSpace)
        }

        mutating func word() -> String? {
            skipSpace()
            let word = text.prefix { !$0.isHTMLSpace && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "'") }
            text = text[word.endIndex...]
            return word.isEmpty ? nil : String(Substring(word))
        }

        mutating func quoted() -> String? {
            skipSpace()
            guard let quote = text.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { return nil }
            let inside = text.dropFirst()
            let value = inside.prefix { $0 != quote }
            text = inside[value.endIndex...].dropFirst()
            return String(Substring(value))
        }
    }

    private static let quirkyIDs: Set = [
        "-//w3o//dtd w3 html strict 3.0//en//", "-/w3c/dtd html 4.0 transitional/en", "html",
    ]

    private static let quirkyPrefixes = [
        "+//silmaril//dtd html pro v0r11 19970101//", "-//as//dtd html 3.0 aswedit + extensions//",
        "-//advasoft ltd//dtd html 3.0 aswedit + extensions//", "-//ietf//dtd html ",
        "-//metrius//dtd metrius presentational//",
        "-//microsoft//dtd internet explorer ", "-//netscape comm. corp.//dtd html//",
        "-//netscape comm. corp.//dtd strict html//", "-//o'reilly and associates//dtd html ",
        "-//sq//dtd html 2.0 hotmetal + extensions//", "-//softquad software//dtd hotmetal pro ",
        "-//softquad//dtd hotmetal pro ",
        "-//spyglass//dtd html 2.0 extended//", "-//sun microsystems corp.//dtd hotjava ",
        "-//w3c//dtd html 3 1995-03-24//",
        "-//w3c//dtd html 3.2 draft//", "-//w3c//dtd html 3.2 final//", "-//w3c//dtd html 3.2//",
        "-//w3c//dtd html 3.2s draft//",
        "-//w3c//dtd html 4.0 frameset//", "-//w3c//dtd html 4.0 transitional//", "-//w3c//dtd html experimental ",
        "-//w3c//dtd w3 html ", "-//w3o//dtd w3 html 3.0//", "-//webtechs//dtd mozilla html ",
    ]
}
