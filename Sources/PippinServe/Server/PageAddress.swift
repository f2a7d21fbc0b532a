import PippinPage

/// The address of a page that someone asks about.
enum PageAddress {
    /// The address that someone has typed; `https://` may be missing.
    static func typed(_ text: String) throws(WebRefusal) -> WebURL {
        let typed = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !typed.isEmpty else { throw WebRefusal(.badRequest, "Give the address of a page.") }
        let hasScheme = typed.contains("://") || typed.lowercased().hasPrefix("mailto:")
        guard let url = WebURL(hasScheme ? typed : "https://" + typed), url.isHTTP else {
            throw WebRefusal(
                .badRequest,
                "\(Wording.quoted(typed, to: 80)) is not an http or https address, like https://example.org/page.")
        }
        guard url.username.isEmpty, url.password.isEmpty else {
            throw WebRefusal(.badRequest, "The address has a user name or password. Leave them out.")
        }
        return url
    }

    /// The address that a program gives as the parameter `url`.
    static func asked(_ parameters: WebQuery) throws(WebRefusal) -> WebURL {
        let text = try parameters.text("url", minimum: 1, maximum: WebLimits.urlLength)
        do {
            return try typed(text)
        } catch {
            // The parameter is as described, but nothing on the web has that address.
            throw WebRefusal(.notFound, error.sentence)
        }
    }
}
