import PippinPage

/// Text in Markdown (CommonMark, with tables and references as GitHub and GitLab add them) that means nothing but itself.
///
/// What a page says may try to be markup: a table's end, a link, a picture, HTML, a mention that notifies someone. Structure consists
/// of ASCII punctuation, and a character reference is never structure (CommonMark §2.5). So all punctuation becomes references.
enum Markdown {
    /// Text on one line, also for a cell of a table.
    static func text(_ text: String) -> String {
        // Passwords in addresses are recognized by characters that are replaced below.
        let line = UserInformation.hidden(in: TerminalText.shown(text)).collapsingHTMLSpace()
        var result = ""
        for scalar in line.unicodeScalars {
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", " ", ",", ";", "'", "\"", "(", ")", "=", "?":
                result.unicodeScalars.append(scalar)
            // Mentions and addresses of mail are looked for in the finished text, too. A place where the line may break ends them.
            case "@": result += "&#64;<wbr>"
            case _ where scalar.isASCII: result += "&#\(scalar.value);"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// The same in the letters of code, in which no service looks for mentions and addresses.
    static func code(_ text: String) -> String { "<code>\(Self.text(text))</code>" }
}
