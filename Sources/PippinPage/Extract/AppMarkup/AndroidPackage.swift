/// Reads Android package names in all spellings, as `AppStoreID` reads App Store IDs.
enum AndroidPackage {
    /// The package in `com.example.app`, `com.example.app&hl=fr`, `id=com.example.app` or a store URL; nil for other texts and
    /// more than 255 bytes. `wasPlain` is true for the name alone.
    static func reading(_ text: String) -> (name: String, wasPlain: Bool)? {
        guard text.utf8.count <= 4_096 else { return nil }
        if isName(text) { return (text, true) }
        if let url = WebURL(text), let store = StoreLink(url), store.store == .googlePlay {
            return (store.identifier, false)
        }
        var name = ASCIIText.withoutParameters(text)
        if name.prefix(3).lowercased() == "id=" { name = String(name.dropFirst(3)) }
        return isName(name) ? (name, false) : nil
    }

    private static func isName(_ text: String) -> Bool { text.utf8.count <= 255 && ASCIIText.isReverseDomain(text) }
}
