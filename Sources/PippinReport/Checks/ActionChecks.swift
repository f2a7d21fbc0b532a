// Checks of the data that gives a result its buttons, and of recipes (S10…S13, S25).

import PippinPage

extension StructuredDataChecks {
    static let s10 = CheckJudge(
        .s10, .structuredData, .warning, "Telephone, address and place can be used",
        problem: "Telephone, address or place cannot be used",
        why: "They give a result its buttons to call and for directions.",
        page: contact)

    private static func contact(_ page: PageExamination) -> [Verdict] {
        var verdicts: [Verdict] = []
        var seen: [String] = []
        let structured = page.structured
        let places = places(page)
        let ofPlaces = Set(
            places.flatMap { place in
                (place.item?.values("address") ?? []).compactMap {
                    if case .item(let index) = $0 { index } else { nil }
                }
            })
        for (index, item) in structured.items.prefix(1_000).enumerated() {
            let place = page.place(of: item)
            if let number = page.text(item, "telephone") {
                if SchemaOrg.telephone(number) == nil {
                    verdicts.append(
                        .warning(
                            "telephone \(Wording.quoted(number)) cannot be dialed.", at: place,
                            Finding.Remedy(
                                "Write it with the country's code.",
                                code: Markup.property("telephone", "+1-650-555-0100", in: item.syntax))))
                } else if seen.count < 5 {
                    seen.append("telephone \(number)")
                }
            }
            if item.types.contains("PostalAddress") {
                if item.properties.isEmpty {
                    verdicts.append(
                        .warning("An address is empty.", at: place, Finding.Remedy("Fill it in, or leave it out.")))
                } else if !ofPlaces.contains(index) {
                    let alone = PagePlace(address: structured.postalAddress(.item(index)), item: item)
                    // A publisher may give only a town. Half an address is always a mistake.
                    if alone.precision == .nowhere, alone.address?.streetAddress ?? alone.address?.postalCode != nil {
                        verdicts.append(vague(alone, page))
                    }
                }
            }
            if let latitude = page.text(item, "latitude"), let longitude = page.text(item, "longitude") {
                if SchemaOrg.coordinates(latitude: latitude, longitude: longitude) == nil {
                    verdicts.append(
                        .warning(
                            "The place \(Wording.quoted(latitude)), \(Wording.quoted(longitude)) is nowhere on Earth, or 0, 0.",
                            at: place,
                            Finding.Remedy("Write degrees with a dot, latitude within ±90, longitude within ±180.")))
                } else if let value = SchemaOrg.decimal(latitude), abs(value) > 90 {
                    verdicts.append(
                        .warning(
                            "Latitude \(latitude) and longitude \(longitude) are swapped.", at: place,
                            Finding.Remedy(
                                "Swap them.",
                                code: Markup.property("latitude", longitude, in: item.syntax) + "\n"
                                    + Markup.property("longitude", latitude, in: item.syntax))
                        ))
                } else if seen.count < 5 {
                    seen.append("a place on the map")
                }
            }
        }
        for place in places.prefix(20) where place.address != nil {
            if place.precision == .door {
                if place.addressPrecision == .door, !seen.contains("an address") { seen.append("an address") }
            } else {
                let verdict = vague(place, page)
                if !verdicts.contains(where: { $0.sentence == verdict.sentence && $0.place == verdict.place }) {
                    verdicts.append(verdict)
                }
            }
        }
        if let verdict = placesDiffer(page) { verdicts.append(verdict) }
        if verdicts.isEmpty, !seen.isEmpty { return [.pass("There is \(Wording.list(seen)).")] }
        return verdicts.gravest(upTo: shownPerCheck)
    }

    /// Places that people may want directions to: the place of the page's topic, each local business, and Open Graph's place.
    /// A publisher's address and the town of a job need no street.
    private static func places(_ page: PageExamination) -> [PagePlace] {
        let structured = page.structured
        let businesses = structured.items.indices.prefix(1_000).filter {
            structured.items[$0].isTopLevel && structured.isItem($0, .localBusiness) && !structured.main.contains($0)
        }
        let items = structured.placeItems() + businesses.prefix(20).map { structured.items[$0] }
        return items.map(structured.place) + [page.facts.openGraph?.place].compactMap { $0 }
    }

