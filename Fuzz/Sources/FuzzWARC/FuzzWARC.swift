import OutputChecks
import PippinPage

@testable import PippinCrawl

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzWARC(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt { FuzzedUnit.run(data, count, property) }

/// A pipe of any speed gives the same records of a WARC file as one that gives everything at once, in the order of the file and
/// within it; and every record is an answer or none, without a trap.
private func property(_ bytes: [UInt8]) {
    let piece = bytes.first.map { Int($0) * Int($0) + 1 } ?? 1
    let whole = readings(of: bytes, piece: .max)
    precondition(readings(of: bytes, piece: piece) == whole, "the speed of the pipe changes what is read")
    var end: UInt64 = 0
    for case .record(let record) in whole {
        precondition(record.offset >= end || record.length == nil, "records overlap")
        precondition(record.offset + (record.length ?? 0) <= UInt64(bytes.count), "a record behind the end of the file")
        precondition(UInt64(record.block.count) <= record.blockBytes, "a block longer than it is")
        end = record.offset + (record.length ?? 0)
        check(record)
    }
}

private func readings(of bytes: [UInt8], piece: Int) -> [WARCReader.Reading] {
    let reader = WARCReader(FileWindow(bytes, piece: piece))
    var all: [WARCReader.Reading] = []
    do {
        while let reading = try reader.next(keeping: { ArchivedAnswer.wantedBytes($0, maximumBodyBytes: 10_000) }) {
            all.append(reading)
            precondition(all.count <= bytes.count, "more readings than bytes")
        }
    } catch {
        preconditionFailure("reading memory cannot fail")
    }
    return all
}

private func check(_ record: ArchivedRecord) {
    guard let answer = try? ArchivedAnswer(record, maximumBodyBytes: 10_000) else { return }
    precondition(answer.url.isHTTP)
    guard case .page(let response) = answer.content else { return }
    precondition(response.body.count <= 10_000 && StatusMeaning(response.status) == .content)
}
