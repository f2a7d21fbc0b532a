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

    /// Writes the document as HTML, with shadow trees where browsers show them. It runs in a world of its own, where the page can
    /// change nothing, and without recursion, because trees may be deep.
    ///
    /// `template` and `noscript` are left out: a page with scripts does not show them.
    static func flattener(url: String, maximumElements: Int, maximumCharacters: Int) -> String {
        """
        ((first, maximumElements, maximumLength) => {
          const voids = new Set(["area","base","br","col","embed","hr","img","input","link","meta","source","track","wbr"]);
          const raws = new Set(["script","style","xmp","iframe","noembed","noframes","plaintext"]);
          const HTML = "http://www.w3.org/1999/xhtml";
          const escape = (text) => /[&<>\\u00a0]/.test(text)
            ? text.replace(/[&<>\\u00a0]/g, c => c === "&" ? "&amp;" : c === "<" ? "&lt;" : c === ">" ? "&gt;" : "&nbsp;") : text;
          const quote = (text) => /[&"\\u00a0]/.test(text)
            ? text.replace(/[&"\\u00a0]/g, c => c === "&" ? "&amp;" : c === '"' ? "&quot;" : "&nbsp;") : text;
          const parts = [];
          let length = 0, elements = 0, isCut = false;
          const write = (text) => { parts.push(text); length += text.length; };
          if (document.doctype) write("<!DOCTYPE html>");
          const base = document.baseURI;
          const needsBase = base.split("#")[0] !== first.split("#")[0] && !document.querySelector("base[href]");
          const stack = document.documentElement ? [document.documentElement] : [];
          const push = (nodes) => { for (let i = nodes.length - 1; i >= 0; i--) stack.push(nodes[i]); };
          while (stack.length > 0) {
            const node = stack.pop();
            if (typeof node === "string") { write(node); continue; }
            if (length > maximumLength || elements >= maximumElements) { isCut = true; continue; }
            if (node.nodeType === 3 || node.nodeType === 4) {
              const parent = node.parentNode;
              const name = parent && parent.namespaceURI === HTML ? parent.localName : "";
              write(raws.has(name) ? node.data : escape(node.data));
              continue;
            }
            if (node.nodeType !== 1) continue;
            const isHTML = node.namespaceURI === HTML, name = node.localName;
            if (isHTML && (name === "template" || name === "noscript")) continue;
            const root = node.shadowRoot;
            if (isHTML && name === "slot" && node.getRootNode() instanceof ShadowRoot) {
              const assigned = node.assignedNodes();
              push(assigned.length > 0 ? assigned : node.childNodes);
              continue;
            }
            elements++;
            let tag = "<" + name;
            for (const attribute of node.attributes) tag += " " + attribute.name + '="' + quote(attribute.value) + '"';
            write(tag + ">");
            if (isHTML && voids.has(name)) continue;
            stack.push("</" + name + ">");
            if (isHTML && (name === "pre" || name === "textarea" || name === "listing")) write("\\n");
            if (isHTML && name === "head" && needsBase) write('<base href="' + quote(base) + '">');
            push(root ? root.childNodes : node.childNodes);
          }
          return { html: parts.join(""), elements, isCut };
        })(\(JSONValue.string(url).text()), \(maximumElements), \(maximumCharacters))
        """
    }
}
