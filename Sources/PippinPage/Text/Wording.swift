import Foundation

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

/// Times as people read them.
public enum DurationWords {
    /// `45 s`, `35 min`, `1 h 30 min`, `26 h`, `3 days 4 h`: the two largest units, no more than is asked.
    public static func text(seconds: Int) -> String {
        let seconds = max(seconds, 0)
        guard seconds >= 120 else { return "\(seconds) s" }
        let minutes = seconds / 60 + (seconds % 60 >= 30 ? 1 : 0)
        guard minutes >= 60 else { return "\(minutes) min" }
        guard minutes >= 48 * 60 else { return joined("\(minutes / 60) h", minutes % 60, "min") }
        let hours = minutes / 60 + (minutes % 60 >= 30 ? 1 : 0)
        return joined("\(hours / 24) days", hours % 24, "h")
    }

    /// `in 3 h 12 min`, `35 min ago`
    public static func distance(to date: Date, from now: Date) -> String {
        let seconds = date.timeIntervalSince(now)
        let span = text(seconds: Int(exactly: abs(seconds).rounded()) ?? 0)
        return seconds >= 0 ? "in \(span)" : "\(span) ago"
    }

    private static func joined(_ first: String, _ rest: Int, _ unit: String) -> String {
        rest == 0 ? first : "\(first) \(rest) \(unit)"
    }
}

extension String {
    /// The text with a capital letter, for the beginning of a sentence. Words with a fixed spelling stay as they are:
    /// `https`, `iOS`, `og:title`, `robots.txt`, `app-argument`, `/path`.
    package var sentenceStart: String {
        let word = prefix { $0 != " " }
        let bare = word.drop { "“\"(".contains($0) }
        guard bare.startIndex == word.startIndex, !Self.keepsSpelling(bare) else { return self }
        return prefix(1).uppercased() + dropFirst()
    }

    /// Names of markup and protocols that look like words.
    private static let namesInSmallLetters: Set<Substring> = [
        "al", "applinks", "appclips", "canonical", "content", "hreflang", "href", "http", "https", "itemid", "itemprop",
        "itemref", "itemscope", "itemtype", "microdata", "nofollow", "noindex", "nosnippet", "og", "rel",
        "webcredentials",
        "www",
    ]

    private static func keepsSpelling(_ word: Substring) -> Bool {
        var name = word
        while let last = name.last, ",.;:?!)”\"".contains(last) { name.removeLast() }
        // A capital letter or a special character inside means that it is a name. Words may contain apostrophes and hyphens.
        let isWord = name.dropFirst().allSatisfy {
            $0.isLetter && !$0.isUppercase || $0 == "'" || $0 == "’" || $0 == "-"
        }
        if !isWord || name.hasPrefix("app-") || name == "affiliate-data" { return true }
        return namesInSmallLetters.contains(name)
    }
}
