/// The names in one text: `Ann Lee, Bo Yi and Cy Orr`, `Smith, John; Doe, Jane`.
///
/// A comma stands between two names, within one (`Smith, John`), or before what one is (`Ann Lee, PhD`). Names of two words or
/// more tell which. Where that is in doubt, the text stays whole.
enum NameList {
    /// What a text is, by where it stands.
    enum Kind {
        /// Visible text. Behind the first comma, a single word is no name.
        case found
        /// The value of markup.
        case stated
        /// A Dublin Core element: behind a full name, a single word is a given name (`García Márquez, Gabriel`). `Ann Lee, Ulm`
        /// looks the same and is read the same; `Ann Lee, Bo Yi` is a list.
        case library
        /// One author, with the family's name before the comma (Google Scholar, Inclusion Guidelines for Webmasters). With two
        /// words or more on both sides of the comma, `Ann Lee, Bo Yi`, it stays as stated.
        case citation
    }

    private static func words(_ text: String) -> Set<String> {
        Set(text.split(whereSeparator: \.isWhitespace).map(String.init))
    }

    /// The names in page order, without labels, roles and marks.
    static func names(in text: Substring, _ kind: Kind) -> [String] {
        var names: [String] = []
        for part in text.split(whereSeparator: { $0 == ";" || $0 == "；" || $0 == "\n" }) {
            for text in written(part, kind) {
                guard names.count < AuthorNames.maximumNames else { return names }
                names +=
                    whole(text, kind).map { [String(withoutMarks($0))] } ?? inverted(text, kind) ?? listed(text, kind)
            }
        }
        return names
    }

    // MARK: Labels

    /// The parts of a text between labels, without those who made the pictures: `Text: Ann Lee, Foto: Bo Yi` has `Ann Lee`. A label
    /// goes before all names up to the next one.
    private static func written(_ part: Substring, _ kind: Kind) -> [Substring] {
        let isFound = kind == .found
        /// The label of a part, where it begins one. Without a colon, “by” in visible text is read with each name.
        func label(_ text: Substring, isWithin: Bool) -> AuthorLabels.Labelled? {
            let label = AuthorLabels.labelled(text, isFound: isFound)
            return label.hasColon || label.work == .pictures || !isFound && !isWithin ? label : nil
        }
        let part = part.trimmed
        let first = label(part, isWithin: false) ?? AuthorLabels.Labelled(name: part)
        let text = first.name
        var work = first.work
        var start = text.startIndex
        var parts: [Substring] = []
        var before: Substring?
        var looks = 0
        for word in text.split(whereSeparator: { $0 == " " || isComma($0) }) where word.startIndex >= start {
            if let last = before {
                let isListed = text[last.endIndex..<word.startIndex].contains(where: isComma)
                // Those who are named behind are not recorded.
                guard looks < 4 * AuthorNames.maximumNames else { break }
                if isListed || isConjunction(last) {
                    looks += 1
                } else {
                    before = word
                    continue
                }
                if let next = label(text[word.startIndex...], isWithin: true) {
                    if work != .pictures {
                        parts.append(text[start..<(isListed ? last.endIndex : last.startIndex)].trimmed)
                    }
                    (start, work, before) = (next.name.startIndex, next.work, nil)
                    continue
                }
            }
            before = word
        }
        if work != .pictures { parts.append(text[start...]) }
        return parts
    }

    // MARK: One name

    /// A text that is one name, with its conjunctions and commas; nil where it may be several.
    private static func whole(_ text: Substring, _ kind: Kind) -> Substring? {
        let parts = parts(of: text)
        guard let first = parts.first else { return nil }
        if parts.count == 1 { return isPair(text.split(separator: " ")) || endsInLegalForm(text) ? text : nil }
        // `Smith, Jones and Sons Ltd`. In capitals, two letters are initials, too: `Smith, J and Lee, AS`.
        if !isFull(first), endsInLegalForm(text), let last = text.split(separator: " ").last,
            last.count > 2 || last.contains(where: \.isSmall)
        {
            return text
        }
        guard kind == .citation, split(text).count == 1 else { return nil }
        let names = withoutRoles(parts)
        guard names.count == 2, !isRole(names[1]), !isOrganization(String(names[1])),
            !isInverted(family: names[0], given: names[1], kind),
            names.allSatisfy({ $0.utf8.contains(0x20) })
        else { return nil }
        return text[names[0].startIndex..<names[1].endIndex]
    }

