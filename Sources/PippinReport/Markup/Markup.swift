import PippinPage

/// Writes markup for remedies, ready to paste.
enum Markup {
    static func meta(name: String, content: String) -> String {
        "<meta name=\"\(attribute(name))\" content=\"\(attribute(content))\">"
    }

    static func meta(property: String, content: String) -> String {
        "<meta property=\"\(attribute(property))\" content=\"\(attribute(content))\">"
    }

    static func link(_ relation: String, _ href: String) -> String {
        "<link rel=\"\(attribute(relation))\" href=\"\(attribute(href))\">"
    }

    static func attribute(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "\"": result += "&quot;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// The JSON text of a value for JSON-LD. `</` is escaped, so that it cannot end the script.
    static func json(_ value: JSONValue) -> String {
        value.text(pretty: true).replacing("</", with: "<\\/")
    }

    static func script(_ value: JSONValue) -> String {
        "<script type=\"application/ld+json\">\n\(json(value))\n</script>"
    }

    /// The properties of an item in the syntax of that item. Values that are schema.org addresses become links.
    static func properties(
        _ members: [(name: String, value: String)], of type: String, in syntax: StructuredItem.Syntax
    ) -> String {
        let key = syntax == .microdata ? "itemprop" : "property"
        guard syntax != .jsonLD else {
            var object: JSONObject = ["@type": .string(type)]
            for (name, value) in members { object[name] = .string(value) }
            return json(.object(object))
        }
        return members.map { name, value in
            value.hasPrefix("https://schema.org/")
                ? "<link \(key)=\"\(name)\" href=\"\(attribute(value))\">"
                : "<meta \(key)=\"\(name)\" content=\"\(attribute(value))\">"
        }.joined(separator: "\n")
    }

    /// One property in the syntax of its item, without its type.
    static func property(_ name: String, _ value: String, in syntax: StructuredItem.Syntax) -> String {
        syntax == .jsonLD
            ? "\"\(name)\": \(JSONValue.string(value).text())"
            : properties([(name, value)], of: "", in: syntax)
    }
}

// MARK: Items

extension Markup {
    /// Members of an item, to paste into it. Parts that are items themselves have their `@type`; a `@type` of the item itself
    /// takes the place of the one it has.
    static func members(_ object: JSONObject, in syntax: StructuredItem.Syntax) -> String {
        guard syntax == .jsonLD else {
            return object.members.map { html($0.key, $0.value, in: syntax, "") }.joined(separator: "\n")
        }
        let lines = json(.object(object)).split(separator: "\n").dropFirst().dropLast()
        return lines.map { String($0.dropFirst(2)) }.joined(separator: "\n")
    }

    private static func html(
        _ name: String, _ value: JSONValue, in syntax: StructuredItem.Syntax, _ indentation: String
    ) -> String {
        let key = syntax == .microdata ? "itemprop" : "property"
        func typeAttribute(_ types: JSONValue) -> String {
            let names = types.array?.compactMap(\.string) ?? [types.string ?? "Thing"]
            return syntax == .microdata
                ? "itemtype=\"\(names.map { "https://schema.org/\($0)" }.joined(separator: " "))\""
                : "typeof=\"\(names.joined(separator: " "))\""
        }
        if name == "@type" { return indentation + typeAttribute(value) }
        if let values = value.array {
            return values.map { html(name, $0, in: syntax, indentation) }.joined(separator: "\n")
        }
        guard let object = value.object else {
            let text = value.string ?? value.text()
            return indentation
                + (text.hasPrefix("https://")
                    ? "<link \(key)=\"\(name)\" href=\"\(attribute(text))\">"
                    : "<meta \(key)=\"\(name)\" content=\"\(attribute(text))\">")
        }
        let scope = syntax == .microdata ? "itemscope " : ""
        let inner = object.members.filter { $0.key != "@type" }.map {
            html($0.key, $0.value, in: syntax, indentation + "  ")
        }
        let type = typeAttribute(object["@type"] ?? "Thing")
        return (["\(indentation)<div \(key)=\"\(name)\" \(scope)\(type)>"] + inner + ["\(indentation)</div>"])
            .joined(separator: "\n")
    }
}

// MARK: Association files, with the page's own values

extension Markup {
    private static func text(_ value: String) -> String { JSONValue.string(value).text() }

    /// A component of a pattern: `{ "/": "/mug" }`
    static func component(_ path: String, caseSensitive: Bool = true, percentEncoded: Bool = true) -> String {
        "{ \"/\": \(text(path))" + (caseSensitive ? "" : ", \"caseSensitive\": false")
            + (percentEncoded ? "" : ", \"percentEncoded\": false") + " }"
    }

    /// An element of `details`.
    static func associationEntry(_ appID: String, _ path: String, indentation: String = "") -> String {
        [
            "{", "  \"appIDs\": [\(text(appID))],", "  \"components\": [", "    \(component(path))", "  ]", "}",
        ].map { indentation + $0 }.joined(separator: "\n")
    }

    static func associationFile(_ appID: String, _ path: String) -> String {
        """
        {
          "applinks": {
            "details": [
        \(associationEntry(appID, path, indentation: "      "))
            ]
          }
        }
        """
    }

    static func appClips(_ appID: String) -> String { "\"appclips\": { \"apps\": [\(text(appID))] }" }

    /// An `assetlinks.json`. Its one statement may also be pasted into an existing file.
    static func assetLinks(_ packageName: String) -> String {
        """
        [{
          "relation": ["delegate_permission/common.handle_all_urls"],
          "target": {
            "namespace": "android_app",
            "package_name": \(text(packageName)),
            "sha256_cert_fingerprints": ["SHA-256 OF YOUR SIGNING CERTIFICATE"]
          }
        }]
        """
    }

    /// An example for nginx of how to configure the answer at one address.
    static func nginx(_ url: WebURL) -> String {
        """
        # nginx
        location = \(url.path) {
            default_type application/json;
            alias /var/www/\(url.host ?? "site")/\(url.path.split(separator: "/").last ?? "");
        }
        """
    }
}
