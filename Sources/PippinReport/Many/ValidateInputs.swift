import Foundation
import PippinCrawl
import PippinPage

/// The pages that `pippin validate` judges, in order: what its arguments, standard input and sitemaps name.
public struct ValidateInputs: Sendable {
    /// One page.
    public enum Input: Sendable, Equatable {
        /// A path, or `-` for standard input.
        case file(String)
        case url(WebURL)

        /// As the operator knows it.
        public var name: String {
            switch self {
            case .file(let path): path
            case .url(let url): url.href
            }
        }
    }

    public private(set) var inputs: [Input] = []
    /// Whether more than one page was asked for, even if there is only one: by a folder, a pattern or a list.
    public private(set) var isMany = false
    /// The folder that stands for the site, as far as the arguments say: nil if there are no files, or several folders.
    public private(set) var root: String?
    /// The first file or folder that was named, which may have a configuration beside it.
    public private(set) var firstFile: String?

    /// By bytes: two files may have names that are canonically equivalent, and strings of these are equal.
    private var seen: Set<[UInt8]> = []
    private var roots: Set<String> = []
    /// Files that were named one by one.
    private var singleFiles: [String] = []

    /// The most pages of a run: what is known of each takes about 1 KB.
    public static let maximumPages = 200_000
    /// The endings of files that are taken from a folder.
    private static let endings = [".html", ".htm", ".xhtml"]

    /// - Parameters:
    ///   - arguments: files, folders, patterns and URLs.
    ///   - takesLines: whether standard input has more of them, one a line.
    public init(_ arguments: [String], takesLines: Bool) throws {
        isMany = arguments.count > 1 || takesLines
        for argument in arguments { try add(argument) }
        if takesLines {
            let text = try InputFile.text(at: "-")
            for line in text.split(whereSeparator: \.isNewline) {
                let line = line.trimmingPrefix { $0 == " " || $0 == "\t" }
                if !line.isEmpty, line.first != "#" { try add(String(line)) }
            }
        }
        settleRoot()
    }

    /// The paths of the files.
    public var files: [String] {
        inputs.compactMap { if case .file(let path) = $0 { path } else { nil } }
    }

    /// The pages that are URLs.
    public var urls: [WebURL] {
        inputs.compactMap { if case .url(let url) = $0 { url } else { nil } }
    }

    /// Adds the pages of a sitemap.
    public mutating func add(pages: [WebURL]) throws {
        isMany = true
        for url in pages { try add(.url(url)) }
    }

    private mutating func add(_ input: Input) throws {
        guard seen.insert(Array(input.name.utf8)).inserted else { return }
        guard inputs.count < Self.maximumPages else {
            throw ConfigurationError(
                file: "command line", problem: "more than \(Self.maximumPages) pages; judge them in several runs")
        }
        inputs.append(input)
    }

    private mutating func add(_ argument: String) throws {
        switch try place(argument) {
        case .url(let url): try add(.url(url))
        case .file("-"): try add(.file("-"))
        case .file(let path):
            var isFolder: ObjCBool = false
            let exists = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
            if exists, !isFolder.boolValue {
                firstFile = firstFile ?? path
                singleFiles.append(path)
                return try add(.file(Self.plain(path)))
            }
            if exists { return try addFolder(path) }
            if PathGlob.isPattern(path) { return try addPattern(path) }
            // One missing file has its own message; it is read to get it.
            _ = try InputFile.bytes(at: path)
        }
    }

    /// A pattern is no URL and no missing file, whatever it looks like otherwise.
    private func place(_ argument: String) throws -> InputPlace {
        if PathGlob.isPattern(argument), !argument.contains("://"),
            !FileManager.default.fileExists(atPath: argument)
        {
            return .file(argument)
        }
        return try InputPlace(argument)
    }

    private mutating func addFolder(_ path: String) throws {
        isMany = true
        firstFile = firstFile ?? path
        let folder = path == "/" ? path : Self.plain(path)
        roots.insert(folder)
        let found = try Self.walk(folder, leavingOut: "node_modules") { file in
            Self.endings.contains { file.lowercased().hasSuffix($0) }
        }
        guard !found.isEmpty else {
            throw ConfigurationError(file: path, problem: "the folder has no .html file; name another, or a pattern")
        }
        for file in found { try add(.file(file)) }
    }