    /// A warning about an address without a street, if the place has no coordinates.
    private static func vague(_ place: PagePlace, _ page: PageExamination) -> Verdict {
        let address = place.address
        let sentence =
            switch (place.precision, address?.streetAddress) {
            case (.area, _):
                "The address has no street, and the place no coordinates: directions lead to its postal code only."
            case (_, let street?):
                "The address lacks what directions need: a town or postal code beside \(Wording.quoted(street))."
            case (_, nil): "The address lacks what directions need: a street, or coordinates of the place."
            }
        let members = [
            ("streetAddress", address?.streetAddress ?? "1 Infinite Loop"),
            ("addressLocality", address?.addressLocality ?? "Cupertino"),
            ("postalCode", address?.postalCode ?? "95014"), ("addressCountry", address?.addressCountry ?? "US"),
        ]
        guard let item = place.item else {
            return .warning(
                sentence,
                at: page.meta.tags.first { $0.name.hasPrefix("business:contact_data:") }.map {
                    .markup("meta \($0.name)", line: $0.line, column: $0.column)
                },
                Finding.Remedy(
                    "Complete it.",
                    code: Markup.meta(property: "business:contact_data:street_address", content: members[0].1)))
        }
        // A mail-order company may leave out its street on purpose.
        let isCompany = page.structured.isItem(item, .organization) && !page.structured.isItem(item, .place)
        return Verdict(
            isCompany ? .info : .warning, sentence, at: page.place(of: item),
            Finding.Remedy("Complete it.", code: Markup.properties(members, of: "PostalAddress", in: item.syntax)))
    }

    /// A warning if a place of Open Graph or of a meta tag is far from the place in the structured data. A tenth of a degree
    /// is as far as the next town.
    private static func placesDiffer(_ page: PageExamination) -> Verdict? {
        func tag(_ name: String) -> String? { page.meta.tags.first { $0.name == name }?.content }
        var places: [(String, String, String)] = []
        if let latitude = tag("place:location:latitude"), let longitude = tag("place:location:longitude") {
            places.append(("place:location:latitude", latitude, longitude))
        }
        for (name, separator) in [("geo.position", ";"), ("icbm", ",")] {
            let parts = (tag(name) ?? "").split(separator: separator, omittingEmptySubsequences: false)
            if parts.count == 2 { places.append((name, String(parts[0]), String(parts[1]))) }
        }
        guard
            let item = page.structured.items.prefix(1_000).first(where: {
                page.text($0, "latitude") != nil && page.text($0, "longitude") != nil
            }),
            let own = SchemaOrg.coordinates(
                latitude: page.text(item, "latitude") ?? "", longitude: page.text(item, "longitude") ?? "")
        else { return nil }
        for (name, latitude, longitude) in places {
            guard let other = SchemaOrg.coordinates(latitude: latitude, longitude: longitude),
                abs(own.latitude - other.latitude) > 0.1 || abs(own.longitude - other.longitude) > 0.1
            else { continue }
            return .warning(
                "\(item.syntax.label) has the place at \(own.latitude), \(own.longitude), meta \(name) at \(other.latitude), \(other.longitude).",
                at: page.place(ofMeta: name), Finding.Remedy("Name the same place in both."))
        }
        return nil
    }

    // MARK: Places without contact

    static let s25 = CheckJudge(
        .s25, .structuredData, .warning, "Places have a telephone and an address",
        problem: "A place lacks telephone or address",
        why: "Without them a result has no button to call, and none for directions.",
        page: placesHaveContact)

    /// Restaurants and hotels wherever they stand by themselves, other local businesses as the page's topic.
    private static func placesHaveContact(_ page: PageExamination) -> [Verdict] {
        let structured = page.structured
        var verdicts: [Verdict] = []
        var complete: StructuredItem?
        for index in structured.items.indices.prefix(1_000) {
            let item = structured.items[index]
            guard structured.isItem(index, .localBusiness) else { continue }
            let isTopic = structured.main.contains(index)
            let isGuestHouse = item.types.contains {
                SchemaOrg.isKind($0, of: "FoodEstablishment") || SchemaOrg.isKind($0, of: "LodgingBusiness")
            }
            guard isTopic || isGuestHouse && item.isTopLevel else { continue }
            let lacks = missingContact(of: item, page)
            if lacks.isEmpty { complete = complete ?? item }
            // S21 reports what the type requires.
            let isAskedElsewhere = page.completeness.reports("address", of: index)
            verdicts += lacks.filter { $0 != .address || !isAskedElsewhere }
                .map { verdict(lacking: $0, item, isTopic: isTopic, page) }
        }
        if verdicts.isEmpty, let complete {
            return [.pass("\(name(complete, page)) has a telephone and an address.", at: page.place(of: complete))]
        }
        return verdicts.gravest(upTo: shownPerCheck)
    }

