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

    /// A function that writes a document as HTML, with shadow trees where browsers show them, and of frames their content. It runs in a
    /// world of its own, where the page can change nothing, and without recursion, because trees may be deep.
    ///
    /// Its arguments: the address under which links are read; whether the document is that of a frame, of which only the body is
    /// written, without scripts and data, with whole addresses; the most elements and characters; then in turn the element of a frame and
    /// its content. It returns `html`, `elements`, `isCut`, and the document's `url`.
    ///
    /// Properties are read by the getters of their prototypes: `form.attributes` and `document.querySelector` may be elements of
    /// that name (Web IDL, [LegacyOverrideBuiltIns]), in every world. `template` and `noscript` are left out: a page with scripts
    /// does not show them.
    static let flattener = """
        function (first, isFrame, maximumElements, maximumLength, ...framed) {
          const contents = new Map();
          for (let i = 0; i < framed.length; i += 2) contents.set(framed[i], framed[i + 1]);
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
          const rootOf = method(Node, "getRootNode"), documentURL = getter(Document, "URL");
          const dataOf = getter(CharacterData, "data");
          const namespaceURI = getter(Element, "namespaceURI"), localName = getter(Element, "localName");
          const attributesOf = getter(Element, "attributes"), shadowRoot = getter(Element, "shadowRoot");
          const assignedNodes = method(HTMLSlotElement, "assignedNodes");
          const documentElement = getter(Document, "documentElement"), doctype = getter(Document, "doctype");
          const body = getter(Document, "body"), query = method(Document, "querySelector");
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
          if (!isFrame && doctype(document)) write("<!DOCTYPE html>");
          const base = baseURI(document);
          const needsBase = base.split("#")[0] !== first.split("#")[0] && !query(document, "base[href]");
          const top = isFrame ? body(document) : documentElement(document);
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
            // The scripts and data of a frame are of another page.
            if (isFrame && (name === "script" || name === "meta" || name === "link" || name === "base")) continue;
            if (isHTML && name === "slot" && rootOf(node) instanceof ShadowRoot) {
              const assigned = assignedNodes(node);
              push(assigned.length > 0 ? assigned : childNodes(node));
              continue;
            }
            elements++;
            let content = isHTML && name === "iframe" ? contents.get(node) : undefined;
            if (content !== undefined && length + content.length > maximumLength) { isCut = true; content = ""; }
            const written = content !== undefined || node === top && isFrame ? "div" : name;
            let tag = "<" + written;
            for (const attribute of attributesOf(node)) {
              if (content !== undefined && attribute.name === "srcdoc") continue;
              const value = isFrame && links.has(attribute.name)
                ? absolute(attribute.value, baseURI(node)) : attribute.value;
              tag += " " + attribute.name + '="' + quote(value) + '"';
            }
            write(tag + ">");
            if (isHTML && voids.has(name)) continue;
            stack.push("</" + written + ">");
            if (isHTML && (name === "pre" || name === "textarea" || name === "listing")) write("\\n");
            if (isHTML && name === "head" && needsBase) write('<base href="' + quote(base) + '">');
            const root = shadowRoot(node);
            push(content !== undefined ? [content] : root ? childNodes(root) : childNodes(node));
          }
          return { html: parts.join(""), elements, isCut, url: documentURL(document) };
        }
        """
}
