// Checks of what gives a result its buttons, and of recipes (S10…S13).

extension StructuredDataChecks {
    static func contact(_ page: PageExamination) -> [Verdict] {
        var verdicts: [Verdict] = []
        var seen: [String] = []
        for item in page.structured.items.prefix(1_000) {
            guard verdicts.count < shownPerCheck else { break }
            let place = page.place(of: item)
            if let number = page.text(item, "telephone") {
                if SchemaOrg.telephone(number) == nil {
                    verdicts.append(
                        .warning(
                            "telephone \(Markup.quoted(number)) cannot be dialed.", at: place,
                            Finding.Remedy(
                                "Write it with the country's code.",
                                code: Markup.property("telephone", "+1-650-555-0100", in: item.syntax))))
                } else if seen.count < 5 {
                    seen.append("telephone \(number)")
                }
            }
            if item.types.contains("PostalAddress") {
                let hasStreet = page.text(item, "streetAddress") != nil && page.text(item, "addressLocality") != nil
                let hasCode = page.text(item, "postalCode") != nil && page.text(item, "addressCountry") != nil
                let isEmpty = item.properties.isEmpty
                if isEmpty {
                    verdicts.append(
                        .warning("An address is empty.", at: place, Finding.Remedy("Fill it in, or leave it out.")))
                } else if !hasStreet, !hasCode,
                    item.properties.contains(where: { $0.name == "streetAddress" || $0.name == "postalCode" })
                {
                    verdicts.append(
                        .warning(
                            "An address lacks what directions need: street and locality, or postal code and country.",
                            at: place,
                            Finding.Remedy(
                                "Complete it.",
                                code: Markup.properties(
                                    [
                                        ("streetAddress", page.text(item, "streetAddress") ?? "1 Infinite Loop"),
                                        ("addressLocality", page.text(item, "addressLocality") ?? "Cupertino"),
                                        ("postalCode", page.text(item, "postalCode") ?? "95014"),
                                        ("addressCountry", page.text(item, "addressCountry") ?? "US"),
                                    ], of: "PostalAddress", in: item.syntax))))
                } else if seen.count < 5 {
                    seen.append("an address")
                }
            }
            if let latitude = page.text(item, "latitude"), let longitude = page.text(item, "longitude") {
                if SchemaOrg.coordinates(latitude: latitude, longitude: longitude) == nil {
                    verdicts.append(
                        .warning(
                            "The place \(Markup.quoted(latitude)), \(Markup.quoted(longitude)) is nowhere on Earth, or 0, 0.",
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
        if let verdict = placesDiffer(page) { verdicts.append(verdict) }
        if verdicts.isEmpty, !seen.isEmpty { return [.pass("There is \(Markup.list(seen)).")] }
        return verdicts
    }

    /// A place of Open Graph or of a meta tag that is far from the one of the structured data: a tenth of a degree is a
    /// town away.
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

    static func media(_ page: PageExamination) -> [Verdict] {
        var verdicts: [Verdict] = []
        let items = page.items("AudioObject", "VideoObject").prefix(50)
        for item in items {
            guard verdicts.count < shownPerCheck else { break }
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
                                "contentUrl", "\(page.url.origin ?? "https://example.org")/media/file.mp4",
                                in: item.syntax))))
                continue
            }
            if let content {
                guard let url = WebURL(content), url.isHTTP else {
                    verdicts.append(
                        .warning(
                            "contentUrl \(Markup.quoted(content)) is not a whole address.", at: place,
                            Finding.Remedy(
                                "Write it with https:// and host.",
                                code: WebURL(content, base: page.facts.baseURL).map {
                                    Markup.property("contentUrl", $0.href, in: item.syntax)
                                }
                            )))
                    continue
                }
                if url.scheme == "http" {
                    verdicts.append(
                        .warning(
                            "contentUrl \(Markup.quoted(content)) is http.", at: place,
                            Finding.Remedy(
                                "Name its https address.",
                                code: Markup.property("contentUrl", "https" + content.dropFirst(4), in: item.syntax))))
                    continue
                }
            }
            if let format = page.text(item, "encodingFormat"), !format.contains("/") {
                verdicts.append(
                    .info(
                        "encodingFormat \(Markup.quoted(format)) is no media type.", at: place,
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
                        "duration \(Markup.quoted(duration)) is not written as ISO 8601.", at: place,
                        SchemaOrg.duration(duration).map {
                            Finding.Remedy(
                                "Write it so.",
                                code: Markup.property("duration", SchemaOrg.durationText(seconds: $0), in: item.syntax))
                        }))
            }
        }
        for video in page.facts.openGraph?.videos.prefix(5) ?? [] {
            guard let type = video.type?.asciiLowercased, type.contains("flash") else { continue }
            verdicts.append(
                .warning(
                    "og:video is Flash, which nothing plays any more.", at: .markup("meta og:video", line: video.line),
                    Finding.Remedy("Name an MP4.", code: Markup.meta(property: "og:video:type", content: "video/mp4"))))
        }
        if verdicts.isEmpty, let first = items.first {
            return [
                .pass(
                    "\(Markup.count(items.count, "piece", "pieces")) of audio or video can be played.",
                    at: page.place(of: first))
            ]
        }
        return verdicts
    }

    static func recipe(_ page: PageExamination) -> [Verdict] {
        guard let item = page.items("Recipe").first else { return [] }
        let needed: [(String, [String], JSONValue)] = [
            ("name", ["name"], "Apple Pie"), ("image", ["image"], "https://example.org/pie.jpg"),
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
                    "The recipe lacks \(Markup.list(missing, shown: 5)).", at: page.place(of: item),
                    Finding.Remedy("Add what is missing.", code: Markup.json(.object(object)))))
        }
        for name in ["totalTime", "cookTime", "prepTime"] {
            guard let text = page.text(item, name), SchemaOrg.duration(text, hoursFirst: true) == nil else { continue }
            verdicts.append(
                .warning(
                    "\(name) \(Markup.quoted(text)) is no duration.", at: page.place(of: item),
                    Finding.Remedy("Write it as ISO 8601.", code: Markup.property(name, "PT35M", in: item.syntax))))
        }
        return verdicts.isEmpty
            ? [.pass("Name, picture, ingredients, steps and time are there.", at: page.place(of: item))] : verdicts
    }

    static func searchAction(_ page: PageExamination) -> [Verdict] {
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
            // A brace may come escaped out of an itemprop's href.
            let template = target.replacing("%7B", with: "{").replacing("%7D", with: "}")
            guard let open = template.firstIndex(of: "{"), let close = template[open...].firstIndex(of: "}") else {
                return [.warning("The target \(Markup.quoted(target)) has no {placeholder}.", at: place, remedy)]
            }
            let placeholder = template[template.index(after: open)..<close]
            let input = page.text(item, "query-input") ?? ""
            let inputName = input.split(separator: " ").first { $0.hasPrefix("name=") }.map { $0.dropFirst(5) }
            if let inputName, !template.contains("{\(inputName)}") {
                return [
                    .warning(
                        "query-input names \(Markup.quoted(String(inputName))), the target has {\(placeholder.prefix(60))}.",
                        at: place, remedy)
                ]
            }
            return [.pass("The target is \(Markup.quoted(template)).", at: place)]
        }
        return []
    }
}
