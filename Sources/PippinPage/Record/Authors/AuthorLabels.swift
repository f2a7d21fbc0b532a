/// Words that stand before the name of who made something: `By`, `Written by`, `Autor:`, `Foto:`.
enum AuthorLabels {
    /// What somebody made whose name stands behind a label.
    enum Work { case text, pictures }

    /// What stands between semicolons.
    private static func phrases(_ text: String) -> [String] {
        text.replacing("\n", with: " ").split(separator: "; ").map(String.init)
    }

    /// Words before a name.
    private static let labels =
        phrases(
            """
            view all posts by; posts by; posted on by; this article was written by; ein gastbeitrag von; ein beitrag von;
            ein artikel von; eine kolumne von; ein kommentar von; gastbeitrag von; artikel von; alle beiträge von; alle
            artikel von; alles von; mehr von; more by; all posts by; see all posts by; zeige alle beiträge von; beitrag
            von; kommentar von; text von; interview von; geschrieben von; verfasst von; erstellt von; veröffentlicht von;
            publiziert von; gepostet von; written by; posted by; published by; article by; story by; words by; reported by;
            created by; submitted by; contributed by; authored by; text by; écrit par; rédigé par; publié par;
            propos recueillis par; recueilli par; posté par; article de; escrito por; publicado por; redactado por; por; texto de; escrito
            em por; scritto da; pubblicato da; a cura di; articolo di; testo di; geschreven door; geplaatst door; door;
            napisane przez; napisała; opublikowane przez; przez; skrevet av; skrevet af; skriven av; by; von; par; di; af; av;
            autor*in; autor:in
            """) + AuthorLabelTable.beforeNames + labelsOfWriters + labelsOfPictures

    /// Labels of who wrote something that are common words or the beginning of names.
    private static let labelsOfWriters =
        NameHints.authors.split(separator: " ").map(String.init)
        + phrases(
            """
            text; texte; texto; testo; tekst; interview; byline; redaktion; reporter; autor in; words; nguồn; autor tekstu
            """) + AuthorLabelTable.nouns

    /// Labels of who made the pictures, and not the text.
    private static let labelsOfPictures = phrases(
        """
        photo by; photos by; picture by; pictures by; image by; images by; photograph by; photographs by; photography by; illustration by; illustrations by; illustrated
        by; foto von; fotos von; bild von; bilder von; illustration von; illustrationen von; photo par; photos par; photo
        de; photos de; foto de; fotos de; foto di; foto door; photo; photos; photograph; photographs; photography;
        photographer; picture; pictures; image; images; graphic; graphics; illustration; illustrations; illustrator; photo
        credit; foto; fotos; fotografie; fotografien; fotograf; fotografin; bild; bilder; grafik; zeichnung;
        zeichnungen; illustrationen; illustratorin; photographie; photographies; photographe; crédit photo; illustratrice;
        illustrateur; fotografía; fotografías; imagen; ilustración; fotografia; imagem; ilustração; immagine;
        illustrazione; illustrazioni; beeld; illustratie; zdjęcie; zdjęcia; фото; fotoğraf; valokuva; kuva; 写真; 摄影; 攝影; 사진
        """)

    private static let pictureSet = Set(labelsOfPictures)

    /// Labels that are common words or the beginning of names, and only count before a colon or as their own element.
    private static let labelsWithColon = Set(
        labelsOfWriters + ["photo credit", "crédit photo"] + labelsOfPictures.filter { !$0.contains(" ") })

    /// Labels that names begin with, too: `Di Wu`, `Von Miller`, `Par Kumaraswami`.
    private static let namePartLabels: Set<String> = [
        "von", "par", "por", "di", "door", "af", "av", "deur", "oleh", "eftir", "dening", "από", "του", "της", "των",
        "от",
        "од", "від",
    ]

    /// What stands before a day in the languages of these.
    static let wordsBeforeDays: Set<String> = ["am", "vom", "le", "el", "em", "il", "op", "den"]

