// What a result lets people do: call, find the way, play, search.

extension RecordBuilder {
    mutating func takeActions() {
        if let call = callAction() { record.actions.append(call) }
        if let directions = directionsAction() { record.actions.append(directions) }
        if let audio = playAction(.audio, record.audio) { record.actions.append(audio) }
        if let video = playAction(.video, record.video) { record.actions.append(video) }
        if let search = searchAction() { record.actions.append(search) }
    }

    // MARK: Call

    private func callAction() -> DeepLinkRecord.Action? {
        if let (phone, item) = schemaOrgTelephone() {
            return .call(phoneNumber: dialable(phone, of: item), extension: phone.extension)
        }
        if let (phone, item) = asMicroformats?.schemaOrgTelephone() {
            return .call(phoneNumber: dialable(phone, of: item), extension: phone.extension)
        }
        guard let phone = openGraphTelephone() ?? linkedTelephone() else { return nil }
        return .call(phoneNumber: dialable(phone, of: nil), extension: phone.extension)
    }

    /// Of the main item, its location, the organization; else what stands in no item.
    private func schemaOrgTelephone() -> (SchemaOrg.Telephone, of: StructuredItem?)? {
        var items = page.main.map { page.items[$0] } + page.items(page.mainValues("location"))
        if let organization = organizationItem() { items.append(organization) }
        // Many locations may share their contacts.
        var seen: Set<Int> = []
        for item in items {
            let contacts = item.values("contactPoint").filter { value in
                guard case .item(let index) = value else { return false }
                return seen.insert(index).inserted
            }
            for contact in [item] + page.items(contacts) {
                for value in contact.values("telephone") {
                    if let phone = page.text(of: value).flatMap(SchemaOrg.telephone) { return (phone, item) }
                }
            }
        }
        return page.looseText("telephone").flatMap(SchemaOrg.telephone).map { ($0, page.loosePlace()) }
    }

    private func openGraphTelephone() -> SchemaOrg.Telephone? {
        let text = facts.openGraph?["business:contact_data:phone_number"] ?? facts.openGraph?["og:phone_number"]
        return text.flatMap(SchemaOrg.telephone)
    }

    /// The number of the page's `tel:` links where they all have the same.
    private func linkedTelephone() -> SchemaOrg.Telephone? {
        var found: SchemaOrg.Telephone?
        for link in facts.outlinks.schemeLinks where link.scheme == "tel" {
            guard let phone = SchemaOrg.telephone(link.href) else { continue }
            if let found, found.dialable != phone.dialable { return nil }
            found = phone
        }
        return found
    }

    // MARK: Directions

    private func directionsAction() -> DeepLinkRecord.Action? {
        var places = page.placeItems().map(page.place) + [facts.openGraph?.place].compactMap { $0 }
        if let microformats = asMicroformats?.page { places += microformats.placeItems().map(microformats.place) }
        for place in places where place.precision != .nowhere {
            let address = place.addressPrecision == .nowhere ? nil : place.address?.oneLine
            return .directions(address: address, coordinates: place.coordinates)
        }
        return nil
    }

    // MARK: Play

    /// The medium that plays best: a file rather than a page with a player, https rather than http.
    private func playAction(
        _ media: DeepLinkRecord.PlayedMedia, _ candidates: [DeepLinkRecord.Media]
    ) -> DeepLinkRecord.Action? {
        func worth(_ candidate: DeepLinkRecord.Media) -> Int {
            var worth = candidate.url.hasPrefix("https:") ? 2 : 0
            if candidate.type?.hasPrefix(media.rawValue + "/") == true { worth += 1 }
            return candidate.type == "text/html" ? worth : worth + 4
        }
        var best: DeepLinkRecord.Media?
        for candidate in candidates where best.map({ worth(candidate) > worth($0) }) ?? true { best = candidate }
        return best.map { .play(media, url: $0.url) }
    }

    // MARK: Search

    /// A site's SearchAction: its template, and the name of the blank in it.
    private func searchAction() -> DeepLinkRecord.Action? {
        let sites = page.items.lazy.filter { page.isItem($0, .webSite) || page.isItem($0, .webPage) }
        for action in page.items(of: sites, "potentialAction") where page.isItem(action, .searchAction) {
            for target in action.values("target").prefix(Self.maximumTargets) {
                guard let template = template(target), let parameter = parameter(action, template) else { continue }
                return .search(urlTemplate: template, parameter: parameter)
            }
        }
        return nil
    }

    /// Targets of an action, and blanks of a target, that are looked at. Real actions have one or two.
    private static let maximumTargets = 20

