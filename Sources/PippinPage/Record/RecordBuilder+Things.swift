// What the main item says of ratings, interactions, the organization behind it, recipes, events and opening hours.

extension RecordBuilder {
    private static let maximumInteractions = 10

    mutating func takeRating() {
        record.rating = page.rating()
        if record.rating != nil { took("rating", from: .schemaOrg) }
    }

    // MARK: Interactions

    mutating func takeInteractions() {
        var interactions: [DeepLinkRecord.Interaction] = []
        func add(_ type: String, _ count: Int?) {
            guard let count, interactions.count < Self.maximumInteractions,
                !interactions.contains(where: { $0.type == type })
            else { return }
            interactions.append(DeepLinkRecord.Interaction(type: type, count: count))
        }
        var counters = page.mainValues("interactionStatistic")
        // A profile's counts are those of whom it shows.
        if counters.isEmpty, page.mainIs(.webPage) {
            counters = page.items(page.mainValues("mainEntity")).first?.values("interactionStatistic") ?? []
        }
        if counters.isEmpty, page.mainIs(.webPage) || page.main.isEmpty {
            counters = page.firstItem(of: .webPage)?.values("interactionStatistic") ?? []
        }
        for counter in page.items(counters).prefix(Self.maximumInteractions) {
            guard let type = interactionType(counter) else { continue }
            add(type, page.literal(counter, "userInteractionCount").flatMap { SchemaOrg.count($0) })
        }
        // Superseded by interactionStatistic, and still found.
        let counts = page.mainValues("interactionCount")
        for value in counts.isEmpty ? page.looseValues("interactionCount") : counts {
            guard let literal = page.literal(of: value) else { continue }
            let parts = literal.text.split(separator: ":", maxSplits: 1)
            if parts.count == 2 {
                add(action(ofUserInteraction: String(parts[0])), SchemaOrg.count(String(parts[1])))
            } else {
                add(action(ofUserInteraction: "UserPlays"), SchemaOrg.count(literal))
            }
        }
        if let comments = page.mainLiteral("commentCount") { add("CommentAction", SchemaOrg.count(comments)) }
        record.interactions = interactions
        if !interactions.isEmpty { took("interactions", from: .schemaOrg) }
    }

    /// `interactionType` is an address, a name, or an item of the type that is meant.
    private func interactionType(_ counter: StructuredItem) -> String? {
        for value in counter.values("interactionType") {
            if case .item(let index) = value {
                let item = page.items.indices.contains(index) ? page.items[index] : counter
                if let type = item.types.first ?? item.id { return Self.actionName(type) }
            } else if let text = page.text(of: value) {
                return Self.actionName(text)
            }
        }
        return nil
    }

    private static func actionName(_ text: String) -> String? {
        let name = SchemaOrg.bareName(text)
        guard name.utf8.count <= 60, name.utf8.allSatisfy(\.isASCIILetter), !name.isEmpty else { return nil }
        return SchemaOrg.type(name) ?? name
    }

    /// The action that a UserInteraction of old counts (schema.org before `interactionStatistic`).
    private func action(ofUserInteraction name: String) -> String {
        switch SchemaOrg.bareName(name).asciiLowercased {
        case "userlikes", "userplusones": "LikeAction"
        case "usercomments": "CommentAction"
        case "userdownloads": "DownloadAction"
        case "userpagevisits": "ViewAction"
        case "usertweets": "ShareAction"
        case "usercheckins": "CheckInAction"
        case "userblocks": "IgnoreAction"
        case "userplays":
            page.mainIs(.audioObject) || page.mainIs(.musicRecording) || page.mainIs(.musicPlaylist)
                ? "ListenAction" : "WatchAction"
        default: "InteractAction"
        }
    }

    // MARK: Organization

    /// The main item where it is one, else who stands behind it, else the only organization the page names.
    func organizationItem() -> StructuredItem? {
        for index in page.main where page.isItem(page.items[index], .organization) { return page.items[index] }
        for name in ["organizer", "publisher", "hiringOrganization", "provider", "seller", "brand", "author"] {
            for item in page.items(page.mainValues(name)) where page.isItem(item, .organization) { return item }
        }
        let all = page.items.filter { $0.isTopLevel && page.isItem($0, .organization) }
        return all.count == 1 ? all.first : nil
    }