    /// `Johnson & Johnson`, `Smith and Sons`: a single word on both sides.
    private static func isPair(_ words: [Substring]) -> Bool {
        words.count == 3 && isConjunction(words[1]) && words[1] != "/" && words[1] != "+" && !isFull(words[0])
            && !isFull(words[2])
    }

    private static func endsInLegalForm(_ text: Substring) -> Bool {
        let words = text.split(separator: " ")
        guard words.count > 1, let last = words.last else { return false }
        return isLegalForm(last) || last == "Co" && isConjunction(words[words.count - 2])
    }

    // MARK: Commas

    private static func isComma(_ character: Character) -> Bool {
        switch character {
        case ",", "、", "，", "،": true
        default: false
        }
    }

    private static func parts(of text: Substring) -> [Substring] {
        text.split(whereSeparator: isComma).map(\.trimmed).filter { !$0.isEmpty }
    }

    /// Without the degrees and roles behind a second comma: `Lee, Ann, PhD`.
    private static func withoutRoles(_ parts: [Substring]) -> [Substring] {
        var parts = parts
        while parts.count > 2, let last = parts.last, isRole(last) { parts.removeLast() }
        return parts
    }

    /// `Smith, John` as `John Smith`, and those of `Smith, John and Doe, Jane` and `Smith, John and Jane Doe`; nil where a text has
    /// nothing like that.
    private static func inverted(_ text: Substring, _ kind: Kind) -> [String]? {
        guard text.utf8.contains(UInt8(ascii: ",")) else { return nil }
        let people = split(text)
        // In visible text, what stands behind the only comma may be a place.
        let kind = kind == .found && people.count > 1 ? .stated : kind
        let all = people.compactMap { Self.inOrder($0, kind, isAlone: true) }
        if all.count == people.count { return all }
        guard people.count > 1 else { return nil }
        var names: [String] = []
        var hasInverted = false
        for person in people {
            if let name = Self.inOrder(person, .stated, isAlone: false) {
                names.append(name)
                hasInverted = true
            } else {
                let others = listed(person, kind)
                guard !others.isEmpty, others.allSatisfy({ isFull($0[...]) }) else { return nil }
                names += others
            }
        }
        return hasInverted ? names : nil
    }

    /// - Parameter isAlone: whether all names around are inverted. Beside others, `Cher, Ann Lee and Bo Yi` is a list.
    private static func inOrder(_ name: Substring, _ kind: Kind, isAlone: Bool) -> String? {
        let written = parts(of: name)
        var parts = withoutRoles(written)
        let isTitled = kind == .found && parts.count < written.count && written[parts.count...].allSatisfy(isDegree)
        let suffix = parts.count == 3 && isSuffix(parts[2]) ? " \(parts.removeLast())" : ""
        guard parts.count == 2, isAlone || !isFull(parts[1]) || endsInInitial(parts[1]),
            isInverted(family: parts[0], given: parts[1], isTitled ? .stated : kind)
        else { return nil }
        // Without spaces between words, the family stands first.
        let inOrder = isWithoutSpaces(parts[0]) ? parts : [parts[1], parts[0]]
        return "\(withoutMarks(inOrder[0])) \(withoutMarks(inOrder[1]))\(suffix)"
    }

    /// `J. E.`, `Gabriel J.`: no whole name ends so.
    private static func endsInInitial(_ text: Substring) -> Bool {
        text.split(separator: " ").last.map { $0.count(where: \.isLetter) == 1 && $0.last == "." } ?? false
    }

