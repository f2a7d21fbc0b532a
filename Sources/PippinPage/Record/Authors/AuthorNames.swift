/// Makes names of what a page says of its authors, by where it says so.
///
/// A name that structured data states is a name, and kept as it is (`name(stated:isPerson:)`). A text of markup may be a list of
/// names (`names(listedIn:as:)`). Visible text beside a headline has more than names, and is cleaned (`names(foundIn:)`):
/// `By Ann Lee and Bo Yi, Staff Writers | 3 May 2020` is two.
///
/// Left out is what names nobody: accounts that software makes (`admin`), addresses, handles, and the site itself; of visible text,
/// also job titles and dates.
struct AuthorNames {
    private let siteNames: Set<FoldedName>

    static let maximumNames = 20
    /// Characters of a name; words of one that was no name of its own. Longer ones are sentences.
    private static let maximumCharacters = 100
    private static let maximumWords = 8
    private static let maximumTextBytes = 2_000

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

    private static func words(_ text: String) -> Set<String> {
        Set(text.split(whereSeparator: \.isWhitespace).map(String.init))
    }

    // MARK: Names of a text

    /// What structured data gives as somebody's name: in one line, without tags and with character references decoded.
    ///
    /// - Parameters:
    ///   - isPerson: whether it says that it is a person; a site may have its owner's name.
    ///   - isOrganization: whether it says that it is an organization, which may be the site.
    func name(stated text: String, isPerson: Bool, isOrganization: Bool = false) -> String? {
        guard var name = Self.tidied(text) else { return nil }
        if isPerson {
            // No name of two words has “By” or “Written by” before it.
            name = String(AuthorLabels.withoutLabel(name[...], isFound: false))
        }
        guard Self.isNameOfSomebody(name), !Self.accounts.contains(Self.folded(name)) else { return nil }
        let isSite = siteNames.contains(FoldedName(name))
        if isOrganization { return isSite && Self.isHost(name) ? nil : name }
        return isSite && !(isPerson && Self.isPersonsNameOfSite(name))
            ? nil : name
    }

    /// The names in a stated name that begins with a label, as bylines do: `By Ann Lee and Bo Yi, Staff Writers`. Empty for a plain name.
    func names(writtenInName text: String) -> [String] {
        guard let line = Self.tidied(text) else { return [] }
        let rest = AuthorLabels.withoutLabel(line[...], isFound: false)
        guard rest.startIndex > line.startIndex, rest.contains(where: \.isWhitespace) else { return [] }
        let found = names(foundIn: line)
        let names = found.isEmpty ? names(listedIn: String(rest)) : found
        // `Cy Orr For The Sunday Paper` is more than a name: what it is cannot be told.
        return names.allSatisfy { $0.split(separator: " ").count <= 4 } ? names : []
    }

    /// The site as its own author, where a `meta` element names it and it has no person's name.
    func site(namedIn text: String) -> String? {
        guard let line = Self.tidied(text), siteNames.contains(FoldedName(line.prefix(100))),
            Self.isNameOfSomebody(line),
            !Self.isPersonsNameOfSite(line), !line.has("."), !Self.accounts.contains(Self.folded(line))
        else { return nil }
        return line
    }

    /// The names in the text of a `meta` element or of a property `author`: `Ann Lee, Bo Yi and Cy Orr`, `Smith, John`.
    func names(listedIn text: String, as kind: NameList.Kind = .stated) -> [String] {
        guard let line = Self.tidied(text), !siteNames.contains(FoldedName(line.prefix(100))) else { return [] }
        return firstNames(in: Self.segments(of: line).map { Self.withoutAddress($0) }) { segment in
            let names = NameList.names(in: segment, kind)
            // Behind a host or an account, single words are what it says of itself: `example.org, Ulm, Germany`.
            guard let first = names.first, isName(first, isFound: false) || first.contains(" ") else { return [] }
            return names.filter { isName($0, isFound: false) }
        }
    }

    /// The names in visible text, where a sentence may stand as well.
    func names(foundIn text: String) -> [String] {
        guard let line = Self.tidied(text) else { return [] }
        let names = names(inFoundLine: line)
        if !names.isEmpty { return names }
        // `Posted on 3 May 2020 by Ann Lee`
        let bytes = Array(line.utf8)
        guard let start = AuthorLabels.labelEnd(in: bytes[...]), start > 0 else { return [] }
        return self.names(inFoundLine: String(decoding: bytes[start...], as: UTF8.self))
    }

    private func names(inFoundLine line: String) -> [String] {
        firstNames(in: Self.segments(of: line).map { Self.withoutRemark($0) }) { segment in
            let people = NameList.names(in: segment, .found)
            return people.allSatisfy(NameList.isWrittenAsName) ? people.filter { isName($0, isFound: true) } : []
        }
    }

