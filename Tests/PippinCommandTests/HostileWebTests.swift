import Foundation
import PippinTestSupport
import Testing

/// `make hostile` is long; this is the part of it that is quick, so that neither the script nor what it proves breaks unseen.
@Suite struct HostileWebTests {
    @Test func `hostile hosts cost no good page, no flood of requests, no memory and no end`() async throws {
        let folder = try ScratchFolder()
        let script = Repository.root.appending(path: "Scripts/hostile").path
        let run = try await PippinProcess.run(
            "PYTHONDONTWRITEBYTECODE=1 exec python3 '\(script)' --pippin '\(PippinProcess.binary.path)' --fast",
            in: folder.url)
        #expect(run.status == 0, "\(run.output)\n\(run.errors)")
    }
}
