/// A part of a page that lies over its content when the page opens: an open dialog, or an element whose inline style fixes it
/// over the whole screen.
///
/// Style sheets and scripts are not read, so most overlays are not seen; what is found is certain, as far as markup goes.
public struct PageOverlay: Sendable, Hashable {
    public enum Form: String, Sendable {
        /// `<dialog open>`
        case dialog
        /// `position: fixed` from edge to edge.
        case fixed
    }

    /// What the overlay is for, by its names and words.
    public enum Purpose: String, Sendable {
        /// Cookies, consent, age, a log-in: what the law or the site's nature asks for. Google leaves these alone.
        case required
        /// Get the app.
        case app
        case other
    }

    public let element: HTMLDocument.Index
    public let form: Form
    public let purpose: Purpose
    /// The beginning of its text.
    public let text: String

    /// Real pages have one or two.
    private static let maximum = 10
    /// Elements with a style that are examined. Hostile pages have more.
    private static let maximumStyled = 20_000
    /// Parts that turn out to be no overlays after their text was read. Hostile pages nest them.
    private static let maximumInVain = 20
    /// Shorter texts without anything to click may belong to pictures that show loading.
    private static let shortestText = 40

    /// The overlays of a page, in document order, none inside of another.
    ///
    /// - Parameter visible: of the same document. A part with more than half of it is the page itself.
    public static func all(
        in document: HTMLDocument, visible: VisibleText, limits: ReadingLimits = .standard
    ) -> [PageOverlay] {
        var found: [PageOverlay] = []
        guard document.hasAttribute(.style) || !document.elements(named: .dialog).isEmpty else { return found }
        var end = 0
        var inVain = 0
        var examined = 0
        /// Where the part ends that is not shown.
        var hiddenEnd = 0
        var steps = InterruptibleSteps(limits)
        for index in document.elements.indices {
            guard found.count < maximum, examined < maximumStyled, inVain < maximumInVain, !steps.isInterrupted() else {
                break
            }
            guard index >= end, index >= hiddenEnd else { continue }
            let name = document.elements[index].name
            guard name != .html, name != .body else { continue }
            let style = document.bytes(of: .style, on: index).map(InlineStyle.init)
            if style != nil { examined += 1 }
            if name == .script || name == .style || name.isUnseen || document.has(.hidden, on: index)
                || style.map(isInvisible) == true
            {
                hiddenEnd =
                    style.map(isInvisible) == true
                    ? document.descendants(of: index).upperBound : document.endOfUnseen(index).next
                continue
            }
            let form: Form
            if name == .dialog, hasOpen(index, document) {
                form = .dialog
            } else if let style, coversScreen(style) {
                form = .fixed
            } else {
                continue
            }
            let text = document.visibleText(of: index, maximumBytes: visible.bytes.count + 1)
            let isOverlay =
                // Who says that it is a dialog means it, whatever is in it and however much.
                form == .dialog || document.isDialog(index)
                ? !text.isEmpty || holdsControl(index, document)
                : text.utf8.count * 2 <= visible.bytes.count
                    && (text.utf8.count >= shortestText || holdsControl(index, document)
                        || !text.isEmpty && !showsLoading(index, text, document))
            guard isOverlay else {
                inVain += 1
                continue
            }
            found.append(
                PageOverlay(
                    element: index, form: form, purpose: purpose(of: index, text, document),
                    text: String(text.prefix(200))))
            end = document.descendants(of: index).upperBound
        }
        return found
    }

    // MARK: Styles

    /// `aria-hidden` does not count: it hides from screen readers only. An element far off the screen covers nothing, either:
    /// `coversScreen` asks for that.
    private static func isInvisible(_ style: InlineStyle) -> Bool {
        !style.hiding.isDisjoint(with: [.notDisplayed, .invisible, .transparent, .clipped, .shrunk])
    }

    /// Whether an element is fixed, lies above the page, and reaches from edge to edge.
    private static func coversScreen(_ style: InlineStyle) -> Bool {
        var isFixed = false
        var edges: Set<String> = []
        var isWide = false
        var isHigh = false
        for declaration in style {
            let word = declaration.value.prefix { !$0.isHTMLSpace && $0 != 0x21 }
            switch declaration.name {
            case "position": isFixed = word.equalsIgnoringCase("fixed")
            case "top", "bottom", "left", "right":
                if declaration.length?.isZero == true {
                    edges.insert(declaration.name)
                } else if let length = declaration.length, length.number < 0 || isWhole(declaration) {
                    // It waits beside the screen.
                    return false
                }
            case "transform", "translate": if !word.equalsIgnoringCase("none") { return false }
            case "inset":
                // One to four lengths; all must be zero.
                let parts = declaration.value.prefix { $0 != 0x21 }.split(whereSeparator: \.isHTMLSpace).prefix(4)
                if !parts.isEmpty, parts.allSatisfy({ $0.first == 0x30 && !$0.contains { (0x31...0x39).contains($0) } })
                {
                    edges = ["top", "bottom", "left", "right"]
                }
            case "width", "min-width": isWide = isWide || isWhole(declaration)
            case "height", "min-height": isHigh = isHigh || isWhole(declaration)
            case "z-index": if let level = declaration.length?.number, level < 0 { return false }
            case "pointer-events": if word.equalsIgnoringCase("none") { return false }
            default: break
            }
        }
        return isFixed && (isWide || edges.isSuperset(of: ["left", "right"]))
            && (isHigh || edges.isSuperset(of: ["top", "bottom"]))
    }