    /// `Smith, J and Lee, AS`: in lists of works, two capitals behind a single name are initials.
    private static func areInitials(_ given: Substring, behind family: Substring, _ kind: Kind) -> Bool {
        (kind == .citation || kind == .library) && given.count == 2 && given.allSatisfy(\.isUppercase)
            && !family.utf8.contains(0x20)
    }

    private static func isInverted(family: Substring, given: Substring, _ kind: Kind) -> Bool {
        let words = given.split(separator: " ")
        guard words.count <= 4, !given.contains(where: \.isNumber), !isSuffix(given),
            !isLegalForm(given) || areInitials(given, behind: family, kind),
            !isOccupation(family),
            words.allSatisfy({ $0.first?.isLetter == true && $0.first?.isSmall == false || isParticle($0) })
        else { return false }
        let isSingle = isFamilyName(family, beforeOneWord: words.count == 1)
        // `Ma, Jun` and `Lee, Do` are names; of `Smith, MD`, the second half is a degree.
        let isWritten = given.contains(where: \.isSmall) || !family.contains(where: \.isSmall)
        if isRole(given), !(isSingle && words.count == 1 && given.count == 2 && isWritten) { return false }
        let isGiven = isSingle || endsInInitial(given) && !endsInInitial(family)
        switch kind {
        case .found: return false
        case .citation: return isGiven || words.count == 1 || !family.utf8.contains(0x20)
        case .library: return isGiven || !isFull(given)
        case .stated: return isSingle
        }
    }

    /// One word, besides `von der` and the like, or two with a conjunction: `Ortega y Gasset`. `Di Wu` and `Maria e Silva` are
    /// whole names unless a single given name follows.
    private static func isFamilyName(_ text: Substring, beforeOneWord: Bool) -> Bool {
        let words = text.split(separator: " ")
        guard let last = words.last, last.first?.isSmall == false, !isWithoutSpaces(text) else { return false }
        let others = words.dropLast()
        if others.allSatisfy(isParticle) {
            return others.isEmpty || beforeOneWord || others.contains { $0.first?.isSmall == true }
        }
        return words.count == 3 && beforeOneWord && isWithinNames(words[1])
    }

    private static func listed(_ text: Substring, _ kind: Kind) -> [String] {
        var names: [String] = []
        /// Whether the first name is a single word. Then the others may be.
        var isOfSingleWords = false
        let parts = parts(of: text)
        for (index, part) in parts.enumerated() {
            if index > 0, isSuffix(part) || isLegalForm(part), let last = names.popLast() {
                names.append(isSuffix(part) ? "\(last) \(part)" : "\(last), \(part)")
                continue
            }
            let rest = withoutConjunction(part, behind: names.last)
            let isCompany = index + 1 < parts.count && isLegalForm(parts[index + 1])
            var people = isCompany ? [rest] : split(rest)
            if kind == .found {
                people = people.map { AuthorLabels.withoutLabel($0, isFound: true) }
            }
            // `and Cher`, `Bo Yi and Cher`: what stands beside a conjunction is as much a name as its neighbor.
            let isJoined = rest.startIndex != part.startIndex || people.count > 1 && people.contains(where: isFull)
            if index == 0 { isOfSingleWords = people.first.map { !isFull($0) } ?? false }
            for name in people {
                if index > 0 {
                    if isRole(name) { continue }
                    let mayBeSingle = isJoined || isOfSingleWords && (kind != .found || people.count > 1)
                    if !mayBeSingle, !isFull(name) { continue }
                }
                names.append(String(withoutMarks(name)))
            }
        }
        return names
    }

    /// Whether a text has a given name and a family's name.
    static func isFull(_ name: Substring) -> Bool {
        name.utf8.contains(0x20) || isWithoutSpaces(name)
    }