    /// The template, absolute. The braces are kept as they are: a URL would escape them.
    private func template(_ target: StructuredItem.Value) -> String? {
        var text: String?
        if case .item(let index) = target, page.items.indices.contains(index) {
            let entry = page.items[index]
            text = page.text(entry, "urlTemplate") ?? page.text(entry, "url") ?? entry.id
        } else {
            text = page.text(of: target)
        }
        guard var template = text, template.utf8.count <= WrittenAddress.maximumBytes else { return nil }
        for (escaped, brace) in [("%7B", "{"), ("%7b", "{"), ("%7D", "}"), ("%7d", "}")]
        where template.contains(escaped) {
            template = template.split(separator: escaped, omittingEmptySubsequences: false).joined(separator: brace)
        }
        if !template.asciiLowercased.hasPrefix("http") {
            guard let brace = template.firstIndex(of: "{"), let base = webAddress(String(template[..<brace])) else {
                return nil
            }
            template = base + template[brace...]
        }
        guard webAddress(template) != nil, !template.utf8.contains(where: { $0 <= 0x20 }) else { return nil }
        return template
    }

    /// The name that `query-input` gives (`required name=search_term_string`) where the template has it; else the only
    /// blank of the template.
    private func parameter(_ action: StructuredItem, _ template: String) -> String? {
        for value in (action.values("query-input") + action.values("query")).prefix(Self.maximumTargets) {
            var name: String?
            if case .item(let index) = value, page.items.indices.contains(index) {
                name = page.text(page.items[index], "valueName")
            } else if let text = page.text(of: value) {
                name =
                    text.split(whereSeparator: { $0 == " " || $0 == "," || $0 == ";" })
                    .first { $0.asciiLowercasedPrefix("name=") }.map { String($0.dropFirst(5)) } ?? text
            }
            if let name, !name.isEmpty, template.contains("{" + name + "}") { return name }
        }
        let blanks = template.split(separator: "{").dropFirst().compactMap { part in
            part.firstIndex(of: "}").map { String(part[..<$0]) }
        }
        guard blanks.count == 1, let only = blanks.first, !only.isEmpty, only.utf8.count <= 100 else { return nil }
        return only
    }
}

extension Substring {
    fileprivate func asciiLowercasedPrefix(_ prefix: String) -> Bool {
        utf8.count >= prefix.utf8.count && zip(utf8, prefix.utf8).allSatisfy { $0.asciiLowercased == $1 }
    }
}

// MARK: In which country a telephone number is dialed

extension RecordBuilder {
    /// The number with its calling code, if the page makes the country certain; else the digits as written.
    ///
    /// - Parameter item: whose number it is; its address counts before others.
    func dialable(_ phone: SchemaOrg.Telephone, of item: StructuredItem?) -> String {
        guard !phone.dialable.hasPrefix("+") else { return phone.dialable }
        if let country = addressCountry(item) { return country.complete(phone.dialable) ?? phone.dialable }
        guard let country = languageCountry(), country.code != "1" || CallingCode.isNorthAmerican(phone.raw) else {
            return phone.dialable
        }
        return country.complete(phone.dialable) ?? phone.dialable
    }

    /// Of the item's own address, else of the organization's or the place's.
    private func addressCountry(_ item: StructuredItem?) -> CallingCode? {
        let items = [item, organizationItem()].compactMap(\.self) + page.placeItems()
        let addresses =
            items.lazy.flatMap { $0.values("address") }.compactMap(page.postalAddress)
            + [record.organization?.address, facts.openGraph?.place.address].compactMap(\.self)
        for address in addresses {
            guard let name = address.addressCountry ?? Self.lastPart(of: address.fullyFormattedAddress) else {
                continue
            }
            if let country = CallingCode.country(named: name) { return country }
        }
        return nil
    }

    /// `USA` of an address in one text. Two letters may be a state: `San Jose, CA`.
    private static func lastPart(of address: String?) -> String? {
        guard let part = address?.split(separator: ",").last.map({ String($0).trimmingHTMLSpace() }),
            part.utf8.count > 2 || ["US", "UK", "GB"].contains(part)
        else { return nil }
        return part
    }

    /// The country of the page's language, unless its host is of another country.
    ///
    /// Whoever writes `de-AT` means Austria. `de-DE`, `fr-FR` are written for German and French in general, so the host must be
    /// of the country, too. Templates write `en-US` everywhere: such numbers must look American.
    private func languageCountry() -> CallingCode? {
        guard let language = record.languages.first, let country = CallingCode.country(ofLanguage: language) else {
            return nil
        }
        let host = facts.source.url.host.flatMap(CallingCode.country(ofHost:))
        if host?.country == country.country { return country }
        return host == nil && !Self.generalRegions.contains(language) ? country : nil
    }

    private static let generalRegions: Set<String> = [
        "en-GB", "de-DE", "fr-FR", "es-ES", "it-IT", "nl-NL", "pt-PT", "ru-RU", "zh-CN",
    ]
}
