/// Distinguishes scripts that only state data from programs: `dataLayer = [{…}]`, `window.settings = {…}`,
/// `gtag("config", "G-1")`.
enum ScriptData {
    /// What a script may call that only states data: it fills a list that another script reads.
    private static let statingCalls: Set<String> = ["push", "gtag", "Date", "parse", "freeze", "assign"]
    /// Names with which a script changes its page, loads another one or leaves, also without a call.
    private static let actingNames: Set<String> = [
        "innerHTML", "outerHTML", "location", "import", "onload", "eval", "textContent", "innerText", "src",
    ]
    /// Of a script. What is longer is taken for a program.
    private static let maximumBytes = 200_000

    /// Whether a page has programs, which may show what its styles hide.
    static func hasPrograms(_ document: HTMLDocument) -> Bool {
        document.elements(named: .script).contains { isProgram($0, in: document) }
    }

    /// Whether a `script` element holds a program that may make content, and not data.
    static func isProgram(_ script: HTMLDocument.Index, in document: HTMLDocument) -> Bool {
        hasProgramType(script, in: document)
            && (document.bytes(of: .src, on: script)?.isEmpty == false || isProgram(document.textBytes(of: script)))
    }

    /// Whether a browser runs a `script` element, by its type.
    static func hasProgramType(_ script: HTMLDocument.Index, in document: HTMLDocument) -> Bool {
        let type = (document.value(of: .type, on: script) ?? "").asciiLowercased.trimmingHTMLSpace()
        return type.isEmpty || type == "module" || type.has("javascript") || type.has("ecmascript")
    }

    /// Whether a program comes with the page: a file of its own site, a module, or a script in the page that names a way to write
    /// content. What counts visitors comes from elsewhere, or only loads another script.
    static func hasOwnProgram(_ document: HTMLDocument, of url: WebURL, base: WebURL) -> Bool {
        return document.elements(named: .script).contains { script in
            guard isProgram(script, in: document) else { return false }
            guard let source = document.value(of: .src, on: script), !source.isEmpty else {
                return writesContent(document.textBytes(of: script))
            }
            return document.bytes(of: .type, on: script)?.equalsIgnoringCase("module") == true
                || SiteIdentity.isSameSite(
                    WebURL(written: WrittenAddress(source), base: base)?.host, url.host)
        }
    }

    /// Names with which a script writes content or gets it.
    private static let writingNames: Set<String> = [
        "innerHTML", "outerHTML", "insertAdjacentHTML", "insertAdjacentElement", "insertAdjacentText", "append",
        "prepend",
        "replaceChildren", "replaceWith", "textContent", "innerText", "write", "writeln", "import", "render",
        "createRoot",
        "hydrate", "hydrateRoot", "mount", "attachShadow", "customElements", "fetch", "XMLHttpRequest",
    ]
    /// `createElement("div")`: other scripts make a `script` to load one.
    private static let contentElements: Set<String> = [
        "div", "span", "ul", "ol", "li", "table", "tr", "td", "section", "article", "main", "canvas", "form", "button",
        "h",
    ]

    /// Whether a script names a way to write content. Strings and comments count, too.
    private static func writesContent(_ script: ArraySlice<UInt8>) -> Bool {
        guard script.count <= maximumBytes else { return true }
        var makes = false
        for word in script.split(whereSeparator: { !($0.isASCIILetter || $0 == UInt8(ascii: "_")) })
        where word.count <= 24 {
            let word = String(decoding: word, as: UTF8.self)
            if writingNames.contains(word) || makes && contentElements.contains(word.asciiLowercased) { return true }
            makes = word == "createElement"
        }
        return false
    }

    /// Whether a script may do more than state data. Comments, strings and keys of objects are passed over, so that only names and
    /// calls are looked at. What cannot be read this way is a program.
    static func isProgram(_ script: ArraySlice<UInt8>) -> Bool {
        guard script.contains(where: { !$0.isHTMLSpace }) else { return false }
        guard script.count <= maximumBytes else { return true }
        var i = script.startIndex
        /// The last name, if nothing but white space follows it.
        var name = ""
        /// Functions that the script itself declares.
        var declared: Set<String> = []
        var isDeclaring = false
        func starts(_ word: StaticString) -> Bool {
            script[i...].prefix(word.utf8CodeUnitCount).elementsEqual(
                UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
        }
        while i < script.endIndex {
            let byte = script[i]
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                guard let end = endOfString(script, from: i) else { return true }
                i = end
                name = ""
                continue
            case UInt8(ascii: "/") where starts("//"):
                i = script[i...].firstIndex(of: 0x0A) ?? script.endIndex
                continue
            case UInt8(ascii: "/") where starts("/*"):
                var end = i + 2
                while end + 1 < script.endIndex,
                    !(script[end] == UInt8(ascii: "*") && script[end + 1] == UInt8(ascii: "/"))
                {
                    end += 1
                }
                i = min(end + 2, script.endIndex)
                continue
            case UInt8(ascii: "<") where starts("<!--"):
                i += 4
                continue
            // Texts with expressions in them, regular expressions, and functions without a name.
            case UInt8(ascii: "`"), UInt8(ascii: "/"): return true
            case UInt8(ascii: "=") where starts("=>"): return true
            case UInt8(ascii: "("):
                if isDeclaring {
                    isDeclaring = false
                } else if !name.isEmpty, !statingCalls.contains(name), !declared.contains(name) {
                    return true
                } else if name.isEmpty, isAfterClosing(script, i) {
                    return true
                }
                name = ""
            case _ where byte.isHTMLSpace: break
            case _ where byte.isASCIILetter || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$") || byte >= 0x80:
                let start = i
                while i < script.endIndex,
                    script[i].isASCIILetter || script[i].isASCIIDigit || script[i] == UInt8(ascii: "_")
                        || script[i] == UInt8(ascii: "$") || script[i] >= 0x80
                {
                    i += 1
                }
                let word = String(decoding: script[start..<i], as: UTF8.self)
                if isDeclaring { declared.insert(word) }
                isDeclaring = word == "function"
                if actingNames.contains(word), !isKey(script, at: i) { return true }
                name = isDeclaring || word == "return" ? "" : word
                continue
            default:
                // A function without a name, which is called in place.
                if isDeclaring { return true }
                name = ""
            }
            i += 1
        }
        return false
    }

    private static func endOfString(_ script: ArraySlice<UInt8>, from start: Int) -> Int? {
        var i = start + 1
        while i < script.endIndex {
            if script[i] == script[start] { return i + 1 }
            i += script[i] == UInt8(ascii: "\\") ? 2 : 1
        }
        return nil
    }

    /// `{src: "…"}`
    private static func isKey(_ script: ArraySlice<UInt8>, at end: Int) -> Bool {
        script[end...].first { !$0.isHTMLSpace } == UInt8(ascii: ":")
    }

    /// Whether what stands before a parenthesis is the end of an expression, which is then called.
    private static func isAfterClosing(_ script: ArraySlice<UInt8>, _ index: Int) -> Bool {
        guard let last = script[..<index].last(where: { !$0.isHTMLSpace }) else { return false }
        return last == UInt8(ascii: ")") || last == UInt8(ascii: "]") || last == UInt8(ascii: "}")
    }
}
