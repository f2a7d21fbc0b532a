// When and where an event takes place.

extension RecordBuilder {
    /// Of the main item, if it is an event; a calendar of many has none.
    mutating func takeEvent() {
        var event = DeepLinkRecord.Event()
        if page.mainIs(.event) {
            take(&event, start: page.mainText("startDate"), end: page.mainText("endDate"))
            event.status = page.mainText("eventStatus").flatMap(Self.eventStatus)
            takeLocations(&event)
        }
        if event != DeepLinkRecord.Event() {
            record.event = event
            return took("event", from: .schemaOrg)
        }
        guard let openGraph = facts.openGraph, openGraph["event:start_time"] != nil else { return }
        take(&event, start: openGraph["event:start_time"], end: openGraph["event:end_time"])
        guard event.startDate != nil else { return }
        record.event = event
        took("event", from: .openGraph)
    }

    /// Days as exact as written. An end before the start is a mistake, and left out.
    private func take(_ event: inout DeepLinkRecord.Event, start: String?, end: String?) {
        func moment(_ text: String) -> SchemaOrg.Moment? {
            SchemaOrg.moment(text, dayFirst: dayFirst).flatMap { StatedDate.isOfOtherCalendar($0) ? nil : $0 }
        }
        let first = start.flatMap(moment)
        let last = end.flatMap(moment)
        event.startDate = first?.text
        if let last, !(first.map { last.isBefore($0) } ?? false) { event.endDate = last.text }
    }

    /// The first place, and the first address on the web: an event may have both.
    private func takeLocations(_ event: inout DeepLinkRecord.Event) {
        for value in page.mainValues("location") {
            if case .item(let index) = value, page.isItem(index, .virtualLocation) {
                let item = page.items[index]
                event.url = event.url ?? (page.text(item, "url") ?? item.id).flatMap(webAddress)
            } else if case .item(let index) = value, page.items.indices.contains(index) {
                guard event.venue == nil, !page.isItem(index, .postalAddress) else { continue }
                event.venue = line(page.text(page.items[index], "name"))
            } else if let text = page.text(of: value) {
                if text.utf8.starts(with: "http".utf8) {
                    event.url = event.url ?? webAddress(text)
                } else {
                    event.venue = event.venue ?? line(text)
                }
            }
        }
        for item in page.eventPlaces() {
            let place = page.place(item)
            event.address = event.address ?? place.address?.oneLine
            event.coordinates = event.coordinates ?? place.coordinates
        }
        // A place that is called like its address has no name.
        if event.venue == event.address { event.venue = nil }
    }

    private func line(_ text: String?) -> String? {
        CleanText.line(text).map { Snippet.cut($0, to: 200) }
    }

    /// The members of schema.org's `EventStatusType`.
    static let eventStatuses = [
        "EventScheduled", "EventCancelled", "EventPostponed", "EventRescheduled", "EventMovedOnline",
    ]

    /// `EventCancelled`, with any prefix; `cancelled`.
    private static func eventStatus(_ text: String) -> String? {
        if let member = SchemaOrg.member(text, of: eventStatuses) { return member }
        let word = text.utf8.count < 40 ? text.asciiLowercased.trimmingHTMLSpace() : ""
        return SchemaOrg.member("event" + (word == "canceled" ? "cancelled" : word), of: eventStatuses)
    }
}
