/// Makes names of what a page writes where an author stands: `By Ann Lee and Bo Yi, Staff Writers | 3 May 2020` is two names.
///
/// Left out is what names nobody: accounts that software makes (`admin`), addresses, handles, job titles, dates, and the site itself.
struct AuthorNames {
    private let siteNames: Set<FoldedName>

    static let maximumNames = 20
    /// Bytes of a name, and words; longer ones are sentences.
    private static let maximumBytes = 100
    private static let maximumWords = 8

    /// - Parameter sites: names of the site, of its publisher and its host.
    init(sites: Set<FoldedName>) { siteNames = sites.filter { !$0.isEmpty } }

    /// Letters and digits alone, in lower case: as words of the lists below are written, with their accents.
    private static func folded(_ text: String) -> String {
        if isASCII(text) {
            return String(
                decoding: text.utf8.prefix(100).lazy.filter { $0.isASCIILetter || $0.isASCIIDigit }
                    .map(\.asciiLowercased), as: UTF8.self)
        }
        var folded = ""
        for character in text.prefix(100).lowercased() where character.isLetter || character.isNumber {
            folded.append(character)
        }
        return folded
    }

    private static func isASCII(_ text: some StringProtocol) -> Bool { text.utf8.allSatisfy { $0 < 0x80 } }

    /// Whether a line has only ASCII letters, spaces, points, hyphens and apostrophes, as most names do.
    private static func isPlain(_ text: some StringProtocol) -> Bool {
        text.utf8.allSatisfy { $0.isASCIILetter || $0 == 0x20 || $0 == 0x2E || $0 == 0x27 || $0 == 0x2D }
    }

    private static func words(_ text: String) -> Set<String> {
        Set(text.split(whereSeparator: \.isWhitespace).map(String.init))
    }

    /// What stands between semicolons.
    private static func phrases(_ text: String) -> [String] {
        text.replacing("\n", with: " ").split(separator: "; ").map(String.init)
    }

    // MARK: Names of a text

    /// The names in a text.
    ///
    /// - Parameters:
    ///   - isPerson: whether the source says that it is a person; a site may have its owner's name.
    ///   - isRead: whether it was read in visible text, where a sentence may stand as well.
    func names(in text: String, isPerson: Bool = false, isRead: Bool = false) -> [String] {
        guard text.utf8.count <= 600, let line = Self.tidied(text) else { return [] }
        if !isPerson, siteNames.contains(FoldedName(line.prefix(100))) { return [] }
        let names = names(inLine: line, isPerson: isPerson, isRead: isRead)
        if !names.isEmpty { return names }
        // `Posted on 3 May 2020 by Ann Lee`
        let bytes = Array(line.utf8)
        guard let start = Self.labelEnd(in: bytes[...]), start > 0 else { return [] }
        return self.names(inLine: String(decoding: bytes[start...], as: UTF8.self), isPerson: isPerson, isRead: isRead)
    }

    private func names(inLine line: String, isPerson: Bool, isRead: Bool) -> [String] {
        var names: [String] = []
        for segment in Self.segments(of: line) {
            let people = Self.people(in: segment)
            if isRead, !people.allSatisfy(Self.isWrittenAsName) { continue }
            let found = people.filter { isName($0, isPerson: isPerson) }
            if found.isEmpty { continue }
            names = found
            break
        }
        return Array(names.prefix(Self.maximumNames))
    }

    /// In one line; references that were escaped twice are decoded, invisible characters removed.
    private static func tidied(_ text: String) -> String? {
        var line = text
        for _ in 0..<2 where line.utf8.has(UInt8(ascii: "&")) {
            guard let decoded = CharacterReferences.decoded(Array(line.utf8)[...]) else { break }
            line = String(decoding: decoded.bytes, as: UTF8.self)
        }
        if !isASCII(line) {
            line.unicodeScalars.removeAll { $0.properties.generalCategory == .format }
        }
        line = line.collapsingHTMLSpace()
        return line.isEmpty ? nil : line
    }

    /// Marks between a name and what is said beside it.
    private static let separators: [String] = [" | ", "|", " • ", "•", " · ", "·", " – ", " — ", " - ", " // ", " : "]

