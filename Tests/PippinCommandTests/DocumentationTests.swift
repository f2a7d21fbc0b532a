import Foundation
import PippinTestSupport
import Testing

/// Holds what the documents name against the repository: links, files, suites, commands, make targets, types and functions.
@Suite struct DocumentationTests {
    /// Without the changelog, which may name what is gone.
    private static let documents = Document.all.filter { $0.path != "CHANGELOG.md" }
    private static let sources = SourceNames(of: ["Sources", "Tests", "Benchmarks", "Fuzz", "Simulation"])

    @Test func `every link between documents leads to a file and a heading`() {
        #expect(Document.all.count >= 15)
        let headings = Dictionary(uniqueKeysWithValues: Document.all.map { ($0.path, $0.headings) })
        for document in Document.all {
            for link in document.links where !link.contains("://") {
                let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
                let target = parts[0].isEmpty ? document.path : document.relative(parts[0])
                if !Repository.has(target) {
                    Issue.record("\(document.path) links to \(link), which is no file.")
                } else if parts.count == 2, headings[target]?.contains(parts[1]) != true {
                    Issue.record("\(document.path) links to \(link), but \(target) has no such heading.")
                }
            }
        }
    }

    @Test func `every path, test suite, command and make target in a document exists`() {
        let targets = Set(Repository.text("Makefile").split(separator: "\n").map { $0.prefix { $0 != ":" } })
        let folders = ["Sources/", "Tests/", "Docs/", "Examples/", "Scripts/", "Benchmarks/", "Fuzz/", "Simulation/"]
        for document in Self.documents {
            for code in document.codes + document.commands {
                let words = code.split(separator: " ").map(String.init)
                let isPath = folders.contains(where: code.hasPrefix) && words.count == 1 && !code.hasSuffix("TARGET")
                if isPath, !Repository.has(code) {
                    Issue.record("\(document.path) names the path \(code), which does not exist.")
                }
                if words.count == 1, code.hasSuffix("Tests"), !Self.sources.has(code) {
                    Issue.record("\(document.path) names the suite \(code), which does not exist.")
                }
                guard words.count > 1, words[1].first?.isLowercase == true else { continue }
                if words[0] == "make", !targets.contains(Substring(words[1])) {
                    Issue.record("\(document.path) says make \(words[1]); the Makefile has no such target.")
                }
                if words[0] == "pippin", !Self.sources.commands.contains(words[1]) {
                    Issue.record("\(document.path) says pippin \(words[1]); there is no such command.")
                }
            }
        }
    }

    @Test func `every name in Architecture.md is in the sources`() throws {
        let document = try #require(Self.documents.first { $0.path == "Docs/Architecture.md" })
        let names = document.codes.filter { $0.allSatisfy { $0.isLetter || $0.isNumber || ".+_".contains($0) } }
        #expect(names.count >= 60)
        for name in names where !Self.sources.has(name) {
            Issue.record("Docs/Architecture.md names \(name), which is not in the sources.")
        }
        let manifest = Repository.text("Package.swift")
        let drawn = document.commands.flatMap { $0.split { !$0.isLetter && !$0.isNumber } }.filter {
            $0.first?.isUppercase == true
        }
        #expect(drawn.count >= 10)
        for name in drawn where !manifest.contains(name) {
            Issue.record("Docs/Architecture.md draws \(name), which is not in Package.swift.")
        }
    }
}

/// A Markdown file of the repository.
private struct Document {
    /// From the root of the repository.
    let path: String
    /// What stands in backticks in the running text.
    let codes: [String]
    /// The lines of its code blocks.
    let commands: [String]
    let links: [String]
    /// Its headings in the form that links use: `what-a-job-remembers`.
    let headings: Set<String>

    static let all: [Document] = {
        let files = ["", "Docs/", "Spark/"].flatMap { folder in Repository.files(in: folder).map { folder + $0 } }
        let examples = Repository.files(in: "Examples/").map { "Examples/\($0)/README.md" }
        return (files + examples).filter { $0.hasSuffix(".md") && Repository.has($0) }.sorted().map(Document.init)
    }()

