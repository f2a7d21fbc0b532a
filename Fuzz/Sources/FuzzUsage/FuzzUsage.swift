import OutputChecks
import PippinPage

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzUsage(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt { FuzzedUnit.run(data, count, property) }

/// Whatever is said about use: the rules that a crawl keeps say the same as the file they are from, what a source shows is short, and a
/// file with notes about its whole says nothing. The first byte chooses the parser.
private func property(_ bytes: [UInt8]) {
    guard let first = bytes.first, let page = WebURL("https://example.org/a/b.html?c=d") else { return }
    let rest = Array(bytes.dropFirst())
    var usage = PageUsage()
    switch first % 3 {
    case 0:
        let robots = RobotsFile(bytes: rest, url: page)
        let statements = robots.usage(of: page, agents: ["Pippin", "Applebot"])
        precondition(RobotsRules(robots, agents: ["Pippin", "Applebot"]).usage(of: page) == statements)
        precondition(statements.isEmpty || robots.decision(for: page, agents: ["Pippin", "Applebot"]).isAllowed)
        check(statements)
    case 1: usage.take(TDMReservationFile(bytes: rest, url: page), page: page)
    default:
        let license = RSLDocument(bytes: rest, url: page)
        usage.take(license, page: page)
        precondition(license.notes.isEmpty || license.statements(for: page).isEmpty)
    }
    check(usage.preferences.statements)
}

private func check(_ statements: [UsageStatement]) {
    for statement in statements {
        precondition(statement.source.text.utf8.count <= 200)
        _ = statement.sentence
    }
}