    mutating func takeOrganization() {
        guard let item = organizationItem() else { return takeLooseOrganization() }
        let contact = page.items(item.values("contactPoint")).first
        var organization = DeepLinkRecord.Organization()
        organization.name = CleanText.line(page.text(item, "name")).map { Snippet.cut($0, to: 200) }
        organization.telephone = (page.text(item, "telephone") ?? contact.flatMap { page.text($0, "telephone") })
            .flatMap { SchemaOrg.telephone($0)?.raw }
        organization.email = (page.text(item, "email") ?? contact.flatMap { page.text($0, "email") })
            .flatMap(Self.emailAddress)
        organization.address = item.values("address").first.flatMap(page.postalAddress)
        guard organization != DeepLinkRecord.Organization() else { return }
        record.organization = organization
        took("organization", from: .schemaOrg)
    }

    /// Telephone number and address that stand in no item are those of whom the page is from.
    private mutating func takeLooseOrganization() {
        var organization = DeepLinkRecord.Organization()
        organization.telephone = page.looseText("telephone").flatMap { SchemaOrg.telephone($0)?.raw }
        organization.email = page.looseText("email").flatMap(Self.emailAddress)
        organization.address = page.looseAddress().flatMap(page.postalAddress)
        guard organization != DeepLinkRecord.Organization() else { return }
        record.organization = organization
        took("organization", from: .schemaOrg)
    }

    /// A bare address; `mailto:` falls away.
    private static func emailAddress(_ text: String) -> String? {
        var address = text.trimmingHTMLSpace()
        if address.asciiLowercased.hasPrefix("mailto:") { address = String(address.dropFirst(7)) }
        if let query = address.firstIndex(of: "?") { address = String(address[..<query]) }
        let parts = address.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }), address.utf8.count <= 254,
            !address.utf8.contains(where: { $0 <= 0x20 })
        else { return nil }
        return address
    }

    // MARK: Recipe

    /// The members of schema.org's `NutritionInformation` besides `calories`.
    static let nutrients = [
        "servingSize", "carbohydrateContent", "cholesterolContent", "fatContent", "fiberContent", "proteinContent",
        "saturatedFatContent", "sodiumContent", "sugarContent", "transFatContent", "unsaturatedFatContent",
    ]

    mutating func takeRecipe() {
        guard page.mainIs(.recipe) else { return }
        func seconds(_ name: String) -> Int? {
            page.mainText(name).flatMap { SchemaOrg.duration($0, hoursFirst: true) }
        }
        var recipe = DeepLinkRecord.Recipe()
        // A total that was forgotten is the sum of its parts; one that is 0 was left empty.
        var total = seconds("totalTime") ?? 0
        if total == 0 { total = (seconds("prepTime") ?? 0) + (seconds("cookTime") ?? 0) }
        if total > 0 { recipe.totalTime = SchemaOrg.durationText(seconds: total) }
        // Of `4` and `4 servings` side by side the second says more.
        let (preparation, cooking) = (seconds("prepTime") ?? 0, seconds("cookTime") ?? 0)
        if preparation > 0 { recipe.prepTime = SchemaOrg.durationText(seconds: preparation) }
        if cooking > 0 { recipe.cookTime = SchemaOrg.durationText(seconds: cooking) }
        let yields = page.mainValues("recipeYield").prefix(5).compactMap { page.text(of: $0) }
        let yield = yields.first { $0.utf8.contains(where: \.isASCIILetter) } ?? yields.first ?? page.mainText("yield")
        recipe.yield = CleanText.line(yield).map { Snippet.cut($0, to: 100) }
        if let nutrition = page.items(page.mainValues("nutrition")).first {
            recipe.calories = CleanText.line(page.text(nutrition, "calories")).map { Snippet.cut($0, to: 100) }
            for name in Self.nutrients {
                guard let amount = CleanText.line(page.text(nutrition, name)) else { continue }
                recipe.nutrition[name] = .string(Snippet.cut(amount, to: 100))
            }
        }
        var ingredients = page.mainValues("recipeIngredient")
        if ingredients.isEmpty { ingredients = page.mainValues("ingredients") }
        let count = ingredients.count { page.text(of: $0) != nil }
        if count > 0 { recipe.ingredients = count }
        guard recipe != DeepLinkRecord.Recipe() else { return }
        record.recipe = recipe
        took("recipe", from: .schemaOrg)
    }
}

// MARK: When and where an event takes place

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
            SchemaOrg.moment(text, as: dayStyle).flatMap { StatedDate.isOfOtherCalendar($0) ? nil : $0 }
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

// MARK: When the place is open

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
        let start = page.text(item, "validFrom").flatMap { SchemaOrg.moment($0, as: dayStyle) }
        let end = page.text(item, "validThrough").flatMap { SchemaOrg.moment($0, as: dayStyle) }
        if let start, start.isFuture(at: now) { return false }
        if let end, end.isPast(at: now) { return false }
        guard let start, let end else { return true }
        return end.date.timeIntervalSince(start.date) > 31 * 86_400
    }
}
