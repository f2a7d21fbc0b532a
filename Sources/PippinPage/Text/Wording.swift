/// Values and numbers as sentences show them.
public enum Wording {
    /// A foreign value in a sentence: one line, in quotes, cut.
    public static func quoted(_ text: String, to maximum: Int = 120) -> String {
        let line = text.collapsingHTMLSpace()
        let cut = String(line.prefix(maximum))
        return "“\(cut)\(cut.utf8.count < line.utf8.count ? "…" : "")”"
    }

    /// Texts in quotation marks that a message compares. Those that are too long are cut where all are the same, so that
    /// their first difference is shown: `“https://shop.example/mugs/…a/red?id=1”`.
    public static func quoted(apart texts: [String], to maximum: Int = 120) -> [String] {
        let lines = texts.map { Array($0.collapsingHTMLSpace().prefix(maximumCompared)) }
        guard let first = lines.first, lines.contains(where: { $0.count > maximum }) else {
            return texts.map { quoted($0, to: maximum) }
        }
        let distinct = lines.filter { $0 != first }
        let shared = distinct.map { other in zip(first, other).prefix { $0 == $1 }.count }.min() ?? 0
        // A quarter of the room shows what comes after the difference.
        guard shared > maximum * 3 / 4 else { return texts.map { quoted($0, to: maximum) } }
        let (head, before) = (maximum / 3, maximum / 6)
        return lines.map { line in
            guard line.count > maximum else { return "“\(String(line))”" }
            let rest = line[max(head, shared - before)...]
            let shown = String(rest.prefix(maximum - head))
            return "“\(String(line.prefix(head)))…\(shown)\(rest.count > maximum - head ? "…" : "")”"
        }
    }

    /// How many characters of texts are compared; addresses are shorter.
    private static let maximumCompared = 4_096

    /// `a`, `a and b`, `a, b and 3 more`.
    public static func list(_ values: [String], shown: Int = 3) -> String {
        switch values.count {
        case 0: ""
        case 1: values[0]
        case 2...shown: values.dropLast().joined(separator: ", ") + " and " + values[values.count - 1]
        default: values.prefix(shown).joined(separator: ", ") + " and \(values.count - shown) more"
        }
    }

    /// A number with separators: `12,345`.
    public static func number(_ value: Int) -> String {
        let digits = String(value)
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0, text != "-" { text += "," }
            text.append(digit)
        }
        return text
    }

    /// `1 page`, `3 pages`; give the plural where it takes more than an `s`.
    public static func count(_ number: Int, _ one: String, _ many: String? = nil) -> String {
        number == 1 ? "1 \(one)" : "\(number) \(many ?? one + "s")"
    }
}
