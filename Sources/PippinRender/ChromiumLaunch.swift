import Foundation
import Glibc
import PippinCrawl

/// The command that starts the browser: with what confines it, and the flags that keep it quiet.
struct ChromiumLaunch: Sendable {
    /// The whole command. It leaves no file: what the browser writes lies in a file system that ends with it.
    let command: [String]
    /// Who the browser says it is.
    let agent: CrawlConfiguration.Agent

    /// - Throws: a sentence that says what is missing, and where to get it.
    init(_ settings: RenderSettings, as agent: CrawlConfiguration.Agent) throws(BrowserMissing) {
        guard access(settings.browserPath, X_OK) == 0 else {
            throw BrowserMissing(
                problem:
                    "there is no browser at \(settings.browserPath): install Debian's package chromium-headless-shell")
        }
        var arguments: [String] = []
        if geteuid() == 0 {
            // As root the browser would switch its own sandbox off.
            guard let user = getpwnam(settings.user)?.pointee, user.pw_uid != 0 else {
                throw BrowserMissing(problem: "\"\(settings.user)\" is no user that the browser may run as")
            }
            arguments += [
                try Self.program("setpriv", of: "util-linux"), "--reuid", String(user.pw_uid), "--regid",
                String(user.pw_gid),
                "--clear-groups", "--no-new-privs",
            ]
        }
        // Chromium reserves far more addresses than it uses, so the data segment is what can be limited. V8 ends a process whose
        // limit is not a round number.
        arguments += [
            try Self.program("prlimit", of: "util-linux"), "--data=\((settings.memoryBytes >> 20) << 20)", "--core=0",
            "--",
        ]
        command =
            arguments + (try Self.sandbox(settings.browserPath)) + [settings.browserPath]
            + Self.flags(agent, settings)
        self.agent = agent
    }

    static let environment = ["PATH=/usr/bin:/bin", "HOME=/tmp", "LANG=C.UTF-8", "TZ=UTC"]

    /// No network but an empty one, no files but the system's programs, no other processes. The browser never runs without it:
    /// flags alone do not keep it from sending (WebRTC).
    private static func sandbox(_ browser: String) throws(BrowserMissing) -> [String] {
        var arguments = [
            try program("bwrap", of: "bubblewrap"), "--unshare-user", "--unshare-net", "--unshare-pid", "--unshare-ipc",
            "--unshare-uts", "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--ro-bind", "/usr", "/usr",
        ]
        // Links where /usr is merged, folders elsewhere.
        for folder in ["/bin", "/lib", "/lib64", "/sbin"] {
            if let target = try? FileManager.default.destinationOfSymbolicLink(atPath: folder) {
                arguments += ["--symlink", target, folder]
            } else {
                arguments += ["--ro-bind-try", folder, folder]
            }
        }
        for file in ["/etc/fonts", "/etc/ld.so.cache", "/etc/alternatives"] {
            arguments += ["--ro-bind-try", file, file]
        }
        arguments += ["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]
        let folder = (browser as NSString).deletingLastPathComponent
        if !folder.hasPrefix("/usr/") { arguments += ["--ro-bind", folder, folder] }
        arguments += ["--chdir", "/tmp", "--clearenv"]
        for pair in environment {
            let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
            if parts.count == 2 { arguments += ["--setenv", parts[0], parts[1]] }
        }
        return arguments + ["--"]
    }

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

    private static func program(_ name: String, of package: String) throws(BrowserMissing) -> String {
        for folder in ["/usr/bin", "/bin", "/usr/sbin", "/sbin"] where access("\(folder)/\(name)", X_OK) == 0 {
            return "\(folder)/\(name)"
        }
        throw BrowserMissing(problem: "the browser needs \(name): install the package \(package)")
    }

    /// Why it could not be started, with what to do about it.
    ///
    /// - Parameter words: what it wrote, in lines.
    static func problem(_ words: String) -> String {
        let lines = words.split(separator: "\n").map(String.init)
        for (cause, remedy) in remedies {
            guard let line = lines.first(where: { line in cause.contains { line.contains($0) } }) else { continue }
            return "\(line): \(remedy)"
        }
        return lines.first ?? "it does not answer"
    }

    private static let remedies = [
        (
            ["mount proc", "/proc/sys/"],
            "let it see all of /proc: with pippin-render.conf for pippin.service, in a container with systempaths=unconfined"
        ),
        (
            ["namespace", "uid map", "usable sandbox"],
            "allow user namespaces: with sysctl kernel.unprivileged_userns_clone=1 or "
                + "kernel.apparmor_restrict_unprivileged_userns=0, with pippin-render.conf for pippin.service, in a "
                + "container with seccomp=unconfined"
        ),
    ]
}

/// The browser cannot be started on this machine.
public struct BrowserMissing: Error, Sendable, CustomStringConvertible {
    /// One sentence without its full stop: what is missing, and what to do about it.
    public let problem: String
    public var description: String { problem }
}
