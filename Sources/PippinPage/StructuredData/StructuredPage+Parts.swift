// What plays in the parts of a page's topic.

extension StructuredPage {
    /// As many as the record keeps of a kind.
    private static let maximumParts = 10

    /// Trailers of the main item, and the recordings of its tracks.
    func playableParts(of kind: ItemKind) -> [StructuredItem] {
        if kind == .videoObject { return Array(items(mainValues("trailer")).prefix(Self.maximumParts)) }
        guard kind == .audioObject else { return [] }
        var found: [StructuredItem] = []
        for track in tracks() {
            for value in track.values("audio").prefix(Self.maximumParts) {
                if case .item(let index) = value, items.indices.contains(index) {
                    found.append(items[index])
                } else {
                    found.append(
                        StructuredItem(
                            syntax: track.syntax, types: ["AudioObject"],
                            properties: [.init(name: "contentUrl", value: value)]))
                }
            }
            // A recording that says itself where its bytes are.
            if text(track, "contentUrl") != nil || text(track, "embedUrl") != nil { found.append(track) }
            if found.count >= Self.maximumParts { break }
        }
        return found
    }

    /// Songs of an album or a playlist: directly, or as elements of a list.
    private func tracks() -> [StructuredItem] {
        var tracks: [StructuredItem] = []
        for property in ["track", "tracks"] {
            for item in items(mainValues(property)).prefix(Self.maximumParts) {
                let elements = items(item.values("itemListElement")).prefix(Self.maximumParts)
                if elements.isEmpty { tracks.append(item) }
                for element in elements {
                    let songs = items(element.values("item")).prefix(Self.maximumParts)
                    tracks += songs.isEmpty ? [element] : Array(songs)
                }
            }
        }
        return tracks
    }
}