    private enum Contact { case telephone, address }

    private static func missingContact(of item: StructuredItem, _ page: PageExamination) -> [Contact] {
        var missing: [Contact] = []
        let points = [item] + page.structured.items(item.values("contactPoint")).prefix(20)
        if !points.contains(where: { page.text($0, "telephone") != nil }) { missing.append(.telephone) }
        // S10 judges whether an address that is there leads anywhere.
        if item.values("address").isEmpty, page.structured.place(item).precision == .nowhere {
            missing.append(.address)
        }
        return missing
    }

    private static func name(_ item: StructuredItem, _ page: PageExamination) -> String {
        let type = item.types.first.flatMap(SchemaOrg.type) ?? "LocalBusiness"
        return page.text(item, "name").map { "\(type) \(Wording.quoted($0, to: 60))" } ?? "A \(type)"
    }

    private static func verdict(
        lacking contact: Contact, _ item: StructuredItem, isTopic: Bool, _ page: PageExamination
    ) -> Verdict {
        // The record of the topic takes them from elsewhere on the page, such as a tel: link.
        let actions = isTopic ? page.record?.actions ?? [] : []
        let isElsewhere = actions.contains {
            switch ($0, contact) {
            case (.call, .telephone), (.directions, .address): true
            default: false
            }
        }
        let (missing, code) =
            switch contact {
            case .telephone: ("telephone", Markup.property("telephone", "+1-650-555-0100", in: item.syntax))
            case .address:
                (
                    "address",
                    Markup.properties(
                        [
                            ("streetAddress", "1 Infinite Loop"), ("addressLocality", "Cupertino"),
                            ("postalCode", "95014"), ("addressCountry", "US"),
                        ], of: "PostalAddress", in: item.syntax)
                )
            }
        return Verdict(
            isElsewhere ? .info : .warning,
            "\(name(item, page)) has no \(missing)" + (isElsewhere ? ", which stands elsewhere on the page." : "."),
            at: page.place(of: item),
            Finding.Remedy("Add it to the item.", code: code))
    }

    static let s11 = CheckJudge(
        .s11, .structuredData, .warning, "Audio and video can be played",
        problem: "Audio or video cannot be played",
        why: "They give a result its play button.",
        page: media)

    private static func media(_ page: PageExamination) -> [Verdict] {
        var verdicts: [Verdict] = []
        let items = page.items("AudioObject", "VideoObject").prefix(50)
        for item in items {
            let place = page.place(of: item)
            let kind = item.types.first ?? "Media"
            let content = page.text(item, "contentUrl")
            if content == nil, page.text(item, "embedUrl") == nil, page.text(item, "url") == nil {
                verdicts.append(
                    .warning(
                        "\(kind) has neither contentUrl nor embedUrl.", at: place,
                        Finding.Remedy(
                            "Name the file.",
                            code: Markup.property(
                                "contentUrl",
                                mediaExample(page, SchemaOrg.isKind(kind, of: "AudioObject") ? .audio : .video),
                                in: item.syntax))))
                continue
            }
            if let content {
                guard let url = WebURL(content), url.isHTTP else {
                    verdicts.append(
                        .warning(
                            "contentUrl \(Wording.quoted(content)) is not a whole address.", at: place,
                            Finding.Remedy(
                                "Write it with https:// and host.",
                                code: WebURL(content, base: page.facts.baseURL).map {
                                    Markup.property("contentUrl", $0.href, in: item.syntax)
                                }
                            )))
                    continue
                }
                let said: DeepLinkRecord.PlayedMedia = SchemaOrg.isKind(kind, of: "AudioObject") ? .audio : .video
                let format = page.text(item, "encodingFormat") ?? page.text(item, "fileFormat")
                if case .unplayable(let reason) = MediaKind(of: url, writtenType: format, saidToBe: said) {
                    verdicts.append(
                        .warning(
                            "contentUrl \(Wording.quoted(content)) is \(reason.phrase).", at: place,
                            Finding.Remedy("Name the file that plays, an MP4 or MP3.")))
                    continue
                }
                if url.scheme == "http" {
                    verdicts.append(
                        .warning(
                            "contentUrl \(Wording.quoted(content)) is http.", at: place,
                            Finding.Remedy(
                                "Name its https address.",
                                code: Markup.property("contentUrl", "https" + content.dropFirst(4), in: item.syntax))))
                    continue
                }
            }
            if let format = page.text(item, "encodingFormat"), !format.contains("/") {
                verdicts.append(
                    .info(
                        "encodingFormat \(Wording.quoted(format)) is no media type.", at: place,
                        Finding.Remedy(
                            "Name the media type.",
                            code: Markup.property(
                                "encodingFormat",
                                SchemaOrg.isKind(kind, of: "AudioObject") ? "audio/mpeg" : "video/mp4", in: item.syntax)
                        )))
            }
            if let duration = page.text(item, "duration"), !duration.asciiLowercased.hasPrefix("p") {
                verdicts.append(
                    .info(
                        "duration \(Wording.quoted(duration)) is not written as ISO 8601.", at: place,
                        SchemaOrg.duration(duration).map {
                            Finding.Remedy(
                                "Write it so.",
                                code: Markup.property("duration", SchemaOrg.durationText(seconds: $0), in: item.syntax))
                        }))
            }
        }
        verdicts += playableTags(page)
        if verdicts.isEmpty, let first = items.first {
            return [
                .pass(
                    "\(Wording.count(items.count, "piece", "pieces")) of audio or video can be played.",
                    at: page.place(of: first))
            ]
        }
        return verdicts
    }

