import PippinPage

/// Which check a parse note belongs to, and how grave it is.
///
/// A note says what a reader met; here it becomes a finding with its place. Each family of codes has an exhaustive switch
/// below, without a default: a new code has no place until its author gives it one.
enum NoteMapping {
    struct Entry: Sendable {
        let check: Check.Code
        let outcome: Finding.Outcome

        init(_ check: Check.Code, _ outcome: Finding.Outcome) {
            self.check = check
            self.outcome = outcome
        }
    }

    /// Findings of one code that are shown each.
    private static let shownPerCode = 3

    /// The notes that are shown, with their sentences: a few of each code, the last of which says how many more there are. Those
    /// that a reader made and did not keep count too.
    static func shown(_ notes: [ParseNote]) -> [(note: ParseNote, sentence: String)] {
        var totals: [ParseNote.Code: Int] = [:]
        var kept: [ParseNote.Code: Int] = [:]
        for note in notes {
            totals[note.code, default: 0] += 1 + note.further
            kept[note.code, default: 0] += 1
        }
        var seen: [ParseNote.Code: Int] = [:]
        return notes.compactMap { note in
            let number = seen[note.code, default: 0] + 1
            seen[note.code] = number
            guard number <= shownPerCode else { return nil }
            let more = totals[note.code, default: 0] - number
            let isLast = number == min(shownPerCode, kept[note.code, default: 0])
            return (note, isLast && more > 0 ? "\(note.message) (And \(more) more of this kind.)" : note.message)
        }
    }

    /// Notes as verdicts, by check.
    static func verdicts(
        of notes: [ParseNote], page: PageExamination?, robots: RobotsEvidence?
    ) -> [Check.Code: [Verdict]] {
        var verdicts: [Check.Code: [Verdict]] = [:]
        for (note, sentence) in shown(joiningRepairs(notes, page?.facts.document)) {
            let entry = entry(for: note.code, on: page)
            verdicts[entry.check, default: []].append(
                Verdict(
                    entry.outcome, sentence, at: place(of: note, page: page, robots: robots),
                    remedy(for: note, check: entry.check, page: page), noteCode: note.code))
        }
        return verdicts
    }

    /// A JSON-LD script that is not JSON has a note that says so, followed by one for each repair with which it was read. They
    /// become one note, because strict readers lose the script once, however many slips it has.
    private static func joiningRepairs(_ notes: [ParseNote], _ document: HTMLDocument?) -> [ParseNote] {
        var joined: [ParseNote] = []
        let scripts = document?.elements(named: .script).map { document?.place(of: $0) } ?? []
        /// Which script a note is of: how many begin before its place.
        func script(of note: ParseNote) -> Int {
            let place = (note.line ?? 0, note.column ?? 0)
            var (low, high) = (0, scripts.count)
            while low < high {
                let middle = (low + high) / 2
                if let start = scripts[middle], (start.line, start.column) <= place {
                    low = middle + 1
                } else {
                    high = middle
                }
            }
            return low
        }
        func isOfLastScript(_ note: ParseNote) -> Bool {
            joined.last.map { script(of: $0) == script(of: note) } ?? false
        }
        /// The messages of the repairs of the last note in `joined`, if that is of a script that is not JSON.
        var repairs: [String]?
        func finish() {
            guard let messages = repairs, !messages.isEmpty, let invalid = joined.popLast() else { return }
            var sentence = "\(invalid.message) Pippin read it with repairs: "
            sentence += messages.prefix(shownPerCode).joined(separator: " ")
            if messages.count > shownPerCode {
                sentence += " (And \(Wording.count(messages.count - shownPerCode, "more repair")).)"
            }
            joined.append(invalid.saying(sentence))
        }
        for note in notes {
            switch note.code {
            // A placeholder stands in a value, and breaks no script.
            case .jsonRepair where repairs != nil && note.code != .jsonRepair(.template) && isOfLastScript(note),
                .jsonLD(.htmlEntities) where repairs != nil && isOfLastScript(note):
                repairs?.append(note.message)
                continue
            case .jsonLD(.invalid):
                finish()
                repairs = []
            default:
                finish()
                repairs = nil
            }
            joined.append(note)
        }
        finish()
        return joined
    }