    /// Whether a text is in a script that has no spaces between words: Thai, Khmer, Chinese, Japanese, or Korean names.
    static func isWithoutSpaces(_ text: Substring) -> Bool {
        text.unicodeScalars.contains { scalar in
            switch scalar.value {
            case 0x0E00...0x0EFF, 0x1000...0x109F, 0x1780...0x17FF, 0x3040...0x30FF, 0x3400...0x9FFF, 0xAC00...0xD7A3,
                0x20000...0x3FFFF:
                true
            default: false
            }
        }
    }

    /// Scripts of Southeast Asia, in which given name and family's name have a space between them.
    static func isThai(_ text: Substring) -> Bool {
        text.unicodeScalars.allSatisfy {
            (0x0E00...0x0EFF).contains($0.value) || (0x1000...0x109F).contains($0.value)
                || (0x1780...0x17FF).contains($0.value)
        }
    }

    static func isHangul(_ text: Substring) -> Bool {
        !text.isEmpty && text.unicodeScalars.allSatisfy { (0xAC00...0xD7A3).contains($0.value) }
    }

    private static func isSuffix(_ part: Substring) -> Bool {
        switch part {
        case "Jr", "Jr.", "Sr", "Sr.", "II", "III", "IV", "JR", "SR", "JR.", "SR.": true
        default: false
        }
    }

    // MARK: Conjunctions

    /// Between the two of a list in CLDR's languages, and what pages write besides. Particles of names are none.
    private static let conjunctions = words("& / + sowie with mit").union(ListWords.all.between).subtracting(particles)

    /// `李明和王芳`, `สมชาย ใจดีและสมหญิง รักดี`: conjunctions without spaces, and points between names of Korea and Japan.
    private static func splitUnspaced(_ text: Substring) -> [Substring]? {
        guard isWithoutSpaces(text) else { return nil }
        for conjunction in ListWords.all.unspaced + ["·", "・"] where text.contains(conjunction) {
            let people = text.split(separator: conjunction).map(\.trimmed)
            guard (2...AuthorNames.maximumNames).contains(people.count) else { continue }
            let areNames = people.allSatisfy { name in
                if isThai(name.filter { $0 != " " }[...]) { return name.utf8.contains(0x20) }
                if isHangul(name) { return (2...4).contains(name.count) }
                return (conjunction == "・" || conjunction == "·" ? 3...5 : 2...4).contains(name.count)
                    && name.allSatisfy(isHan)
            }
            if areNames { return people }
        }
        return nil
    }

    private static func isHan(_ character: Character) -> Bool {
        character.unicodeScalars.allSatisfy { (0x3400...0x9FFF).contains($0.value) }
    }

    /// `דנה כהן ויוסי לוי`: Hebrew writes the conjunction with the next word. Arabic does, too, but there names begin with it.
    private static func splitAttached(_ text: Substring) -> [Substring]? {
        let words = text.split(separator: " ")
        guard words.count == 4, let letter = words[2].first, ListWords.all.attached.contains(letter),
            words[2].count > 2,
            letter.unicodeScalars.allSatisfy({ (0x590...0x5FF).contains($0.value) })
        else { return nil }
        return [text[words[0].startIndex..<words[1].endIndex], text[words[2].dropFirst().startIndex...]]
    }

    /// Conjunctions of a single letter are within the names of one person, too: `José Volta e Pinto`, `Ortega y Gasset`, `Puig i
    /// Cadafalch`, `e e cummings`.
    private static func isWithinNames(_ word: Substring) -> Bool {
        word.count == 1 && word.first?.isLetter == true && isConjunction(word)
    }

    /// In small letters: the `E` of `John E Smith` is none.
    static func isConjunction(_ word: Substring) -> Bool {
        conjunctions.contains(String(word)) || word.count == 3 && ["and", "und"].contains(word.lowercased())
    }