    private static let labelSet = Set(labels)
    /// Those that need no colon.
    private static let labelsByLength = labels.filter { !labelsWithColon.contains($0) }
        .sorted { $0.utf8.count > $1.utf8.count }
    /// The labels without a colon that may begin with a letter of ASCII, the longest first. What begins beyond ASCII may
    /// also be written as a letter and a mark.
    private static let labelsByLetter: [[String]] = {
        var lists = [[String]](repeating: [], count: 26)
        for label in labelsByLength {
            guard let first = label.utf8.first else { continue }
            for letter in first < 0x80 ? Int(first &- 0x61)..<Int(first &- 0x61) + 1 : 0..<26 where letter < 26 {
                lists[letter].append(label)
            }
        }
        return lists
    }()
    /// Those of them that are ASCII.
    private static let labelsOfASCIIByLetter = labelsByLetter.map { labels in
        labels.map { Array($0.utf8) }.filter { $0.allSatisfy { $0 < 0x80 } }
    }

    /// The labels without a colon that begin beyond ASCII: `écrit par`.
    private static let labelsBeyondASCII = labelsByLength.filter { ($0.utf8.first ?? 0) >= 0x80 }
    /// The first two bytes of these, small and capital.
    private static let firstLettersBeyondASCII = Set(
        labelsBeyondASCII.flatMap { [$0.prefix(1), $0.prefix(1).uppercased()[...]] }.map { Array($0.utf8.prefix(2)) })

    /// The labels without a colon that a part begins with, and how many characters they have; the longest first.
    private static func labelsWithoutColon(before part: Substring) -> [(label: String, length: Int)] {
        let start = part.utf8.prefix(maximumLabelLength + 1)
        guard let first = start.first else { return [] }
        if start.allSatisfy({ $0 < 0x80 }) {
            let letter = Int(first.asciiLowercased &- 0x61)
            guard letter < 26 else { return [] }
            let labels = labelsOfASCIIByLetter[letter].filter { label in
                label.count < start.count && zip(label, start).allSatisfy { $0 == $1.asciiLowercased }
                    && start[start.index(start.startIndex, offsetBy: label.count)] == 0x20
            }
            return labels.map { (String(decoding: $0, as: UTF8.self), $0.count) }
        }
        if first >= 0x80, !firstLettersBeyondASCII.contains(Array(start.prefix(2))) { return [] }
        let lower = part.prefix(maximumLabelLength).lowercased()
        let letter = Int((lower.utf8.first ?? 0) &- 0x61)
        let labels = letter < 26 ? labelsByLetter[letter] : labelsBeyondASCII
        return labels.filter { lower.hasPrefix($0) }.map { ($0, $0.count) }
    }

    /// Characters of the longest label.
    private static let maximumLabelLength = 40

    /// Whether a text is only a label of who wrote something, like `By:`.
    static func isLabel(_ text: [UInt8]) -> Bool { work(ofLabel: text) == .text }

    /// What the label says of whoever stands behind it; nil where a text is more or less than a label.
    static func work(ofLabel text: [UInt8]) -> Work? {
        guard (1...40).contains(text.count), mayBeFirstWord(key(of: text.drop { $0 == 0x20 })) else { return nil }
        let bare = String(decoding: text, as: UTF8.self).lowercased().trimmingPrefix { $0 == " " }
        guard let end = bare.lastIndex(where: { $0 != " " && $0 != ":" && $0 != "：" }) else { return nil }
        return work(ofLabel: String(bare[...end]))
    }

