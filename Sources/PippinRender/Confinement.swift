import Foundation
import Glibc

/// What keeps a program that reads foreign bytes from doing harm: no network but an empty one, no files but the system's programs,
/// no other processes, no rights, and limits. No such program runs without it.
struct Confinement: Sendable {
    /// What is confined, for messages: `the browser`.
    let subject: String
    /// The user that it runs as, if we run as root. A browser would switch its own sandbox off as root.
    let user: String
    /// Limits in the words of prlimit, beside that of core files.
    let limits: [String]
    /// Its whole environment, as `NAME=value`.
    let environment: [String]
    /// Files and folders that it may read beside `/usr`.
    let files: [String]
    /// Whether it may write files, into memory that ends with it.
    let hasTemporaryFiles: Bool

    init(
        of subject: String, user: String, limits: [String], environment: [String], files: [String] = [],
        hasTemporaryFiles: Bool = false
    ) {
        (self.subject, self.user, self.limits, self.environment) = (subject, user, limits, environment)
        (self.files, self.hasTemporaryFiles) = (files, hasTemporaryFiles)
    }

    /// The command that runs a program so; its arguments follow.
    ///
    /// - Throws: a sentence that says what is missing, and where to get it.
    func command(for path: String) throws(ProgramMissing) -> [String] {
        var arguments: [String] = []
        if geteuid() == 0 {
            guard let user = getpwnam(user)?.pointee, user.pw_uid != 0 else {
                throw ProgramMissing(problem: "\"\(user)\" is no user that \(subject) may run as")
            }
            arguments += [
                try program("setpriv", of: "util-linux"), "--reuid", String(user.pw_uid), "--regid",
                String(user.pw_gid), "--clear-groups", "--no-new-privs",
            ]
        }
        arguments += [try program("prlimit", of: "util-linux")] + limits + ["--core=0", "--"]
        return arguments + (try sandbox(path)) + [path]
    }

    private func sandbox(_ path: String) throws(ProgramMissing) -> [String] {
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
        for file in ["/etc/ld.so.cache"] + files { arguments += ["--ro-bind-try", file, file] }
        arguments += ["--proc", "/proc", "--dev", "/dev"]
        if hasTemporaryFiles { arguments += ["--tmpfs", "/tmp"] }
        let folder = (path as NSString).deletingLastPathComponent
        if !folder.hasPrefix("/usr/") { arguments += ["--ro-bind", folder, folder] }
        arguments += ["--chdir", hasTemporaryFiles ? "/tmp" : "/", "--clearenv"]
        for pair in environment {
            let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
            if parts.count == 2 { arguments += ["--setenv", parts[0], parts[1]] }
        }
        return arguments + ["--"]
    }

    private func program(_ name: String, of package: String) throws(ProgramMissing) -> String {
        for folder in ["/usr/bin", "/bin", "/usr/sbin", "/sbin"] where access("\(folder)/\(name)", X_OK) == 0 {
            return "\(folder)/\(name)"
        }
        throw ProgramMissing(problem: "\(subject) needs \(name): install the package \(package)")
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

/// A program cannot be started on this machine.
public struct ProgramMissing: Error, Sendable, CustomStringConvertible {
    /// One sentence without its full stop: what is missing, and what to do about it.
    public let problem: String
    public var description: String { problem }
}
