import Mustache

/// The values that a template shows, by name. Names without a value are false in sections.
struct PageModel: MustacheParent, Sendable, ExpressibleByDictionaryLiteral {
    private var values: [String: any Sendable] = [:]

    init() {}

    init(dictionaryLiteral elements: (String, (any Sendable)?)...) {
        for (name, value) in elements { self[name] = value }
    }

    subscript(name: String) -> (any Sendable)? {
        get { values[name] }
        set { values[name] = newValue }
    }

    func child(named name: String) -> Any? { values[name] }

    /// This model with the values of another.
    func merging(_ other: PageModel) -> PageModel {
        var merged = self
        merged.values.merge(other.values) { $1 }
        return merged
    }
}