    private func firstNames(in segments: [Substring], _ names: (Substring) -> [String]) -> [String] {
        Array(segments.lazy.map(names).first { !$0.isEmpty }?.prefix(Self.maximumNames) ?? [])
    }

    /// In one line; references that were escaped twice are decoded, tags and invisible characters removed.
    private static func tidied(_ text: String) -> String? {
        guard text.utf8.count <= maximumTextBytes else { return nil }
        return CleanText.line(CleanText.withoutTags(CharacterReferences.decoded(text) ?? text))
    }

    /// Marks between a name and what is said beside it.
    private static let separators: [String] = [" | ", "|", " • ", "•", " · ", " – ", " — ", " - ", " // ", " : "]

    /// The parts of a line between marks like ` | `.
    private static func segments(of line: String) -> [Substring] {
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
        parts = Array(parts.prefix(16))
        // `Photo : Ann Lee`, as French is written, is one part.
        for index in parts.indices.dropLast().reversed() where line[parts[index].endIndex...].hasPrefix(" : ") {
            let both = line[parts[index].startIndex..<parts[index + 1].endIndex]
            let labelled = AuthorLabels.labelled(both, isFound: true)
            guard labelled.hasColon, labelled.name.startIndex >= parts[index + 1].startIndex else { continue }
            parts[index] = both
            parts.remove(at: index + 1)
        }
        return parts.prefix(8).map(\.trimmed).filter { !$0.isEmpty }
    }

    /// `Ann Lee` of `Ann Lee <ann@example.org>`, `Ann Lee (ann@example.org)` and `Ann Lee @annlee`.
    private static func withoutAddress(_ part: Substring) -> Substring {
        guard let at = part.firstIndex(of: "@") else { return part }
        return part[..<(part[..<at].lastIndex { " <([".contains($0) } ?? part.startIndex)].trimmed
    }

    /// `Noble Pies` of `Noble PiesPublished`: the next element's word, which only styles keep apart.
    private static func withoutGluedWord(_ part: Substring) -> Substring {
        let end = part.reversed().prefix(while: \.isSmall).count
        guard end > 2, part.count > end + 1 else { return part }
        let start = part.index(part.endIndex, offsetBy: -end - 1)
        guard part[part.index(before: start)].isSmall, wordsOfDays.contains(part[start...].lowercased()) else {
            return part
        }
        return part[..<start]
    }

    /// What stands before an address, a handle, a bracket or a day, without a label of writers.
    private static func withoutRemark(_ part: Substring) -> Substring {
        var part = withoutAddress(AuthorLabels.withoutLabel(withoutFirstBracket(part), isFound: true))
        if let end = part.firstIndex(where: isEndOfName) { part = part[..<end].trimmed }
        part = AuthorLabels.nameBeforeLabel(part) ?? withoutGluedWord(part)
        if let first = part.firstIndex(where: \.isNumber), first > part.startIndex, part[..<first].last == " " {
            part = withoutTrailingWords(part[..<first].trimmed)
            // `Joined: Feb 2019`, `Reputation: 7`
            if part.last == ":" || part.last == "：" { return part[..<part.startIndex] }
        }
        return part
    }

    private static func isEndOfName(_ character: Character) -> Bool {
        switch character {
        case "(", "[", "{", "<", "©", "（", "［", "【", "〔", "／", "｜", "\u{3000}", "）", "】", "〕", "］": true
        default: false
        }
    }

    /// `김철수 기자` of `[서울=뉴스] 김철수 기자`, and what is within brackets if it is a byline: `（記者李明）`.
    private static func withoutFirstBracket(_ part: Substring) -> Substring {
        guard let first = part.first, let close = closing[first], let end = part.firstIndex(of: close) else {
            return part
        }
        let inner = part[part.index(after: part.startIndex)..<end].trimmed
        let rest = part[part.index(after: end)...].trimmed
        return rest.isEmpty || AuthorLabels.labelled(inner, isFound: true).work == .text ? inner : rest
    }

    private static let closing: [Character: Character] = [
        "[": "]", "(": ")", "（": "）", "【": "】", "〔": "〕", "［": "］",
    ]

    /// `Ann Lee on`, `Ann Lee Oct` before a day.
    private static func withoutTrailingWords(_ part: Substring) -> Substring {
        var part = part
        while let space = part.lastIndex(of: " ") {
            let word = part[part.index(after: space)...].lowercased()
            let bare = String(word.filter { $0.isLetter })
            guard wordsBeforeDays.contains(bare) || MonthNames.all.has(bare) || bare.isEmpty else {
                break
            }
            part = part[..<space].trimmed
        }
        return part
    }

