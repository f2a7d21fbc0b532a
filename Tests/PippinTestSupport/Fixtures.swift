import Foundation

/// Files of the tests that read them, found from the test's own source path so that no bundle is needed.
public enum Fixtures {
    /// The folder `Fixtures/<name>` of the test target that the calling file belongs to.
    public static func folder(_ name: String, file: String = #filePath) -> URL {
        var folder = URL(filePath: file).deletingLastPathComponent()
        while folder.deletingLastPathComponent().lastPathComponent != "Tests", folder.pathComponents.count > 1 {
            folder.deleteLastPathComponent()
        }
        return folder.appending(path: "Fixtures").appending(path: name)
    }
}