    private static func place(
        of note: ParseNote, page: PageExamination?, robots: RobotsEvidence?
    ) -> Finding.Place? {
        if case .robots = note.code, let robots {
            return Finding.Place(.file, robots.url.href, line: note.line, column: note.column)
        }
        if case .manifest = note.code {
            return page?.facts.metadata.manifest.map {
                Finding.Place(.file, $0.href, line: note.line, column: note.column)
            }
        }
        guard note.line != nil else { return nil }
        return Finding.Place(.markup, "page", line: note.line, column: note.column)
    }

    private static let wrappedCodes: Set<ParseNote.Code> = [
        .jsonLD(.urlWrapped), .microdata(.urlWrapped), .rdfa(.urlWrapped), .openGraph(.urlWrapped),
        .twitter(.urlWrapped),
        .head(.refreshURLWrapped), .document(.linkURLWrapped), .document(.baseWrapped),
    ]

    private static let noteRemedies = Dictionary(
        uniqueKeysWithValues: CheckJudge.all.compactMap { judge in judge.noteRemedy.map { (judge.check.code, $0) } })

    private static func remedy(for note: ParseNote, check: Check.Code, page: PageExamination?) -> Finding.Remedy? {
        wrappedCodes.contains(note.code)
            ? Finding.Remedy("Write the address on one line, without white space.")
            : noteRemedies[check]?(note, page)
    }
}

// MARK: The places of all codes

extension NoteMapping {
    /// What a code is filed under on this page.
    private static func entry(for code: ParseNote.Code, on page: PageExamination?) -> Entry {
        let entry = entry(for: code)
        switch code {
        // Themes leave properties without an item behind. Where the page says in another way what it is about, nothing is lost.
        case .microdata(.orphanProperty), .microdata(.orphanItem):
            return page?.structured.main.isEmpty == false ? Entry(entry.check, .info) : entry
        default: return entry
        }
    }

    /// What a code is filed under.
    static func entry(for code: ParseNote.Code) -> Entry {
        switch code {
        case .document(let code): entry(for: code)
        case .charset(let code): entry(for: code)
        case .head(let code): entry(for: code)
        case .canonical(let code): entry(for: code)
        case .date: Entry(.s17, .info)
        case .banner(let code): entry(for: code)
        case .googlePlay(let code): entry(for: code)
        case .appLinks(let code): entry(for: code)
        case .appAlternate(let code): entry(for: code)
        case .openGraph(let code): entry(for: code)
        case .twitter(let code): entry(for: code)
        case .jsonLD(let code): entry(for: code)
        case .microdata(let code): entry(for: code)
        case .microformats(let code): entry(for: code)
        case .rdfa(let code): entry(for: code)
        case .manifest(let code): entry(for: code)
        case .deepLink(let code): entry(for: code)
        case .robotsDirective(let code): entry(for: code)
        case .usage: Entry(.d07, .warning)
        case .robots(let code): entry(for: code)
        case .sitemap(let code): entry(for: code)
        case .json, .jsonRepair, .jsonLDError: Entry(.s05, .warning)
        case .association(let remark): Entry(remark.check, remark.severity.outcome)
        }
    }

    private static func entry(for code: ParseNote.Code.Document) -> Entry {
        switch code {
        case .parserUnavailable:
            Entry(.t09, .error)
        case .baseMalformed, .baseTooLong, .baseWrapped, .linkURLWrapped, .tooDeep, .tooLarge, .tooManyAttributes,
            .tooManyElements, .tooManyLinks,
            .tooManyNames:
            Entry(.t09, .warning)
        }
    }

    private static func entry(for code: ParseNote.Code.Charset) -> Entry {
        switch code {
        case .conflict, .declaredLate, .overruled, .unknown, .notDecodable:
            Entry(.t05, .warning)
        }
    }