    /// The parts of a line between marks like ` | `; in each, what stands before an address, a handle, a bracket or a day.
    private static func segments(of line: String) -> [Substring] {
        if isPlain(line), !line.has(" - ") {
            let part = withoutLabel(line.trimmed)
            return part.isEmpty ? [] : [part]
        }
        var parts = [Substring(line)]
        let hasSeparator = line.utf8.contains {
            switch $0 {
            // `|`, `-`, `/`, `:`, and the first bytes of `•`, `–`, `—`, `·`.
            case 0x7C, 0x2D, 0x2F, 0x3A, 0xE2, 0xC2: true
            default: false
            }
        }
        for separator in separators where hasSeparator && line.contains(separator) {
            parts = parts.flatMap { $0.split(separator: separator) }
        }
        return parts.prefix(8).compactMap { part in
            var part = withoutLabel(part.trimmed)
            if let end = part.firstIndex(where: { "([{<@©".contains($0) }) {
                let isAddress = part[end] == "@" && end > part.startIndex && part[part.index(before: end)] != " "
                part = part[..<end]
                if isAddress { part = part[..<(part.lastIndex(of: " ") ?? part.startIndex)] }
                part = part.trimmed
            }
            if let first = part.firstIndex(where: \.isNumber), first > part.startIndex, part[..<first].last == " " {
                part = withoutTrailingWords(part[..<first].trimmed)
            }
            return part.isEmpty ? nil : part
        }
    }

    /// `Ann Lee on`, `Ann Lee Oct` before a day.
    private static func withoutTrailingWords(_ part: Substring) -> Substring {
        var part = part
        while let space = part.lastIndex(of: " ") {
            let word = part[part.index(after: space)...].lowercased()
            let bare = String(word.filter { $0.isLetter })
            guard wordsBeforeDays.contains(bare) || WrittenDay.isMonth(bare) || bare.isEmpty else { break }
            part = part[..<space].trimmed
        }
        return part
    }

    private static let wordsBeforeDays = words(
        """
        on am vom um at le el il den em op updated published posted date datum monday tuesday wednesday thursday friday
        saturday sunday mon tue wed thu fri sat sun montag dienstag mittwoch donnerstag freitag samstag sonntag
        actualizado atualizado publicado publié veröffentlicht erstellt geändert stand
        """)

    /// `A, B and C` as three; what follows a comma and is no name (`PhD`, `Staff Writer`, `Berlin`) falls away.
    private static func people(in segment: Substring) -> [String] {
        if isPlain(segment) { return split(segment).map { String(withoutMarks(withoutJob(withoutLabel($0)))) } }
        var people: [String] = []
        for half in segment.split(whereSeparator: { $0 == ";" || $0 == "\n" }).prefix(maximumNames) {
            let parts = half.split { $0 == "," || $0 == "、" || $0 == "，" }.map(\.trimmed)
            for (index, part) in parts.enumerated() {
                for name in split(part) {
                    let name = withoutJob(withoutLabel(name))
                    if index > 0, isTitle(name) || !name.contains(" ") && name.utf8.allSatisfy({ $0 < 0x80 }) {
                        continue
                    }
                    people.append(String(withoutMarks(name)))
                }
            }
        }
        return people
    }

    private static let conjunctions = words(
        """
        and und & et y e en og och и та i ve / + sowie with mit
        """)

    /// Those that stand within the names of one person, too: `José Volta e Pinto`, `Santiago Ramón y Cajal`.
    private static let conjunctionsWithinNames = words("y e i")

    /// Splits at a conjunction that has names on both sides.
    private static func split(_ part: Substring) -> [Substring] {
        let words = part.split(separator: " ")
        guard words.count >= 3, words.count <= 40 else { return [part] }
        var people: [Substring] = []
        var start = 0
        for (index, word) in words.enumerated() where index > start && index < words.count - 1 {
            let conjunction = word.lowercased()
            guard conjunctions.contains(conjunction), words[index + 1].first?.isLowercase != true,
                !conjunctionsWithinNames.contains(conjunction) || index - start != 2 || words.count - index > 2
            else { continue }
            people.append(part[words[start].startIndex..<words[index - 1].endIndex])
            start = index + 1
        }
        people.append(part[words[start].startIndex...])
        return people
    }

