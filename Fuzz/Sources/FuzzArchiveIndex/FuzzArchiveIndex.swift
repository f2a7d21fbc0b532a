import OutputChecks
import PippinPage

@testable import PippinCrawl

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzArchiveIndex(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    FuzzedUnit.run(data, count, property)
}

private let maximumBodyBytes = 10_000

/// A pipe of any speed gives the same lines of an index as one that gives everything at once, each within the limit. What a line names lies
/// below a folder and is no longer than the longest record.
private func property(_ bytes: [UInt8]) {
    let piece = bytes.first.map { Int($0) * Int($0) + 1 } ?? 1
    let whole = lines(of: bytes, piece: .max)
    precondition(lines(of: bytes, piece: piece) == whole, "the speed of the pipe changes what is read")
    for case .text(let line) in whole {
        precondition(line.count <= IndexLines.maximumBytes, "a line beyond the limit")
        guard let place = try? IndexedPlace(line, maximumBodyBytes: maximumBodyBytes) else { continue }
        precondition(place.url.isHTTP)
        precondition((1...IndexedPlace.maximumLength(maximumBodyBytes: maximumBodyBytes)).contains(place.length))
        precondition(
            !place.file.hasPrefix("/") && !place.file.split(separator: "/").contains(".."), "outside of the folder")
        precondition(place.payloadDigest.map { $0.count == 20 } ?? true)
        precondition(CDXJLine.parts(line) == nil || (try? CDXJFields(line)) != nil)
    }
}

private func lines(of bytes: [UInt8], piece: Int) -> [IndexLines.Line] {
    var lines = IndexLines(FileWindow(bytes, piece: piece))
    var all: [IndexLines.Line] = []
    do {
        while let line = try lines.next() {
            all.append(line)
            precondition(all.count <= 1_000_000, "more lines than their limit lets through")
        }
    } catch {
        // A damaged member ends the lines; those before it count.
        if case .unreadable = error { preconditionFailure("reading memory cannot fail") }
    }
    return all
}
