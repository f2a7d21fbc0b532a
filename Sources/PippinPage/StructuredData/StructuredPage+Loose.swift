// What stands on the page outside of all items. Apple's own samples mark up a telephone number or an address so, and mean the
// page.

extension StructuredPage {
    /// Values of a property that stands in no item, or in one without a type.
    func looseValues(_ name: String) -> [StructuredItem.Value] {
        for item in items where item.isTopLevel && item.types.isEmpty && item.syntax != .jsonLD {
            if limits.isInterrupted { return [] }
            let values = item.values(name)
            if !values.isEmpty { return values }
        }
        return []
    }

    /// The first of them that is text.
    func looseText(_ name: String) -> String? {
        looseValues(name).lazy.compactMap(text).first
    }

    /// The address of the page: the only one on it that no item has, as a value of `address`.
    func looseAddress() -> StructuredItem.Value? {
        if let value = looseValues("address").first { return value }
        var found: Int?
        for (index, item) in items.enumerated() where item.isTopLevel && isItem(item, .postalAddress) {
            if found != nil { return nil }
            found = index
        }
        guard let found else { return nil }
        // Nodes of a graph are top-level, even if others refer to them.
        let isReferredTo = items.contains { item in
            if limits.isInterrupted(after: item.properties.count) { return true }
            return item.properties.contains { property in
                if case .item(let index) = property.value { index == found } else { false }
            }
        }
        return isReferredTo ? nil : .item(found)
    }

    /// Where the page's topic is, by markup that stands in no item. A recipe or an article is nowhere: the address is its
    /// publisher's.
    func loosePlace() -> StructuredItem? {
        guard mainRank >= ItemKind.Rank.page || mainIs(.place) || mainIs(.organization) || mainIs(.event) else {
            return nil
        }
        var properties: [StructuredItem.Property] = []
        if let address = looseAddress() { properties.append(.init(name: "address", value: address)) }
        for name in ["geo", "latitude", "longitude"] {
            if let value = looseValues(name).first { properties.append(.init(name: name, value: value)) }
        }
        guard !properties.isEmpty else { return nil }
        return StructuredItem(syntax: .microdata, types: ["Place"], properties: properties)
    }
}
