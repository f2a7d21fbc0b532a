import Foundation
import PippinCrawl
import PippinPage
import PippinTestSupport
import Testing

@testable import PippinRender

/// A page that tries every way out of the browser. A server on this machine waits for it in vain.
@Suite(.rendersAlone, .serialized) struct EscapeTests {
    private func escape(_ settings: RenderSettings, while running: (Int32) throws -> Void = { _ in }) async throws {
        let server = try LoopbackServer { _, connection in
            connection.respond()
            return .close
        }
        defer { server.stop() }
        let place = try #require(WebURL(server.url("/"))?.href.split(separator: "/").dropFirst().first.map(String.init))
        // STUN goes to the same place, and names ending in .local are asked for in the network.
        let datagrams = try [
            DatagramListener(port: server.port), DatagramListener(multicast: "224.0.0.251", port: 5353),
        ]
        let site = RenderedSite { request in
            guard request.url.href.hasSuffix("/slow") else { return nil }
            do { try await Task.sleep(for: .milliseconds(1_500)) } catch {
                return .failed(RequestFailure(.failed(.cancelled), asking: request.url))
            }
            return nil
        }
        try await TestBrowser.with(settings) { browser in
            let page = try await browser.render(RenderedSite.page(EscapingPage.html(place)), loading: site).get()
            #expect(TestBrowser.text(page).contains("kept"))
            #expect(page.navigations.contains("http://\(place)/location"))
            try running(#require(await browser.processID))
            // What a page has left behind may try again.
            _ = try await browser.render(RenderedSite.page("<!doctype html><p>next"), loading: site).get()
        }
        #expect(server.connectionCount == 0)
        for listener in datagrams {
            #expect(listener.received() == [], "datagrams at port \(listener.port)")
            // It is not deaf.
            try listener.sendToItself("heard")
            try await waitUntil("the listener hears") { listener.received() == [5] }
        }
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