    private static func entry(for code: ParseNote.Code.Head) -> Entry {
        switch code {
        case .titleRepeated:
            Entry(.s01, .warning)
        case .descriptionAttribute, .descriptionEmpty, .descriptionRepeated:
            Entry(.s02, .warning)
        case .languageMalformed, .languageUnderscore:
            Entry(.s18, .info)
        case .tooManyKeywords:
            Entry(.s20, .info)
        case .refreshMalformed, .refreshURLWrapped:
            Entry(.t02, .warning)
        case .tooManyMeta:
            Entry(.t09, .warning)
        }
    }

    private static func entry(for code: ParseNote.Code.Canonical) -> Entry {
        switch code {
        case .conflict, .elsewhere, .empty, .inBody, .malformed, .relative, .wrapped:
            Entry(.t04, .warning)
        }
    }

    private static func entry(for code: ParseNote.Code.Banner) -> Entry {
        switch code {
        case .attribute, .lookalike:
            Entry(.l03, .error)
        case .inBody, .nameSpelling, .valueAttribute:
            Entry(.l03, .warning)
        case .appIDBundle, .appIDEmpty, .appIDMalformed, .appIDPlaceholder, .empty, .noKey:
            Entry(.l04, .error)
        case .appIDPrefix, .idAttribute:
            Entry(.l04, .warning)
        case .affiliateEmpty, .keyBroken, .keyColon, .keyRepeated, .keySpace, .keyUnknown, .leadingText, .quotes,
            .repeated,
            .separatorMissing, .separatorSemicolon:
            Entry(.l05, .warning)
        case .keySpelling:
            Entry(.l05, .info)
        case .argumentBareScheme, .argumentEmpty, .argumentMalformed, .argumentPlaceholder:
            Entry(.l07, .error)
        case .argumentAttribute, .argumentCut, .argumentSpace:
            Entry(.l07, .warning)
        case .argumentScheme:
            Entry(.l09, .warning)
        case .clipDisplay, .clipMalformed:
            Entry(.l22, .warning)
        case .clipOnly:
            Entry(.l22, .info)
        }
    }

    private static func entry(for code: ParseNote.Code.GooglePlay) -> Entry {
        switch code {
        case .lookalike, .malformed:
            Entry(.l21, .warning)
        }
    }

    private static func entry(for code: ParseNote.Code.AppLinks) -> Entry {
        switch code {
        case .attribute, .bareScheme, .empty, .idMalformed, .idPrefix, .packageMissing, .placeholder, .uneven,
            .urlMalformed, .urlMissing, .urlWrapped, .valueAttribute:
            Entry(.l19, .warning)
        case .unknown, .tooMany:
            Entry(.l19, .info)
        }
    }

    private static func entry(for code: ParseNote.Code.AppAlternate) -> Entry {
        switch code {
        case .fullURL, .idPrefix, .malformed, .rel, .tooMany, .wrapped:
            Entry(.l21, .warning)
        }
    }

    private static func entry(for code: ParseNote.Code.OpenGraph) -> Entry {
        switch code {
        case .attribute, .contentMissing, .empty, .inBody, .nameSpelling, .numberMalformed, .rootMissing, .urlMalformed,
            .urlRelative, .urlScheme, .urlWrapped, .valueAttribute:
            Entry(.s14, .warning)
        case .repeated:
            Entry(.s14, .info)
        }
    }

    private static func entry(for code: ParseNote.Code.Twitter) -> Entry {
        switch code {
        case .appBareScheme, .appIDMalformed, .appIDPrefix, .appPlaceholder, .appUnknown, .appURLMalformed,
            .appURLWrapped, .countryMalformed:
            Entry(.l18, .warning)
        case .appOrder:
            Entry(.l18, .info)
        case .imageMalformed, .urlWrapped:
            Entry(.s15, .warning)
        case .attribute, .cardRetired, .cardUnknown, .empty, .imageRelative, .repeated, .unknown, .valueAttribute:
            Entry(.s15, .info)
        }
    }

    private static func entry(for code: ParseNote.Code.JSONLD) -> Entry {
        switch code {
        case .rejected, .invalid, .htmlEntities:
            // Google reads nothing of a script that is not JSON.
            Entry(.s05, .error)
        case .inString, .contextMissing, .contextUnknown, .keywordCase, .tooLarge, .urlWrapped, .withoutObject,
            .tooManyItems, .tooManyValues:
            Entry(.s05, .warning)
        case .empty, .characterReferences:
            // Systems write texts with character references everywhere, and search engines decode them.
            Entry(.s05, .info)
        }
    }

