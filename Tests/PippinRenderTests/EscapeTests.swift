import Foundation
import PippinCrawl
import PippinPage
import PippinTestSupport
import Testing

@testable import PippinRender

/// A page that tries every way out of the browser. A server on this machine waits for it in vain.
@Suite(.rendersAlone, .needsBrowser, .serialized) struct EscapeTests {
    /// - Parameter place: host and port of the server.
    private static func page(_ place: String) -> String {
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
        go(() => location = "http://" + place + "/location");
        </script></body></html>
        """
    }

    private func escape(_ settings: RenderSettings, while running: (Int32) throws -> Void = { _ in }) async throws {
        let server = try LoopbackServer { _, connection in
            connection.respond()
            return .close
        }
        defer { server.stop() }
        let place = try #require(WebURL(server.url("/"))?.href.split(separator: "/").dropFirst().first.map(String.init))
        let site = RenderedSite()
        try await TestBrowser.with(settings) { browser in
            let page = try await browser.render(RenderedSite.page(Self.page(place)), loading: site).get()
            #expect(TestBrowser.text(page).contains("kept"))
            #expect(page.navigations.contains("http://\(place)/location"))
            try running(#require(await browser.processID))
            // What a page has left behind may try again.
            _ = try await browser.render(RenderedSite.page("<!doctype html><p>next"), loading: site).get()
        }
        #expect(server.connectionCount == 0)
        // What the page got at all went through us, and only what adds text.
        #expect(site.requests.allSatisfy { $0.hasPrefix("http://\(place)/") || $0.hasPrefix(RenderedSite.address) })
        #expect(
            !site.requests.contains { $0.hasSuffix("/frame") || $0.hasSuffix("/beacon") || $0.hasSuffix("/prefetch") })
    }

    @Test func `nothing leaves the sandbox, which has no network but an empty one`() async throws {
        try await escape(TestBrowser.settings()) { processID in
            let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/ns/net")
            let children = Self.children(of: processID)
            #expect(!children.isEmpty)
            for child in children {
                let namespace = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(child)/ns/net")
                #expect(namespace != own)
                let devices = try String(contentsOfFile: "/proc/\(child)/net/dev", encoding: .utf8).split(
                    separator: "\n"
                )
                .dropFirst(2).compactMap { $0.split(separator: ":").first?.trimmingCharacters(in: .whitespaces) }
                #expect(devices == ["lo"])
            }
        }
    }

    @Test func `nothing leaves the browser without a sandbox, by its flags alone`() async throws {
        try await escape(TestBrowser.settings { $0.sandbox = .none })
    }

    @Test func `the sandbox has no files but the system's programs, and no other processes`() async throws {
        try await TestBrowser.with { browser in
            _ = try await browser.render(RenderedSite.page("<p>x"), loading: RenderedSite()).get()
            let children = Self.children(of: try #require(await browser.processID))
            let inner = try #require(children.first)
            let root = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(inner)/root")
            #expect(Set(root).isSubset(of: ["usr", "bin", "lib", "lib64", "sbin", "etc", "proc", "dev", "tmp"]))
            let status = try String(contentsOfFile: "/proc/\(inner)/status", encoding: .utf8)
            #expect(status.contains("NoNewPrivs:\t1"))
            #expect(status.contains("CapEff:\t0000000000000000"))
        }
    }

    private static func children(of process: Int32) -> [Int32] {
        let text = try? String(contentsOfFile: "/proc/\(process)/task/\(process)/children", encoding: .utf8)
        return (text ?? "").split(separator: " ").compactMap { Int32($0) }
    }
}