    /// What pages write before a day, and in a name's place.
    private static let wordsOfDays = words(
        "updated published posted date datum publicado publié veröffentlicht erstellt")

    private static let wordsBeforeDays = words(
        """
        on um at monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun montag dienstag
        mittwoch donnerstag freitag samstag sonntag actualizado atualizado geändert stand
        """
    ).union(wordsOfDays).union(AuthorLabels.wordsBeforeDays)

    // MARK: What is a name

    /// Whether a text may have a name in it at all.
    static func mayName(_ text: String) -> Bool {
        text.utf8.count <= 300 && text.contains(where: \.isLetter)
    }

    /// Accounts that software makes, and words for nobody in particular.
    private static let accounts = words(
        """
        admin administrator webmaster root user guest gast editor staff anonymous anonym anonymus unknown unbekannt
        null none undefined wordpress wordpressadmin wpadmin siteadmin test redaktör superuser default system
        contributor administrador joomla superadmin adminuser moderator theauthor
        """
    ).union(words(NameHints.authors))

    /// What pages write beside a name or in its place.
    private static let wordsOfPages = words(
        """
        na by von follow name share shares views comments kommentare about home contact kontakt login more
        info website web blog news post
        posts mail email print drucken biography bio source quelle
        profile profil member pubblicato aktualisiert facebook twitter instagram linkedin youtube whatsapp
        """
    ).union(wordsOfDays)

    /// Whether a text may be somebody's name: it has letters, and is no address, handle or template.
    private static func isNameOfSomebody(_ name: String) -> Bool {
        guard (2...maximumCharacters).contains(name.unicodeScalars.count), name.contains(where: \.isLetter),
            name.utf8.first != UInt8(ascii: "@"), !name.hasPrefix("www."), !name.has("://"), !name.has("{"),
            !name.has("%%")
        else { return false }
        switch name.lowercased() {
        case "n/a", "n.a.", "n.a": return false
        default: break
        }
        // `ann@example.org`
        return !(name.utf8.has(UInt8(ascii: "@")) && !name.utf8.has(0x20))
    }

    /// A site of one's own has one's own name: of several words, and without an article.
    private static func isPersonsNameOfSite(_ name: String) -> Bool {
        let words = name.split(separator: " ")
        return (2...4).contains(words.count) && words.last?.first?.isSmall == false
            && words.allSatisfy { $0.first?.isSmall == false || NameList.isParticle($0) }
            && !["The", "Das", "Die", "Der", "Le", "La", "El", "Il"].contains(words[0])
    }

    /// Characters of addresses, templates and cut sentences.
    private static func isInNoName(_ character: Character) -> Bool {
        switch character {
        case "?", "…", "{", "%", "=", "\\", "@": true
        default: false
        }
    }

    /// Whether a part of a text is a name, and no other word of a page.
    ///
    /// - Parameter isFound: whether it was read in visible text.
    private func isName(_ name: String, isFound: Bool) -> Bool {
        let words = name.split(separator: " ")
        guard Self.isNameOfSomebody(name), words.count <= Self.maximumWords, let first = name.first,
            first.isLetter || first.isNumber || first == "'" || first == "’"
        else { return false }
        let letters = name.count(where: \.isLetter)
        // `delta201` is somebody's, `12 min` and `3 Kommentare` are not.
        guard letters >= 2, letters * 3 > name.count, !first.isNumber || words.count == 1,
            !name.contains(where: Self.isInNoName)
        else { return false }
        let folded = Self.folded(name)
        if AuthorLabels.isLabel(name, isFound: isFound), folded != "redaktion" { return false }
        if Self.accounts.contains(folded) || Self.wordsOfPages.contains(folded) { return false }
        if isFound, Self.wordsBeforeDays.contains(folded) || MonthNames.all.has(name) || NameList.isRoleAlone(words) {
            return false
        }
        if siteNames.contains(FoldedName(name)) { return isFound && Self.isPersonsNameOfSite(name) }
        // `By admin`; `By Night` is somebody's name.
        if !isFound, words.count > 1 {
            let rest = AuthorLabels.withoutLabel(name[...], isFound: true)
            if rest.utf8.count < name.utf8.count, !rest.utf8.contains(0x20), !isName(String(rest), isFound: false) {
                return false
            }
        }
        // An account's name, which a page shows only where there is no other.
        if !isFound, words.count == 1, name.contains("_") { return false }
        return !Self.isHost(name)
    }

    /// `example.org`
    private static func isHost(_ name: String) -> Bool {
        guard !name.contains(" "), let dot = name.lastIndex(of: "."), name.distance(from: dot, to: name.endIndex) > 2
        else {
            return false
        }
        return SiteIdentity.registeredDomain(of: name.asciiLowercased) != nil
    }
}