    /// 90 percent of the screen or more: `100%`, `100vh`, `95dvw`.
    private static func isWhole(_ declaration: InlineStyle.Declaration) -> Bool {
        guard let length = declaration.length, length.number >= 90 else { return false }
        return ["%", "vw", "vh", "dvw", "dvh", "svw", "svh", "lvw", "lvh", "vmax"].contains(length.unit)
    }

    private static func hasOpen(_ element: HTMLDocument.Index, _ document: HTMLDocument) -> Bool {
        document.attributes(of: element).contains { $0.name == "open" }
    }

    /// Parts of names and texts of what covers a page until it has loaded.
    static let loadingWords = [
        "loading", "loader", "preload", "spinner", "splash", "progress", "please wait", "busy", "cargando",
        "carregando", "chargement",
        "laden",
        "caricamento", "ładowanie", "загрузка", "読み込み", "加载", "載入", "로딩",
    ]

    private static func showsLoading(
        _ element: HTMLDocument.Index, _ text: String, _ document: HTMLDocument
    ) -> Bool {
        var said = text.lowercased()
        for inner in [element] + document.descendants(of: element).prefix(20) {
            for (name, value) in document.attributes(of: inner).prefix(20)
            where ["id", "class", "role", "aria-label"].contains(name) { said += " " + value.prefix(100).lowercased() }
            if document.attributes(of: inner).contains(where: {
                $0.name == "aria-busy" && $0.value == "true" || $0.name == "role" && $0.value == "status"
            }) {
                return true
            }
        }
        return loadingWords.contains { said.contains($0) }
    }

    private static func holdsControl(_ element: HTMLDocument.Index, _ document: HTMLDocument) -> Bool {
        document.descendants(of: element).prefix(500).contains {
            switch document.elements[$0].name {
            case .button, .input, .form, .iframe, .select: true
            case .a: document.has(.href, on: $0)
            default: false
            }
        }
    }

    // MARK: Purpose

    /// Parts of names (`id`, `class`, `role`, labels) and of texts, in any letter case. The names are those of consent tools and
    /// of what they replace; `cookie` and `consent` are said in most languages.
    private static let requiredNames = [
        "cookie", "consent", "gdpr", "dsgvo", "rgpd", "ccpa", "privacy", "legal", "onetrust", "didomi", "usercentrics",
        "qc-cmp", "sp_message", "truste", "iubenda", "borlabs", "klaro", "age-gate", "agegate", "age-verif", "ageverif",
        "login", "log-in", "signin", "sign-in", "paywall",
    ]
    private static let requiredWords = [
        "cookie", "consent", "gdpr", "dsgvo", "rgpd", "privacy policy", "datenschutz", "years old", "years of age",
        "your age", "date of birth", "18+", "21+",
    ]
    private static let appWords = ["app store", "google play", "open in app", "open in the app", "get the app"]

    private static func purpose(
        of element: HTMLDocument.Index, _ text: String, _ document: HTMLDocument
    ) -> Purpose {
        var names = ""
        var leadsToStore = false
        for inner in [element] + document.descendants(of: element).prefix(200) {
            for (name, value) in document.attributes(of: inner).prefix(20) {
                switch name {
                case "id", "class", "role", "aria-label", "aria-labelledby", "name", "type", "action":
                    if names.utf8.count < 8_000 { names += value.prefix(300).lowercased() + " " }
                case "href":
                    leadsToStore =
                        leadsToStore || value.has("://apps.apple.com/") || value.has("://itunes.apple.com/")
                        || value.has("://play.google.com/store/apps")
                default: break
                }
            }
        }
        let text = text.prefix(4_000).lowercased()
        if names.contains("password") || requiredNames.contains(where: names.contains)
            || requiredWords.contains(where: text.contains)
        {
            return .required
        }
        return leadsToStore || appWords.contains(where: text.contains) ? .app : .other
    }
}

extension HTMLDocument {
    /// Whether an element is a dialog, open or not: `dialog`, `role=dialog`, `aria-modal=true` (WAI-ARIA 1.2).
    func isDialog(_ element: Index) -> Bool {
        if elements[element].name == .dialog { return true }
        if let role = bytes(of: .role, on: element)?.trimmingHTMLSpace(),
            role.equalsIgnoringCase("dialog") || role.equalsIgnoringCase("alertdialog")
        {
            return true
        }
        return bytes(of: .ariaModal, on: element)?.trimmingHTMLSpace().equalsIgnoringCase("true") == true
    }
}
