import Foundation
import PippinTestSupport
import Testing

/// Holds the order of folders inside targets: a folder uses only what is declared in folders before it.
@Suite struct FolderOrderTests {
    /// The folders of a target, each after all that it uses. A file outside of all folders has the folder "".
    private static let orders: [(target: String, folders: [String])] = [
        (
            "PippinPage",
            [
                "Bytes", "Text", "URL", "Time", "Parsing", "JSON", "HTTP", "Encoding", "HTML", "Robots", "SchemaOrg",
                "StructuredData", "Content", "Extract", "Query", "Sitemap", "Usage", "Record", "Associations", "Search",
                "Reading",
            ]
        ),
        (
            "PippinCrawl",
            [
                "Output", "Threads", "Configuration", "Signing", "Scope", "Fetch", "Sites", "Render", "Politeness",
                "Sinks",
                "Frontier", "Reporting", "Visit", "Archive", "Crawl", "Cluster",
            ]
        ),
        (
            "PippinStore",
            [
                "Database", "Links", "Records", "Shards", "Frontier", "Storage", "Search", "Cluster", "Reporting",
                "Upkeep",
            ]
        ),
        (
            "PippinReport",
            [
                "Markup", "Evidence", "Card", "Examination", "Probes", "Checks", "Tuning", "Forms", "Site", "Many",
            ]
        ),
        ("PippinServe", ["Server", "Demo", "Scripts", "Context", "API", "Pages", "Agents", "Routes"]),
        ("pippin", ["Terminal", "Options", "Run", "Commands"]),
    ]

    @Test(arguments: orders.map(\.target))
    func `a folder of a target uses only folders before it`(target: String) throws {
        let order = try #require(Self.orders.first { $0.target == target }).folders
        let uses = FolderUses(of: "Sources/\(target)")
        #expect(uses.folders == Set(order))
        for (place, folder) in order.enumerated() {
            for later in order[(place + 1)...] {
                let names = uses.names[folder]?[later, default: [:]] ?? [:]
                let words = names.map { "\($0.key) in \($0.value.sorted().joined(separator: ", "))" }.sorted()
                #expect(names.isEmpty, "\(folder) uses \(later): \(words.joined(separator: "; "))")
            }
        }
    }

    @Test func `uses are found in code only`() {
        var lexer = SwiftLexer("f(\"a \\(b(\"c\")) d\") // e\n/* g */ h.i #\"\\(j) \"k\"# { l }")
        #expect(lexer.words().map(\.text) == ["f", "b", "h", "i", "l"])
        lexer = SwiftLexer("struct A { func b() {} }\n\"\"\"\nc \"d\" \\(e)\n\"\"\"")
        #expect(lexer.words().map(\.depth) == [0, 0, 1, 1, 0])
    }
}

/// Which folder of a target uses which names of another: its top-level types, and what it adds to types of other folders if nothing
/// else in the target has that name.
private struct FolderUses {
    private struct File {
        let name: String
        let folder: String
        let words: [SwiftLexer.Word]
    }

    private(set) var folders: Set<String> = []
    /// The folder that uses, the folder that declares, the name, the files that use it.
    private(set) var names: [String: [String: [String: Set<String>]]] = [:]

    private static let types: Set = ["struct", "class", "enum", "actor", "protocol", "typealias"]
    private static let members: Set = ["func", "var", "let", "case"]

