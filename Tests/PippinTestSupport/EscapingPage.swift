/// A page that tries every way out of a browser.
public enum EscapingPage {
    /// - Parameter place: host and port of the server.
    public static func html(_ place: String) -> String {
        """
        <!doctype html><html><head>
        <link rel=dns-prefetch href="//dns.escape.example"><link rel=preconnect href="http://\(place)">
        <link rel=prefetch href="http://\(place)/prefetch"><link rel=prerender href="http://\(place)/prerender">
        <link rel=preload as=fetch href="http://\(place)/preload"><link rel=modulepreload href="http://\(place)/module.js">
        <link rel=icon href="http://\(place)/icon.png"><link rel=manifest href="http://\(place)/manifest.json">
        <script type=speculationrules>{"prefetch":[{"source":"list","urls":["http://\(place)/s1"]}],
        "prerender":[{"source":"list","urls":["http://\(place)/s2"]}]}</script>
        <meta http-equiv=refresh content="1;url=http://\(place)/refresh"></head>
        <body background="http://\(place)/background.png"><div id=root>kept</div>
        <img src="http://\(place)/img"><video src="http://\(place)/video" autoplay></video><audio src="http://\(place)/audio"></audio>
        <iframe src="http://\(place)/frame"></iframe><object data="http://\(place)/object"></object>
        <embed src="http://\(place)/embed"><a id=a ping="http://\(place)/ping" href="#x">x</a>
        <form id=f action="http://\(place)/form" method=post target=_blank></form>
        <style>@import "http://\(place)/style.css"; @font-face { font-family: x; src: url(http://\(place)/font) } div { font-family: x }</style>
        <script>
        const place = "\(place)", go = (way) => { try { const r = way(); if (r && r.catch) r.catch(() => {}) } catch {} };
        go(() => new WebSocket("ws://" + place + "/ws"));
        go(() => new EventSource("http://" + place + "/events"));
        go(() => navigator.sendBeacon("http://" + place + "/beacon", "x"));
        go(() => fetch("http://" + place + "/keepalive", { method: "POST", keepalive: true, body: "x" }));
        go(() => { const x = new XMLHttpRequest(); x.open("PUT", "http://" + place + "/put"); x.send("x") });
        go(() => new Worker("http://" + place + "/worker.js"));
        go(() => new Worker(URL.createObjectURL(new Blob(["fetch('http://" + place + "/from-worker', {method: 'POST'});"
          + "new WebSocket('ws://" + place + "/worker-ws'); importScripts('http://" + place + "/imported.js')"]))));
        go(() => new SharedWorker("http://" + place + "/shared.js"));
        go(() => new SharedWorker(URL.createObjectURL(new Blob(["fetch('http://" + place + "/from-shared')"]))));
        go(() => navigator.serviceWorker.register("/sw.js"));
        go(() => open("http://" + place + "/popup")); go(() => a.click()); go(() => f.submit());
        go(() => { const p = new RTCPeerConnection({ iceServers: [{ urls: "stun:" + place }, { urls: "turn:" + place, username: "u", credential: "p" }] });
          p.createDataChannel("x"); p.createOffer().then(o => p.setLocalDescription(o)) });
        go(() => new WebTransport("https://" + place + "/transport"));
        go(() => navigator.credentials.get({ identity: { providers: [{ configURL: "http://" + place + "/fedcm.json", clientId: "x" }] } }));
        go(() => caches.open("x").then(c => c.add("http://" + place + "/cached")));
        go(() => import("http://" + place + "/dynamic.js"));
        go(() => new Notification("x", { icon: "http://" + place + "/icon" }));
        // The page stays open while packets are under way.
        go(() => fetch("/slow"));
        go(() => location = "http://" + place + "/location");
        </script></body></html>
        """
    }
}
