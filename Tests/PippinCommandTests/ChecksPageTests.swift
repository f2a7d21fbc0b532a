import Foundation
import PippinReport
import PippinTestSupport
import Testing

/// `Docs/Checks.md` against the checks of the program.
@Suite struct ChecksPageTests {
    private static let page = Repository.text("Docs/Checks.md")

    @Test func `the page of checks is what the program says of them`() async throws {
        let made = try await PippinProcess.run(
            "python3 Scripts/checks-page.py \"$(command -v pippin)\"", in: Repository.root)
        #expect(made.status == 0, "\(made.errors)")
        #expect(made.output == Self.page, "run Scripts/checks-page.py PROGRAM > Docs/Checks.md")
    }

    @Test func `each check has its section, with a way to fix it and a source, and each section is of a check`() {
        let headings = Self.page.split(separator: "\n").filter { $0.hasPrefix("### ") }.map { String($0.dropFirst(4)) }
        #expect(headings == Check.all.map(\.id))
        for check in Check.all {
            #expect(check.guide.fix.hasSuffix(".") && check.guide.fix.count > 15, "\(check.id)")
            #expect(!check.guide.sources.isEmpty, "\(check.id)")
            for source in check.guide.sources { #expect(source.url.hasPrefix("https://"), "\(check.id)") }
        }
    }
}
