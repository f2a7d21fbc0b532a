import Foundation
import PippinTestSupport
import Testing

/// Holds the line of targets that Docs/Architecture.md draws: read, crawl, store, judge, serve, command.
@Suite struct TargetOrderTests {
    /// From left to right. A target knows those before it, and none beside it.
    private static let line = [
        ["PippinPage"], ["PippinCrawl"], ["PippinRender", "PippinStore"], ["PippinReport"], ["PippinServe"], ["pippin"],
    ]
    private static let targets = line.flatMap(\.self)

    @Test func `the line has all targets`() {
        let folders = Repository.files(in: "Sources/").filter { $0.lowercased().hasPrefix("pippin") }
        #expect(Set(folders) == Set(Self.targets))
    }

    @Test(arguments: targets)
    func `a target imports what stands to its left, and its tests nothing to its right`(target: String) {
        let place = Self.line.firstIndex { $0.contains(target) } ?? 0
        let left = Set(Self.line[..<place].joined())
        Self.check("Sources/\(target)", mayImport: left)
        let tests = target == "pippin" ? "PippinCommandTests" : target + "Tests"
        Self.check("Tests/\(tests)", mayImport: left.union([target]))
    }

    @Test func `what all tests share knows no target that only some of them test`() {
        Self.check("Tests/PippinTestSupport", mayImport: ["PippinPage", "PippinCrawl"])
    }

    private static func check(_ folder: String, mayImport allowed: Set<String>) {
        let all = FileManager.default.enumerator(atPath: Repository.root.appending(path: folder).path)
        var count = 0
        while let path = all?.nextObject() as? String {
            guard path.hasSuffix(".swift") else { continue }
            count += 1
            // Imports stand at the beginning.
            for line in Repository.text("\(folder)/\(path)").prefix(4_000).split(separator: "\n") {
                // `import X`, `@testable import X`, `public import struct X.Y`.
                guard line.contains("import "), !line.contains("//") else { continue }
                let words = line.split { !$0.isLetter && !$0.isNumber }.map(String.init)
                // The help of a command may speak of an import.
                let before = words.prefix { $0 != "import" }
                guard before.count < words.count,
                    before.allSatisfy({ ["testable", "public", "package"].contains($0) }),
                    let module = words.first(where: targets.contains)
                else { continue }
                #expect(allowed.contains(module), "\(folder)/\(path) imports \(module).")
            }
        }
        #expect(count > 0, "\(folder) has no files.")
    }
}