    private static func entry(for code: ParseNote.Code.Microdata) -> Entry {
        switch code {
        case .itempropComma, .itemrefMissing, .itemscopeMissing, .itemtypeInvalid, .orphanItem, .orphanProperty,
            .tooLarge, .tooManyNames, .tooManyReferences, .textsTooLong, .tooManyItems, .tooManyValues, .urlWrapped:
            Entry(.s06, .warning)
        case .itemtypeSpelling:
            Entry(.s06, .info)
        }
    }

    private static func entry(for code: ParseNote.Code.Microformats) -> Entry {
        switch code {
        case .eventWithoutStart, .tooLarge, .tooManyItems, .textsTooLong:
            Entry(.s06, .warning)
        case .timeUnreadable:
            Entry(.s06, .info)
        }
    }

    private static func entry(for code: ParseNote.Code.RDFa) -> Entry {
        switch code {
        case .tooLong, .tooManyNames, .tooManyPrefixes, .urlWrapped, .vocabMissing, .vocabSpelling, .textsTooLong,
            .tooManyItems, .tooManyValues:
            Entry(.s06, .warning)
        case .dataVocabulary:
            Entry(.s19, .warning)
        }
    }

    private static func entry(for code: ParseNote.Code.Manifest) -> Entry {
        switch code {
        case .bom, .invalid, .memberMalformed, .notFetched, .notJSON, .notObject, .preferMalformed, .preferText,
            .rejected, .relatedEmpty, .relatedIDMalformed, .relatedIDNumber, .relatedMalformed, .relatedNoPlatform,
            .relatedNotArray, .startOutsideScope, .tooManyRelated, .unavailable, .urlMalformed:
            Entry(.l16, .warning)
        }
    }

    private static func entry(for code: ParseNote.Code.DeepLink) -> Entry {
        switch code {
        case .toStore:
            Entry(.l08, .warning)
        case .appsDiffer:
            Entry(.l16, .warning)
        case .urlsDiffer:
            Entry(.l17, .info)
        case .branchPathWithoutScheme:
            Entry(.l19, .info)
        case .dynamicLinkDead:
            Entry(.l23, .warning)
        case .actionPlatformMissing:
            Entry(.s05, .info)
        }
    }

    private static func entry(for code: ParseNote.Code.RobotsDirective) -> Entry {
        switch code {
        case .commaMissing, .unread, .value, .tooLong:
            Entry(.d07, .warning)
        case .notesLeftOut, .unknown:
            Entry(.d07, .info)
        }
    }

    private static func entry(for code: ParseNote.Code.Robots) -> Entry {
        switch code {
        case .agentMissing, .colonMissing, .html, .keyMisspelled, .licenseInvalid, .lineTooLong, .lineUnreadable,
            .patternNotAPath, .ruleOutsideGroup, .severalAgents, .sitemapInvalid, .tooLong, .usageUnreadable, .utf16:
            Entry(.d04, .warning)
        case .notesLeftOut, .agentCut, .bareSitemap, .byteOrderMark, .crawlDelayInvalid, .recordUnknown,
            .sitemapRelative:
            Entry(.d04, .info)
        }
    }

    private static func entry(for code: ParseNote.Code.Sitemap) -> Entry {
        switch code {
        case .ampersandLoose, .changefreqInvalid, .dateInvalid, .elementInField, .encodingUnknown, .entityIgnored,
            .gzipBroken, .jsonBroken, .leadingSpace, .leadingText, .lineUnreadable, .locInvalid, .locMissing,
            .locRelative,
            .locRepeated, .locTooLong, .priorityInvalid, .tooLong, .tooManyAttributes, .tooManyEntities, .tooManyNames,
            .tooManyNamespaces, .tooManyUrls, .unknown, .xmlBroken:
            Entry(.d13, .warning)
        case .notesLeftOut:
            Entry(.d13, .info)
        }
    }
}
