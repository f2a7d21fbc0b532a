import PippinCrawl
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

    /// Runs before the page's scripts, in our world: the page does not leave for an app, or for what is no page, and where it wanted to
    /// go is kept. Such a navigation would cancel what the page is loading, and its parser.
    static let stay = """
        if (window === window.top) {
          const places = new Set();
          Object.defineProperty(globalThis, "pippinPlaces", { value: places });
          navigation.addEventListener("navigate", (event) => {
            const place = event.destination.url;
            if (!event.cancelable || /^https?:/.test(place)) return;
            event.preventDefault();
            if (places.size < \(PageNavigations.maximumCount) && place.length <= \(PageRequests.maximumURLBytes)) places.add(place);
          }, true);
        }
        """

    /// The name of our own world in each document.
    static let world = "pippin"
    /// The event that brings an error from the page's world into ours. Only texts cross between worlds.
    private static let errorEvent = "pippin-error"
    private static let maximumErrors = 20
    private static let maximumErrorCharacters = 300

    /// Runs before the page's scripts, in their world: what goes wrong is sent into ours, as text, cut, and at most a thousand times.
    /// `Runtime.enable` would send everything that a page writes to its console over the wire, and pages notice it.
    static let errorReporter = """
        (() => {
          if (window !== window.top) return;
          const dispatch = EventTarget.prototype.dispatchEvent, Message = StorageEvent, Uncaught = ErrorEvent;
          const apply = Reflect.apply, slice = String.prototype.slice, textOf = String;
          // To take a part of a long text is to make all of it.
          const cut = (text) => {
            text = textOf(text);
            return text.length > 10000 ? "(" + text.length + " characters)" : apply(slice, text, [0, \(maximumErrorCharacters)]);
          };
          const words = (value) => {
            if (value === null || typeof value !== "object") return cut(typeof value === "function" ? "function" : value);
            if (typeof value.message !== "string") return Object.prototype.toString.call(value);
            return cut((typeof value.name === "string" ? cut(value.name) + ": " : "") + cut(value.message));
          };
          const line = (values) => {
            let used = 0;
            const parts = [];
            if (typeof values[0] === "string") {
              parts[0] = cut(values[used++]).replace(/%[sdifoOc]/g, (directive) =>
                used >= values.length ? directive : directive === "%c" ? (used++, "") : words(values[used++]));
            }
            for (; used < values.length && parts.length < 10; used++) parts[parts.length] = words(values[used]);
            return parts.join(" ");
          };
          let count = 0, isBusy = false;
          const report = (kind, values, place) => {
            // What goes wrong in here is none of the page's errors.
            if (isBusy || count >= \(RenderedPage.maximumErrorCount)) return;
            isBusy = true;
            count++;
            try {
              const text = cut(line(values));
              apply(dispatch, window, [new Message("\(errorEvent)", { key: kind, newValue: text, oldValue: cut(place) })]);
            } catch {}
            isBusy = false;
          };
          window.addEventListener("error", (event) => {
            if (!(event instanceof Uncaught)) return;
            const place = event.filename ? event.filename + ":" + event.lineno + ":" + event.colno : "";
            report("exception", [event.error && typeof event.error === "object" ? event.error : event.message], place);
          }, true);
          window.addEventListener("unhandledrejection", (event) => report("rejection", [event.reason], ""), true);
          console.error = new Proxy(console.error, {
            apply(write, self, values) { report("console", values, ""); return apply(write, self, values); }
          });
        })();
        """

    /// Runs in our world of each document, and keeps the errors that come. The page may send such events, too: it may as well fail.
    static let errorCollector = """
        (() => {
          const errors = new Map();
          const kept = { list: [], count: 0 };
          Object.defineProperty(globalThis, "pippinErrors", { value: kept });
          const cut = (text) => String(text ?? "").slice(0, \(maximumErrorCharacters)).toWellFormed();
          window.addEventListener("\(errorEvent)", (event) => {
            if (kept.count >= \(RenderedPage.maximumErrorCount)) return;
            kept.count++;
            const error = { kind: cut(event.key), text: cut(event.newValue), place: cut(event.oldValue), count: 1 };
            const key = error.kind + " " + error.place + " " + error.text;
            const known = errors.get(key);
            if (known) { known.count++; return; }
            if (kept.list.length >= \(maximumErrors)) return;
            kept.list.push(error);
            errors.set(key, error);
          }, true);
        })();
        """

    /// A function that writes a document as HTML, with shadow trees where browsers show them, and of frames their content. It runs in a
    /// world of its own, where the page can change nothing, and without recursion, because trees may be deep.
    ///
    /// Its arguments: the address under which links are read; whether the document is that of a frame, of which only the body is
    /// written, without scripts and data, with whole addresses; the most elements and characters; then in turn the element of a frame and
    /// its content. It returns `html`, `elements`, `isCut`, the document's `url`, and the `errors` and `places` that
    /// came to its world.
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
          const errors = Object.hasOwn(globalThis, "pippinErrors") ? globalThis.pippinErrors : null;
          const places = Object.hasOwn(globalThis, "pippinPlaces") ? [...globalThis.pippinPlaces] : [];
          return { html: parts.join(""), elements, isCut, url: documentURL(document), errors, places };
        }
        """
}
