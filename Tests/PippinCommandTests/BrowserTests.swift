import Foundation
import PippinTestSupport
import Testing

/// The pages of `pippin serve` in a real browser, over a crawl of the demo site.
@Suite struct BrowserTests {
    @Test func `every page works, fits its window, can be read, and asks nobody else`() async throws {
        let folder = try ScratchFolder()
        let python = Repository.root.appending(path: ".build/browser/bin/python3").path
        try #require(
            FileManager.default.isExecutableFile(atPath: python),
            "This test needs a browser: run Scripts/setup.sh test.")
        let script = Repository.root.appending(path: "Scripts/browser").path
        let run = try await PippinProcess.run(
            "PYTHONDONTWRITEBYTECODE=1 exec '\(python)' '\(script)' --pippin '\(PippinProcess.binary.path)'",
            in: folder.url)
        #expect(run.status == 0, "\(run.output)\n\(run.errors)")
    }
}
