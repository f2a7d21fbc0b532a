import Foundation
import PippinPage

/// What the argument of a command names. Only this type decides between files and URLs.
public enum InputPlace: Sendable, Equatable {
    /// A path, or `-` for standard input.
    case file(String)
    case url(WebURL)

    /// What exists is a file, whatever its name. Otherwise `https://…` is a URL. Everything else is the path of a missing
    /// file, which is reported when it is read.
    ///
    /// - Parameter takesDomains: whether `example.org` means `https://example.org/`.
    /// - Throws: for a URL that is not http or https, and for a domain unless `takesDomains`.
    public init(_ argument: String, takesDomains: Bool = false) throws(ConfigurationError) {
        if argument == "-" || FileManager.default.fileExists(atPath: argument) {
            self = .file(argument)
        } else if let url = WebURL(argument), url.isHTTP, url.host?.isEmpty == false {
            self = .url(url)
        } else if argument.contains("://") {
            throw ConfigurationError(file: "command line", problem: "\"\(argument)\" is not an http or https URL")
        } else if let domain = Self.domain(argument) {
            guard takesDomains else {
                throw ConfigurationError(
                    file: argument,
                    problem: "there is no such file in \(FileManager.default.currentDirectoryPath); "
                        + "to fetch a page give its whole URL, like \(domain.href)")
            }
            self = .url(domain)
        } else {
            self = .file(argument)
        }
    }

    /// The root URL of a host, given as a name with or without a port; nil for a text that can only be a file's name.
    private static func domain(_ text: String) -> WebURL? {
        let name = text.lowercased()
        guard !text.contains(where: { "/\\?#@ ".contains($0) }),
            !fileEndings.contains(where: { name.hasSuffix("." + $0) }),
            text.contains(".") || text.contains(":") || name == "localhost",
            let url = WebURL("https://\(text)/"), url.host?.isEmpty == false
        else { return nil }
        return url
    }

    /// Usual endings of file names. None is a top-level domain.
    private static let fileEndings = [
        "json", "jsonld", "txt", "html", "htm", "xhtml", "xml", "gz", "yaml", "yml", "csv", "log", "plist", "p7m",
        "p7s",
        "der", "pem", "crt", "cer", "bak", "old", "orig", "tmp", "out", "warc", "ndjson",
    ]
}
