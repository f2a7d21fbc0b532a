import Foundation

/// The folder of the package: for documentation, examples and scripts that tests hold against the code.
public enum Repository {
    public static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
}
