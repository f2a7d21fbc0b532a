// In which country a telephone number is dialed.

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