    /// `FOCUS-Online-Experte Robin Meyer` as `Robin Meyer`.
    private static func withoutJob(_ name: Substring) -> Substring {
        var name = name
        while let space = name.firstIndex(of: " "), name[name.index(after: space)...].contains(" ") {
            let word = name[..<space].lowercased().split(separator: "-").last.map(String.init) ?? ""
            guard jobs.contains(word), name[..<space].contains("-") else { break }
            name = name[name.index(after: space)...].trimmed
        }
        return name
    }

    private static func withoutMarks(_ name: Substring) -> Substring {
        var name = name
        while let first = name.first, isMark(first) { name.removeFirst() }
        while let last = name.last, isMark(last) { name.removeLast() }
        // The end of a sentence, and not of `Jr.` or an initial.
        if name.last == ".", let word = name.dropLast().split(separator: " ").last, word.count > 3,
            !word.contains(".")
        {
            name.removeLast()
        }
        return name
    }

    private static func isMark(_ character: Character) -> Bool {
        switch character {
        case " ", ",", ":", "-", "–", "—", "*", "\"", "'", "“", "”", "„", "|", "»", "«", ">", "·", "•", "/": true
        default: false
        }
    }

    // MARK: Labels

    /// Words before a name, by their lengths in words.
    private static let labels = phrases(
        """
        view all posts by; posts by; posted on by; this article was written by; ein gastbeitrag von; ein beitrag von;
        ein artikel von; eine kolumne von; ein kommentar von; gastbeitrag von; artikel von; alle beiträge von; alle
        artikel von; alles von; mehr von; more by; all posts by; see all posts by; zeige alle beiträge von; beitrag
        von; kommentar von; text von; interview von; geschrieben von; verfasst von; erstellt von; veröffentlicht von;
        publiziert von; gepostet von; written by; posted by; published by; article by; story by; words by; reported by;
        created by; submitted by; contributed by; authored by; text by; reviewed by; écrit par; rédigé par; publié par;
        propos recueillis par; recueilli par; posté par; article de; escrito por; publicado por; redactado por; por; texto de; escrito
        em por; scritto da; pubblicato da; a cura di; articolo di; testo di; geschreven door; geplaatst door; door;
        napisane przez; napisał; napisała; opublikowane przez; autor tekstu; przez; skrevet av; skrevet af; skriven av;
        tekst; by; von; par; di; af; av; autor; autorin; autoren; autor in; autor*in; autor:in; author; authors;
        auteur; autore; autora; auteurs; автор; text; texte; texto; testo; interview; byline; redaktion; reporter;
        yazar; yazan; skribent; forfatter; 作者; 記者; 记者; 文; 著者; 기자; 글; nguồn; tác giả; كتب; بقلم; الكاتب; words
        """)

    /// Labels that are common words or the beginning of names, and only count before a colon or as their own element.
    private static let labelsWithColon = Set(
        phrases(
            """
            text; texte; texto; testo; tekst; interview; byline; redaktion; reporter; autor; autorin; autoren; author;
            authors; auteur; autore; autora; auteurs; автор; yazar; yazan; skribent; forfatter; autor in; 作者; 記者; 记者; 文;
            著者; 기자; 글; words; nguồn; autor tekstu; napisał
            """))

    private static let labelSet = Set(labels)
    private static let labelsByLength: [String] = labels.sorted { $0.utf8.count > $1.utf8.count }
    /// The labels that may begin with a letter of ASCII, the longest first. What begins beyond ASCII may also be written as a
    /// letter and a mark.
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

    /// The labels that a text in lower case may begin with.
    private static func labelsToTry(on lower: String) -> [String] {
        let letter = Int((lower.utf8.first ?? 0) &- 0x61)
        return letter < 26 ? labelsByLetter[letter] : labelsByLength
    }

    /// Whether a text is only a label, like `By:`.
    static func isLabel(_ text: [UInt8]) -> Bool {
        guard (1...40).contains(text.count), mayBeFirstWord(key(of: text.drop { $0 == 0x20 })) else {
            return false
        }
        let bare = String(decoding: text, as: UTF8.self).lowercased().trimmingPrefix { $0 == " " }
        guard let end = bare.lastIndex(where: { $0 != " " && $0 != ":" && $0 != "：" }) else { return false }
        return labelSet.contains(String(bare[...end]))
    }

