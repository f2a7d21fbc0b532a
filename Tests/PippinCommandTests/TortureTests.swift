import Foundation
import PippinTestSupport
import Testing

/// `make torture` is long; these are parts of it, small, so that neither the script nor what it proves breaks unseen.
@Suite struct TortureTests {
    @Test(arguments: ["kills", "power", "signals,lock"])
    func `a crawl that is killed, cut off or interrupted loses nothing, repeats little and stays polite`(
        parts: String
    ) async throws {
        let folder = try ScratchFolder()
        let script = Repository.root.appending(path: "Scripts/torture").path
        let run = try await PippinProcess.run(
            """
            PYTHONDONTWRITEBYTECODE=1 exec python3 '\(script)' --pippin '\(PippinProcess.binary.path)' \
                --pages 100 --kills 4 --parts \(parts)
            """, in: folder.url)
        #expect(run.status == 0, "\(run.output)\n\(run.errors)")
    }
}
