import Foundation

/// Files that tests read.
public enum Fixtures {
    /// The folder `Tests/<target of the calling file>/Fixtures/<name>`.
    public static func folder(_ name: String, file: String = #filePath) -> URL {
        let tests = Repository.root.appending(path: "Tests")
        let inside = URL(filePath: file).pathComponents.dropFirst(tests.pathComponents.count)
        return tests.appending(path: inside.first ?? "").appending(path: "Fixtures").appending(path: name)
    }
}
