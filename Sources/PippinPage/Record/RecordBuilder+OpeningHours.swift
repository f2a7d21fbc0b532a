// When the place is open.

extension RecordBuilder {
    /// More than a day and a holiday have; longer lists are kept by machines.
    private static let maximumOpeningHours = 30

    /// In a usual week: hours of the main item, else of the only business on the page, else what stands in no item.
    mutating func takeOpeningHours() {
        var places = page.main.map { page.items[$0] }.filter {
            page.isItem($0, .place) || page.isItem($0, .organization)
        }
        if places.isEmpty { places = page.placeItems().filter { page.isItem($0, .localBusiness) } }
        var hours = places.lazy.map(openingHours).first { !$0.isEmpty } ?? []
        if hours.isEmpty { hours = openingHours(page.looseValues("openingHours"), specifications: []) }
        if !hours.isEmpty {
            record.openingHours = hours
            return took("openingHours", from: .schemaOrg)
        }
        guard let openGraph = facts.openGraph else { return }
        var read = SchemaOrg.OpeningHours()
        let days = openGraph.values("business:hours:day")
        let starts = openGraph.values("business:hours:start")
        let ends = openGraph.values("business:hours:end")
        for (day, (start, end)) in zip(days, zip(starts, ends)).prefix(Self.maximumOpeningHours) {
            read.add(days: [day], opens: start, closes: end)
        }
        record.openingHours = read.texts
        if !read.texts.isEmpty { took("openingHours", from: .openGraph) }
    }

    private func openingHours(_ place: StructuredItem) -> [String] {
        openingHours(
            place.values("openingHours"), specifications: page.items(place.values("openingHoursSpecification")))
    }

    /// What cannot be read stays as it is written: people can.
    private func openingHours(_ values: [StructuredItem.Value], specifications: [StructuredItem]) -> [String] {
        var hours = SchemaOrg.OpeningHours()
        var unread: [String] = []
        for value in values.prefix(Self.maximumOpeningHours) {
            guard let text = page.text(of: value), !hours.add(text), let line = CleanText.line(text),
                line.utf8.contains(where: \.isASCIIDigit)
            else { continue }
            let cut = Snippet.cut(line, to: 100)
            if !unread.contains(cut) { unread.append(cut) }
        }
        if !unread.isEmpty { return hours.texts + unread }
        for item in specifications.prefix(Self.maximumOpeningHours) where isUsual(item) {
            let days = item.values("dayOfWeek").prefix(10).compactMap(dayName)
            guard let opens = page.text(item, "opens"), let closes = page.text(item, "closes") else { continue }
            hours.add(days: days, opens: opens, closes: closes)
        }
        return hours.texts
    }

    /// An enumeration's member is an item with an identifier in some templates.
    private func dayName(_ value: StructuredItem.Value) -> String? {
        if case .item(let index) = value, page.items.indices.contains(index) {
            return page.text(of: value) ?? page.items[index].id
        }
        return page.text(of: value)
    }

    /// Hours of less than a month are holidays and sales; those of another season are not now.
    private func isUsual(_ item: StructuredItem) -> Bool {
        let start = page.text(item, "validFrom").flatMap { SchemaOrg.moment($0, dayFirst: dayFirst) }
        let end = page.text(item, "validThrough").flatMap { SchemaOrg.moment($0, dayFirst: dayFirst) }
        if let start, start.isFuture(at: now) { return false }
        if let end, end.isPast(at: now) { return false }
        guard let start, let end else { return true }
        return end.date.timeIntervalSince(start.date) > 31 * 86_400
    }
}