    private static func mediaExample(_ page: PageExamination, _ kind: DeepLinkRecord.PlayedMedia) -> String {
        "\(page.url.origin ?? "https://example.org")/media/file.\(kind == .audio ? "mp3" : "mp4")"
    }

    /// Media of Open Graph and of the Twitter card that no player can play.
    private static func playableTags(_ page: PageExamination) -> [Verdict] {
        var verdicts: [Verdict] = []
        let graph = page.facts.openGraph
        for (name, said, media) in [
            ("og:video", DeepLinkRecord.PlayedMedia.video, graph?.videos), ("og:audio", .audio, graph?.audios),
        ] {
            for object in (media ?? []).prefix(5) {
                guard let url = object.bestURL,
                    case .unplayable(let reason) = MediaKind(of: url, writtenType: object.type, saidToBe: said)
                else { continue }
                verdicts.append(
                    .warning(
                        "\(name) is \(reason.phrase).",
                        at: .markup("meta \(name)", line: object.line, column: object.column),
                        Finding.Remedy(
                            said == .audio ? "Name an MP3." : "Name an MP4.",
                            code: Markup.meta(property: name, content: mediaExample(page, said)) + "\n"
                                + Markup.meta(
                                    property: name + ":type", content: said == .audio ? "audio/mpeg" : "video/mp4"))))
            }
        }
        let player = page.facts.twitterCard?.player
        if let url = player?.stream.flatMap({ WebURL($0, base: page.facts.baseURL) }),
            case .unplayable(let reason) = MediaKind(of: url, writtenType: player?.streamContentType, saidToBe: .video)
        {
            verdicts.append(
                .warning(
                    "twitter:player:stream is \(reason.phrase).", at: page.place(ofMeta: "twitter:player:stream"),
                    Finding.Remedy(
                        "Name an MP4 or MP3, and its type.",
                        code: Markup.meta(name: "twitter:player:stream:content_type", content: "video/mp4"))))
        }
        return verdicts
    }

    static let s12 = CheckJudge(
        .s12, .structuredData, .info, "The recipe is complete",
        problem: "The recipe is incomplete",
        why: "Ingredients, steps and times are what people look for.",
        page: recipe)

