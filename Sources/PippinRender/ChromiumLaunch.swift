import Glibc
import PippinCrawl

/// The command that starts the browser: with what confines it, and the flags that keep it quiet.
struct ChromiumLaunch: Sendable {
    /// The whole command. It leaves no file: what the browser writes lies in a file system that ends with it.
    let command: [String]
    /// Who the browser says it is.
    let agent: CrawlConfiguration.Agent

    /// - Throws: a sentence that says what is missing, and where to get it.
    init(_ settings: RenderSettings, as agent: CrawlConfiguration.Agent) throws(ProgramMissing) {
        guard access(settings.browserPath, X_OK) == 0 else {
            throw ProgramMissing(
                problem:
                    "there is no browser at \(settings.browserPath): install Debian's package chromium-headless-shell")
        }
        let confinement = Confinement(
            of: "the browser", user: settings.user,
            // Chromium reserves far more addresses than it uses, so the data segment is what can be limited. V8 ends a process
            // whose limit is not a round number.
            limits: ["--data=\((settings.memoryBytes >> 20) << 20)"], environment: Self.environment,
            files: ["/etc/fonts", "/etc/alternatives"], hasTemporaryFiles: true)
        command = try confinement.command(for: settings.browserPath) + Self.flags(agent, settings)
        self.agent = agent
    }

    static let environment = ["PATH=/usr/bin:/bin", "HOME=/tmp", "LANG=C.UTF-8", "TZ=UTC"]

    private static func flags(_ agent: CrawlConfiguration.Agent, _ settings: RenderSettings) -> [String] {
        // Half of the memory is for what scripts keep: near it, their engine looks for garbage, and does not run into the limit with it.
        let engine = "--random-seed=1 --max-old-space-size=\(settings.memoryBytes >> 21)"
        return [
            "--remote-debugging-pipe", "--user-data-dir=/tmp/profile", "--no-first-run", "--disable-gpu",
            "--user-agent=\(agent.userAgent)",
            // Those would have other brands than pages, and no requests.
            "--disable-shared-workers",
            "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions",
            "--disable-breakpad", "--disable-crash-reporter", "--no-pings", "--disable-domain-reliability",
            "--disable-dev-shm-usage", "--mute-audio",
            // No name has an address, and what asks for one goes to a proxy that nobody runs.
            "--host-resolver-rules=MAP * ~NOTFOUND", "--proxy-server=http://127.0.0.1:9",
            "--proxy-bypass-list=<-loopback>", "--webrtc-ip-handling-policy=disable_non_proxied_udp",
            "--dns-prefetch-disable", "--disable-quic", "--block-new-web-contents", "--disable-hang-monitor",
            "--disable-renderer-backgrounding", "--disable-background-timer-throttling",
            "--disable-features=BackForwardCache,Prerender2",
            // Without a compiler in its scripts' engine, most attacks on browsers find nothing to attack.
            "--js-flags=\(settings.webAssembly ? "" : "--jitless ")\(engine)",
            "--lang=en-US",
        ]
    }
}
