import Foundation

/// Files beside the tests that read them, found from the test's own source path so that no bundle is needed.
public enum Fixtures {
    /// The folder `Fixtures/<name>` next to the calling test file.
    public static func folder(_ name: String, file: String = #filePath) -> URL {
        URL(filePath: file).deletingLastPathComponent().appending(path: "Fixtures").appending(path: name)
    }
}