    /// Where the name begins in a block that begins with `By `, or has it behind a mark or a day: `3 May 2020 | By `, `May 2020 by `.
    static func labelEnd(in bytes: ArraySlice<UInt8>) -> Int? {
        bytes.withUnsafeBufferPointer { labelEnd(in: $0) }
    }

    private static func labelEnd(in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        var start = 0
        var i = 0
        var parts = 0
        while parts < 8 {
            if mayBeFirstWord(key(of: bytes[start...])), let end = labelEnd(in: bytes, from: start) {
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
        let rest = withoutLabel(part, once: true)
        // A sentence may begin with the same word.
        guard rest.utf8.count < part.utf8.count, let first = rest.first, first.isLetter, !first.isLowercase else {
            return nil
        }
        return end - rest.utf8.count
    }

    /// `|`, `,`, `)`, the first bytes of `•`, `–`, `·`, and digits.
    private static func isBeforeLabels(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x7C, 0x2C, 0x29, 0xE2, 0xC2, 0x30...0x39: true
        default: false
        }
    }

    /// The first word of each label as `key(of:)` has it.
    private static let firstWords: Set<UInt64> = Set(labels.map { key(of: Array($0.utf8)[...]) })

    /// A bit for each hash of a first word: most words of a page are none, and need not be looked up.
    private static let firstWordBits: [UInt64] = {
        var bits = Array(repeating: UInt64(0), count: 64)
        for key in firstWords { bits[Int(hash(key) >> 6)] |= 1 << (hash(key) & 63) }
        return bits
    }()

    private static func hash(_ key: UInt64) -> UInt64 { (key &* 0x9E37_79B9_7F4A_7C15) &>> 52 }

    private static func mayBeFirstWord(_ key: UInt64) -> Bool {
        firstWordBits[Int(hash(key) >> 6)] & 1 << (hash(key) & 63) != 0
    }

    /// The first word, up to eight bytes of it, in lower case where it is ASCII.
    private static func key(of bytes: some Collection<UInt8>) -> UInt64 {
        var key: UInt64 = 0
        for byte in bytes.prefix(8) {
            guard byte.isASCIILetter || byte >= 0x80 else { break }
            key = key << 8 | UInt64(byte.asciiLowercased)
        }
        return key
    }

    /// `By Ann Lee` as `Ann Lee`, also after more than one label.
    private static func withoutLabel(_ part: Substring, once: Bool = false) -> Substring {
        var part = part
        for _ in 0..<(once ? 1 : 3) {
            guard let first = part.utf8.first, first >= 0x80 || mayBeFirstWord(key(of: part.utf8)) else { return part }
            let lower = part.prefix(40).lowercased()
            var cut: Substring?
            for label in labelsToTry(on: lower) where lower.hasPrefix(label) {
                let rest = part.dropFirst(label.count)
                guard let next = rest.first else { continue }
                if next == ":" || next == "：" {
                    cut = rest.dropFirst().trimmed
                } else if next == " " || next == "\u{A0}", !labelsWithColon.contains(label) {
                    let after = rest.trimmed
                    cut = after.first == ":" ? after.dropFirst().trimmed : after
                } else {
                    continue
                }
                break
            }
            guard let cut, !cut.isEmpty else { return part }
            part = cut
        }
        return part
    }

    // MARK: What is a name

    /// Whether a text may have a name in it at all.
    static func mayName(_ text: String) -> Bool {
        text.utf8.count <= 300 && text.contains(where: \.isLetter)
    }

    /// Accounts that software makes, and words for nobody in particular.
    private static let nobody = words(
        """
        admin administrator webmaster root user guest gast editor staff author autor autorin auteur anonymous anonym
        anonymus unknown unbekannt null none undefined wordpress wordpressadmin wpadmin siteadmin test na by von posted
        follow name share shares views comments kommentare published updated redaktör superuser default system about
        home contact kontakt login more publiziertam postedon publishedon theauthor abouttheauthor überdenautor
        überdieautorin auteurs authors autoren administrador joomla superadmin info website web blog news post posts
        adminuser moderator mail email print drucken autoreninfo authorinfo biography bio writtenby readmore mehrlesen
        source quelle profile profil member bild foto fotos photo photos image text interview veröffentlicht publié
        publicado pubblicato erstellt aktualisiert datum date contributor facebook twitter instagram linkedin youtube
        whatsapp
        """)

    private static let titles = words(
        """
        phd ph.d ph.d. md m.d. msc mba ma ba bsc jd rd rdn rn dds dvm esq esq. jr jr. sr sr. iii ii mph ms cpa cfa
        pharmd ld dpt facc ca dr. do
        """)

    private static let jobs = words(
        """
        editor writer reporter correspondent contributor journalist staff author columnist producer chief senior
        director manager redakteur redakteurin redaktion korrespondent korrespondentin chefredakteur chefredakteurin
        autor autorin journalistin redactor redactora redator editora journaliste rédacteur rédactrice redattore
        giornalista periodista jornalista photographer fotograf ceo founder cofounder president professor analyst
        consultant freelance freelancer special guest news head officer expert experte expertin bureau team desk
        """)

    /// Whether what follows a comma says something of the name before it: a degree, a job.
    private static func isTitle(_ part: Substring) -> Bool {
        let words = part.lowercased().split(separator: " ")
        guard let first = words.first else { return true }
        if titles.contains(String(first)) { return true }
        return words.contains { jobs.contains(String($0.filter(\.isLetter))) }
    }

    /// Words within a name that have no capital.
    private static let particles = words(
        """
        de del della der den di da do dos das du des van von zu zum zur la le el al bin ibn ben abu ter ten te y e i of
        the for af av vom het und
        """)

    /// One word, or several with capitals. Scripts without capitals have no say.
    private static func isWrittenAsName(_ name: String) -> Bool {
        let words = name.split(separator: " ")
        guard words.count > 1 else { return true }
        guard words.count <= 6 else { return false }
        return words.allSatisfy { $0.first?.isLowercase != true || particles.contains(String($0)) }
            && words.last?.first?.isLowercase != true
    }

    /// Characters of addresses, templates and cut sentences.
    private static func isInNoName(_ character: Character) -> Bool {
        switch character {
        case "?", "…", "{", "%", "=", "\\": true
        default: false
        }
    }

    private func isName(_ name: String, isPerson: Bool) -> Bool {
        let bytes = name.utf8
        guard bytes.count >= 2, bytes.count <= Self.maximumBytes, !bytes.contains(UInt8(ascii: "@")) else {
            return false
        }
        let words = name.split(separator: " ")
        guard words.count <= Self.maximumWords, let first = name.first, first.isLetter || first.isNumber else {
            return false
        }
        let letters = Self.isASCII(name) ? bytes.count(where: \.isASCIILetter) : name.count(where: \.isLetter)
        // `delta201` is somebody's, `12 min` and `3 Kommentare` are not.
        guard letters >= 2, letters * 3 > bytes.count || letters * 3 > name.count, !first.isNumber || words.count == 1
        else { return false }
        if name.hasPrefix("www.") || !Self.isPlain(name) && name.contains(where: Self.isInNoName) { return false }
        if bytes.contains(UInt8(ascii: ":")), name.has("://") { return false }
        let folded = Self.folded(name)
        if Self.labelSet.contains(name.lowercased()), folded != "redaktion" { return false }
        if Self.wordsBeforeDays.contains(folded) { return false }
        if Self.nobody.contains(folded) || WrittenDay.isMonth(name) { return false }
        if siteNames.contains(FoldedName(name)) {
            // A site of one's own has one's own name.
            return isPerson && (2...3).contains(words.count) && words.allSatisfy { $0.first?.isUppercase == true }
                && !["The", "Das", "Die", "Der", "Le", "La", "El", "Il"].contains(words[0])
        }
        // An account's name, which a page shows only where there is no other.
        if !isPerson, words.count == 1, name.contains("_") { return false }
        // `example.org` is a host.
        if words.count == 1, let dot = name.lastIndex(of: "."), name.distance(from: dot, to: name.endIndex) > 2,
            SiteIdentity.registeredDomain(of: name.asciiLowercased) != nil
        {
            return false
        }
        return true
    }
}

extension StringProtocol where SubSequence == Substring {
    fileprivate var trimmed: Substring {
        var result = self[...]
        while result.utf8.first == 0x20 { result.removeFirst() }
        while result.utf8.last == 0x20 { result.removeLast() }
        return result
    }
}