    private static func recipe(_ page: PageExamination) -> [Verdict] {
        guard let item = page.items("Recipe").first else { return [] }
        let needed: [(String, [String], JSONValue)] = [
            ("recipeIngredient", ["recipeIngredient", "ingredients"], ["6 apples", "1 cup of sugar"]),
            ("recipeInstructions", ["recipeInstructions"], "Slice the apples. …"),
            ("totalTime", ["totalTime", "cookTime", "prepTime"], "PT1H10M"),
        ]
        var missing: [String] = []
        var object = JSONObject()
        for (name, spellings, example) in needed where !spellings.contains(where: { !item.values($0).isEmpty }) {
            missing.append(name)
            object[name] = example
        }
        var verdicts: [Verdict] = []
        if !missing.isEmpty {
            verdicts.append(
                .info(
                    "The recipe lacks \(Wording.list(missing, shown: 5)).", at: page.place(of: item),
                    Finding.Remedy("Add what is missing.", code: Markup.json(.object(object)))))
        }
        for name in ["totalTime", "cookTime", "prepTime"] {
            guard let text = page.text(item, name), SchemaOrg.duration(text, hoursFirst: true) == nil else { continue }
            verdicts.append(
                .warning(
                    "\(name) \(Wording.quoted(text)) is no duration.", at: page.place(of: item),
                    Finding.Remedy("Write it as ISO 8601.", code: Markup.property(name, "PT35M", in: item.syntax))))
        }
        if let verdict = timesDiffer(page, item) { verdicts.append(verdict) }
        return verdicts.isEmpty
            ? [.pass("Ingredients, steps and time are there.", at: page.place(of: item))] : verdicts
    }

    /// A warning if the total time is shorter than one of its parts. Preparing and cooking may overlap, so only then is the
    /// total certainly wrong.
    private static func timesDiffer(_ page: PageExamination, _ item: StructuredItem) -> Verdict? {
        func seconds(_ name: String) -> Int? {
            page.text(item, name).flatMap { SchemaOrg.duration($0, hoursFirst: true) }
        }
        guard let total = seconds("totalTime"), total > 0 else { return nil }
        let parts = ["prepTime", "cookTime", "performTime"].compactMap { name in seconds(name).map { (name, $0) } }
        let sum = parts.reduce(0) { $0 + $1.1 }
        guard sum > total else { return nil }
        let isSure = parts.contains { $0.1 > total }
        let names = Wording.list(parts.map { "\($0.0) \(SchemaOrg.durationText(seconds: $0.1))" })
        return Verdict(
            isSure ? .warning : .info,
            "totalTime \(SchemaOrg.durationText(seconds: total)) is less than \(names)\(isSure || parts.count == 1 ? "" : " together").",
            at: page.place(of: item),
            Finding.Remedy(
                "Let the total hold its parts.",
                code: Markup.property("totalTime", SchemaOrg.durationText(seconds: sum), in: item.syntax)))
    }

    static let s13 = CheckJudge(
        .s13, .structuredData, .warning, "The search action has its placeholder",
        problem: "The search action has no placeholder",
        why: "Without {name} in the target there is no place for what people type.",
        page: searchAction)

    private static func searchAction(_ page: PageExamination) -> [Verdict] {
        for item in page.items("SearchAction").prefix(20) {
            let place = page.place(of: item)
            let target = item.values("target").first.flatMap { value -> String? in
                if case .item(let index) = value, page.structured.items.indices.contains(index) {
                    return page.text(page.structured.items[index], "urlTemplate")
                }
                return page.structured.text(of: value)
            }
            let remedy = Finding.Remedy(
                "Write a placeholder into the target, and its name into query-input.",
                code: Markup.json([
                    "@type": "SearchAction",
                    "target": .string("\(page.url.origin ?? "https://example.org")/search?q={search_term_string}"),
                    "query-input": "required name=search_term_string",
                ]))
            guard let target else { return [.warning("A SearchAction has no target.", at: place, remedy)] }
            // An itemprop's `href` may have its braces escaped.
            let template = target.replacing("%7B", with: "{").replacing("%7D", with: "}")
            guard let open = template.firstIndex(of: "{"), let close = template[open...].firstIndex(of: "}") else {
                return [.warning("The target \(Wording.quoted(target)) has no {placeholder}.", at: place, remedy)]
            }
            let placeholder = template[template.index(after: open)..<close]
            let input = page.text(item, "query-input") ?? ""
            let inputName = input.split(separator: " ").first { $0.hasPrefix("name=") }.map { $0.dropFirst(5) }
            if let inputName, !template.contains("{\(inputName)}") {
                return [
                    .warning(
                        "query-input names \(Wording.quoted(String(inputName))), the target has {\(placeholder.prefix(60))}.",
                        at: place, remedy)
                ]
            }
            return [.pass("The target is \(Wording.quoted(template)).", at: place)]
        }
        return []
    }
}
