import Foundation

/// Finds processes of a browser.
public enum BrowserProcesses {
    /// Those with a limit of memory (`RenderSettings.memoryBytes`), by which a test tells its browser from others.
    public static func withLimit(_ bytes: Int) -> [Int32] {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc"))?.compactMap { Int32($0) }.filter { process in
            let limits = try? String(contentsOfFile: "/proc/\(process)/limits", encoding: .utf8)
            let line = limits?.split(separator: "\n").first { $0.hasPrefix("Max data size") }
            return line?.split(separator: " ").contains("\(bytes)") == true
        } ?? []
    }
}