    /// Splits at conjunctions between names. A conjunction that names have, too, splits only names of two words or more. A company
    /// stays whole: `Smith and Sons Ltd`.
    private static func split(_ text: Substring) -> [Substring] {
        if let people = splitUnspaced(text) ?? splitAttached(text) { return people }
        let words = text.split(separator: " ")
        guard words.count >= 3, words.count <= 60, text.contains(where: isComma) || !endsInLegalForm(text) else {
            return [text]
        }
        var people: [Substring] = []
        var start = 0
        for (index, word) in words.enumerated() where index > start && index < words.count - 1 {
            let next = words[index + 1]
            // `Metin And & Bo Yi`, `Bees & Co.`
            guard isConjunction(word), !isConjunction(next), !isLegalForm(next), next != "Co",
                next.first?.isSmall != true || isParticle(next)
            else { continue }
            if isWithinNames(word) {
                let others = words[(index + 1)...].prefix { !isConjunction($0) }
                guard index - start >= 2, others.count >= 2 else { continue }
            }
            people.append(text[words[start].startIndex..<words[index - 1].endIndex])
            start = index + 1
        }
        people.append(text[words[start].startIndex...])
        return people
    }

    /// `and Cy Orr`, the last part of a list, as `Cy Orr`.
    private static func withoutConjunction(_ part: Substring, behind name: String?) -> Substring {
        guard let space = part.firstIndex(of: " "), isConjunction(part[..<space]) else { return part }
        let rest = part[space...].trimmed
        if isWithinNames(part[..<space]) {
            let words = rest.split(separator: " ")
            guard let name, isFull(name[...]), words.count >= 2,
                words[0].first?.isSmall != true || isParticle(words[0])
            else { return part }
        }
        return rest
    }

    // MARK: Roles

    /// Degrees, without points.
    private static let degrees = words(
        """
        phd md msc mba ma ba bsc jd rd rdn rn dds dvm esq mph ms cpa cfa pharmd ld dpt facc ca dr do
        """)

    /// Occupations and departments that are nobody's name.
    private static let occupations = words(
        """
        \(NameHints.writers) editor correspondent producer director manager redakteurin redaktion korrespondent korrespondentin
        chefredakteur chefredakteurin journalistin redactor redactora redator editora journaliste rédacteur rédactrice
        redattore giornalista periodista jornalista photographer fotograf ceo founder cofounder analyst consultant
        freelance freelancer news officer expert experte expertin bureau team desk
        """)

    /// Words that begin a role, and end names: `Chief Economist`, `William Head`.
    private static let ranks = words("chief senior special guest staff head deputy assistant associate vice")

    /// Occupations that are names, too: `David Autor`, `Professor Ann Lee`.
    private static let ambiguousOccupations = words("autor autorin author professor president")

    private static let prepositions = words("of at for in from de del der des für and und")

    /// Whether what follows a comma says something of the name before it: a degree, an occupation. A word that may be a name
    /// counts only beside others of these words, in small letters, or before `of` and the like.
    static func isRole(_ part: Substring) -> Bool {
        let written = part.split { $0 == " " || $0 == "-" || $0 == "/" }
        let words = written.map { String($0.lowercased().filter(\.isLetter)) }
        guard let first = words.first else { return true }
        if first.count > 2, degrees.contains(first) || ranks.contains(first) { return true }
        if isOccupation(part) { return true }
        for (index, word) in words.enumerated() where ambiguousOccupations.contains(word) {
            let isBeforePreposition = index + 1 < words.count && prepositions.contains(words[index + 1])
            if isBeforePreposition || written[0].first?.isSmall == true || written[index].first?.isSmall == true {
                return true
            }
        }
        return words.allSatisfy { degrees.contains($0) || ambiguousOccupations.contains($0) }
    }

    /// `Staff Writer`: words for what somebody does, and nobody's name.
    static func isRoleAlone(_ words: [Substring]) -> Bool {
        words.count > 1
            && words.allSatisfy { word in
                let bare = word.lowercased()
                return ranks.contains(bare) || occupations.contains(bare) || ambiguousOccupations.contains(bare)
            }
    }

    private static func isDegree(_ part: Substring) -> Bool {
        part.split { $0 == " " || $0 == "-" || $0 == "/" }
            .allSatisfy { degrees.contains(String($0.lowercased().filter(\.isLetter))) }
    }