    /// - Parameter label: in lower case, without a colon. Several with a conjunction are one: who made `Text und Fotos` is a writer.
    private static func work(ofLabel label: String) -> Work? {
        if labelSet.contains(label) { return pictureSet.contains(label) ? .pictures : .text }
        // Most texts before a colon are no labels, and cost no more than this.
        guard (1...16).contains(label.utf8.count(where: isBetweenLabels)) else { return nil }
        let labels = label.split { "/&+,".contains($0) }.flatMap { part in
            part.split(separator: " ").split(whereSeparator: NameList.isConjunction).map { $0.joined(separator: " ") }
        }
        guard (2...4).contains(labels.count), labels.allSatisfy(labelSet.contains) else { return nil }
        return labels.allSatisfy(pictureSet.contains) ? .pictures : .text
    }

    private static func isBetweenLabels(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x20, 0x26, 0x2B, 0x2C, 0x2F: true
        default: false
        }
    }

    /// Where the name begins in a block that begins with `By `, or has it behind a mark or a day: `3 May 2020 | By `, `May 2020 by `.
    static func labelEnd(in bytes: ArraySlice<UInt8>) -> Int? {
        bytes.withUnsafeBufferPointer { labelEnd(in: $0) }
    }

    private static func labelEnd(in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        var start = bytes.count >= 3 ? lengthOfBracket(bytes) : 0
        var i = 0
        var parts = 0
        while parts < 8 {
            if start < bytes.count, mayBeFirstWord(key(of: bytes[start...])) || beginsUnspaced(bytes[start...]),
                let end = labelEnd(in: bytes, from: start)
            {
                return end
            }
            // The next word behind something that is no letter and no comma within a name.
            while i < bytes.count, !isBeforeLabels(bytes[i]) { i += 1 }
            while i < bytes.count, !bytes[i].isASCIILetter, bytes[i] < 0xC3 || bytes[i] == 0xE2 { i += 1 }
            guard i < bytes.count else { return nil }
            start = i
            parts += 1
        }
        return nil
    }

    private static func labelEnd(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
        // A label has 40 characters at most.
        var end = min(bytes.count, start + 200)
        while end < bytes.count, bytes[end] & 0xC0 == 0x80 || bytes[end - 1] == 0x20 { end -= 1 }
        let part = Substring(String(decoding: bytes[start..<end], as: UTF8.self))
        let rest = withoutLabel(part, isFound: true, once: true)
        // A sentence may begin with the same word.
        guard rest.utf8.count < part.utf8.count, let first = rest.first, first.isLetter, !first.isSmall else {
            return nil
        }
        // Without capitals, what is longer than a name tells a sentence.
        if !first.isUppercase {
            let name = rest.prefix { $0.isLetter || $0 == " " || $0 == "." || $0 == "\u{200C}" }
            guard name.count <= maximumUncasedCharacters, name.count(where: { $0 == " " }) <= 4 else { return nil }
        }
        // The text may have lost half a character or a space at its end.
        return min(start + part.utf8.distance(from: part.startIndex, to: rest.startIndex), end)
    }

    /// Characters of a name in a script without capitals, or of two with a conjunction.
    private static let maximumUncasedCharacters = 50

    /// Bytes of the bracket that a text begins with: `（`, `【`, `〔`, `[`.
    private static func lengthOfBracket(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        switch (bytes[0], bytes[1], bytes[2]) {
        case (0x5B, _, _), (0x28, _, _): 1
        case (0xEF, 0xBC, 0x88), (0xE3, 0x80, 0x90), (0xE3, 0x80, 0x94), (0xEF, 0xBC, 0xBB): 3
        default: 0
        }
    }

    // MARK: Labels without spaces

    /// Labels of scripts that have no spaces between words. A label of one character is a word, too.
    private static let unspacedLabels = labels.filter {
        $0.count > 1 && NameList.isWithoutSpaces($0[...]) && !$0.contains(" ")
    }
    .sorted { $0.utf8.count > $1.utf8.count }
    private static let unspacedBytes = unspacedLabels.map { Array($0.utf8) }

    private static func beginsUnspaced(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        guard let first = bytes.first, first >= 0xE0 else { return false }
        return unspacedBytes.contains { bytes.starts(with: $0) }
    }

    /// The hundred commonest family names of China (Ministry of Public Security, 2020), in simplified and traditional characters. Behind
    /// `記者` a name begins with one, and `記者会見` and `作者不明` do not.
    private static let familyNames = Set(
        """
        王李張张劉刘陳陈楊杨黃黄趙赵吳吴周徐孫孙馬马朱胡郭何林羅罗高鄭郑梁謝谢宋唐許许韓韩鄧邓馮冯曹彭曾肖蕭萧田董潘袁蔡蔣蒋余于杜葉叶程\
        魏蘇苏呂吕丁任盧卢姚沈鐘钟姜崔譚谭陸陆范汪廖石金韋韦賈贾夏付方鄒邹熊白孟秦邱侯江尹薛閆闫段雷龍龙黎史陶賀贺毛郝顧顾龔龚邵萬万覃武錢钱\
        戴嚴严莫孔向常
        """)

    /// `記者李明`, `โดยสมชาย ใจดี`
    private static func unspaced(_ part: Substring) -> Labelled? {
        guard let lead = part.utf8.first, lead >= 0xE0, let label = unspacedLabels.first(where: part.hasPrefix) else {
            return nil
        }
        let name = part.dropFirst(label.count).drop { $0 == " " || $0 == "\u{3000}" }
        let run = name.prefix { $0.isLetter }
        guard let first = run.first, NameList.isWithoutSpaces(run) else { return nil }
        if familyNames.contains(first) {
            guard (2...4).contains(run.count) else { return nil }
        } else {
            // Two words and no more, where prose has none or many.
            let words = name.prefix { $0.isLetter || $0 == " " }.split(separator: " ")
            guard NameList.isThai(run), words.count == 2, words.allSatisfy({ $0.count <= 20 }) else { return nil }
        }
        return Labelled(name: name, work: pictureSet.contains(label) ? .pictures : .text)
    }

    /// The first bytes beyond ASCII of the words behind names; each has one. Texts of most languages have none of them.
    private static let labelsBehindHave: [Bool] = {
        var has = [Bool](repeating: false, count: 256)
        for label in AuthorLabelTable.behindNames {
            if let byte = label.utf8.first(where: { $0 >= 0x80 }) { has[Int(byte)] = true }
            if let byte = label.uppercased().utf8.first(where: { $0 >= 0x80 }) { has[Int(byte)] = true }
        }
        return has
    }()

    /// `홍길동` of `홍길동 기자`, and what stands before `द्वारा` and `tarafından`: a name with a word behind it that says what it is.
    static func nameBeforeLabel(_ part: Substring) -> Substring? {
        guard part.utf8.contains(where: { labelsBehindHave[Int($0)] }) else { return nil }
        let words = part.split(whereSeparator: \.isWhitespace)
        for (index, word) in words.prefix(6).enumerated() {
            let bare = word.prefix { $0.isLetter }
            // `홍길동기자`
            if let role = AuthorLabelTable.behindNames.first(where: { bare.hasSuffix($0) && bare.count > $0.count }),
                NameList.isHangul(role[...]), (2...4).contains(bare.count - role.count)
            {
                return bare.dropLast(role.count)
            }
            guard index > 0, AuthorLabelTable.behindNames.contains(bare.lowercased()) else { continue }
            // Korean names are one word; what stands before is a place or an agency.
            if NameList.isHangul(bare) {
                let name = words[index - 1]
                let people = name.split(separator: "·")
                return people.allSatisfy { (2...5).contains($0.count) && NameList.isHangul($0) } ? name : nil
            }
            return part[words[0].startIndex..<words[index - 1].endIndex]
        }
        return nil
    }

    /// `|`, `,`, `)`, the first bytes of `•`, `–`, `·`, and digits.
    private static func isBeforeLabels(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x7C, 0x2C, 0x29, 0xE2, 0xC2, 0x30...0x39: true
        default: false
        }
    }

    /// The first word of each label as `key(of:)` has it: `автор`, `Автор`, `АВТОР`.
    private static let firstWords = Set(
        labels.flatMap { [$0, $0.prefix(1).uppercased() + $0.dropFirst(), $0.uppercased()] }.map { key(of: $0.utf8) })

    /// A bit for each hash of a first word: most words of a page are none, and need not be looked up.
    private static let firstWordBits: [UInt64] = {
        var bits = Array(repeating: UInt64(0), count: 64)
        for key in firstWords { bits[Int(hash(key) >> 6)] |= 1 << (hash(key) & 63) }
        return bits
    }()

    private static func hash(_ key: UInt64) -> UInt64 { (key &* 0x9E37_79B9_7F4A_7C15) &>> 52 }

    private static func mayBeFirstWord(_ key: UInt64) -> Bool {
        firstWordBits[Int(hash(key) >> 6)] & 1 << (hash(key) & 63) != 0 && firstWords.contains(key)
    }

    /// The first word, up to eight bytes of it, in lower case where it is ASCII.
    private static func key(of bytes: some Collection<UInt8>) -> UInt64 {
        var key: UInt64 = 0
        for byte in bytes.prefix(8) {
            // The first byte of `：` and `／`, which no word has.
            guard byte.isASCIILetter || byte >= 0x80, byte != 0xEF else { break }
            key = key << 8 | UInt64(byte.asciiLowercased)
        }
        return key
    }

    /// A text without the labels before its name.
    struct Labelled {
        var name: Substring
        /// What the last label says; nil without one.
        var work: Work?
        /// Whether a colon stands behind the last label.
        var hasColon = false
    }

    /// `By Ann Lee` as `Ann Lee`. A label of pictures stays: whoever stands behind it wrote nothing.
    static func withoutLabel(_ part: Substring, isFound: Bool, once: Bool = false) -> Substring {
        let labelled = labelled(part, isFound: isFound, once: once)
        return labelled.work == .pictures ? part : labelled.name
    }

    /// The name behind a label, or behind up to three.
    ///
    /// - Parameter isFound: whether it was read in visible text. Only there, without a colon, `von` and the like can be labels, and
    ///   a label can stand before a single word: `By Night` is somebody's name.
    static func labelled(_ part: Substring, isFound: Bool, once: Bool = false) -> Labelled {
        var result = Labelled(name: part)
        for count in 0..<(once ? 1 : 3) {
            guard let first = result.name.utf8.first, first >= 0x80 || mayBeFirstWord(key(of: result.name.utf8)),
                let next = withColon(result.name) ?? withoutColon(result.name, isFound: isFound, isFirst: count == 0)
                    ?? (isFound ? unspaced(result.name) : nil)
            else { break }
            result = next
        }
        return result
    }

    private static func withColon(_ part: Substring) -> Labelled? {
        // A label has 40 characters at most, two with a conjunction more; one has a colon within: `Autor:in`.
        let first = offsetOfColon(in: part.utf8, from: 0)
        let second = first.flatMap { offsetOfColon(in: part.utf8, from: $0 + 1) }
        for offset in [second, first].compactMap({ $0 }) {
            let colon = part.utf8.index(part.startIndex, offsetBy: offset)
            guard mayBeLabel(part[..<colon].utf8), let work = work(ofLabel: part[..<colon].trimmed.lowercased()) else {
                continue
            }
            let name = part[part.index(after: colon)...].trimmed
            return name.isEmpty ? nil : Labelled(name: name, work: work, hasColon: true)
        }
        return nil
    }

    /// Whether a text before a colon ends as labels do. Most do not, and cost no more than this.
    private static func mayBeLabel(_ text: Substring.UTF8View) -> Bool {
        guard let end = text.lastIndex(where: { $0 != 0x20 && $0 != 0xA0 && $0 != 0xC2 }) else { return false }
        let bare = text[...end]
        let start = bare.lastIndex(where: isBetweenLabels).map { bare.index(after: $0) } ?? bare.startIndex
        return lastWords.contains(key(of: bare[start...])) && !bare.contains { $0 &- 0x30 < 10 }
    }

    /// The last word of each label as `key(of:)` has it.
    private static let lastWords = Set(
        labels.flatMap { label in
            let last = label.split(separator: " ").last.map(String.init) ?? label
            return [last, last.prefix(1).uppercased() + last.dropFirst(), last.uppercased()]
        }.map { key(of: $0.utf8) })

    /// Where the next `:` stands, or `：` or `／` of East Asia, in the first 120 bytes.
    private static func offsetOfColon(in text: Substring.UTF8View, from start: Int) -> Int? {
        func offset(in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
            let end = min(bytes.count, 120)
            guard start < end else { return nil }
            return (start..<end).first { i in
                bytes[i] == 0x3A
                    || bytes[i] == 0xEF && i + 2 < bytes.count && bytes[i + 1] == 0xBC
                        && (bytes[i + 2] == 0x9A || bytes[i + 2] == 0x8F)
            }
        }
        return text.withContiguousStorageIfAvailable(offset)
            ?? Array(text.prefix(122)).withUnsafeBufferPointer(offset)
    }

    private static func withoutColon(_ part: Substring, isFound: Bool, isFirst: Bool) -> Labelled? {
        for (label, length) in labelsWithoutColon(before: part) {
            let rest = part.dropFirst(length)
            guard let next = rest.first, next == " " || next == "\u{A0}" else { continue }
            let name = rest.trimmed
            guard !name.isEmpty, isFound || NameList.isFull(name),
                !namePartLabels.contains(label)
                    || isFound && isLabel(part.prefix(length), before: name, isFirst: isFirst)
            else { continue }
            return Labelled(name: name, work: pictureSet.contains(label) ? .pictures : .text)
        }
        return nil
    }

    /// Whether a name is one of these words, and so nobody's.
    ///
    /// - Parameter isFound: whether it was read in visible text. Elsewhere `Di` is somebody.
    static func isLabel(_ name: String, isFound: Bool) -> Bool {
        let lower = String(name.lowercased().reversed().drop { ":： ".contains($0) }.reversed())
        // `記者会見` begins with a label, and no name does.
        if isFound, unspacedLabels.contains(where: { lower.hasPrefix($0) }) { return true }
        return labelSet.contains(lower) && (isFound || !namePartLabels.contains(lower))
    }

    /// Whether one of `namePartLabels` is a label: `von Ann Lee`, `Von Ann Lee`, `Von dpa`, `Par AFP`, and not `Von Miller`.
    ///
    /// - Parameter isFirst: whether no other label stands before it; `By Von Thomas Miller` has one.
    private static func isLabel(_ written: Substring, before rest: Substring, isFirst: Bool) -> Bool {
        let words = rest.split(separator: " ")
        guard let first = words.first, let letter = first.first, letter.isLetter else { return false }
        if written.first?.isSmall == true { return !letter.isSmall }
        if letter.isSmall || !isFirst { return words.count == 1 && isFirst }
        // `Von Ann am 3. Mai`, and not `Di Wu on 3 May`.
        if words.count > 2, wordsBeforeDays.contains(String(words[1])), words[2].first?.isNumber == true { return true }
        var capitals = 0
        for word in words.prefix(6) {
            if word.first?.isLetter == true, word.first?.isSmall == false {
                capitals += 1
                if capitals == 2 { return true }
            } else if !NameList.isParticle(word) {
                break
            }
            if word.last?.isLetter == false, word.last != "." { break }
        }
        guard capitals == 1 else { return false }
        if NameList.isRole(first) { return true }
        // An agency.
        return (2...5).contains(first.count) && first.allSatisfy(\.isUppercase)
            && written.contains(where: \.isSmall)
    }
}
