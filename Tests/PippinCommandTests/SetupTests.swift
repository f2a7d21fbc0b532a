import Foundation
import PippinTestSupport
import Testing

/// `Scripts/setup.sh` installs what tests and scripts use. A machine that was set up earlier would not notice what is missing.
@Suite struct SetupTests {
    private static let setup = Repository.root.appending(path: "Scripts/setup.sh")

    private static func texts(below folder: String) throws -> [String] {
        let root = Repository.root.appending(path: folder)
        return try FileManager.default.subpathsOfDirectory(atPath: root.path)
            .filter { $0.hasSuffix(".swift") || $0.hasSuffix(".sh") || $0.hasSuffix(".py") }
            .map { try String(contentsOf: root.appending(path: $0), encoding: .utf8) }
    }

    @Test func `a script makes each Python environment that something runs`() throws {
        var texts = try [Self.texts(below: "Tests"), Self.texts(below: "Scripts")].flatMap(\.self)
        texts.append(try String(contentsOf: Repository.root.appending(path: "Makefile"), encoding: .utf8))
        let used = Set(texts.flatMap { $0.matches(of: /\.build\/([a-z]+)\/bin/).map(\.1) })
        let made = Set(texts.flatMap { $0.matches(of: /(?m:^ *environment |-m venv \.build\/)([a-z]+)/).map(\.1) })
        #expect(used.count >= 3)
        #expect(used.subtracting(made).isEmpty)
    }

    @Test func `setup.sh installs each module that a judge imports`() throws {
        let setup = try String(contentsOf: Self.setup, encoding: .utf8)
        let imports = try Self.texts(below: "Tests")
            .flatMap { $0.matches(of: /PythonJudge\(importing: ([^)]*)\)/).map(\.1) }
            .flatMap { $0.matches(of: /"([a-z0-9_]+)"/).map { String($0.1) } as [String] }
        let installed = setup.matches(of: /[a-z0-9_-]+/).map {
            String($0.0).replacing("python3-", with: "").replacing("-", with: "_") as String
        }
        let missing = Set(imports).subtracting(installed)
        #expect(imports.count >= 10)
        #expect(missing.isEmpty)
    }
}