    private init(path: String) {
        var running = ""
        var commands: [String] = []
        var headings: Set<String> = []
        var isBlock = false
        for line in Repository.text(path).split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("```") {
                isBlock.toggle()
            } else if isBlock {
                commands.append(String(line))
            } else {
                running += line + "\n"
                if line.hasPrefix("#") { headings.insert(Self.anchor(of: line)) }
            }
        }
        self.path = path
        self.commands = commands
        self.headings = headings
        // Every second piece between backticks is code.
        codes = running.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset % 2 == 1 }.map { String($0.element) }
        links = running.components(separatedBy: "](").dropFirst().compactMap { rest in
            rest.firstIndex(of: ")").map { String(rest[..<$0]) }
        }
    }

    /// As GitHub makes it: lower case, spaces as hyphens, without punctuation.
    private static func anchor(of heading: Substring) -> String {
        let words = heading.drop { $0 == "#" }.trimmingCharacters(in: .whitespaces).lowercased()
        return String(words.filter { $0.isLetter || $0.isNumber || " -_".contains($0) }.map { $0 == " " ? "-" : $0 })
    }

    /// The path from the root of a path from this document.
    func relative(_ link: String) -> String {
        var parts = path.split(separator: "/").dropLast().map(String.init)
        for part in link.split(separator: "/").map(String.init) {
            if part == ".." { _ = parts.popLast() } else { parts.append(part) }
        }
        return parts.joined(separator: "/")
    }
}

/// The names that Swift files declare.
private struct SourceNames {
    /// Of each file: the types that it declares or extends, and the functions, values and cases that it declares.
    private var files: [(name: String, types: Set<Substring>, members: Set<Substring>)] = []
    private(set) var commands: Set<String> = []
    private let configuration: String

    private enum Declaration { case type, member, command }

    /// The words before a declared name, each as the number of its last eight letters: comparing strings would take seconds in a
    /// debug build.
    private static let declarations: [UInt64: Declaration] = {
        let types = ["struct", "class", "enum", "actor", "protocol", "typealias", "extension"].map {
            ($0, Declaration.type)
        }
        let members = ["func", "var", "let", "case"].map { ($0, Declaration.member) }
        let words = (types + members + [("commandName", .command)]).map { (Self.number($0.utf8), $1) }
        return Dictionary(uniqueKeysWithValues: words)
    }()

    private static func number(_ word: some Sequence<UInt8>) -> UInt64 { word.reduce(0) { $0 << 8 | UInt64($1) } }

    init(of folders: [String]) {
        configuration = Repository.text("crawl-config.yaml")
        for folder in folders {
            let all = FileManager.default.enumerator(atPath: Repository.root.appending(path: folder).path)
            while let path = all?.nextObject() as? String {
                if path.hasSuffix(".swift"), !path.contains(".build/") { add("\(folder)/\(path)") }
            }
            // A target is named after its folder.
            files.append(("", Set(Repository.files(in: folder).map { Substring($0) }), []))
        }
    }

    private mutating func add(_ path: String) {
        let bytes = Array(Repository.text(path).utf8)
        var types: Set<Substring> = []
        var members: Set<Substring> = []
        var expected: Declaration?
        var i = 0
        while i < bytes.count {
            if bytes[i] == UInt8(ascii: "/"), i + 1 < bytes.count, bytes[i + 1] == bytes[i] {
                // A comment.
                while i < bytes.count, bytes[i] != UInt8(ascii: "\n") { i += 1 }
            }
            let start = i
            var number: UInt64 = 0
            while i < bytes.count, Self.isInName(bytes[i]) {
                number = number << 8 | UInt64(bytes[i])
                i += 1
            }
            guard i > start else {
                i += 1
                continue
            }
            if let declaration = expected {
                let name = Substring(decoding: bytes[start..<i], as: UTF8.self)
                switch declaration {
                case .type: types.insert(name)
                case .member: members.insert(name)
                case .command: commands.insert(String(name))
                }
            }
            expected = Self.declarations[number]
        }
        files.append((URL(filePath: path).lastPathComponent, types, members))
    }

    /// Letters, digits, `_`, and the hyphen of commands (`json-ld`).
    private static func isInName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    /// Whether there is a file `Name.swift`, a type `Name`, a member `Type.name` or `name`, a command or a configuration key.
    func has(_ name: String) -> Bool {
        if name.hasSuffix(".swift") { return files.contains { $0.name == name } }
        let parts = name.split(separator: ".")
        guard let first = parts.first, let last = parts.last else { return false }
        guard first.first?.isUppercase == true else {
            return commands.contains(name) || configuration.contains("\(last):")
                || files.contains { $0.members.contains(last) || $0.types.contains(last) }
        }
        return files.contains { file in
            file.types.contains(first) && (parts.count == 1 || file.members.contains(last) || file.types.contains(last))
        }
    }
}

extension Repository {
    /// Empty if there is no such file.
    static func text(_ path: String) -> String {
        (try? String(contentsOf: root.appending(path: path), encoding: .utf8)) ?? ""
    }

    fileprivate static func has(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: root.appending(path: path).path)
    }

    /// Nothing if there is no such folder.
    static func files(in folder: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: root.appending(path: folder).path)) ?? []
    }
}
