/// Why a page can be read only after its scripts have run: its markup is a shell that they fill.
///
/// One rule for the report card and for crawls that render. Docs/Rendering.md has what was measured
/// (`Scripts/render-need.py`).
public struct RenderNeed: Sendable, Hashable {
    /// What gives the shell away.
    public enum Sign: Sendable, Hashable {
        /// The element that scripts fill is empty: `#root`, `shop-app`.
        case emptyMount(String)
        /// Placeholders are in the place of its content: `aria-busy`, a skeleton.
        case showsPlaceholders
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
    /// Text below which a page says nothing, and text beside headings below which an element that only scripts define is the page.
    private static let nothing = 20
    private static let fewWords = 40
    /// Navigation, footer and notices of shells have less text than this, in bytes.
    private static let longestShell = 30_000
    /// Where the mount is not known, less, in characters.
    private static let longestFrame = 4_000

    /// - Returns: nil if the page can be read as it is.
    public init?(_ facts: PageFacts) {
        let document = facts.document
        let visible = facts.visibleText
        // Cheap questions first: most pages have more text, and no frame around it.
        guard visible.bytes.count < Self.longestShell,
            let script = document.elements(named: .script).first(where: { ScriptData.isProgram($0, in: document) })
        else { return nil }
        let content = ShownContent(document, visible, limits: facts.limits)
        guard content.characters < Self.shortPage else { return nil }
        let found: (sign: Sign, element: HTMLDocument.Index)
        if let mount = content.places.first(where: {
            $0.kind == .mount && content.isEmpty($0.element, below: Self.emptyMount)
        }) {
            found = (.emptyMount(mount.name), mount.element)
        } else if let request = Self.demand(document, content, visible) {
            found = (.demandsJavaScript, request)
        } else if Self.saysLittle(content) {
            let saysSomething = content.characters >= Self.nothing || content.headingCharacters > 0
            if let placeholder = content.placeholder {
                found = (.showsPlaceholders, placeholder)
            } else if content.characters - content.headingCharacters < Self.fewWords,
                let element = content.places.first(where: { $0.kind == .custom && content.isBare($0.element) })
            {
                found = (.emptyMount(element.name), element.element)
            } else if saysSomething {
                // Analytics fill no place, and what fills one comes with the page.
                guard let place = content.places.first(where: { content.isBare($0.element) }),
                    ScriptData.hasOwnProgram(document, of: facts.source.url, base: facts.baseURL)
                else { return nil }
                found = (.emptyMount(place.name), place.element)
            } else {
                found = (.hardlyAnything, script)
            }
        } else {
            return nil
        }
        sign = found.sign
        element = found.element
        characters = visible.bytes.count { $0 & 0xC0 != 0x80 }
        links = document.elements(named: .a).count { document.has(.href, on: $0) }
    }

    private static func saysLittle(_ content: ShownContent) -> Bool {
        content.characters < shortestPage && content.links.count < fewLinks && content.things.isEmpty
            && content.allCharacters < longestFrame
    }

    /// A `noscript` that asks for JavaScript for the page, and not for a form or comments in it.
    private static func demand(
        _ document: HTMLDocument, _ content: ShownContent, _ visible: VisibleText
    ) -> HTMLDocument.Index? {
        let isShort = visible.bytes.count { $0 & 0xC0 != 0x80 } < shortPage
        let saysLittle = saysLittle(content)
        guard isShort || saysLittle else { return nil }
        return document.elements(named: .noscript).prefix(20).first { element in
            guard saysLittle || document.parent(of: element).map({ document.elements[$0].name == .body }) == true else {
                return false
            }
            return String(decoding: document.textBytes(of: element).prefix(4_000), as: UTF8.self).lowercased()
                .has("javascript")
        }
    }
}