    init(of target: String) {
        var files: [File] = []
        let all = FileManager.default.enumerator(atPath: Repository.root.appending(path: target).path)
        while let path = all?.nextObject() as? String {
            guard path.hasSuffix(".swift") else { continue }
            let folder = path.contains("/") ? path.prefix { $0 != "/" } : ""
            var lexer = SwiftLexer(Repository.text("\(target)/\(path)"))
            let name = path.split(separator: "/").last ?? ""
            files.append(File(name: String(name), folder: String(folder), words: lexer.words()))
        }
        folders = Set(files.map(\.folder))

        var declared: [String: String] = [:]
        var count: [String: Int] = [:]
        for file in files {
            for (word, next) in zip(file.words, file.words.dropFirst()) where Self.declares(word) {
                count[next.text, default: 0] += 1
                if word.depth == 0, next.text.first?.isUppercase == true { declared[next.text] = file.folder }
            }
        }
        var added: [String: String] = [:]
        for file in files {
            var extended: String?
            for (word, next) in zip(file.words, file.words.dropFirst()) {
                if word.depth == 0, word.text == "extension" {
                    extended = next.text
                } else if word.depth == 0, Self.types.contains(word.text) {
                    extended = nil
                } else if word.depth == 1, let extended, Self.declares(word), declared[extended] != file.folder,
                    count[next.text] == 1
                {
                    added[next.text] = file.folder
                }
            }
        }
        for file in files {
            // A type that the file declares inside another one hides the target's type of the same name.
            let own = Set(
                zip(file.words, file.words.dropFirst())
                    .filter { word, _ in !word.isMember && Self.types.contains(word.text) }.map(\.1.text))
            for word in file.words {
                let isOwn = word.isMember || own.contains(word.text)
                guard let folder = (isOwn ? nil : declared[word.text]) ?? added[word.text],
                    folder != file.folder
                else { continue }
                names[file.folder, default: [:]][folder, default: [:]][word.text, default: []].insert(file.name)
            }
        }
    }

    private static func declares(_ word: SwiftLexer.Word) -> Bool {
        !word.isMember && (types.contains(word.text) || members.contains(word.text))
    }
}

/// Finds the words of Swift code, without those in comments and texts.
private struct SwiftLexer {
    struct Word {
        let text: String
        /// How many braces are open.
        let depth: Int
        /// Whether it follows a dot.
        let isMember: Bool
    }

    private let code: [UInt8]
    private var place = 0
    private var depth = 0
    private var found: [Word] = []

    init(_ code: String) { self.code = Array(code.utf8) }

    mutating func words() -> [Word] {
        while place < code.count { readCode() }
        return found
    }

    /// Reads up to the parenthesis that closes an interpolation, or to the end.
    private mutating func readCode() {
        var open = 0
        while place < code.count {
            let byte = code[place]
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "#"): readText()
            case UInt8(ascii: "/") where follows("//"): skip(to: "\n")
            case UInt8(ascii: "/") where follows("/*"): skip(to: "*/")
            case UInt8(ascii: "("):
                open += 1
                place += 1
            case UInt8(ascii: ")"):
                open -= 1
                place += 1
                if open < 0 { return }
            case UInt8(ascii: "{"), UInt8(ascii: "}"):
                depth += byte == UInt8(ascii: "{") ? 1 : -1
                place += 1
            case _ where Self.isOfWord(byte): readWord()
            default: place += 1
            }
        }
    }

    private mutating func readWord() {
        let start = place
        while place < code.count, Self.isOfWord(code[place]) { place += 1 }
        let isMember = start > 0 && code[start - 1] == UInt8(ascii: ".")
        found.append(Word(text: String(decoding: code[start..<place], as: UTF8.self), depth: depth, isMember: isMember))
    }

    private mutating func readText() {
        var hashes = ""
        while follows("#") {
            hashes += "#"
            place += 1
        }
        // A macro or a condition of the compiler.
        guard follows("\"") else { return }
        let quotes = follows("\"\"\"") ? "\"\"\"" : "\""
        place += quotes.utf8.count
        while place < code.count {
            if follows(quotes + hashes) {
                place += quotes.utf8.count + hashes.utf8.count
                return
            }
            if follows("\\" + hashes + "(") {
                place += hashes.utf8.count + 2
                readCode()
            } else {
                place += follows("\\" + hashes) ? hashes.utf8.count + 2 : 1
            }
        }
    }

    private func follows(_ text: String) -> Bool { code[place...].starts(with: text.utf8) }

    private mutating func skip(to text: String) {
        while place < code.count, !follows(text) { place += 1 }
        place += text.utf8.count
    }

    private static func isOfWord(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "_") || (byte | 0x20) &- 0x61 < 26 || byte &- 0x30 < 10 || byte >= 0x80
    }
}
