import PippinPage

extension PageQuery {
    /// The keys of a query, which other keys stand beside.
    public static let keys = ["selector", "attribute", "path"]

    /// Reads where a value stands: `selector`, `attribute` and `path` of a section. Errors have the place in the file, and the
    /// character in the text.
    public init(_ section: ConfigurationSection) throws {
        self.init()
        if let text = try section.string("selector") {
            do throws(Selector.SyntaxError) {
                selector = try Selector(text)
            } catch {
                throw section.invalid("selector", "\(error)")
            }
        }
        if let text = try section.string("path") {
            do throws(JSONPath.SyntaxError) {
                path = try JSONPath(text)
            } catch {
                throw section.invalid("path", "\(error)")
            }
        }
        if let name = try section.string("attribute") {
            guard !name.isEmpty, !name.contains(where: { $0.isWhitespace || "\"'<>/=".contains($0) }) else {
                throw section.invalid("attribute", "\"\(name)\" is no name of an attribute, like href")
            }
            attribute = name.asciiLowercased
        }
        if selector == nil, attribute != nil {
            throw section.invalid("attribute", "needs a selector, which says on which elements")
        }
        if selector == nil, path == nil {
            throw section.misnamed("needs a selector or a path, which say where the value stands")
        }
    }
}

extension CustomField {
    /// Reads `fields` of the section `extract`.
    static func all(_ section: ConfigurationSection) throws -> [CustomField] {
        let sections = try section.sections("fields", known: PageQuery.keys + ["type", "all"])
        guard sections.count <= maximumFields else {
            throw section.invalid("fields", "has \(sections.count) fields; \(maximumFields) are the most")
        }
        return try sections.map { name, section in
            guard isName(name) else {
                throw section.misnamed(
                    "\"\(name)\" is no name of a field: a letter, then letters, digits, _ and -, 64 at most")
            }
            return CustomField(
                name: name, query: try PageQuery(section), kind: try section.choice("type", Kind.self) ?? .text,
                isList: try section.boolean("all") ?? false)
        }
    }
}