    private static func isOccupation(_ part: Substring) -> Bool {
        part.split { $0 == " " || $0 == "-" || $0 == "/" }
            .contains { occupations.contains(String($0.lowercased().filter(\.isLetter))) }
    }

    // MARK: Organizations

    private static let legalForms = words("gmbh inc ltd llc plc corp gbr srl sarl")
    /// Those that are names in other letter case: `Ev Williams`, `Ag Apolloni`.
    private static let writtenLegalForms = words("AG KG eV SA SL BV UG AB AS Oy SpA ApS")

    private static let kindsOfOrganizations = words(
        """
        verlag university universität magazin magazine zeitung media online verband verein institut institute ministerium
        association foundation stiftung agentur agency group editorial news tv radio
        """)

    private static func isLegalForm(_ word: Substring) -> Bool {
        let bare = word.filter { $0 != "." && $0 != "," }
        return legalForms.contains(bare.lowercased()) || writtenLegalForms.contains(bare) || word == "Co."
            || word == "A/S"
    }

    /// Whether a name ends with a legal form, or has a word that no person has: `Olympia-Verlag GmbH`, `Ulm University`.
    static func isOrganization(_ name: String) -> Bool {
        let words = name.split(separator: " ")
        if words.contains(where: { kindsOfOrganizations.contains($0.lowercased()) }) { return true }
        guard words.count > 1, let last = words.last, isLegalForm(last) else { return false }
        // In capitals, `SA` and `AG` are names, too.
        return last.count > 2 || name.contains(where: \.isSmall)
    }

    // MARK: Parts of names

    /// Words before a family's name.
    private static let particles = words(
        """
        de del della der den di da do dos das du des van von zu zum zur la le el al bin ibn ben abu ter ten te af av vom wa
        """)

    static func isParticle(_ word: Substring) -> Bool { particles.contains(word.lowercased()) }

    /// Words without a capital within the name of an organization or a couple.
    private static let smallWords = words("y e i of the for het und")

    /// One word, or several with capitals. Scripts without capitals have no say.
    static func isWrittenAsName(_ name: String) -> Bool {
        let words = name.split(separator: " ")
        guard words.count > 1 else { return true }
        guard words.count <= 6, words.last?.first?.isSmall != true else { return false }
        return isPair(words)
            || words.allSatisfy {
                $0.first?.isSmall != true || particles.contains(String($0)) || smallWords.contains(String($0))
                    || $0.count > 1 && isConjunction($0)
            }
    }

    private static func withoutMarks(_ name: Substring) -> Substring {
        var name = name
        while let first = name.first, isMark(first) { name.removeFirst() }
        while let last = name.last, isMark(last) { name.removeLast() }
        // An apostrophe at one end only is a letter: `'Abd`.
        if name.count > 2, name.first == "'", name.last == "'" { name = name.dropFirst().dropLast() }
        // The end of a sentence, and not of `Jr.`, `Corp.` or an initial.
        if name.last == ".", let word = name.dropLast().split(separator: " ").last, word.count > 3,
            !word.contains("."), !isLegalForm(word)
        {
            name.removeLast()
        }
        return name
    }

    private static func isMark(_ character: Character) -> Bool {
        switch character {
        case " ", ",", ":", "-", "–", "—", "*", "\"", "“", "”", "„", "|", "»", "«", ">", "·", "•", "/": true
        default: false
        }
    }
}

extension Character {
    /// Whether it is a small letter of a script whose names begin with a capital. Georgian has capitals for headlines alone.
    var isSmall: Bool {
        isLowercase && unicodeScalars.first.map { !(0x10D0...0x10FF).contains($0.value) } ?? false
    }
}

extension StringProtocol where SubSequence == Substring {
    /// Without spaces at the ends.
    var trimmed: Substring {
        var result = self[...]
        while result.utf8.first == 0x20 { result.removeFirst() }
        while result.utf8.last == 0x20 { result.removeLast() }
        return result
    }
}
