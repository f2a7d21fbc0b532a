"""The pages of the soak: good ones, whose records are known, and hostile ones."""
import typing

#: What every hostile page says before its script begins.
KEPT: typing.Final = "This stood here before the script"


def good(host: str, page: int) -> str:
    """A page whose content a script makes, from a file of its own and after a timer."""
    return f"""<!doctype html><html lang=en><head><title>Loading</title><script src="/app.js" defer></script></head>
<body data-host={host} data-page={page}><div id=root></div></body></html>"""


def title(host: str, page: int) -> str:
    return f"Page {page} of host {host}"


APP: typing.Final = """
const { host, page } = document.body.dataset;
fetch(`/data.json?page=${page}`).then((answer) => answer.json()).then((data) => setTimeout(() => {
  document.title = `Page ${page} of host ${host}`;
  document.head.insertAdjacentHTML("beforeend", `<meta name="apple-itunes-app" content="app-id=1450000004, app-argument=soak://${host}/${page}">`);
  document.getElementById("root").innerHTML = `<h1>${document.title}</h1>` + data.words.map((word) => `<p>${word} of ${host}</p>`).join("");
}, 800));
"""

_HUGE: typing.Final = "'x'.repeat(1 << 28)"

#: By name, what the script of a hostile page does.
HOSTILE: typing.Final[dict[str, str]] = {
    # Computing.
    "loop": "for (;;);",
    "microtasks": "(function again() { Promise.resolve().then(again) })()",
    "messages": "const m = new MessageChannel(); m.port1.onmessage = () => m.port2.postMessage(0); m.port2.postMessage(0)",
    "late-loop": "setTimeout(() => { for (;;); }, 1000)",
    "timers": "setInterval(() => { for (let i = 0; i < 1e6; i++); }, 0)",
    "frames-of-animation": "(function again() { requestAnimationFrame(again); for (let i = 0; i < 1e6; i++); })()",
    "regular-expression": "/(a+)+$/.test('a'.repeat(60) + 'b')",
    "sort": "const a = []; for (let i = 0; i < 1e7; i++) a.push(Math.random()); for (;;) a.sort()",
    "workers": "for (let i = 0; i < 50; i++) new Worker(URL.createObjectURL(new Blob(['for (;;);'])))",
    "observer": "new MutationObserver(() => document.body.append('x')).observe(document.body, { childList: true }); document.body.append('x')",
    "layout": "for (;;) { document.body.style.width = Math.random() * 1000 + 'px'; document.body.offsetHeight }",
    "dialogs": "for (;;) { alert(1); confirm(2); prompt(3) }",
    # Memory.
    "arrays": "const a = []; for (;;) { const b = new Uint8Array(50000000); b.fill(1); a.push(b) }",
    "strings": "let s = 'x'; const a = []; for (;;) { s += s; a.push(s.slice(1) + Math.random()) }",
    "objects": "const a = []; for (;;) a.push({ a: a.length, b: [a.length] })",
    "elements": "for (;;) { const d = document.createElement('div'); d.textContent = 'x'.repeat(1000); document.body.append(d) }",
    "markup": "for (;;) document.body.innerHTML += document.body.innerHTML + '<p>x'",
    "frames": "for (;;) { const i = document.createElement('iframe'); i.srcdoc = '<p>x</p>'; document.body.append(i) }",
    "canvas": "for (let i = 0; i < 200; i++) { const c = document.createElement('canvas'); c.width = c.height = 4000;"
              " const x = c.getContext('2d'); x.fillStyle = 'red'; x.fillRect(0, 0, 4000, 4000); document.body.append(c) }",
    "bitmaps": "for (let i = 0; i < 100; i++) { const d = new ImageData(4000, 4000); d.data.fill(i); createImageBitmap(d).then((b) =>"
               " (window.kept ??= []).push(b)) }",
    "blobs": f"const a = []; for (let i = 0; i < 40; i++) a.push(new Blob([{_HUGE}]))",
    "storage": "try { for (let i = 0; ; i++) localStorage.setItem(i, 'x'.repeat(100000)) } catch {}"
               " const o = indexedDB.open('x'); o.onupgradeneeded = () => o.result.createObjectStore('x'); o.onsuccess = () => {"
               " for (let i = 0; i < 50; i++) o.result.transaction('x', 'readwrite').objectStore('x').put('x'.repeat(1e7), i) }",
    "big-layer": "document.body.insertAdjacentHTML('beforeend', '<div style=\"width:30000px;height:30000px;will-change:transform;"
                 "background:linear-gradient(red,blue)\"></div>'.repeat(50))",
    "filters": "document.body.insertAdjacentHTML('beforeend', '<div style=\"width:1000px;height:4000px;filter:blur(200px);backdrop-filter:"
               "blur(200px);background:red\"></div>'.repeat(100))",
    "audio": "const c = new OfflineAudioContext(32, 48000 * 600, 48000); c.createOscillator().connect(c.destination); c.startRendering()",
    "wide-text": f"document.body.append({_HUGE})",
    "deep": "let e = document.body; for (let i = 0; i < 100000; i++) { const d = document.createElement('i'); e.append(d); e = d }",
    "attributes": "for (let i = 0; i < 200000; i++) document.body.setAttribute('a' + i, 'x'.repeat(100))",
    # Floods.
    "console": "for (let i = 0; i < 100000; i++) console.log('line ' + i, { a: [1, 2, 3] })",
    "errors": "for (let i = 0; i < 100000; i++) setTimeout(() => { throw new Error('x'.repeat(1000) + i) })",
    "fetches": "for (let i = 0; i < 5000; i++) fetch('/data.json?' + i).catch(() => {})",
    "windows": "for (let i = 0; i < 1000; i++) open('https://other.example/' + i)",
    "reloads": "setInterval(() => location.reload(), 1); setInterval(() => location = '/x' + Math.random(), 10)",
    "histories": "for (let i = 0; i < 5000; i++) history.pushState(i, '', '/p' + i)",
    "downloads": "for (let i = 0; i < 500; i++) { const a = document.createElement('a'); a.href = '/big.bin'; a.download = ''; a.click() }",
    "sockets": "for (let i = 0; i < 1000; i++) { try { new WebSocket('ws://' + location.host); new EventSource('/e' + i) } catch {} }",
    "service-worker": "navigator.serviceWorker?.register('/sw.js').catch(() => {}); new SharedWorker('/w.js')",
    # In the page's place, and slow.
    "blank": "location = 'about:blank'",
    "blob-page": "location = URL.createObjectURL(new Blob(['<p>another'], { type: 'text/html' }))",
    "rewritten": "document.open(); document.write('<p>another'); document.close(); onbeforeunload = () => 'stay'; history.go(0)",
    "slow-files": "for (let i = 0; i < 50; i++) fetch('/slow?' + i).catch(() => {})",
    "prototypes": "for (const p of [Element, Node, Array, String, Set, Document, Map, Object]) for (const n of Object.getOwnPropertyNames("
                  "p.prototype)) try { p.prototype[n] = () => { throw 1 } } catch {}",
}


def hostile(script: str) -> str:
    return f"<!doctype html><html lang=en><title>Hostile</title><div id=root>{KEPT}</div><script>{script}</script></html>"
