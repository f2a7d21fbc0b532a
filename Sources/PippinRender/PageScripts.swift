import PippinPage

/// Our own scripts in pages.
enum PageScripts {
    /// Runs before the page's scripts, in their world: closed shadow trees become readable, the page believes in a network, and
    /// dialogs that nobody sees stop nothing.
    static let preamble = """
        (() => {
          const attach = Element.prototype.attachShadow;
          Element.prototype.attachShadow = function attachShadow(init) {
            return attach.call(this, init && typeof init === "object" ? { ...init, mode: "open" } : init);
          };
          window.alert = () => {};
          window.confirm = () => false;
          window.prompt = () => null;
          window.print = () => {};
          Object.defineProperty(Navigator.prototype, "onLine", { get: () => true, configurable: true });
        })();
        """

    /// Writes the document as HTML, with shadow trees where browsers show them, and the bodies of frames that the page may read. It
    /// runs in a world of its own, where the page can change nothing, and without recursion, because trees may be deep.
    ///
    /// Properties are read by the getters of their prototypes: `form.attributes` and `document.querySelector` may be elements of
    /// that name (Web IDL, [LegacyOverrideBuiltIns]), in every world. `template` and `noscript` are left out: a page with scripts
    /// does not show them.
    static func flattener(url: String, maximumElements: Int, maximumCharacters: Int) -> String {
        """
        ((first, maximumElements, maximumLength) => {
          const getter = (type, name) => {
            const get = Object.getOwnPropertyDescriptor(type.prototype, name).get;
            return (node) => Reflect.apply(get, node, []);
          };
          const method = (type, name) => {
            const run = type.prototype[name];
            return (node, ...values) => Reflect.apply(run, node, values);
          };
          const nodeType = getter(Node, "nodeType"), childNodes = getter(Node, "childNodes");
          const parentNode = getter(Node, "parentNode"), baseURI = getter(Node, "baseURI");
          const ownerDocument = getter(Node, "ownerDocument"), rootOf = method(Node, "getRootNode");
          const dataOf = getter(CharacterData, "data");
          const namespaceURI = getter(Element, "namespaceURI"), localName = getter(Element, "localName");
          const attributesOf = getter(Element, "attributes"), shadowRoot = getter(Element, "shadowRoot");
          const assignedNodes = method(HTMLSlotElement, "assignedNodes");
          const documentElement = getter(Document, "documentElement"), doctype = getter(Document, "doctype");
          const body = getter(Document, "body"), query = method(Document, "querySelector");
          const contentDocument = getter(HTMLIFrameElement, "contentDocument");
          const voids = new Set(["area","base","br","col","embed","hr","img","input","link","meta","source","track","wbr"]);
          const raws = new Set(["script","style","xmp","iframe","noembed","noframes","plaintext"]);
          const links = new Set(["href","src","action","poster"]);
          const HTML = "http://www.w3.org/1999/xhtml";
          const escape = (text) => /[&<>\\u00a0]/.test(text)
            ? text.replace(/[&<>\\u00a0]/g, c => c === "&" ? "&amp;" : c === "<" ? "&lt;" : c === ">" ? "&gt;" : "&nbsp;") : text;
          const quote = (text) => /[&"\\u00a0]/.test(text)
            ? text.replace(/[&"\\u00a0]/g, c => c === "&" ? "&amp;" : c === '"' ? "&quot;" : "&nbsp;") : text;
          const absolute = (text, base) => { try { return new URL(text, base).href } catch { return text } };
          const parts = [];
          let length = 0, elements = 0, isCut = false;
          const write = (text) => { parts.push(text); length += text.length; };
          if (doctype(document)) write("<!DOCTYPE html>");
          const base = baseURI(document);
          const needsBase = base.split("#")[0] !== first.split("#")[0] && !query(document, "base[href]");
          const top = documentElement(document);
          const stack = top ? [top] : [];
          const push = (nodes) => { for (let i = nodes.length - 1; i >= 0; i--) stack.push(nodes[i]); };
          while (stack.length > 0) {
            const node = stack.pop();
            if (typeof node === "string") { write(node); continue; }
            if (length > maximumLength || elements >= maximumElements) { isCut = true; continue; }
            const type = nodeType(node);
            if (type === 3 || type === 4) {
              const parent = parentNode(node);
              const isElement = parent && nodeType(parent) === 1 && namespaceURI(parent) === HTML;
              write(isElement && raws.has(localName(parent)) ? dataOf(node) : escape(dataOf(node)));
              continue;
            }
            if (type !== 1) continue;
            const isHTML = namespaceURI(node) === HTML, name = localName(node);
            if (isHTML && (name === "template" || name === "noscript")) continue;
            const isFramed = ownerDocument(node) !== document;
            // The scripts and data of a frame are of another page.
            if (isFramed && (name === "script" || name === "meta" || name === "link" || name === "base")) continue;
            if (isHTML && name === "slot" && rootOf(node) instanceof ShadowRoot) {
              const assigned = assignedNodes(node);
              push(assigned.length > 0 ? assigned : childNodes(node));
              continue;
            }
            elements++;
            const framed = isHTML && name === "iframe" ? contentDocument(node) : null;
            const content = framed && body(framed);
            const written = content || (isFramed && isHTML && name === "body") ? "div" : name;
            let tag = "<" + written;
            for (const attribute of attributesOf(node)) {
              if (content && attribute.name === "srcdoc") continue;
              const value = isFramed && links.has(attribute.name)
                ? absolute(attribute.value, baseURI(node)) : attribute.value;
              tag += " " + attribute.name + '="' + quote(value) + '"';
            }
            write(tag + ">");
            if (isHTML && voids.has(name)) continue;
            stack.push("</" + written + ">");
            if (isHTML && (name === "pre" || name === "textarea" || name === "listing")) write("\\n");
            if (isHTML && name === "head" && needsBase) write('<base href="' + quote(base) + '">');
            const root = shadowRoot(node);
            push(content ? [content] : root ? childNodes(root) : childNodes(node));
          }
          return { html: parts.join(""), elements, isCut };
        })(\(JSONValue.string(url).text()), \(maximumElements), \(maximumCharacters))
        """
    }
}