    private mutating func addPattern(_ text: String) throws {
        isMany = true
        let pattern = Self.plain(text)
        guard let glob = PathGlob(pattern) else {
            throw ConfigurationError(file: text, problem: "close each brace, and let them stand for 256 texts at most")
        }
        let folder = glob.fixedFolder
        firstFile = firstFile ?? (folder.isEmpty ? "." : folder)
        roots.insert(folder.isEmpty ? "." : folder)
        var isFolder: ObjCBool = false
        let exists =
            folder.isEmpty
            || FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder) && isFolder.boolValue
        let takesHidden = pattern.hasPrefix(".") || pattern.contains("/.")
        let found =
            exists
            ? try Self.walk(
                folder.isEmpty ? "." : folder, takesHidden: takesHidden, maximumParts: glob.maximumParts
            ) { glob.matches($0) } : []
        guard !found.isEmpty else {
            throw ConfigurationError(
                file: text, problem: "no file matches in \(FileManager.default.currentDirectoryPath)")
        }
        for file in found { try add(.file(file)) }
    }

    /// The files below a folder, sorted by their paths. Hidden files and folders are left out, and links to folders are not
    /// followed, because they may lead back.
    ///
    /// - Parameter foreign: the name of folders that hold what others wrote.
    private static func walk(
        _ folder: String, leavingOut foreign: String? = nil, takesHidden: Bool = false, maximumParts: Int? = nil,
        _ isWanted: (String) -> Bool
    ) throws -> [String] {
        var found: [String] = []
        var waiting = [folder]
        while let next = waiting.popLast() {
            let names: [String]
            do {
                names = try FileManager.default.contentsOfDirectory(atPath: next)
            } catch {
                throw ConfigurationError(file: next, problem: "the folder cannot be read; check who owns it")
            }
            for name in names where (takesHidden || !name.hasPrefix(".")) && name != foreign {
                let path = next == "." ? name : next.hasSuffix("/") ? next + name : next + "/" + name
                var status = stat()
                guard lstat(path, &status) == 0 else {
                    // Foundation repairs names that are not UTF-8; the repaired name is of no file. Others may just be gone.
                    guard name.unicodeScalars.contains("\u{FFFD}") else { continue }
                    throw ConfigurationError(file: path, problem: "the name is not UTF-8; rename the file")
                }
                if status.st_mode & S_IFMT == S_IFLNK, stat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFDIR {
                    continue
                }
                if status.st_mode & S_IFMT == S_IFDIR {
                    let parts = path.split(separator: "/").count
                    if maximumParts.map({ parts < $0 }) ?? true { waiting.append(path) }
                } else if status.st_mode & S_IFMT == S_IFREG, isWanted(path) {
                    found.append(path)
                    guard found.count <= maximumPages else { return found }
                }
            }
        }
        return found.sorted()
    }

    /// A path without `./` in front and slashes at the end.
    private static func plain(_ path: String) -> String {
        var path = path[...]
        while path.hasPrefix("./"), path.count > 2 { path = path.dropFirst(2) }
        while path.count > 1, path.hasSuffix("/") { path = path.dropLast() }
        return String(path)
    }

    /// The one folder or pattern that was named stands for the site, else the folder that all named files share.
    private mutating func settleRoot() {
        if roots.count == 1, singleFiles.isEmpty {
            root = roots.first
            return
        }
        guard roots.isEmpty, let first = singleFiles.first else { return }
        var shared = SitePaths.absolute(first).split(separator: "/").dropLast()
        for file in singleFiles {
            let folder = SitePaths.absolute(file).split(separator: "/").dropLast()
            shared = shared.prefix(zip(shared, folder).prefix { $0 == $1 }.count)
        }
        root = "/" + shared.joined(separator: "/")
    }
}

/// Where a site's files are published, and by which paths rules and baselines name them.
public struct SitePaths: Sendable {
    /// The folder that stands for the site, absolute; nil if it is not known.
    public let root: String?
    /// Its URL, ending with a slash.
    public let base: WebURL?

    /// - Parameter root: the folder, absolute or not.
    public init(root: String?, base: WebURL?) {
        self.root = root.map(Self.absolute)
        self.base = base
    }

    /// An absolute path without a slash at its end.
    public static func absolute(_ path: String) -> String {
        URL(filePath: path).standardizedFileURL.path(percentEncoded: false).trimmingSuffix("/")
    }

    /// A path as people write it: from the current folder if it lies below.
    public static func shown(_ path: String) -> String {
        let relative = relative(path, to: FileManager.default.currentDirectoryPath)
        return relative.hasPrefix("..") ? path : relative.isEmpty ? "." : relative
    }

    /// The path of a file from a folder: `../index.html` if it lies elsewhere.
    static func relative(_ path: String, to folder: String) -> String {
        let (file, start) = (absolute(path).split(separator: "/"), absolute(folder).split(separator: "/"))
        let shared = zip(file, start).prefix { $0 == $1 }.count
        return (Array(repeating: "..", count: start.count - shared) + file.dropFirst(shared)).joined(separator: "/")
    }

    /// The URL of a file; nil without a base. `index.html` is its folder.
    ///
    /// - Throws: for a file outside of the site's folder.
    public func url(ofFile path: String) throws -> WebURL? {
        guard let base else { return nil }
        guard let root, path != "-" else {
            throw ConfigurationError(
                file: "--url-base",
                problem: "stands for a folder, and it is not clear for which; name it with --root")
        }
        let relative = Self.relative(path, to: root)
        guard !relative.hasPrefix("../") else {
            throw ConfigurationError(
                file: path, problem: "lies outside of \(root), the folder of \(base.href); name another with --root")
        }
        var parts = relative.split(separator: "/")
        let isFolder = ["index.html", "index.htm"].contains(parts.last)
        if isFolder { parts.removeLast() }
        var bytes: [UInt8] = []
        for part in parts {
            for byte in part.utf8 {
                // URL parsers leave out tabs and line ends, and spaces at the end: it would be another page's address.
                if byte <= 0x20 || byte == 0x7F || "%?#\\".utf8.contains(byte) {
                    bytes.appendPercentEncoded(byte)
                } else {
                    bytes.append(byte)
                }
            }
            bytes.append(UInt8(ascii: "/"))
        }
        if !isFolder { bytes.removeLast() }
        // A name like `a:b` is no scheme.
        return WebURL("./" + String(decoding: bytes, as: UTF8.self), base: base)
    }

    /// The paths by which rules may name a page: from the site's folder, and in its URL.
    func rulePaths(of input: ValidateInputs.Input, at url: WebURL?) -> [String] {
        var paths: [String] = []
        if case .file(let path) = input, path != "-" {
            paths.append(root.map { Self.relative(path, to: $0) } ?? path)
        }
        if let url { paths.append(url.path) }
        return paths
    }
}

extension String {
    fileprivate func trimmingSuffix(_ suffix: String) -> String {
        count > suffix.count && hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
    }
}
