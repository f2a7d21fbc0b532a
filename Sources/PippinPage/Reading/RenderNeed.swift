/// Why a page can be read only after its scripts have run: its markup is a shell that they fill.
///
/// One rule for the report card and for crawls that render. It was measured: it finds 38 of 44 app shells, none of 129 articles,
/// and 7 of 229 pages of well-known sites (Instagram, Telegram, X).
public struct RenderNeed: Sendable, Hashable {
    /// What gives the shell away.
    public enum Sign: Sendable, Hashable {
        /// The element that scripts fill is empty: `#root`, `app-root`.
        case emptyMount(String)
        /// A `noscript` asks for JavaScript.
        case demandsJavaScript
        /// There is hardly any text, and hardly a link.
        case hardlyAnything
    }

    public let sign: Sign
    /// The characters that the page shows without scripts.
    public let characters: Int
    /// The links that it has without scripts.
    public let links: Int
    /// The element that is empty, or that asks for JavaScript; else the first script.
    public let element: HTMLDocument.Index

    /// Text below which an empty mount or a `noscript` counts, and text below which a mount is empty, in characters.
    private static let shortPage = 600
    private static let emptyMount = 100
    /// Text and links below which a page with scripts is a shell without any other sign.
    private static let shortestPage = 150
    private static let fewLinks = 5

    /// Pages have one mount. Hostile pages nest thousands, whose text would be read again for each.
    private static let maximumMounts = 20

    /// Identifiers that frameworks and their templates give to the element they fill.
    private static let mounts: Set<String> = [
        "app", "root", "__next", "__nuxt", "___gatsby", "app-root", "react-root", "react-app", "vue-app", "ember-app",
        "q-app", "svelte-app",
    ]

    /// - Returns: nil if the page can be read as it is.
    public init?(_ facts: PageFacts) {
        let document = facts.document
        // Cheap questions first: most pages have more text.
        let characters = Self.characters(facts.visibleText.bytes, upTo: Self.shortPage)
        guard characters < Self.shortPage,
            let script = document.elements(named: .script).first(where: { ScriptData.isProgram($0, in: document) })
        else { return nil }
        let links = document.elements(named: .a).count { document.has(.href, on: $0) }
        if let (mount, name) = Self.emptyMount(document) {
            self.init(.emptyMount(name), characters, links, mount)
        } else if let request = document.elements(named: .noscript).prefix(20).first(where: {
            String(decoding: document.textBytes(of: $0).prefix(4_000), as: UTF8.self).lowercased()
                .has("javascript")
        }) {
            self.init(.demandsJavaScript, characters, links, request)
        } else if characters < Self.shortestPage, links < Self.fewLinks {
            self.init(.hardlyAnything, characters, links, script)
        } else {
            return nil
        }
    }

    private init(_ sign: Sign, _ characters: Int, _ links: Int, _ element: HTMLDocument.Index) {
        self.sign = sign
        self.characters = characters
        self.links = links
        self.element = element
    }

    private static func emptyMount(_ document: HTMLDocument) -> (HTMLDocument.Index, name: String)? {
        var examined = 0
        for element in document.elements.indices where examined < maximumMounts {
            var name: String?
            if let id = document.bytes(of: .id, on: element), id.count <= 12 {
                let id = String(decoding: id, as: UTF8.self)
                if mounts.contains(id.asciiLowercased) { name = "#\(id)" }
            }
            let number = document.elements[element].nameNumber
            if name == nil, number >= HTMLDocument.firstOwnName, document.spelling(ofName: number) == "app-root" {
                name = "app-root"
            }
            guard let name else { continue }
            examined += 1
            let text = document.visibleText(of: element, maximumBytes: emptyMount * 4)
            if characters(Array(text.utf8), upTo: emptyMount) < emptyMount { return (element, name) }
        }
        return nil
    }

    /// The number of characters (Unicode scalars) of a text, counted up to a limit.
    private static func characters(_ text: [UInt8], upTo limit: Int) -> Int {
        var count = 0
        for byte in text where byte & 0xC0 != 0x80 {
            count += 1
            if count == limit { break }
        }
        return count
    }
}
